use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::conclusions::{Conclusions, Grade};
use crate::clock_id::ClockId;
use chronoscope_harness::estimators::intervals::{Promise, TimedIntervals};

/// What can be timed on this machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Verdict {
    /// Whether no clock except the wall clock went backwards within a thread; null if a planned one was not observed.
    pub monotonic: Option<bool>,
    /// Whether no read that must be causal went backwards between CPUs; null unless every recommended clock was tested,
    /// or, without a recommendation, every clock planned for the test.
    pub causal: Option<bool>,
    /// The largest skew between CPUs compatible with the observations.
    pub skew_not_excluded_ns: Option<f64>,
    /// Whether `CLOCK_MONOTONIC` is read without entering the kernel.
    pub os_clock_on_fast_path: Option<bool>,
    /// Each clock that can be read.
    pub clocks: Vec<ClockVerdict>,
    /// Intervals the user asked about.
    pub questions: Vec<Question>,
    /// The first screen's conclusions; null where nothing was checked.
    pub conclusions: Option<Conclusions>,
    /// How far the counter and the clocksources are trusted; null where nothing was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
}

/// How far the counter and the clocksources are trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trust {
    /// What speaks against the counter as a measure of time; null where nothing does.
    pub counter_doubt: Option<String>,
    /// What to do with each clocksource that the kernel knows.
    pub clocksources: Vec<ClocksourceAdvice>,
}

impl Trust {
    /// What to do with the clocksource `name`.
    pub fn advice(&self, name: &str) -> Option<&str> {
        self.clocksources.iter().find(|source| source.name == name).map(|source| source.advice.as_str())
    }
}

/// What to do with a clocksource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClocksourceAdvice {
    /// Its name.
    pub name: String,
    /// Whether it is in use, how to switch to it, or why not to.
    pub advice: String,
}

/// What one clock can time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClockVerdict {
    /// The clock.
    pub name: ClockId,
    /// Whether it is recommended for timing intervals.
    pub recommended: bool,
    /// Why not, or what it is suited for.
    pub why: String,
    /// The shortest intervals that it times, by claims and trials together.
    #[serde(default)]
    pub promise: Promise,
}

impl ClockVerdict {
    /// A verdict based only on this, without a recommendation.
    pub fn of(name: impl Into<ClockId>, timed: &TimedIntervals) -> Self {
        Self { name: name.into(), recommended: false, why: String::new(), promise: timed.promise() }
    }
}

/// An interval the user asked about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// The interval.
    pub interval_ns: f64,
    /// Clocks that time it directly within 1 %, confirmed by trials or, where none were made, claimed.
    pub within_1pct: Vec<ClockId>,
    /// Clocks that do so within 10 %, but not within 1 %.
    pub within_10pct: Vec<ClockId>,
    /// The overall answer.
    #[serde(default)]
    pub answer: Answer,
}

/// The answer to a question about an interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Answer {
    /// Nothing is known about the recommended clocks.
    #[default]
    Unknown,
    /// No clock was measured.
    NotTested {
        /// Why.
        reason: String,
    },
    /// No clock of this machine is recommended.
    NoneRecommended,
    /// Clocks time it directly.
    Timed {
        /// Those that do so within 1 %.
        within_1pct: TimedBy,
        /// Those that do so within 10 %, but not within 1 %.
        within_10pct: TimedBy,
    },
    /// It is longer than any trial, and long enough if one clock's error stays constant.
    Expected {
        /// That clock.
        clock: ClockId,
    },
    /// It is too short for two reads of any clock.
    TooShort {
        /// The clock that comes closest.
        clock: ClockId,
        /// The shortest interval that it times within 10 %.
        shortest_ns: f64,
    },
}

/// The clocks that time an interval within a tolerance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimedBy {
    /// Confirmed by trials.
    pub confirmed: Vec<ClockId>,
    /// Claimed from latency and step alone.
    pub claimed: Vec<ClockId>,
}

impl Answer {
    /// Its grade.
    pub const fn grade(&self) -> Grade {
        match self {
            Self::Unknown | Self::NotTested { .. } => Grade::Unknown,
            Self::Timed { within_1pct, .. } if !within_1pct.confirmed.is_empty() => Grade::Good,
            Self::NoneRecommended | Self::Timed { .. } | Self::Expected { .. } => Grade::Warning,
            Self::TooShort { .. } => Grade::Critical,
        }
    }
}
