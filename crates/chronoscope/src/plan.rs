//! The plan of a run: settings common to every section. Each section adds its own.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use chronoscope_bench::{CpuList, Failure, whole_number};
use chronoscope_sources::SourceId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::clock_id::ptp_clock::PtpClock;
use crate::part::{Part, PartRow};
use crate::run_options::RunOptions;
use chronoscope_harness::quantity;

/// The part of a run's plan common to all sections.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The depth of the run.
    pub depth: Depth,
    /// Total time budget, in milliseconds.
    pub budget_ms: u64,
    /// The CPUs it may use.
    pub cpus: Vec<u32>,
    /// The clocks to examine, by name.
    pub clocks: Vec<ClockId>,
    /// The parts to run, each with its time.
    pub parts: Vec<PartBudget>,
}

/// The time budget of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PartBudget {
    pub part: Part,
    /// Milliseconds.
    pub budget_ms: u64,
}

/// The depth of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// A few seconds: wide intervals.
    Quick,
    /// Less than ten seconds.
    #[default]
    Normal,
    /// A minute: narrow intervals, up to 4096 pairs of CPUs.
    Thorough,
}

impl Depth {
    /// That of a run with these options.
    pub const fn of(run: &RunOptions) -> Self {
        match (run.quick, run.thorough) {
            (true, _) => Self::Quick,
            (_, true) => Self::Thorough,
            _ => Self::Normal,
        }
    }

    /// The time that a check of this depth takes.
    pub const fn budget(self) -> Duration {
        match self {
            Self::Quick => Duration::from_secs(4),
            Self::Normal => Duration::from_millis(7_670),
            Self::Thorough => Duration::from_secs(60),
        }
    }

    pub const fn reads(self) -> (u64, u64) {
        match self {
            Self::Quick => (300_000, 1_000_000),
            Self::Normal => (1_000_000, 10_000_000),
            Self::Thorough => (10_000_000, 100_000_000),
        }
    }

    /// Order statistics need 11 processes for 99.9 %; more of them narrow the interval.
    pub const fn processes(self) -> u32 {
        match self {
            Self::Quick | Self::Normal => 11,
            Self::Thorough => 31,
        }
    }

    pub const fn most_pairs(self) -> usize {
        match self {
            Self::Quick => 8,
            Self::Normal => 64,
            Self::Thorough => 4096,
        }
    }
}

/// The frame in which sections are planned.
#[derive(Clone, Debug)]
pub struct Frame {
    pub depth: Depth,
    /// The CPUs that the run may use.
    pub cpus: Vec<u32>,
    /// Whether only this section was requested: it is then examined more closely than in a check.
    pub alone: bool,
}

/// Shorter runs give no estimate; longer ones are mistakes.
const BUDGET_BOUNDS: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(3600));
/// Threads that a process can be expected to start.
pub const MOST_THREADS: u32 = 1024;
/// Maximum values in a list: lists are multiplied with each other.
const LONGEST_LIST: usize = 32;

/// A number of threads to be released together; they need no CPU each, since they do almost nothing.
///
/// # Errors
/// What is accepted.
pub fn released_threads(text: &str) -> Result<u32, String> {
    const MOST: u32 = 4096;
    let threads = whole_number(text, "1 to 4096")?;
    match (1..=MOST).contains(&threads) {
        true => Ok(threads),
        false => Err(format!("{threads} threads are out of range (1–{MOST})")),
    }
}

impl Frame {
    /// For a run on a machine where the process may use the CPUs `allowed`.
    ///
    /// # Errors
    /// [`PlanError`] for CPUs that are not allowed.
    pub fn new(run: &RunOptions, allowed: &[u32], alone: bool) -> Result<Self, PlanError> {
        let cpus = run.cpus.as_ref().map_or_else(|| Ok(allowed.to_vec()), |CpuList(wanted)| cpus(wanted, allowed))?;
        Ok(Self { depth: Depth::of(run), cpus, alone })
    }
}

impl Plan {
    /// The CPU for single-threaded measurements; None if threads cannot be pinned.
    pub fn measuring_cpu(&self) -> Option<u32> {
        self.cpus.last().copied()
    }

    /// This plan, then the parts of `other`.
    #[must_use]
    pub fn followed_by(mut self, other: Self) -> Self {
        self.budget_ms = self.budget_ms.saturating_add(other.budget_ms);
        self.parts.extend(other.parts);
        self
    }

