//! An experiment in a language runtime: its operations, repeated by the runtime's own probe.

use std::str::FromStr;

use chronoscope_bench::Failure;
use chronoscope_examples::{Experiment, RuntimeOperations};
use chronoscope_harness::record::study::StudyPlan;
use chronoscope_probes::RuntimeKind;

use crate::plan::Depth;
use crate::probe::RuntimePlace;
use crate::probe::runtime::Runtime;
use crate::runtime_study::{OfRuntime, Operations, RuntimesPlan};

/// The kinds whose probes have the operations of experiments.
const KINDS: [RuntimeKind; 1] = [RuntimeKind::Java];

/// The runtime that the user named: a kind, or a program of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InRuntime {
    kind: RuntimeKind,
    program: Option<RuntimePlace>,
}

impl FromStr for InRuntime {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let program = text.contains('=').then(|| text.parse::<RuntimePlace>()).transpose()?;
        let kind = program.as_ref().map_or_else(|| RuntimeKind::named(text), |place| Ok(place.kind))?;
        if !KINDS.contains(&kind) {
            let known: Vec<&str> = KINDS.iter().map(|kind| kind.row().word).collect();
            return Err(format!("no experiment can run in {}; try {}", kind.title(), known.join(", ")));
        }
        Ok(Self { kind, program })
    }
}

impl InRuntime {
    /// The word for it in a command.
    pub fn word(&self) -> &'static str {
        self.kind.row().word
    }

    /// What of `experiment` runs in it.
    ///
    /// # Errors
    /// If that is nothing.
    pub fn operations(&self, experiment: Experiment) -> Result<&'static RuntimeOperations, Failure> {
        experiment.in_runtimes().ok_or_else(|| {
            let others = Experiment::ALL.iter().filter(|other| other.in_runtimes().is_some());
            let others: Vec<&str> = others.map(Experiment::name).collect();
            let name = experiment.name();
            Failure::usage(format!("--runtime: the experiment {name} runs natively only; try {}", others.join(", ")))
        })
    }

    /// `operations` on one thread and on all CPUs of `native`, the plan of the native study `name`. `is_bound`: whether these CPUs are a choice
    /// of the user's.
    pub fn plan(
        &self,
        operations: &'static RuntimeOperations,
        name: &str,
        native: &StudyPlan,
        is_bound: bool,
        depth: Depth,
    ) -> RuntimesPlan {
        let tokens = match depth {
            Depth::Thorough => (0..=operations.most_tokens()).collect(),
            Depth::Quick | Depth::Normal => operations.tokens.to_vec(),
        };
        RuntimesPlan {
            name: name.to_owned(),
            of: vec![OfRuntime { kind: self.kind, operations: Operations::Experiment(operations) }],
            named: self.program.clone().into_iter().collect(),
            threads: operations.threads(native.cpus.len() as u32),
            tokens,
            cpus: native.cpus.clone(),
            is_bound,
            most_of_a_kind: 1,
            depth,
        }
    }
}

/// In what operations ran: its version, and what its virtual machine was told.
pub fn circumstances(runtime: &Runtime) -> String {
    let version = runtime.version.as_deref().unwrap_or("version unknown");
    let told = runtime.notes.iter().find(|note| note.starts_with("Options"));
    let told = told.map_or_else(String::new, |note| format!(". {}", note.trim_end_matches('.')));
    format!("measured in {} {version}, in {} processes{told}", runtime.name, runtime.processes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runtime_is_a_kind_or_a_program_of_one() {
        assert_eq!("java".parse::<InRuntime>().unwrap().program, None);
        let named = "java=/opt/jdk/bin/java".parse::<InRuntime>().unwrap();
        assert_eq!((named.kind, named.program.unwrap().program.as_str()), (RuntimeKind::Java, "/opt/jdk/bin/java"));
        for wrong in ["", "java=", "python", "python=/usr/bin/python3", "cobol"] {
            assert!(wrong.parse::<InRuntime>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_experiments_with_operations_in_runtimes_run_there() {
        let java = InRuntime { kind: RuntimeKind::Java, program: None };
        for experiment in Experiment::ALL {
            assert_eq!(
                java.operations(*experiment).is_ok(),
                ["backoff", "timers"].contains(&experiment.name()),
                "{}",
                experiment.name()
            );
        }
    }
}
