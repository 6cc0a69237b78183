//! The record: everything that was seen, as plain data.
//!
//! A record is what a run yields, what `--format json` prints and what every renderer reads. It says on which machine
//! and by which plan it was made, what was estimated with which interval, and what could not be had and why.
//!
//! # Units
//! In the field's name: `_ns`, `_ms`, `_hz`, `_ppm`, `_ppb`, `_pct` (percent), `_per_s`; `share` runs from 0 to 1.
//!
//! # Guarantees
//! `null` means "not measured or not there", never zero. Where something could not be had, a reason says why: beside it (a
//! field whose name begins with `reason`), at its clock, or at its part in `parts`.
//! Fields are only ever added under one `schema_version`.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::plan::Plan;
use crate::record::{
    Causality, ClockReport, Disturbance, Harness, Latch, LibraryClock, Machine, Monotime, Pause, Reads, Runtime, Tool,
    Verdict,
};

/// The version of the record's shape that this build writes and reads.
pub const SCHEMA_VERSION: u32 = 1;

/// The JSON schema of [`Record`], with a newline at its end.
pub fn schema() -> String {
    let schema = schemars::schema_for!(Record);
    // A schema is a JSON value, which can always be written.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// One run on one machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// The shape of this document; 1.
    pub schema_version: u32,
    /// The program that wrote it.
    pub tool: Tool,
    /// When the run began: RFC 3339, UTC.
    pub started_at: String,
    /// Wall time of the run in milliseconds.
    pub elapsed_ms: u64,
    /// Whether the user stopped the run before its end.
    pub interrupted: bool,
    /// The machine and the surroundings that the process found.
    pub machine: Machine,
    /// Why everything was measured inside the coordinator, where no worker process could be started.
    pub reason_no_workers: Option<String>,
    /// What was to be done.
    pub plan: Plan,
    /// What became of each part of the plan.
    pub parts: Vec<PartReport>,
    /// What the measuring itself costs: never subtracted from anything.
    pub harness: Option<Harness>,
    /// Every clock that the tool can name, available here or not.
    pub clocks: Vec<ClockReport>,
    /// Distributions of consecutive reads.
    pub reads: Vec<Reads>,
    /// What was seen between CPUs.
    pub causality: Causality,
    /// Conclusions, gravest first.
    pub findings: Vec<Finding>,
    /// What can be timed here.
    pub verdict: Verdict,
    /// What the library's own clock says of itself here; null in records of earlier builds.
    #[serde(default)]
    pub library_clock: Option<LibraryClock>,
    /// Why it could not be asked.
    #[serde(default)]
    pub reason_library_clock_unknown: Option<String>,
    /// What causal times cost many threads; null where that was not asked for.
    #[serde(default)]
    pub monotime: Option<Monotime>,
    /// What a call costs in one thread and in many released together; null where that was not asked for.
    #[serde(default)]
    pub latch: Option<Latch>,
    /// How long pauses really take; null where that was not asked for.
    #[serde(default)]
    pub pause: Option<Pause>,
    /// What language runtimes see of the time, each measured from inside; empty where that was not asked for.
    #[serde(default)]
    pub runtimes: Vec<Runtime>,
}

impl Record {
    /// The clocks whose causality the verdict speaks of: those that it recommends and that must be causal; or if there
    /// are none, all that were to be tested.
    pub fn relied_on_across_cpus(&self) -> Vec<&ClockReport> {
        let must_be = |clock: &&ClockReport| clock.available && clock.must_be_causal();
        let is_recommended =
            |name: &str| self.verdict.clocks.iter().any(|verdict| verdict.recommended && verdict.name == name);
        let recommended: Vec<&ClockReport> =
            self.clocks.iter().filter(must_be).filter(|clock| is_recommended(&clock.name)).collect();
        if !recommended.is_empty() {
            return recommended;
        }
        self.clocks.iter().filter(must_be).filter(|clock| self.plan.litmus_clocks.contains(&clock.name)).collect()
    }

    /// The clocks that were to be watched on one thread and must not step back there: all but the wall clock, which may
    /// be set. Each with whether it was watched.
    pub fn watched_on_one_thread(&self) -> Vec<(&ClockReport, bool)> {
        let in_steps = self.plan.budget_ms_of(Part::Granularity).is_some();
        let in_reads = self.plan.budget_ms_of(Part::Reads).is_some();
        let was_planned = |name: &String| {
            in_steps && self.plan.clocks.contains(name) || in_reads && self.plan.reads_clocks.contains(name)
        };
        let was_watched = |clock: &ClockReport| {
            clock.granularity.is_some() || self.reads.iter().any(|reads| reads.clock == clock.name && reads.count > 0)
        };
        self.clocks
            .iter()
            .filter(|clock| clock.available && !clock.may_be_set() && was_planned(&clock.name))
            .map(|clock| (clock, was_watched(clock)))
            .collect()
    }
}

/// A part of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Which way each clock takes: register, vDSO, system call.
    Paths,
    /// What a read of each clock costs.
    Latency,
    /// The smallest step each clock shows.
    Granularity,
    /// The distribution of consecutive reads.
    Reads,
    /// Offsets between CPUs.
    Offsets,
    /// The one-way causality litmus.
    Litmus,
    /// Whether the claimed shortest intervals hold.
    Intervals,
    /// How long pauses really take.
    Pause,
    /// What language runtimes see of the time.
    Runtimes,
    /// What causal times cost when many threads ask for them; not part of a check.
    Monotime,
    /// What a call costs in one thread and in many released together; not part of a check.
    Latch,
}

impl Part {
    /// Every part, in the order of a run.
    pub const ALL: [Self; 11] = [
        Self::Paths,
        Self::Latency,
        Self::Granularity,
        Self::Reads,
        Self::Offsets,
        Self::Litmus,
        Self::Intervals,
        Self::Pause,
        Self::Runtimes,
        Self::Monotime,
        Self::Latch,
    ];

    /// Whether a check does it; what it does not must be asked for.
    pub const fn is_of_check(self) -> bool {
        !matches!(self, Self::Monotime | Self::Latch)
    }

    /// What the part finds out, in a few words.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Paths => "which way each clock takes",
            Self::Latency => "what a read costs",
            Self::Granularity => "the smallest step",
            Self::Reads => "consecutive reads",
            Self::Offsets => "offsets between CPUs",
            Self::Litmus => "causality litmus",
            Self::Intervals => "shortest intervals",
            Self::Pause => "how long pauses take",
            Self::Runtimes => "what language runtimes see",
            Self::Monotime => "causal times for many threads",
            Self::Latch => "calls in one thread and in many",
        }
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
