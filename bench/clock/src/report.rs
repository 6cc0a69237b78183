//! What a run has seen, and how it is written.

use bench_shared::goal::{self, Goal};
use bench_shared::machine::Machine;
use serde::Serialize;

use crate::arguments::SectionName;
use crate::failure::Failure;
use crate::section::accuracy::Accuracy;
use crate::section::first_use::FirstUse;
use crate::section::latency::Latency;
use crate::section::litmus::Litmus;
use crate::section::threads::Threads;
use crate::section::work::Added;

/// The sections that were measured.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Sections {
    pub(crate) is_quick: bool,
    pub(crate) latency: Option<Latency>,
    pub(crate) work: Option<Added>,
    pub(crate) threads: Option<Threads>,
    pub(crate) first_use: Option<FirstUse>,
    pub(crate) litmus: Option<Litmus>,
    pub(crate) accuracy: Option<Accuracy>,
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
        let Sections { is_quick, latency, work, threads, first_use, litmus, accuracy } = &self.sections;
        let parts = [
            (SectionName::Latency, latency.as_ref().map(Latency::show)),
            (SectionName::Work, work.as_ref().map(Added::show)),
            (SectionName::Threads, threads.as_ref().map(Threads::show)),
            (SectionName::FirstUse, first_use.as_ref().map(FirstUse::show)),
            (SectionName::Litmus, litmus.as_ref().map(Litmus::show)),
            (SectionName::Accuracy, accuracy.as_ref().map(Accuracy::show)),
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
