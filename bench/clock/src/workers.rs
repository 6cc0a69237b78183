//! Workers of this program: a section once more, in fresh processes.

use bench_common::workers;
use clap::ValueEnum;

use crate::arguments::SectionName;
use crate::failure::Failure;
use crate::rounds::Rounds;
use crate::size::{self, Size};

/// Measures a section in fresh processes, one after the other on changing CPUs, and puts their rounds together.
pub(crate) fn rounds(section: SectionName, of: size::Rounds, size: &Size) -> Result<Vec<Rounds>, Failure> {
    let name = section.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let mut arguments = vec!["--worker", &name];
    if size.is_quick {
        arguments.push("--quick");
    }
    workers::rounds(&format!("bench-clock: {}", section.title()), of.processes, &arguments)
}
