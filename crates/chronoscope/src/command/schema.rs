use std::process::ExitCode;

use chronoscope_bench::{Failure, print};

use crate::document;

/// Prints the schema of every document.
pub fn run() -> Result<ExitCode, Failure> {
    print(&document::schema())?;
    Ok(ExitCode::SUCCESS)
}
