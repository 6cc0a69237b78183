use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::conclusions::{Conclusions, Grade};
use crate::clock_id::ClockId;

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
    /// The first screen's conclusions; null in documents of builds that drew them while rendering.
    pub conclusions: Option<Conclusions>,
    /// How far the counter and the clocksources are trusted; null in documents of builds that judged them while they drew.
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
    /// The shortest interval that two reads of it time correctly: confirmed by trials where available, else claimed.
    pub direct_interval_ns: DirectInterval,
    /// The same as claimed before the trials: from latency, granularity and the spread of empty intervals.
    pub claimed_interval_ns: DirectInterval,
    /// Whether trials were made within each tolerance and determine `direct_interval_ns`.
    pub validated: bool,
    /// Why trials are missing, or why they confirm no interval.
    pub reason_unvalidated: Option<String>,
    /// Known work timed directly, compared with its true duration.
    pub trials: Vec<IntervalTrial>,
    /// The overall conclusion.
    #[serde(default)]
    pub promise: Promise,
}

impl ClockVerdict {
    /// A verdict based only on a claim, with no recommendation yet.
    pub fn claimed(name: impl Into<ClockId>, interval_ns: DirectInterval) -> Self {
        Self {
            name: name.into(),
            recommended: false,
            why: String::new(),
            direct_interval_ns: interval_ns,
            claimed_interval_ns: interval_ns,
            validated: false,
            reason_unvalidated: None,
            trials: Vec::new(),
            promise: Promise::default(),
        }
    }

    /// What is known about the shortest interval within `tolerance`.
    pub fn shortest(&self, tolerance: Tolerance) -> ShortestInterval {
        let trials = self.trials.iter().filter(|trial| trial.tolerance_pct == tolerance.percent());
        let longest = trials.clone().max_by(|a, b| a.truth_ns.total_cmp(&b.truth_ns));
        match (longest, tolerance.of(&self.direct_interval_ns), tolerance.of(&self.claimed_interval_ns)) {
            (Some(_), Some(confirmed), _) => ShortestInterval::Confirmed(confirmed),
            (Some(longest), None, _) => {
                // Numbers from an untrusted document may overflow, and non-finite ones cannot be written.
                let error_ns = (longest.error_pct_abs_p95 / 100.0 * longest.truth_ns).clamp(f64::MIN, f64::MAX);
                let expected_from_ns = (error_ns / tolerance.percent() * 100.0).max(longest.truth_ns).min(f64::MAX);
                let some_held = trials.clone().any(|trial| trial.holds);
                ShortestInterval::NotConfirmed { tried_to_ns: longest.truth_ns, error_ns, expected_from_ns, some_held }
            }
            (None, _, Some(claimed)) => ShortestInterval::Claimed(claimed),
            (None, ..) => ShortestInterval::Unknown,
        }
    }
}

/// The maximum error of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tolerance {
    /// 1 %.
    OnePercent,
    /// 10 %.
    TenPercent,
}

impl Tolerance {
    /// Both, the narrower one first.
    pub const ALL: [Self; 2] = [Self::OnePercent, Self::TenPercent];

    /// In percent.
    pub const fn percent(self) -> f64 {
        match self {
            Self::OnePercent => 1.0,
            Self::TenPercent => 10.0,
        }
    }

    /// As a fraction of one.
    pub const fn share(self) -> f64 {
        self.percent() / 100.0
    }

    /// The interval in `both` for this tolerance.
    pub const fn of(self, both: &DirectInterval) -> Option<f64> {
        match self {
            Self::OnePercent => both.within_1pct,
            Self::TenPercent => both.within_10pct,
        }
    }
}

/// What is known about the shortest interval that two reads of a clock time within a tolerance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShortestInterval {
    /// Confirmed by trials.
    Confirmed(f64),
    /// Derived from latency and step, without a trial.
    Claimed(f64),
    /// Trials were made, and confirmed no length.
    NotConfirmed {
        /// The longest length tried.
        tried_to_ns: f64,
        /// The 95th percentile of the error's magnitude at that length.
        error_ns: f64,
        /// The length at which that error, if constant, is within the tolerance.
        expected_from_ns: f64,
        /// Whether some lengths held individually, but not together with all longer ones.
        some_held: bool,
    },
    /// There is neither a claim nor a trial.
    #[default]
    Unknown,
}

impl ShortestInterval {
    /// The shortest interval confirmed or, without a trial, claimed.
    pub const fn known_from_ns(self) -> Option<f64> {
        match self {
            Self::Confirmed(from) | Self::Claimed(from) => Some(from),
            Self::NotConfirmed { .. } | Self::Unknown => None,
        }
    }

    /// Whether trials confirm a length.
    pub const fn is_confirmed(self) -> bool {
        matches!(self, Self::Confirmed(_))
    }

    /// Whether trials were made.
    pub const fn is_tried(self) -> bool {
        matches!(self, Self::Confirmed(_) | Self::NotConfirmed { .. })
    }

    /// The shortest interval to rely on: known, or expected after trials that confirmed none.
    pub const fn expected_from_ns(self) -> Option<f64> {
        match self {
            Self::Confirmed(from) | Self::Claimed(from) => Some(from),
            Self::NotConfirmed { expected_from_ns, .. } => Some(expected_from_ns),
            Self::Unknown => None,
        }
    }
}

/// The shortest interval that a single pair of reads times within an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DirectInterval {
    /// Within 1 % in at least 95 of 100 readings.
    pub within_1pct: Option<f64>,
    /// Within 10 % in at least 95 of 100 readings.
    pub within_10pct: Option<f64>,
}

/// Known work, timed once per reading, compared with its duration in batches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalTrial {
    /// The tolerance under test, in percent.
    pub tolerance_pct: f64,
    /// The work's true duration, from batches timed as a whole.
    pub truth_ns: f64,
    /// Single readings made.
    pub readings_made: u64,
    /// Readings that count: made while the core was not shared and the work took its usual time.
    pub readings: u64,
    /// Median error of a reading in percent of the true duration; positive means too long.
    pub error_pct_p50: f64,
    /// 95th percentile of the error's magnitude in percent of the true duration.
    pub error_pct_abs_p95: f64,
    /// Share of readings within the tolerance.
    pub share_within: f64,
    /// Whether at least 95 % were.
    pub holds: bool,
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

/// The intervals a clock can time directly, and how far trials confirm it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Promise {
    /// The shortest interval that it times within 1 %.
    pub within_1pct: ShortestInterval,
    /// The shortest interval that it times within 10 %.
    pub within_10pct: ShortestInterval,
    /// Longer intervals that did not hold individually, though all longer ones together did.
    pub exceptions: Vec<IntervalTrial>,
}

impl Promise {
    /// Its grade.
    pub const fn grade(&self) -> Grade {
        use ShortestInterval::{Confirmed, Unknown};

        match (self.within_1pct, self.within_10pct) {
            (Confirmed(_), Confirmed(_)) => Grade::Good,
            (Unknown, Unknown) => Grade::Unknown,
            _ => Grade::Warning,
        }
    }
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