    /// The same parts in another time, if one is given.
    ///
    /// # Errors
    /// [`PlanError`] for an out-of-range time.
    pub fn within(mut self, duration: Option<Duration>) -> Result<Self, PlanError> {
        let Some(whole) = budget(duration)? else { return Ok(self) };
        let whole_ms = u64::try_from(whole.as_millis()).unwrap_or(u64::MAX);
        let factor = whole_ms as f64 / self.budget_ms.max(1) as f64;
        for part in &mut self.parts {
            part.budget_ms = ((part.budget_ms as f64 * factor) as u64).max(1);
        }
        self.budget_ms = whole_ms;
        Ok(self)
    }

    /// The plan for the parts `rows`, in the time `usual` unless one is given.
    ///
    /// # Errors
    /// [`PlanError`] for an out-of-range time.
    pub fn of(
        rows: &[&PartRow],
        duration: Option<Duration>,
        usual: Duration,
        frame: &Frame,
    ) -> Result<Self, PlanError> {
        let budget = budget(duration)?.unwrap_or(usual);
        let whole: u64 = rows.iter().map(|row| row.weight).sum::<u64>().max(1);
        let share = |row: &PartRow| budget.mul_f64(row.weight as f64 / whole as f64).as_millis() as u64;
        Ok(Self {
            depth: frame.depth,
            budget_ms: u64::try_from(budget.as_millis()).unwrap_or(u64::MAX),
            cpus: frame.cpus.clone(),
            // Reading a PTP clock takes its driver's lock, which a daemon needs: not without being asked.
            clocks: if frame.alone { clocks() } else { known_clocks().collect() },
            parts: rows.iter().map(|row| PartBudget { part: row.part, budget_ms: share(row).max(1) }).collect(),
        })
    }

    /// The time budget of `part`, if planned.
    pub fn budget_ms_of(&self, part: Part) -> Option<u64> {
        self.parts.iter().find(|budget| budget.part == part).map(|budget| budget.budget_ms)
    }
}

/// All of this build, and the PTP clocks of this machine.
pub fn clocks() -> Vec<ClockId> {
    known_clocks().chain(PtpClock::present(Path::new("/")).into_iter().map(ClockId::Ptp)).collect()
}

fn known_clocks() -> impl Iterator<Item = ClockId> {
    SourceId::all().map(ClockId::Known)
}

fn cpus(wanted: &[u32], allowed: &[u32]) -> Result<Vec<u32>, PlanError> {
    if wanted.is_empty() {
        return Err(PlanError::new("the list of CPUs is empty; name at least one"));
    }
    if let Some(cpu) = wanted.iter().find(|cpu| !allowed.contains(cpu)) {
        let list: Vec<String> = allowed.iter().map(u32::to_string).collect();
        let choose = list.join(",");
        return Err(PlanError::new(format!("CPU {cpu} is not allowed for this process; choose from {choose}")));
    }
    Ok(ascending(wanted.iter().copied()))
}

fn budget(duration: Option<Duration>) -> Result<Option<Duration>, PlanError> {
    duration.map(|duration| within(duration, BUDGET_BOUNDS, "duration")).transpose()
}

/// `length`, described by `what`, if within `bounds`.
///
/// # Errors
/// Names the bounds.
pub fn within(length: Duration, bounds: (Duration, Duration), what: &str) -> Result<Duration, PlanError> {
    if (bounds.0..=bounds.1).contains(&length) {
        return Ok(length);
    }
    let [given, shortest, longest] = [length, bounds.0, bounds.1].map(quantity::length);
    Err(PlanError::new(format!("{what} {given} is out of range ({shortest}–{longest})")))
}

/// Each value once, in ascending order.
pub fn ascending<T: Ord>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    BTreeSet::from_iter(values).into_iter().collect()
}

/// `values` in ascending order, without duplicates.
///
/// # Errors
/// If there are more than one run can try.
pub fn bounded_list<T: Ord>(values: Vec<T>, what: &'static str) -> Result<Vec<T>, PlanError> {
    let values = ascending(values);
    if values.len() > LONGEST_LIST {
        let length = values.len();
        return Err(PlanError::new(format!("too many {what} for one run: {length}; choose at most {LONGEST_LIST}")));
    }
    Ok(values)
}

/// Invalid options: what is wrong, and what is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError(String);

impl PlanError {
    pub fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PlanError {}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        Self::usage(error.0)
    }
}
