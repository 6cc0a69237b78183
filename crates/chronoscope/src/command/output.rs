//! Destinations of a document: standard output, and an atomically written file.

use std::path::Path;

use chronoscope_bench::{Failure, Format, OutputFile, page_width, print, tell};

use super::page::{Shown, page};
use crate::document::Record;
use crate::json::{json, reason_unreadable};

/// The destinations of a document.
pub struct Output {
    format: Format,
    file: Option<OutputFile>,
}

/// Refuses a destination that is one of the files read, or another destination: it would be lost.
///
/// # Errors
/// With exit code 2.
pub fn keep_apart(written: &[(&str, Option<&Path>)], read: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let place =
        |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned());
    for (at, (name, path)) in written.iter().enumerate() {
        let Some(path) = path else { continue };
        let mut others = read.iter().chain(&written[..at]);
        if let Some((other, _)) = others.find(|(_, other)| other.is_some_and(|other| place(other) == place(path))) {
            let path = path.display();
            return Err(Failure::usage(format!("{name} {path} would replace {other}; name another file")));
        }
    }
    Ok(())
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
        let json = json(record).map_err(|error| Failure::run(error.to_string()));
        let (printed, json) = match (self.format, json) {
            (Format::Human, json) => (print(&page(record, shown, page_width())), json?),
            (Format::Json, json) => {
                let json = json?;
                (print(&json), json)
            }
        };
        if let Some(reason) = reason_unreadable(&json) {
            tell("chronoscope", &format!("warning: {reason}"));
        }
        self.file.map_or(Ok(()), |file| file.write(&json)).and(printed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (file, other) = (folder.path().join("a.json"), folder.path().join("b.json"));
        std::fs::write(&file, "{}").unwrap();
        let around = folder.path().join(".").join("a.json");
        let refused = keep_apart(&[("--output", Some(&around))], &[("the document", Some(&file))]).unwrap_err();
        assert!(refused.to_string().contains("replace"), "{refused}");
        assert!(keep_apart(&[("--output", Some(&other)), ("--junit", Some(&other))], &[]).is_err(), "not there yet");
        assert!(keep_apart(&[("--output", Some(&other)), ("--junit", None)], &[("it", Some(&file))]).is_ok());
    }
}
