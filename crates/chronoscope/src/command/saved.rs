use std::path::Path;

use super::text_file::text_in;
use crate::document::Record;
use crate::json::document;

/// Documents are a few hundred kilobytes; with a study of every kind, some megabytes.
const LONGEST: u64 = 256_000_000;

/// The document in `file`, or why there is none.
pub fn saved(file: &Path) -> Result<Record, String> {
    let text = text_in(file, LONGEST)?;
    document(&text).map_err(|error| error.to_string())
}
