//! Validates a document against the committed schema: `cargo run --example validate_record -- FILE`.
//!
//! Exit code 0: valid. 1: not, with every fault and where it is. 2: the file or the schema cannot be read.

use std::process::ExitCode;

const SCHEMA: &str = include_str!("../schema/chronoscope.v2.schema.json");

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: validate_record FILE");
        return ExitCode::from(2);
    };
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).map_err(|error| error.to_string());
    let document = std::fs::read_to_string(&path).map_err(|error| error.to_string()).and_then(|text| read(&text));
    let validator =
        read(SCHEMA).and_then(|schema| jsonschema::validator_for(&schema).map_err(|error| error.to_string()));
    match (validator, document) {
        (Ok(validator), Ok(document)) => {
            let faults: Vec<String> =
                validator.iter_errors(&document).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
            faults.iter().for_each(|fault| eprintln!("{fault}"));
            if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("{}: {error}", path.to_string_lossy());
            ExitCode::from(2)
        }
    }
}
