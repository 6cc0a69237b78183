//! The document of a run: its plan and all measurements, as plain data.

use chronoscope_examples::Conclusions;
use chronoscope_harness::record::study::{Against, StudyContent, StudyRecord, StudyReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::advice::report::Advice;
use crate::answers::compare::report::Comparison;
use crate::answers::gate::report::Gate;
use crate::answers::literature::report::Literature;
use crate::answers::noise_floor::report::NoiseFloor;
use crate::answers::since::report::Since;
use crate::clock_id::ClockId;
use crate::judgement::Judgement;
use crate::judgement::facts::Facts;
use crate::judgement::host::Host;
use crate::part::{self, Part};
pub use crate::part::{Outcome, PartReport};
use crate::plan::Plan;
use crate::registry::{Sections, each_section};
use crate::section::Section;
use crate::sections::pace::report::Pace;
use crate::sections::scaling::report::Conclusion;
use chronoscope_harness::record::Document;

/// The JSON schema of every document. Tests write it from the types: what does so would be a twentieth of the program.
pub static SCHEMA: &str = include_str!("../schema/chronoscope.v2.schema.json");

/// A document: one run on one machine.
pub type Record = Document<Content>;

/// A document's content.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Content {
    /// The parts of the plan common to all sections.
    #[serde(skip_serializing_if = "is_default")]
    pub plan: Plan,
    /// Why everything was measured inside the coordinator, if no worker process could be started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason_no_workers: Option<String>,
    /// The outcome of each part of the plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartReport>,
    /// What is concluded from it; null where no clocks were looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judgement: Option<Judgement>,
    /// Plans and measurements, by section.
    #[serde(skip_serializing_if = "is_default")]
    pub sections: Sections,
    /// The measurements of a study.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub study: Option<StudyReport>,
    /// The comparison with another build in the same run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<Against>,
    /// Which clocks scale, and how much work between reads that takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scaling: Option<Vec<Conclusion>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiment: Option<Conclusions>,
    /// What a user asked, and the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
    /// How well a pace was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pace: Option<Pace>,
    /// The judgement of `chronoscope gate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// How small a difference can be told here, as `chronoscope gate --resolve` measured it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise_floor: Option<NoiseFloor>,
    /// What changed since the last check of the same machine that was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Since>,
    /// Documents compared with each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// Claims of the literature, judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub literature: Option<Literature>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The document of `record`'s study, if it has one.
pub fn as_study(record: &Record) -> Option<StudyRecord> {
    let study = record.content.study.clone()?;
    let against = record.content.against.clone();
    Some(record.clone().map(|_| StudyContent { study, against }))
}

/// A document with only `study`, as written by the command `command`.
pub fn of_study(study: StudyRecord, command: impl Into<String>) -> Record {
    let content = |StudyContent { study, against }| Content { study: Some(study), against, ..Content::default() };
    Document { command: command.into(), ..study.map(content) }
}

impl Content {
    /// What a check concluded, and of the host; None in documents of other commands.
    pub fn concluded(&self) -> Option<(&Judgement, &Host)> {
        let judgement = self.judgement.as_ref()?;
        Some((judgement, judgement.host.as_ref()?))
    }

    /// Why it holds no conclusions, where it should.
    pub const fn reason_unconcluded(&self) -> &'static str {
        match self.parts.is_empty() {
            true => "nothing was measured, so nothing is concluded",
            false => "the document holds no conclusions from what was measured",
        }
    }

    /// Whether it is of a check or a section of one, rather than of a study or a pace.
    pub fn is_check(&self) -> bool {
        self.study.is_none() && self.pace.is_none() && self.comparison.is_none() && self.literature.is_none()
    }

    /// That the results of `parts` are missing, and why.
    pub fn not_tested(&self, parts: &[Part]) -> String {
        format!("not tested: {}", self.reason_missing(parts))
    }

    /// Why the results of `parts` are missing.
    pub fn reason_missing(&self, parts: &[Part]) -> String {
        part::reason_missing(&self.parts, parts)
    }

    /// Whether it is a check, which has a first screen.
    pub fn has_first_screen(&self) -> bool {
        self.judgement.as_ref().is_some_and(|judgement| judgement.host.is_some())
    }

    /// Whether `clock` never went backwards between threads, as concluded; None if unknown.
    pub fn causal(&self, clock: &ClockId) -> Option<bool> {
        self.judgement.as_ref()?.causality.of(clock)?.causal
    }

    /// Whether a time of `clock` that is shown to a thread must never be later than its next reading there. Of a clock unknown to this
    /// build its document says; one that says nothing must be causal like any other.
    pub fn must_be_causal(&self, clock: &ClockId) -> bool {
        let said = || self.clocks().clock(clock).is_none_or(|clock| clock.causal_by_design);
        clock.known().map_or_else(said, |id| id.facts().is_causal)
    }

    /// What speaks against the counter as a measure of time, as concluded.
    pub fn counter_doubt(&self) -> Option<&str> {
        self.judgement.as_ref()?.counter.doubt.as_deref()
    }
}

macro_rules! reports {
    ($($(#[$meta:meta])* $field:ident: sections::$folder:ident::$Section:ident;)*) => {
        impl Content {
            $(/// What this section measured.
            pub fn $field(&self) -> &<crate::sections::$folder::$Section as Section>::Report {
                &self.sections.$field.report
            })*
        }
    };
}

each_section!(reports);

impl<'a> From<&'a Record> for Facts<'a> {
    fn from(record: &'a Record) -> Self {
        let Content { plan, parts, sections, .. } = &record.content;
        Self { machine: &record.machine, plan, parts, sections }
    }
}
