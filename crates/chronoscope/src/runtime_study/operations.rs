use chronoscope_examples::RuntimeOperations;
use chronoscope_probes::RuntimeKind;

use crate::probe::protocol::NOTHING;

/// What processes of a runtime repeat between amounts of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operations {
    /// Reads of the clocks in these places of the kind's row; none for all but those of CPU time. Each is compared with the work alone.
    Clocks(Vec<u64>),
    /// Those of an experiment.
    Experiment(&'static RuntimeOperations),
}

impl Operations {
    /// The loops of a process, about.
    pub fn loops(&self, kind: RuntimeKind) -> usize {
        match self {
            Self::Clocks(clocks) if clocks.is_empty() => kind.row().clocks.len() + 1,
            Self::Clocks(clocks) => clocks.len() + 1,
            Self::Experiment(of) => of.cases.len(),
        }
    }

    /// The name in a study of what a probe of the runtime `label` calls `name`.
    pub fn case(&self, label: &str, name: &str) -> String {
        match self {
            Self::Clocks(_) => format!("{label} {name}"),
            Self::Experiment(_) => name.to_owned(),
        }
    }

    /// The pairs that are compared, of a study that measured `cases`.
    pub fn comparisons(&self, label: &str, cases: &[String]) -> Vec<(String, String)> {
        match self {
            Self::Clocks(_) => {
                let nothing = self.case(label, NOTHING);
                cases.iter().filter(|case| **case != nothing).map(|case| (case.clone(), nothing.clone())).collect()
            }
            Self::Experiment(of) => {
                of.compared.iter().map(|(case, baseline)| ((*case).to_owned(), (*baseline).to_owned())).collect()
            }
        }
    }
}
