//! Documents and texts read from files that the user names, of bounded length.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::document::Record;
use crate::json::document;

/// Documents are a few hundred kilobytes; with a study of every kind, some megabytes.
const LONGEST: u64 = 16_000_000;

/// The document in `file`, or why there is none.
pub fn saved(file: &Path) -> Result<Record, String> {
    let text = text_in(file, LONGEST)?;
    document(&text).map_err(|error| error.to_string())
}

/// The text in `file`, which may also be a pipe; or why it cannot be had. What is longer than `most` bytes is refused, so that a
/// device without an end is too.
pub fn text_in(file: &Path, most: u64) -> Result<String, String> {
    let mut text = String::new();
    let opened = File::open(file).map_err(|error| error.to_string())?;
    opened.take(most.saturating_add(1)).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if text.len() as u64 > most {
        return Err(format!("it is longer than {} MB", most / 1_000_000));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_refused_and_what_just_fits_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.json");
        std::fs::write(&file, "a".repeat(2_000_000)).unwrap();
        assert_eq!(text_in(&file, 2_000_000).unwrap().len(), 2_000_000);
        assert_eq!(text_in(&file, 1_999_999).unwrap_err(), "it is longer than 1 MB");
        assert!(text_in(&folder.path().join("b.json"), 1).is_err_and(|why| !why.is_empty()));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_device_without_an_end_is_refused() {
        assert_eq!(text_in(Path::new("/dev/zero"), 3_000_000).unwrap_err(), "it is longer than 3 MB");
    }
}
