//! The process does not get to run for long.

use std::time::Duration;

use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning};
use chronoscope_harness::quantity::ns;

use super::shown_in::SHOWN_IN;
use crate::watch::sample::Sample;

pub const NOT_RUN: Kind = Kind::notice(
    "not_run",
    Meaning {
        about: "a process that waited for its time did not get to run",
        evidence: "how late the wait ended (`late_ns`)",
        mend: "with `time_stolen` the host was busy, else this machine; `chronoscope hiccups` shows how often",
    },
)
.shown_in(SHOWN_IN)
.classed(HostState::Noisy);

/// A wait that ends later than this is an event.
const LONGEST_GAP: Duration = Duration::from_millis(50);

pub fn look(sample: &Sample) -> Option<Finding> {
    let late_ns = sample.monotonic_ns.saturating_sub(sample.due_ns?);
    if u128::from(late_ns) <= LONGEST_GAP.as_nanos() {
        return None;
    }
    let said = format!("a wait ended {} late: the process, or all of the machine, did not run", ns(late_ns as f64));
    Some(
        Finding::new(NOT_RUN, said)
            .value("late_ns", late_ns as f64)
            .advice("with `time_stolen` the host was busy, else this machine; `chronoscope hiccups` shows how often"),
    )
}
