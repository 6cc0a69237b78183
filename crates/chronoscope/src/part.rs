use chronoscope_harness::record::Disturbance;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A part of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    Paths,
    Latency,
    Granularity,
    Tick,
    Intervals,
    Reads,
    Offsets,
    Litmus,
    Pauses,
    Runtimes,
    Sync,
    Hiccups,
}

/// A part of a section, and its share of a run.
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
    pub part: Part,
    /// Whether it was done.
    pub outcome: Outcome,
    /// Why it was not done, or not completely.
    pub reason: Option<String>,
    /// Its wall time in milliseconds.
    pub elapsed_ms: u64,
    /// How long a CPU quota stopped this process's control groups meanwhile, in milliseconds, each CPU counted on its own; absent where
    /// none is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled_ms: Option<f64>,
    /// The clocksource that the kernel kept time by when it ended; absent where the system names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocksource: Option<String>,
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
    pub const fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Incomplete => "incomplete",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }
}

/// Why the results of `parts` are missing, by how these parts of a plan ended.
pub fn reason_missing(reports: &[PartReport], parts: &[Part]) -> String {
    let mut reports = reports.iter().filter(|report| parts.contains(&report.part)).peekable();
    if reports.peek().is_none() {
        return "it was not part of the plan".to_owned();
    }
    let reason = reports.find(|report| report.outcome != Outcome::Done).and_then(|report| report.reason.as_deref());
    reason.filter(|reason| !reason.trim().is_empty()).unwrap_or("the record gives no reason").to_owned()
}
