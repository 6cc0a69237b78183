use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use chronoscope_harness::record::Disturbance;

/// What was seen between CPUs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Causality {
    /// Offsets between pairs of CPUs, by forced alternation and ordered reads.
    pub pairs: Vec<PairOffset>,
    /// How many pairs there are among the CPUs of the plan; more than tested where the budget did not allow all.
    pub pairs_possible: u64,
    /// The one-way litmus, one row per clock and pair of CPUs.
    pub litmus: Vec<Litmus>,
    /// Why nothing could be seen between CPUs.
    pub reason_unavailable: Option<String>,
}

/// How far one clock, read on two CPUs, disagrees with itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairOffset {
    /// The clock.
    pub clock: ClockId,
    /// One CPU.
    pub a: u32,
    /// The other CPU.
    pub b: u32,
    /// Messages sent there and back.
    pub rounds: u64,
    /// Estimate of b − a.
    pub offset_ns: f64,
    /// The true offset lies within this of the estimate: half the shortest trip there and back, and one step of the clock.
    pub half_width_ns: f64,
    /// Messages that arrived before they were sent.
    pub violations: u64,
    /// What disturbed the measurement.
    pub disturbance: Disturbance,
}

impl PairOffset {
    /// The largest skew that the observation does not exclude.
    pub fn skew_not_excluded_ns(&self) -> f64 {
        self.offset_ns.abs() + self.half_width_ns
    }

    /// Whether the interval for the offset leaves zero out, or a message arrived before it was sent.
    pub fn shows_skew(&self) -> bool {
        self.violations > 0 || self.offset_ns.abs() > self.half_width_ns
    }
}

/// One CPU publishes the clock, another reads what was published and then its own clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Litmus {
    /// The clock.
    pub name: ClockId,
    /// The CPU that published.
    pub writer: u32,
    /// The CPU that observed.
    pub reader: u32,
    /// Observations made.
    pub observations: u64,
    /// Observations of a new value, as opposed to one seen before.
    pub fresh: u64,
    /// How often the observer's own read was earlier than the value it had been shown.
    pub violations: u64,
    /// The largest step back.
    pub worst_ns: f64,
    /// Rate of violations below which the truth lies with 95 % confidence: per new value where there were none, since to
    /// see a value again tests nothing; else per observation.
    pub rate_upper_95: f64,
    /// What disturbed the measurement.
    pub disturbance: Disturbance,
}

impl Litmus {
    /// Fewer new values than this leave room for a clock that goes backwards in one of 300 (the rule of three, at 95 %),
    /// which is what reads without order do.
    pub const FEWEST_NEW_VALUES: u64 = 1_000;

    /// Whether so many new values were seen that it says something if none was later than the reader's own time.
    pub fn is_telling(&self) -> bool {
        self.fresh >= Self::FEWEST_NEW_VALUES
    }

    /// What the run says.
    pub fn outcome(&self) -> LitmusOutcome {
        match self.violations {
            0 if self.is_telling() => LitmusOutcome::Held { rate_below: self.rate_upper_95 },
            0 => LitmusOutcome::TooFewValues,
            violations => LitmusOutcome::WentBack { share: violations as f64 / self.observations as f64 },
        }
    }
}

/// What a run of the litmus says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LitmusOutcome {
    /// The clock went back in this share of the observations.
    WentBack { share: f64 },
    /// It never did, so with 95 % confidence it does so less often than this per new value.
    Held { rate_below: f64 },
    /// It never did, in too few observations to tell.
    TooFewValues,
}
