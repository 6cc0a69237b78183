//! The report.

use bench_shared::failure::Failure;
use bench_shared::goal::{self, Goal};
use bench_shared::machine::Machine;
use serde::Serialize;

use crate::honesty::Honesty;
use crate::pacing::Pacing;
use crate::pauses::Pauses;

/// What was measured; None for what was not asked for.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Sections {
    pub(crate) is_quick: bool,
    pub(crate) pauses: Option<Pauses>,
    pub(crate) loaded: Option<Pauses>,
    pub(crate) pacing: Option<Pacing>,
    pub(crate) pacing_loaded: Option<Pacing>,
    pub(crate) honesty: Option<Honesty>,
}

/// The whole of it.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) machine: Machine,
    pub(crate) sections: Sections,
    pub(crate) goals: Vec<Goal>,
    pub(crate) failures: Vec<(&'static str, Failure)>,
}

impl Report {
    pub(crate) fn text(&self) -> String {
        let sections = &self.sections;
        let shown = [
            ("pauses", sections.pauses.as_ref().map(Pauses::show)),
            ("pauses beside a busy thread", sections.loaded.as_ref().map(Pauses::show)),
            ("pacing", sections.pacing.as_ref().map(Pacing::show)),
            ("pacing beside a busy thread", sections.pacing_loaded.as_ref().map(Pacing::show)),
            ("honesty", sections.honesty.as_ref().map(Honesty::show)),
        ];
        let mut text = self.machine.show() + "\n";
        for (title, section) in shown {
            if let Some(section) = section {
                text += &format!("\n## {title}\n\n{section}\n");
            }
        }
        text += &format!("\n## goals\n\n{}\n", goal::show(&self.goals));
        for (section, failure) in &self.failures {
            text += &format!("\n{section} could not be measured: {failure}\n");
        }
        text
    }

    pub(crate) fn json(&self) -> Result<String, Failure> {
        serde_json::to_string_pretty(self).map_err(|error| Failure::because(error.to_string()))
    }
}
