//! Validates the record of a check or of a study against its committed schema: `cargo run --example validate_record -- FILE`.
//!
//! Exit code 0: valid. 1: not, with every fault and where it is. 2: the file or the schema cannot be read.

use std::process::ExitCode;

const SCHEMA: &str = include_str!("../schema/chronoscope-record.v1.schema.json");
const STUDY_SCHEMA: &str = include_str!("../schema/chronoscope-study.v1.schema.json");

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: validate_record FILE");
        return ExitCode::from(2);
    };
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).map_err(|error| error.to_string());
    let record = std::fs::read_to_string(&path).map_err(|error| error.to_string()).and_then(|text| read(&text));
    let is_study = record.as_ref().is_ok_and(|record| record.get("study_schema_version").is_some());
    let validator = read(if is_study { STUDY_SCHEMA } else { SCHEMA })
        .and_then(|schema| jsonschema::validator_for(&schema).map_err(|error| error.to_string()));
    match (validator, record) {
        (Ok(validator), Ok(record)) => {
            let faults: Vec<String> =
                validator.iter_errors(&record).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
            faults.iter().for_each(|fault| eprintln!("{fault}"));
            if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("{}: {error}", path.to_string_lossy());
            ExitCode::from(2)
        }
    }
}
