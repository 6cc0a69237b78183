use std::process::ExitCode;

use crate::failure::Failure;
use crate::output;

/// Prints the schema of the record.
pub(super) fn run() -> Result<ExitCode, Failure> {
    output::print(&chronoscope_measure::record::schema())?;
    Ok(ExitCode::SUCCESS)
}
