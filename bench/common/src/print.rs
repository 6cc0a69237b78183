//! Standard output, which carries a report and nothing else.

use std::io::Write;

use crate::failure::Failure;

/// Prints `text`; a reader that went away is an error, not a panic.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut output = std::io::stdout().lock();
    let printed = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    printed.map_err(|error| Failure::because(format!("the report could not be printed: {error}")))
}
