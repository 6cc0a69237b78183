use std::process::ExitCode;

use chronoscope_bench::{Failure, print};

/// Prints the schema of the record, or that of a study or of a pace.
pub fn run(study: bool, pace: bool) -> Result<ExitCode, Failure> {
    use crate::record;

    print(&match (study, pace) {
        (true, _) => record::study::study_schema(),
        (_, true) => record::pace_schema(),
        _ => record::schema(),
    })?;
    Ok(ExitCode::SUCCESS)
}
