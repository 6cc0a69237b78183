//! A figure of a document by name, so that documents can be compared and followed over time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use chronoscope_harness::record::Estimate;

/// One number of a document that another document may have too.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What it is.
    pub kind: FigureKind,
    /// The clock, the case or the method that it is about.
    pub subject: String,
    /// Its value: above 0, except that a lateness may be 0 or negative.
    pub value: Estimate,
}

impl Figure {
    /// The figure; None unless it is finite, and above 0 where its kind has to be. An interval that makes no sense is left out.
    pub fn new(kind: FigureKind, subject: impl Into<String>, value: Estimate) -> Option<Self> {
        let Estimate { estimate, low, high, confidence } = value;
        let is_sound = estimate.is_finite() && (estimate > 0.0 || kind.floor().is_some());
        let has_interval = low.is_finite() && high.is_finite() && (low..=high).contains(&estimate) && confidence > 0.0;
        let value = if has_interval { value } else { Estimate::without_interval(estimate) };
        is_sound.then(|| Self { kind, subject: subject.into(), value })
    }

    /// The same without an interval.
    pub fn bare(kind: FigureKind, subject: impl Into<String>, value: f64) -> Option<Self> {
        Self::new(kind, subject, Estimate::without_interval(value))
    }

    /// Its value and interval for a ratio, which needs them above 0: those of a lateness are raised to its floor.
    pub fn level(&self) -> Estimate {
        self.kind.floor().map_or(self.value, |floor| self.value.map(|value| value.max(floor)))
    }

    /// Whether it is the same figure of another run.
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.kind == other.kind && self.subject == other.subject
    }
}

/// What a figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FigureKind {
    /// Time per read of a clock.
    Latency,
    /// The smallest step of a clock that is longer than a read.
    Step,
    /// The tick of a clock, also where a read takes longer.
    Tick,
    /// The shortest interval that a clock times within 1 %.
    IntervalWithin1Pct,
    /// The shortest interval that a clock times within 10 %.
    IntervalWithin10Pct,
    /// The largest skew between CPUs compatible with the observations.
    Skew,
    /// How late the median pause ends.
    PauseLateness,
    /// Time per read of a runtime's clock.
    RuntimeLatency,
    /// Time per operation of a study.
    OperationTime,
    /// 99th percentile of the lateness of a pace.
    PaceLateness,
    /// 99th percentile of the response time of a pace.
    PaceResponse,
    /// 99th percentile of the lateness of looks at the clock.
    HiccupLateness,
    /// Maximum error of the wall clock.
    ClockError,
}

/// Which direction is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Less.
    Lower,
    /// Neither.
    Neither,
}

// How far two runs of an unchanged machine may differ, in percent, until there are runs to tell. The figures for which a check was
// tried: 18 checks of one idle KVM guest with 2 vCPUs within 22 minutes, all 153 pairs of them (2026-11-25).

/// Of an estimate with an interval: the same as in `cargo bench`. Runs of one program were seen to differ by 2.8 %.
const LEVEL_PCT: f64 = 5.0;
/// Of the latency in a check, which has a tenth of a second for each clock: 99.8 % of all pairs were within 10 %, and of those in a
/// language runtime 95 %.
const CHECKED_PCT: f64 = 10.0;
/// Of the lateness of the median pause: 99.5 % of all pairs were within a factor of 2.3.
const PAUSE_PCT: f64 = 130.0;
/// Of bounds, extremes and the shortest intervals: these are found on a grid, or made by a single event.
const EXTREME_PCT: f64 = 100.0;
/// A single disturbance moves the shortest interval by the whole distance between two rungs that trials confirm: of an unchanged
/// machine it was up to 81 times as long, and 95 % of all pairs were within a factor of 1.5 (1 %) and 9 (10 %). A change by less says
/// nothing.
const LEAST_FACTOR_OF_INTERVALS: f64 = 100.0;

impl FigureKind {
    /// Every kind.
    pub const ALL: [Self; 13] = [
        Self::Latency,
        Self::Step,
        Self::Tick,
        Self::IntervalWithin1Pct,
        Self::IntervalWithin10Pct,
        Self::Skew,
        Self::PauseLateness,
        Self::RuntimeLatency,
        Self::OperationTime,
        Self::PaceLateness,
        Self::PaceResponse,
        Self::HiccupLateness,
        Self::ClockError,
    ];

