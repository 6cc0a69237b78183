//! What the first screen says, as data: each conclusion is made once, by a pure rule, and drawn from here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::sections::clocks::report::PathMethod;

/// How a conclusion is to be taken: a check that was not made is neither good nor a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    Good,
    Unknown,
    Warning,
    Critical,
}

/// What is concluded of the machine's clocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conclusions {
    /// Whether there are clocks to time intervals with.
    pub intervals: Intervals,
    /// Whether clocks went backwards within a thread.
    pub monotonic: Monotonic,
    /// Whether clocks went backwards between threads.
    pub causality: CausalityConclusion,
    /// How far the CPUs' clocks may be apart.
    pub skew: Skew,
    /// Whether `CLOCK_MONOTONIC` is read without entering the kernel.
    pub fast_path: FastPath,
}

/// Whether there are clocks to time intervals with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Intervals {
    /// Those that the verdict recommends; each has a promise.
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
    /// None did of those that were watched.
    PartlyTested {
        /// Those that were not.
        untested: Vec<ClockId>,
    },
    /// None was watched.
    NotTested {
        /// Why.
        reason: String,
    },
}

impl Monotonic {
    /// How it is to be taken.
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
        /// New values seen; a value that was seen before adds nothing.
        new_values: u64,
        /// Ordered pairs of CPUs that they were seen between.
        pairs: u64,
        /// The pair, where it is one: from the writer's CPU to the reader's.
        only_pair: Option<(u32, u32)>,
    },
    /// Some did.
    WentBackwards {
        /// How often.
        violations: u64,
        /// In so many observations.
        observations: u64,
        /// And so many messages.
        messages: u64,
    },
    /// It is not known of all clocks that the verdict relies on.
    Unknown {
        /// Those of which it is not known.
        unknown: Vec<UnknownClock>,
        /// Others, none of which went backwards.
        clocks: u64,
        /// New values seen of them.
        new_values: u64,
    },
    /// No clock was observed.
    NotTested {
        /// Why.
        reason: String,
    },
}

/// A clock of which something is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnknownClock {
    /// Which one.
    pub clock: ClockId,
    /// Why.
    pub reason: Option<String>,
}

impl CausalityConclusion {
    /// How it is to be taken.
    pub const fn grade(&self) -> Grade {
        match self {
            Self::Causal { .. } => Grade::Good,
            Self::WentBackwards { .. } => Grade::Critical,
            Self::Unknown { .. } | Self::NotTested { .. } => Grade::Unknown,
        }
    }
}

/// How far the CPUs' clocks may be apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Skew {
    /// No pair of CPUs was seen to disagree.
    NotExcluded {
        /// By less than this.
        below_ns: f64,
        /// Pairs of CPUs compared.
        pairs: u64,
        /// Pairs that there are.
        pairs_possible: u64,
    },
    /// A pair disagrees.
    Apart {
        /// By at most this.
        up_to_ns: f64,
        /// Pairs of CPUs compared.
        pairs: u64,
        /// Pairs that there are.
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
    /// What was tried settled nothing.
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
    /// How it is to be taken.
    pub const fn grade(&self) -> Grade {
        match self {
            Self::Vdso { .. } => Grade::Good,
            Self::SystemCall { .. } => Grade::Warning,
            Self::ProbablyVdso { .. } | Self::Unknown { .. } | Self::NotTested { .. } => Grade::Unknown,
        }
    }
}
