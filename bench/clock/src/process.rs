//! Other processes of this program: workers, and the small executables beside it.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::arguments::SectionName;
use crate::cpus;
use crate::failure::Failure;
use crate::rounds::Rounds;
use crate::size::{self, Size};

/// Measures a section in fresh processes, one after the other on changing CPUs, and puts their rounds together.
pub(crate) fn in_workers(section: SectionName, of: size::Rounds, size: &Size) -> Result<Vec<Rounds>, Failure> {
    let cpus = cpus::allowed()?;
    let mut together: Vec<Rounds> = Vec::new();
    for (process, cpu) in (0..of.processes).zip(cpus.iter().rev().cycle()) {
        eprintln!("bench-clock: {}, process {} of {}", section.title(), process + 1, of.processes);
        let parts = worker(section, *cpu, size)?;
        if together.is_empty() {
            together = parts;
        } else if together.len() != parts.len() {
            return Err(Failure::because("two workers measured different things"));
        } else {
            together.iter_mut().zip(parts).try_for_each(|(all, part)| all.append(part))?;
        }
    }
    Ok(together)
}

fn worker(section: SectionName, cpu: usize, size: &Size) -> Result<Vec<Rounds>, Failure> {
    use clap::ValueEnum;

    let program = std::env::current_exe()
        .map_err(|error| Failure::because(format!("this program cannot be found to start it again: {error}")))?;
    let name = section.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let mut command = Command::new(program);
    command.args(["--worker", &name, "--cpu", &cpu.to_string()]);
    if size.is_quick {
        command.arg("--quick");
    }
    parse(&output_of(command, "a worker")?, "a worker")
}

/// A small executable that was built with this one.
pub(crate) fn sibling(name: &str) -> Result<PathBuf, Failure> {
    let program = std::env::current_exe().unwrap_or_default();
    let path = program.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if path.is_file() {
        return Ok(path);
    }
    Err(Failure::because(format!("the executable {name} was not built beside this one; bench/clock/run builds all")))
}

/// Runs `command` to its end and returns what it printed.
pub(crate) fn output_of(mut command: Command, what: &str) -> Result<String, Failure> {
    command.stdin(Stdio::null());
    let output = command.output().map_err(|error| Failure::because(format!("{what} did not start: {error}")))?;
    stdout_of(output, what)
}

/// What a process printed, if it ended well.
pub(crate) fn stdout_of(output: Output, what: &str) -> Result<String, Failure> {
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::because(format!("{what} ended with {}: {}", output.status, said.trim())));
    }
    String::from_utf8(output.stdout).map_err(|_| Failure::because(format!("{what} printed what is not text")))
}

/// What a process printed as JSON.
pub(crate) fn parse<T: serde::de::DeserializeOwned>(json: &str, what: &str) -> Result<T, Failure> {
    serde_json::from_str(json)
        .map_err(|error| Failure::because(format!("{what} printed an unexpected answer: {error}")))
}
