//! The first screen's conclusions, as data: each is drawn once, by a pure rule, and rendered from here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use chronoscope_harness::record::PathMethod;

/// The grade of a conclusion: a check that was not made is neither good nor a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// As it should be.
    Good,
    /// Not checked, or not known.
    Unknown,
    /// Possibly misleading.
    Warning,
    /// Broken.
    Critical,
}

/// Conclusions about the machine's clocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conclusions {
    /// Whether the verdict recommends clocks for timing intervals.
    pub intervals: Intervals,
    /// Whether clocks went backwards within a thread.
    pub monotonic: Monotonic,
    /// Whether clocks went backwards between threads.
    pub causality: CausalityConclusion,
    /// Bound on the skew between the CPUs' clocks.
    pub skew: Skew,
    /// Whether `CLOCK_MONOTONIC` is read without entering the kernel.
    pub fast_path: FastPath,
}

/// Whether the verdict recommends clocks for timing intervals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Intervals {
    /// The recommended clocks; each has a promise.
    Recommended,
    /// No clock of this machine is recommended.
    NoneRecommended,
    /// No clock was measured.
    NotTested {
        /// Why.
        reason: String,
    },
}

/// Whether clocks went backwards within a thread; the wall clock may, since it can be set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Monotonic {
    /// None did.
    Steady,
    /// One did.
    SteppedBack,
    /// None of those observed did.
    PartlyTested {
        /// Those that were not observed.
        untested: Vec<ClockId>,
    },
    /// None was observed.
    NotTested {
        /// Why.
        reason: String,
    },
}

impl Monotonic {
    /// Its grade.
    pub const fn grade(&self) -> Grade {
        match self {
            Self::Steady => Grade::Good,
            Self::SteppedBack => Grade::Critical,
            Self::PartlyTested { .. } | Self::NotTested { .. } => Grade::Unknown,
        }
    }
}

/// Whether reads that must be causal went backwards between CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum CausalityConclusion {
    /// None did.
    Causal {
        /// Clocks that were observed.
        clocks: u64,
        /// New values observed; a repeated value adds nothing.
        new_values: u64,
        /// Ordered pairs of CPUs between which they were observed.
        pairs: u64,
        /// The pair, if there is exactly one: from the writer's CPU to the reader's.
        only_pair: Option<(u32, u32)>,
    },
    /// Some did.
    WentBackwards {
        /// How often.
        violations: u64,
        /// Number of observations.
        observations: u64,
        /// Number of messages.
        messages: u64,
    },
    /// It is unknown for some clocks that the verdict relies on.
    Unknown {
        /// The clocks for which it is unknown.
        unknown: Vec<UnknownClock>,
        /// Others, none of which went backwards.
        clocks: u64,
        /// New values observed from them.
        new_values: u64,
    },
    /// No clock was observed.
    NotTested {
        /// Why.
        reason: String,
    },
}

/// A clock with an unknown property.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnknownClock {
    /// Which one.
    pub clock: ClockId,
    /// Why.
    pub reason: Option<String>,
}

impl CausalityConclusion {
    /// Its grade.
    pub const fn grade(&self) -> Grade {
        match self {
            Self::Causal { .. } => Grade::Good,
            Self::WentBackwards { .. } => Grade::Critical,
            Self::Unknown { .. } | Self::NotTested { .. } => Grade::Unknown,
        }
    }
}

/// Bound on the skew between the CPUs' clocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Skew {
    /// No pair of CPUs was seen to disagree.
    NotExcluded {
        /// Upper bound on the skew.
        below_ns: f64,
        /// Pairs of CPUs compared.
        pairs: u64,
        /// Possible pairs of CPUs.
        pairs_possible: u64,
    },
    /// A pair disagrees.
    Apart {
        /// Upper bound on the skew.
        up_to_ns: f64,
        /// Pairs of CPUs compared.
        pairs: u64,
        /// Possible pairs of CPUs.
        pairs_possible: u64,
    },
    /// No pair was compared.
    NotTested {
        /// Why.
        reason: String,
    },
}

/// Whether `CLOCK_MONOTONIC` is read without entering the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum FastPath {
    /// The vDSO reads it.
    Vdso {
        /// How that is known.
        method: PathMethod,
    },
    /// The vDSO probably reads it: inferred from timing, or the document does not say how that is known.
    ProbablyVdso {
        /// How that is known.
        method: Option<PathMethod>,
    },
    /// Every read is a system call.
    SystemCall {
        /// How that is known.
        method: Option<PathMethod>,
    },
    /// The tests were inconclusive.
    Unknown {
        /// Why.
        reason: String,
    },
    /// It was not tried.
    NotTested {
        /// Why.
        reason: String,
    },
}

impl FastPath {
    /// Its grade.
    pub const fn grade(&self) -> Grade {
        match self {
            Self::Vdso { .. } => Grade::Good,
            Self::SystemCall { .. } => Grade::Warning,
            Self::ProbablyVdso { .. } | Self::Unknown { .. } | Self::NotTested { .. } => Grade::Unknown,
        }
    }
}
