//! Where a document goes: to standard output, and to a file that appears whole or not at all.

use std::path::Path;

use chronoscope_bench::{Failure, Format, OutputFile, page_width, print};

use super::page::{Shown, page};
use crate::document::Record;
use crate::json::json;

/// Where a document goes.
pub struct Output {
    format: Format,
    file: Option<OutputFile>,
}

impl Output {
    /// Makes sure, before anything is measured, that `file` can be written.
    ///
    /// # Errors
    /// Where it cannot.
    pub fn prepare(format: Format, file: Option<&Path>) -> Result<Self, Failure> {
        Ok(Self { format, file: file.map(|path| OutputFile::prepare("the record", path)).transpose()? })
    }

    /// Prints the document and saves it. Both are tried whatever becomes of the other, so that a full disk or a closed pipe
    /// loses nothing measured.
    ///
    /// # Errors
    /// Where one of the two failed.
    pub fn write(self, record: &Record, shown: Shown) -> Result<(), Failure> {
        let json = json(record).map_err(|error| Failure::run(error.to_string()))?;
        let printed = match self.format {
            Format::Human => print(&page(record, shown, page_width())),
            Format::Json => print(&json),
        };
        self.file.map_or(Ok(()), |file| file.write(&json)).and(printed)
    }
}
