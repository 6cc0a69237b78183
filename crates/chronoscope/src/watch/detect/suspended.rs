//! The machine is suspended.

use chronoscope_harness::finding::{Finding, Kind, Meaning};
use chronoscope_harness::quantity::{TIME, ns};

use super::shown_in::SHOWN_IN;
use crate::sections::sync::slew::Bracket;
use crate::sections::sync::step::step;
use crate::watch::sample::Sample;

pub const SUSPENDED: Kind = Kind::warning(
    "suspended",
    Meaning {
        about: "the machine was suspended",
        evidence: "the length and its error (`suspended_ns` ± `error_ns`)",
        mend: "time with CLOCK_BOOTTIME what must include suspend",
    },
)
.shown_in(SHOWN_IN);

/// No machine is suspended for less.
const SHORTEST_NS: i64 = 1_000_000;

/// `CLOCK_BOOTTIME` counts suspend and `CLOCK_MONOTONIC` does not; nothing else moves them against each other.
#[derive(Debug, Default)]
pub struct Detector {
    last: Option<Bracket>,
}

impl Detector {
    pub fn look(&mut self, sample: &Sample) -> Option<Finding> {
        let now = sample.boot.value().copied().and_then(|bracket| bracket.checked().ok())?;
        let moved = step(self.last.replace(now)?, now).ok()?;
        if moved.low_ns < SHORTEST_NS {
            return None;
        }
        let for_ns = (moved.low_ns as f64).midpoint(moved.high_ns as f64);
        let error_ns = (moved.high_ns as f64 - moved.low_ns as f64) / 2.0;
        let said = format!("the machine was suspended for {} ({})", ns(for_ns), TIME.off(error_ns));
        Some(
            Finding::new(SUSPENDED, said)
                .value("suspended_ns", for_ns)
                .value("error_ns", error_ns)
                .advice("time with CLOCK_BOOTTIME what must include suspend; CLOCK_MONOTONIC does not count it"),
        )
    }
}
