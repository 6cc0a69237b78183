//! Compares the library's clock with the system's for a while, and asks it what it knows of itself.

use chronoscope_clock::os::{self, CounterAccess, OsClock};
use chronoscope_clock::{Clock, RateSource, Reason, Trust, TrustState};
use serde::{Deserialize, Serialize};

use crate::engine::task::{Bench, Task};
use crate::engine::timer::{Deadline, Timer};
use chronoscope_harness::record::Disturbance;

/// Reads between two looks at the deadline.
const CHUNK: u32 = 256;

/// To ask the clock.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Request;

/// What the clock says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// Its state.
    pub state: TrustState,
    /// Where its readings come from.
    pub rate_source: RateSource,
    /// Why the state is not better, and what else should be known.
    pub reasons: Vec<Reason>,
    /// Bound of its error.
    pub error_bound_ns: u64,
    /// The counter's frequency.
    pub counter_hz: Option<f64>,
    /// Readings against the system's clock.
    pub checks: Checks,
}

/// Readings, each between two of `CLOCK_MONOTONIC` through the C library.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checks {
    /// How many there were.
    pub made: u64,
    /// How many did not lie between the two.
    pub outside: u64,
    /// How far beyond them the furthest lay.
    pub worst_ns: u64,
}

impl Checks {
    fn add(&mut self, before_ns: u64, shown_ns: u64, after_ns: u64) {
        let beyond_ns = before_ns.saturating_sub(shown_ns).max(shown_ns.saturating_sub(after_ns));
        self.made += 1;
        self.outside += u64::from(beyond_ns > 0);
        self.worst_ns = self.worst_ns.max(beyond_ns);
    }
}

impl Task for Request {
    const NAME: &'static str = "library_clock";
    type Samples = Samples;

    fn perform(&self, bench: &Bench) -> Result<(Samples, Disturbance), String> {
        bench.alone(|| Ok(run(bench.timer()?, bench.budget_ms)))
    }
}

fn run(timer: Timer, budget_ms: u64) -> Samples {
    let clock = Clock::or_system();
    let deadline = Deadline::after_ms(timer, budget_ms);
    // The C library's clock reads the counter too: where that is forbidden, it would end the process.
    let is_forbidden = os::counter_access() == CounterAccess::Faults;
    let read = if is_forbidden { os::try_read_by_system_call_ns } else { os::try_read_ns };
    // Without a system's clock to compare with there is no library's either.
    let system_ns = || read(OsClock::Monotonic).unwrap_or(0);
    let mut checks = Checks::default();
    while !deadline.passed() {
        for _ in 0..CHUNK {
            let (before, shown, after) = (system_ns(), clock.now().as_nanos(), system_ns());
            checks.add(before, shown, after);
        }
    }
    said(&clock.trust(), checks)
}

fn said(trust: &Trust, checks: Checks) -> Samples {
    Samples {
        state: trust.state,
        rate_source: trust.rate_source,
        reasons: trust.reasons.iter().collect(),
        error_bound_ns: u64::try_from(trust.error_bound.as_nanos()).unwrap_or(u64::MAX),
        counter_hz: trust.counter_hz,
        checks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_beyond_either_end_is_outside() {
        let mut checks = Checks::default();
        for (before, shown, after) in [(10, 10, 10), (10, 12, 15), (10, 7, 15), (10, 20, 15)] {
            checks.add(before, shown, after);
        }
        assert_eq!(checks, Checks { made: 4, outside: 2, worst_ns: 5 });
    }
}
