//! The document of a run: everything that was planned and seen, as plain data.

use std::ops::{Deref, DerefMut};

use chronoscope_examples::Conclusions;
use chronoscope_harness::record::study::{StudyCompared, StudyContent, StudyRecord, StudyReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::report::Verdict;
use crate::part::Part;
use crate::plan::Plan;
use crate::registry::Sections;
use crate::sections::pace::report::Pace;
use crate::sections::scaling;
use crate::sections::selftest::Selftest;
use chronoscope_harness::record::{Disturbance, Document, Machine, Tool};

/// The JSON schema of every document, with a newline at its end.
pub fn schema() -> String {
    let schema = schemars::schema_for!(Record);
    // A schema is a JSON value, which can always be written.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// A document: one run on one machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Record(pub Document<Content>);

/// What a document holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Content {
    /// What was to be done, as far as it concerns all sections.
    #[serde(skip_serializing_if = "is_default")]
    pub plan: Plan,
    /// Why everything was measured inside the coordinator, where no worker process could be started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason_no_workers: Option<String>,
    /// What became of each part of the plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartReport>,
    /// What can be timed here.
    #[serde(skip_serializing_if = "is_default")]
    pub verdict: Verdict,
    /// What was planned and seen, by section.
    #[serde(skip_serializing_if = "is_default")]
    pub sections: Sections,
    /// What a study saw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub study: Option<StudyReport>,
    /// How it compares with an earlier run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared: Option<StudyCompared>,
    /// Which clocks scale, and from how much work between reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scaling: Option<Vec<scaling::Conclusion>>,
    /// What an experiment shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiment: Option<Conclusions>,
    /// Whether the harness can be trusted here, and the studies that tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selftest: Option<Selftest>,
    /// How a pace was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pace: Option<Pace>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Record {
    /// The document of a run that begins now, in which nothing has been measured yet.
    pub fn new(command: impl Into<String>, tool: Tool, machine: Machine, plan: Plan, sections: Sections) -> Self {
        Self(Document::new(command, tool, machine, Content { plan, sections, ..Content::default() }))
    }

    /// The document of its study, if it holds one.
    pub fn as_study(&self) -> Option<StudyRecord> {
        let study = self.study.clone()?;
        let compared = self.compared.clone();
        let Document { machine, findings, tool, started_at, .. } = &self.0;
        Some(Document {
            started_at: started_at.clone(),
            elapsed_ms: self.elapsed_ms,
            interrupted: self.interrupted,
            findings: findings.clone(),
            ..Document::new(&self.command, tool.clone(), machine.clone(), StudyContent { study, compared })
        })
    }

    /// The document that holds `study` and nothing else, as the command `command` wrote it.
    pub fn of_study(study: StudyRecord, command: impl Into<String>) -> Self {
        let content = |StudyContent { study, compared }| Content { study: Some(study), compared, ..Content::default() };
        let mut record = Self(study.map(content));
        record.command = command.into();
        record
    }

    /// Why nothing is known that one of `parts` would have told.
    pub fn reason_missing(&self, parts: &[Part]) -> String {
        let mut reports = self.parts.iter().filter(|report| parts.contains(&report.part)).peekable();
        if reports.peek().is_none() {
            return "it was not part of the plan".to_owned();
        }
        let reason = reports.find(|report| report.outcome != Outcome::Done).and_then(|report| report.reason.as_deref());
        reason.filter(|reason| !reason.trim().is_empty()).unwrap_or("the record gives no reason").to_owned()
    }
}

impl Deref for Record {
    type Target = Document<Content>;

    fn deref(&self) -> &Document<Content> {
        &self.0
    }
}

impl DerefMut for Record {
    fn deref_mut(&mut self) -> &mut Document<Content> {
        &mut self.0
    }
}

impl Deref for Content {
    type Target = Sections;

    fn deref(&self) -> &Sections {
        &self.sections
    }
}

impl DerefMut for Content {
    fn deref_mut(&mut self) -> &mut Sections {
        &mut self.sections
    }
}

/// What became of one part of the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PartReport {
    /// Which part.
    pub part: Part,
    /// Whether it was done.
    pub outcome: Outcome,
    /// Why it was not, or not whole.
    pub reason: Option<String>,
    /// Wall time that it took in milliseconds.
    pub elapsed_ms: u64,
    /// What disturbed its measurements, all together.
    pub disturbance: Disturbance,
}

/// How a part of the plan ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Done as planned.
    Done,
    /// Done, save what `reason` names.
    Incomplete,
    /// Nothing was measured, for `reason`.
    Skipped,
    /// Begun and failed, for `reason`.
    Failed,
}

impl Outcome {
    /// In a word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Incomplete => "incomplete",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }
}
