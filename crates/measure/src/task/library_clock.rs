//! Reads the library's clock for a while and asks it what it knows of itself.

use chronoscope_clock::arch::opaque;
use chronoscope_clock::{Clock, RateSource, Reason, Trust, TrustState};
use serde::{Deserialize, Serialize};

use super::timer::{Deadline, Timer};

/// Reads between two looks at the deadline.
const CHUNK: u32 = 256;

/// What the clock says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// Its state.
    pub state: TrustState,
    /// Where its rate and offset come from.
    pub rate_source: RateSource,
    /// Why the state is not better, and what else should be known.
    pub reasons: Vec<Reason>,
    /// Bound of its error.
    pub error_bound_ns: u64,
    /// Bound of its rate's error.
    pub rate_error_ppb: u64,
    /// Time between two looks at its reference.
    pub refresh_interval_ns: u64,
    /// The counter's frequency.
    pub counter_hz: Option<f64>,
    /// Looks at its reference.
    pub looks: u64,
    /// Jumps of counter and system clock against each other.
    pub jumps: u64,
    /// The furthest that it was from its reference.
    pub worst_lag_ns: u64,
}

pub(super) fn run(timer: Timer, budget_ms: u64) -> Samples {
    let clock = Clock::or_system();
    let deadline = Deadline::after_ms(timer, budget_ms);
    while !deadline.passed() {
        for _ in 0..CHUNK {
            opaque(clock.now().as_nanos());
        }
    }
    said(&clock.trust())
}

fn said(trust: &Trust) -> Samples {
    let ns = |duration: std::time::Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    Samples {
        state: trust.state,
        rate_source: trust.rate_source,
        reasons: trust.reasons.iter().collect(),
        error_bound_ns: ns(trust.error_bound),
        rate_error_ppb: trust.rate_error_ppb,
        refresh_interval_ns: ns(trust.refresh_interval),
        counter_hz: trust.counter_hz,
        looks: trust.looks,
        jumps: trust.jumps,
        worst_lag_ns: ns(trust.worst_lag),
    }
}
