use std::process::ExitCode;

use chronoscope_measure::front::{Failure, print};

/// Prints the schema of the record, or of that of a study.
pub(super) fn run(study: bool) -> Result<ExitCode, Failure> {
    use chronoscope_measure::record;

    print(&if study { record::study::study_schema() } else { record::schema() })?;
    Ok(ExitCode::SUCCESS)
}
