use chronoscope_harness::record::Estimate;
use chronoscope_harness::record::study::Leading;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How small a difference a benchmark on this machine could tell, by identical operations compared with each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseFloor {
    /// Worker processes, as planned.
    pub processes: u32,
    /// Confidence with which the intervals of all pairs hold at once, where processes suffice for it.
    pub confidence: f64,
    /// Processes that a pair needs for this confidence.
    pub processes_needed: u32,
    /// The smallest difference that would be told in every pair, in percent: the largest [`told_pct`](IdenticalPair::told_pct) of
    /// them, rounded up to two digits. Null if no pair has enough processes.
    pub floor_pct: Option<f64>,
    /// The pairs, in the order planned.
    pub pairs: Vec<IdenticalPair>,
    /// How many intervals leave out 1, though both operations are the same.
    pub false_alarms: u32,
    /// Iterations of all operations; 0 if nothing looked for disturbances.
    pub iterations: u64,
    /// Those that nothing disturbed.
    pub iterations_quiet: u64,
    /// The limit on CPU time that stops a busy thread again and again, in CPUs; null without one.
    pub cpu_quota: Option<f64>,
}

/// An operation compared with a second copy of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IdenticalPair {
    pub operation: String,
    /// Its time in nanoseconds; null if not measured.
    pub time_ns: Option<Estimate>,
    /// Which number was compared: the mean, if so many calls took long that it leads.
    pub leads: Leading,
    /// The copy's time over the operation's: the median over processes. Null if no process measured both.
    pub ratio: Option<Estimate>,
    /// The true difference that another run would tell from none 19 times in 20, in percent: how far the interval reaches from 1 on
    /// its farther side, and half its half-width more. (A difference as large as an interval reaches is told every other time.)
    /// Null without an interval.
    pub told_pct: Option<f64>,
    /// Processes that measured both.
    pub processes: u64,
    /// Whether they are enough for the confidence; otherwise the pair says nothing.
    pub is_sure: bool,
    /// Whether the interval has the confidence and leaves out 1.
    pub is_false_alarm: bool,
    /// Whether processes fall into groups that disagree about the ratio, which more of them would not change.
    pub has_states: bool,
}

impl NoiseFloor {
    /// The pair that takes the largest difference to tell it.
    pub fn worst(&self) -> Option<&IdenticalPair> {
        let sure = self.pairs.iter().filter(|pair| pair.is_sure && pair.told_pct.is_some());
        sure.max_by(|a, b| a.told_pct.unwrap_or(0.0).total_cmp(&b.told_pct.unwrap_or(0.0)))
    }

    /// A pair with too few processes for the confidence: the one with the fewest.
    pub fn unsure(&self) -> Option<&IdenticalPair> {
        self.pairs.iter().filter(|pair| !pair.is_sure).min_by_key(|pair| pair.processes)
    }

    /// Whether fewer than half of the iterations were undisturbed.
    pub fn is_noisy(&self) -> bool {
        self.iterations_quiet < self.iterations.div_ceil(2)
    }
}
