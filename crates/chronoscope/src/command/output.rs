//! Destinations of a document: standard output, and an atomically written file.

use std::path::Path;

use chronoscope_bench::{Failure, Format, OutputFile, page_width, print};

use super::page::{Shown, page};
use crate::document::Record;
use crate::json::json;

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

    /// Prints and saves the document. Each is tried even if the other fails, so that a full disk or a closed pipe loses
    /// no results.
    ///
    /// # Errors
    /// If either fails.
    pub fn write(self, record: &Record, shown: Shown) -> Result<(), Failure> {
        let json = json(record).map_err(|error| Failure::run(error.to_string()))?;
        let printed = match self.format {
            Format::Human => print(&page(record, shown, page_width())),
            Format::Json => print(&json),
        };
        self.file.map_or(Ok(()), |file| file.write(&json)).and(printed)
    }
}
