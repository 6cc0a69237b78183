//! Other processes of this program: its workers.

use std::process::Command;

use bench_common::process::{output_of, parse};

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
