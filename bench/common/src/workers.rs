//! Workers: this program once more, to measure in a fresh process.

use std::process::Command;

use crate::cpus;
use crate::failure::Failure;
use crate::process::{output_of, parse};
use crate::rounds::Rounds;

/// Measures in `processes` fresh processes, one after the other on changing CPUs, and puts their rounds together.
///
/// A worker is this program with `arguments` and `--cpu CPU`; it prints its rounds as JSON. `said` goes to standard error
/// with each.
///
/// # Errors
/// If a worker fails, or two measured different things.
pub fn rounds(said: &str, processes: usize, arguments: &[&str]) -> Result<Vec<Rounds>, Failure> {
    let cpus = cpus::allowed()?;
    let mut together: Vec<Rounds> = Vec::new();
    for (process, cpu) in (0..processes).zip(cpus.iter().rev().cycle()) {
        eprintln!("{said}, process {} of {processes}", process + 1);
        let parts = worker(arguments, *cpu)?;
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

fn worker(arguments: &[&str], cpu: usize) -> Result<Vec<Rounds>, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::because(format!("this program cannot be found to start it again: {error}")))?;
    let mut command = Command::new(program);
    command.args(arguments).args(["--cpu", &cpu.to_string()]);
    parse(&output_of(command, "a worker")?, "a worker")
}
