use std::borrow::Cow;
use std::fmt;

use chronoscope_harness::record::Disturbance;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::registry;

/// A part of a plan, by name: one step in measuring a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Part(&'static str);

impl Part {
    /// A part with this unique name.
    pub const fn named(name: &'static str) -> Self {
        Self(name)
    }

    /// What the part determines, in a few words.
    pub fn title(self) -> &'static str {
        self.row().map_or(self.0, |row| row.title)
    }

    /// Its table row.
    pub fn row(self) -> Option<&'static PartRow> {
        registry::parts().find(|row| row.part == self)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        let known = registry::parts().map(|row| row.part).find(|part| part.0 == name);
        known.ok_or_else(|| D::Error::custom(format!("unknown part of a run `{name}`")))
    }
}

impl JsonSchema for Part {
    fn schema_name() -> Cow<'static, str> {
        "Part".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = registry::parts().map(|row| row.part.0).collect();
        json_schema!({ "description": "A part of a plan.", "type": "string", "enum": names })
    }
}

/// A part, and its share of a run.
#[derive(Clone, Copy, Debug)]
pub struct PartRow {
    pub part: Part,
    /// What it determines, in a few words.
    pub title: &'static str,
    /// Its share of a run's time.
    pub weight: u64,
    /// Whether it is part of a check; otherwise it must be requested.
    pub is_of_check: bool,
}

impl PartRow {
    /// A part of a check.
    pub const fn of_check(part: Part, title: &'static str, weight: u64) -> Self {
        Self { part, title, weight, is_of_check: true }
    }

    /// A part that must be requested.
    pub const fn on_request(part: Part, title: &'static str, weight: u64) -> Self {
        Self { part, title, weight, is_of_check: false }
    }
}

/// The outcome of one part of the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PartReport {
    /// The part.
    pub part: Part,
    /// Whether it was done.
    pub outcome: Outcome,
    /// Why it was not done, or not completely.
    pub reason: Option<String>,
    /// Its wall time in milliseconds.
    pub elapsed_ms: u64,
    /// The combined disturbance of its measurements.
    pub disturbance: Disturbance,
}

/// How a part of the plan ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Done as planned.
    Done,
    /// Done, except for what `reason` names.
    Incomplete,
    /// Nothing was measured, for `reason`.
    Skipped,
    /// Started but failed, for `reason`.
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
