//! Destinations of a document: standard output, and an atomically written file.

use std::path::Path;

use chronoscope_bench::{Failure, Format, OutputFile, page_width, print};

use super::page::{Shown, page};
use crate::document::Record;
use crate::json::{json, writable};

/// The destinations of a document.
pub struct Output {
    format: Format,
    file: Option<OutputFile>,
}

impl Output {
    /// Checks, before anything is measured, that `file` can be written.
    ///
    /// # Errors
    /// If it cannot.
    pub fn prepare(format: Format, file: Option<&Path>) -> Result<Self, Failure> {
        Ok(Self { format, file: file.map(|path| OutputFile::prepare("the record", path)).transpose()? })
    }

    /// Prints and saves the document. Each is tried even if the other fails, so that a full disk, a closed pipe or a
    /// number that is not finite loses no other results.
    ///
    /// # Errors
    /// If either fails.
    pub fn write(self, record: &Record, shown: Shown) -> Result<(), Failure> {
        let writable = writable(record);
        let record = writable.as_deref().unwrap_or(record);
        let json = writable
            .as_deref()
            .map_err(ToString::to_string)
            .and_then(|record| json(record).map_err(|error| error.to_string()));
        let json = json.map_err(Failure::run);
        let (printed, json) = match (self.format, json) {
            (Format::Human, json) => (print(&page(record, shown, page_width())), json?),
            (Format::Json, json) => {
                let json = json?;
                (print(&json), json)
            }
        };
        self.file.map_or(Ok(()), |file| file.write(&json)).and(printed)
    }
}
