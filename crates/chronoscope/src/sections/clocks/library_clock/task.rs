//! Compares the library's clock with the system's for a while, and queries its state.

use chronoscope_clock::{Clock, TickSource, Trust, TrustState};
use chronoscope_sources::os::{self, CounterAccess, OsClock};
use serde::{Deserialize, Serialize};

use crate::engine::task::{Bench, Task};
use crate::engine::timer::{Deadline, Timer};
use crate::sections::clocks::library_clock::report::{LibraryClock, LibraryClockState};
use chronoscope_harness::record::Disturbance;

/// Reads between deadline checks.
const CHUNK: u32 = 256;

/// Queries the clock.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct LibraryClockTask;

/// Readings, each between two of `CLOCK_MONOTONIC` through the C library.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Checks {
    made: u64,
    /// How many were outside.
    outside: u64,
    /// The largest distance from the interval.
    worst_ns: u64,
}

impl Checks {
    fn add(&mut self, before_ns: u64, shown_ns: u64, after_ns: u64) {
        let beyond_ns = before_ns.saturating_sub(shown_ns).max(shown_ns.saturating_sub(after_ns));
        self.made += 1;
        self.outside += u64::from(beyond_ns > 0);
        self.worst_ns = self.worst_ns.max(beyond_ns);
    }
}

impl Task for LibraryClockTask {
    const NAME: &'static str = "library_clock";
    type Samples = LibraryClock;

    fn perform(&self, bench: &Bench) -> Result<(LibraryClock, Disturbance), String> {
        bench.alone(|| Ok(run(bench.timer()?, bench.budget_ms)))
    }
}

fn run(timer: Timer, budget_ms: u64) -> LibraryClock {
    let clock = Clock::or_system();
    let deadline = Deadline::after_ms(timer, budget_ms);
    // The C library's clock reads the counter too: where that is forbidden, it would kill the process.
    let is_forbidden = os::counter_access() == CounterAccess::Faults;
    let read = if is_forbidden { os::try_read_by_system_call_ns } else { os::try_read_ns };
    // Without a system clock for comparison there is no library clock either.
    let system_ns = || read(OsClock::Monotonic).unwrap_or(0);
    let mut checks = Checks::default();
    while !deadline.passed() {
        for _ in 0..CHUNK {
            let (before, shown, after) = (system_ns(), TickSource::read(&clock), system_ns());
            checks.add(before, shown, after);
        }
    }
    library_clock(&clock.trust(), checks)
}

/// The library clock's report on itself, in the document's words.
fn library_clock(trust: &Trust, checks: Checks) -> LibraryClock {
    LibraryClock {
        state: match trust.state {
            TrustState::Verified => LibraryClockState::Verified,
            _ => LibraryClockState::Fallback,
        },
        rate_source: name(&trust.rate_source),
        reasons: trust.reasons.iter().map(|reason| name(&reason)).collect(),
        error_bound_ns: u64::try_from(trust.error_bound.as_nanos()).unwrap_or(u64::MAX),
        counter_hz: trust.counter_hz,
        checks: checks.made,
        checks_outside: checks.outside,
        worst_outside_ns: checks.worst_ns,
    }
}

/// The serde name of a variant.
fn name(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use chronoscope_clock::Reason;

    use super::*;

    #[test]
    fn the_reasons_of_a_clock_have_names() {
        let trust = Clock::or_system().trust();
        let found = library_clock(&trust, Checks { made: 9, outside: 2, worst_ns: 5 });
        assert_eq!((found.checks, found.checks_outside, found.worst_outside_ns), (9, 2, 5));
        assert_eq!(found.state.word(), trust.state.to_string());
        assert_eq!(found.reasons, trust.reasons.iter().map(|reason| name(&reason)).collect::<Vec<_>>());
        assert_eq!(name(&Reason::CounterForbidden), "counter_forbidden");
    }

    #[test]
    fn a_reading_beyond_either_end_is_outside() {
        let mut checks = Checks::default();
        for (before, shown, after) in [(10, 10, 10), (10, 12, 15), (10, 7, 15), (10, 20, 15)] {
            checks.add(before, shown, after);
        }
        assert_eq!(checks, Checks { made: 4, outside: 2, worst_ns: 5 });
    }
}
