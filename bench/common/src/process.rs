//! Other processes: the small executables beside a benchmark.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::failure::Failure;

/// A small executable that was built with this one.
pub fn sibling(name: &str) -> Result<PathBuf, Failure> {
    let program = std::env::current_exe().unwrap_or_default();
    let path = program.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if path.is_file() {
        return Ok(path);
    }
    Err(Failure::because(format!(
        "the executable {name} was not built beside this one; the benchmark's run script builds all"
    )))
}

/// Runs `command` to its end and returns what it printed.
pub fn output_of(mut command: Command, what: &str) -> Result<String, Failure> {
    command.stdin(Stdio::null());
    let output = command.output().map_err(|error| Failure::because(format!("{what} did not start: {error}")))?;
    stdout_of(output, what)
}

/// What a process printed, if it ended well.
pub fn stdout_of(output: Output, what: &str) -> Result<String, Failure> {
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::because(format!("{what} ended with {}: {}", output.status, said.trim())));
    }
    String::from_utf8(output.stdout).map_err(|_| Failure::because(format!("{what} printed what is not text")))
}

/// What a process printed as JSON.
pub fn parse<T: serde::de::DeserializeOwned>(json: &str, what: &str) -> Result<T, Failure> {
    serde_json::from_str(json)
        .map_err(|error| Failure::because(format!("{what} printed an unexpected answer: {error}")))
}
