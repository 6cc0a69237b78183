use std::path::Path;

use crate::document::Record;
use crate::json::document;

/// The document in `file`, or why there is none.
pub fn saved(file: &Path) -> Result<Record, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    document(&text).map_err(|error| error.to_string())
}
