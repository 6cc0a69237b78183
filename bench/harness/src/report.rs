//! What a run has seen, and how it is written.

use bench_shared::failure::Failure;
use bench_shared::goal::{self, Goal};
use bench_shared::machine::Machine;
use serde::Serialize;

use crate::arguments::SectionName;
use crate::section::accuracy::Accuracy;
use crate::section::difference::Differences;
use crate::section::empty::Empty;
use crate::section::peers::Peers;

/// The sections that were measured.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Sections {
    pub(crate) is_quick: bool,
    pub(crate) accuracy: Option<Accuracy>,
    pub(crate) peers: Option<Peers>,
    pub(crate) difference: Option<Differences>,
    pub(crate) empty: Option<Empty>,
}

/// A run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) machine: Machine,
    pub(crate) sections: Sections,
    pub(crate) goals: Vec<Goal>,
    /// What could not be measured, and why.
    pub(crate) failures: Vec<(&'static str, Failure)>,
}

impl Report {
    pub(crate) fn json(&self) -> Result<String, Failure> {
        serde_json::to_string_pretty(self).map_err(|error| Failure::because(format!("the report as JSON: {error}")))
    }

    pub(crate) fn text(&self) -> String {
        let Sections { is_quick, accuracy, peers, difference, empty } = &self.sections;
        let parts = [
            (SectionName::Accuracy, accuracy.as_ref().map(Accuracy::show)),
            (SectionName::Peers, peers.as_ref().map(Peers::show)),
            (SectionName::Difference, difference.as_ref().map(Differences::show)),
            (SectionName::Empty, empty.as_ref().map(Empty::show)),
        ];
        let mut text = self.machine.show() + "\n";
        if *is_quick {
            text += "A quick run: it shows that everything works; for the numbers, run without --quick.\n";
        }
        for (section, shown) in parts {
            if let Some(shown) = shown {
                text += &format!("\n## {}\n\n{shown}\n", section.title());
            }
        }
        for (section, failure) in &self.failures {
            text += &format!("\nNot measured: {section}: {failure}\n");
        }
        text + &format!("\n## goals\n\n{}\n", goal::show(&self.goals))
    }
}
