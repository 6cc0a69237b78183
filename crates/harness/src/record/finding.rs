//! Findings: typed conclusions, each with its evidence, how grave it is, and what to do.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One conclusion.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::finding::{Finding, FindingId, Severity};
///
/// let finding = Finding::new(FindingId::OneCpu, "the process may run on CPU 1 alone")
///     .value("cpus_allowed", 1.0)
///     .advice("allow two CPUs or more: taskset -c 0,1 chronoscope");
/// assert_eq!(finding.severity, Severity::Notice);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// What kind of conclusion.
    pub id: FindingId,
    /// How grave it is.
    pub severity: Severity,
    /// The clock, the CPUs or the part that it is about; null for the machine as a whole.
    pub subject: Option<String>,
    /// What was seen.
    pub evidence: Evidence,
    /// What to do about it, a sentence or a command each; empty where nothing needs doing.
    pub advice: Vec<String>,
}

/// What a finding rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// In words, with the numbers.
    pub summary: String,
    /// The numbers by name, unit last in the name.
    pub values: BTreeMap<String, f64>,
}

/// How grave a finding is. `--strict` fails at `Warning`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good to know.
    Notice,
    /// Measurements made here may mislead.
    Warning,
    /// A clock breaks its promise, or the run cannot be relied on.
    Critical,
}

impl Severity {
    /// The word that reports use.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }
}

/// Every kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FindingId {
    /// A clock that must not step back did so on one thread.
    NegativeElapsed,
    /// A read returned less than a value that was shown to its thread.
    NonCausalRead,
    /// The same, by a read that does not promise otherwise: expected, and a trap.
    UnorderedReadNotCausal,
    /// Two CPUs disagree about the time by more than the error bar.
    CrossCpuSkew,
    /// The declared resolution is not what is observed.
    ResolutionIsNotGranularity,
    /// An interval is too near the latency of the clock that is to time it.
    IntervalNearLatency,
    /// Known work was not timed as well as latency and granularity promised.
    IntervalClaimRefuted,
    /// The monotonic clock enters the kernel at every read.
    OsClockOnSlowPath,
    /// The path of a clock could only be guessed.
    PathInferred,
    /// A better clocksource is available than the one in use.
    BetterClocksourceAvailable,
    /// The kernel does not trust the TSC, or says it is unstable.
    TscDistrusted,
    /// The TSC does not keep its rate or stops in deep sleep.
    TscNotInvariant,
    /// Reading the counter costs what a trap costs.
    CounterTraps,
    /// The process may not read the counter.
    CounterForbidden,
    /// What someone says the counter's frequency is, it is not.
    FrequencyMisdeclared,
    /// The monotonic clock moves in steps of a microsecond or more.
    OsClockCoarse,
    /// Gaps took away a good part of the time.
    NoisyMachine,
    /// The core was shared with a busy neighbour all the time, which no counter of the kernel shows.
    CoreShared,
    /// The hypervisor gave time to others while the run went on.
    StolenTime,
    /// The machine changes its frequency as it likes.
    FrequencyScaling,
    /// The container may not use as much CPU time as there is.
    CpuQuota,
    /// Nothing can be said across CPUs: there is one only.
    OneCpu,
    /// No worker process could be started: everything was measured in one.
    NoWorkers,
    /// Threads could not be bound to CPUs.
    NotPinned,
    /// A part of the plan could not be had.
    PartUnavailable,
    /// The user stopped the run.
    Interrupted,
    /// A pause ended before its time.
    EarlyPause,
    /// A runtime's clock that calls itself fine, or is taken for it, moves in coarse ticks.
    RuntimeTickCoarse,
    /// A runtime's clock enters the kernel at every read.
    RuntimeOnSlowPath,
    /// Clocks of runtimes that can be set while an interval runs.
    WallClockForIntervals,
    /// Four times as many reads of a runtime's clock did not take four times as long.
    RuntimeLoopDoubtful,
    /// A runtime's loops did not become steady in the time that they had.
    RuntimeNotSteady,
    /// A runtime lets one thread run at a time.
    RuntimeNotParallel,
    /// A runtime is there and could not be measured, or not whole.
    RuntimeFailed,
    /// A case of a study failed.
    CaseFailed,
    /// An operation never settles: its time depends on how often it has run.
    NoSteadyState,
    /// Threads that were to run at once did not.
    ThreadsDidNotOverlap,
    /// Stamps around a part of an operation claim a rate that was not reached.
    OmissionInflates,
    /// An operation was found to differ from itself too often.
    FalseAlarms,
    /// An operation cannot be told from a loop with nothing in it.
    BelowResolution,
    /// There were more threads than CPUs.
    Oversubscribed,
    /// Batches gather around two values.
    Bimodal,
    /// Batches resemble their neighbours.
    Autocorrelated,
    /// Tokens of backoff do not lie on a straight line.
    TokensNotLinear,
}

impl FindingId {
    /// How grave findings of this kind are.
    pub const fn severity(self) -> Severity {
        match self {
            Self::NegativeElapsed
            | Self::NonCausalRead
            | Self::CrossCpuSkew
            | Self::CounterForbidden
            | Self::EarlyPause => Severity::Critical,
            Self::IntervalNearLatency
            | Self::OsClockOnSlowPath
            | Self::BetterClocksourceAvailable
            | Self::TscDistrusted
            | Self::TscNotInvariant
            | Self::CounterTraps
            | Self::FrequencyMisdeclared
            | Self::OsClockCoarse
            | Self::NoisyMachine
            | Self::CoreShared
            | Self::StolenTime
            | Self::NoWorkers
            | Self::PartUnavailable
            | Self::Interrupted
            | Self::RuntimeTickCoarse
            | Self::RuntimeOnSlowPath
            | Self::RuntimeLoopDoubtful
            | Self::RuntimeNotSteady
            | Self::RuntimeFailed
            | Self::CaseFailed
            | Self::NoSteadyState
            | Self::ThreadsDidNotOverlap
            | Self::OmissionInflates
            | Self::FalseAlarms => Severity::Warning,
            Self::ResolutionIsNotGranularity
            | Self::UnorderedReadNotCausal
            | Self::IntervalClaimRefuted
            | Self::PathInferred
            | Self::FrequencyScaling
            | Self::CpuQuota
            | Self::OneCpu
            | Self::NotPinned
            | Self::WallClockForIntervals
            | Self::RuntimeNotParallel
            | Self::BelowResolution
            | Self::Oversubscribed
            | Self::Bimodal
            | Self::Autocorrelated
            | Self::TokensNotLinear => Severity::Notice,
        }
    }

    /// The id as it stands in the record.
    pub fn word(self) -> String {
        serde_json::to_value(self).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
    }
}

impl Finding {
    /// A finding of this kind, with what was seen.
    pub fn new(id: FindingId, summary: impl Into<String>) -> Self {
        Self {
            id,
            severity: id.severity(),
            subject: None,
            evidence: Evidence { summary: summary.into(), values: BTreeMap::new() },
            advice: Vec::new(),
        }
    }

    /// Names what it is about.
    #[must_use]
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Adds a number to the evidence; one that is not finite is left out.
    #[must_use]
    pub fn value(mut self, name: &str, value: f64) -> Self {
        if value.is_finite() {
            self.evidence.values.insert(name.to_owned(), value);
        }
        self
    }

    /// Adds a sentence or a command to the advice.
    #[must_use]
    pub fn advice(mut self, advice: impl Into<String>) -> Self {
        self.advice.push(advice.into());
        self
    }
}