    /// The smallest value that enters a ratio, for kinds that may be 0: without it, a run that was never late could not be compared.
    /// Lateness is recorded in whole nanoseconds, hence 1 ns.
    const fn floor(self) -> Option<f64> {
        match self {
            Self::PauseLateness | Self::PaceLateness | Self::PaceResponse | Self::HiccupLateness => Some(1.0),
            _ => None,
        }
    }

    /// Its name in documents and in the history, unit last.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Step => "step",
            Self::Tick => "tick",
            Self::IntervalWithin1Pct => "interval_within1_pct",
            Self::IntervalWithin10Pct => "interval_within10_pct",
            Self::Skew => "skew",
            Self::PauseLateness => "pause_lateness",
            Self::RuntimeLatency => "runtime_latency",
            Self::OperationTime => "operation_time",
            Self::PaceLateness => "pace_lateness",
            Self::PaceResponse => "pace_response",
            Self::HiccupLateness => "hiccup_lateness",
            Self::ClockError => "clock_error",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// In words, for a table.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Step => "granularity",
            Self::Tick => "tick",
            Self::IntervalWithin1Pct => "shortest ±1 %",
            Self::IntervalWithin10Pct => "shortest ±10 %",
            Self::Skew => "skew bound",
            Self::PauseLateness => "lateness p50",
            Self::RuntimeLatency => "latency",
            Self::OperationTime => "time",
            Self::PaceLateness => "lateness p99",
            Self::PaceResponse => "response p99",
            Self::HiccupLateness => "hiccups p99",
            Self::ClockError => "maximum error",
        }
    }

    /// Which direction is better.
    pub const fn better(self) -> Better {
        match self {
            Self::Tick => Better::Neither,
            _ => Better::Lower,
        }
    }

    /// The smallest factor that counts as a change, even where the noise between runs is smaller; 1 if noise alone decides.
    pub const fn least_factor(self) -> f64 {
        match self {
            Self::IntervalWithin1Pct | Self::IntervalWithin10Pct => LEAST_FACTOR_OF_INTERVALS,
            _ => 1.0,
        }
    }

    /// How far two runs of an unchanged machine may differ, in percent, until there are runs to tell.
    pub const fn usual_noise_pct(self) -> f64 {
        match self {
            Self::Step | Self::Tick | Self::OperationTime => LEVEL_PCT,
            Self::Latency | Self::RuntimeLatency => CHECKED_PCT,
            Self::PauseLateness => PAUSE_PCT,
            Self::IntervalWithin1Pct
            | Self::IntervalWithin10Pct
            | Self::Skew
            | Self::PaceLateness
            | Self::PaceResponse
            | Self::HiccupLateness
            | Self::ClockError => EXTREME_PCT,
        }
    }

    /// Whether the document gives an interval for it. Where it gives none, the noise alone decides.
    pub fn has_interval(self) -> bool {
        match self {
            Self::Latency | Self::Tick | Self::RuntimeLatency | Self::OperationTime | Self::PauseLateness => true,
            Self::Step
            | Self::IntervalWithin1Pct
            | Self::IntervalWithin10Pct
            | Self::Skew
            | Self::PaceLateness
            | Self::PaceResponse
            | Self::HiccupLateness
            | Self::ClockError => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_documents_and_unique() {
        for kind in FigureKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
            assert_eq!(FigureKind::named(kind.name()), Some(kind));
        }
        assert_eq!(FigureKind::named("weight"), None);
    }

    #[test]
    fn what_is_no_number_above_zero_is_no_figure() {
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Figure::bare(FigureKind::Skew, "", wrong), None);
        }
        assert!(Figure::bare(FigureKind::PaceLateness, "", f64::NAN).is_none());
        let odd = Estimate { estimate: 5.0, low: 6.0, high: 7.0, confidence: 0.99 };
        let figure = Figure::new(FigureKind::Latency, "a", odd).unwrap();
        assert_eq!(figure.value, Estimate::without_interval(5.0), "an interval without its estimate is none");
    }
}
