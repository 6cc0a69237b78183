//! Commands that conclude more from a study than the study itself does. What they print is a function of the record alone,
//! so that a saved record shows what the run showed.

use chronoscope_measure::front::Failure;
use chronoscope_measure::record::study::StudyRecord;
use chronoscope_report::study::{Detail, terminal};
use clap::ValueEnum;
use serde::Serialize;

use super::study_run;
use crate::experiment::{self, Conclusions, Experiment};
use crate::scaling;

const SCALING: &str = "scaling";
const EXPERIMENT: &str = "experiment ";

/// Which command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Concluded {
    Scaling,
    Experiment(Experiment),
}

/// A record of a study with one more field: what it is read with as a record leaves that out.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    record: &'a StudyRecord,
    #[serde(skip_serializing_if = "Option::is_none")]
    conclusions: Option<Conclusions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scaling: Option<Vec<scaling::Conclusion>>,
}

impl Concluded {
    /// By the name that a record holds; none for one that this build does not know.
    pub(super) fn named(command: &str) -> Option<Self> {
        match command.strip_prefix(EXPERIMENT) {
            Some(name) => Some(Self::Experiment(Experiment::from_str(name, false).ok()?)),
            None => (command == SCALING).then_some(Self::Scaling),
        }
    }

    /// The name that its record holds.
    pub(super) fn name(self) -> String {
        match self {
            Self::Scaling => SCALING.to_owned(),
            Self::Experiment(which) => format!("{EXPERIMENT}{}", which.name()),
        }
    }

    /// The page, and with `full` all that was seen of every combination.
    pub(super) fn human(self, record: &StudyRecord, full: bool) -> String {
        let page = match self {
            Self::Scaling => scaling::page(record, &scaling::conclude(record)),
            Self::Experiment(which) => experiment::show::terminal(&which.conclude(record), record),
        };
        if full { page + &terminal(record, Detail::Full) } else { page }
    }

    /// The record with its conclusions.
    pub(super) fn json(self, record: &StudyRecord) -> Result<String, Failure> {
        let (conclusions, scaling) = match self {
            Self::Scaling => (None, Some(scaling::conclude(record))),
            Self::Experiment(which) => (Some(which.conclude(record)), None),
        };
        study_run::json(&Printed { record, conclusions, scaling })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_known_by_its_name() {
        let experiments = Experiment::value_variants().iter().map(|which| Concluded::Experiment(*which));
        for command in experiments.chain([Concluded::Scaling]) {
            assert_eq!(Concluded::named(&command.name()), Some(command));
        }
        for unknown in ["", "experiment", "experiment ", "experiment perpetuum", "Scaling", "pace"] {
            assert_eq!(Concluded::named(unknown), None, "{unknown}");
        }
    }
}
