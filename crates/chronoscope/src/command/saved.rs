//! Documents and texts read from files that the user names, of bounded length.

use std::fs::File;
use std::path::Path;

use crate::document::Record;
use crate::json::{MOST_BYTES, bounded_text, document};

/// The document in `file`, or why there is none.
pub fn saved(file: &Path) -> Result<Record, String> {
    let text = text_in(file, MOST_BYTES)?;
    document(&text).map_err(|error| error.to_string())
}

/// The text in `file`, which may also be a pipe; or why it cannot be had, as if it is longer than `most` bytes.
pub fn text_in(file: &Path, most: u64) -> Result<String, String> {
    bounded_text(File::open(file).map_err(|error| error.to_string())?, most)
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
