//! Somebody sets the wall clock.

use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning};
use chronoscope_harness::quantity::{TIME, ns};

use super::shown_in::SHOWN_IN;
use crate::sections::sync::kernel::ClockState;
use crate::sections::sync::slew::Bracket;
use crate::sections::sync::step::{WallStep, step};
use crate::watch::sample::Sample;

pub const WALL_CLOCK_SET: Kind = Kind::warning(
    "wall_clock_set",
    Meaning {
        about: "somebody set the wall clock, or a leap second passed",
        evidence: "the step and its error (`step_ns` ± `error_ns`)",
        mend: "find what sets it: a starting daemon, an administrator, the hypervisor; time intervals with CLOCK_MONOTONIC",
    },
)
.shown_in(SHOWN_IN)
.classed(HostState::Degraded);

/// Compares each look with the last: the bounds follow from the order of the reads alone.
#[derive(Debug, Default)]
pub struct Detector {
    last: Option<Bracket>,
    allowed_ppm: f64,
}

impl Detector {
    pub fn allowing(ppm: f64) -> Self {
        Self { allowed_ppm: ppm, ..Self::default() }
    }

    pub fn look(&mut self, sample: &Sample) -> Option<Finding> {
        let now = sample.wall.value().copied().and_then(|bracket| bracket.checked().ok())?;
        let last = self.last.replace(now)?;
        let moved = self.without_slew(step(last, now).ok()?, last, now);
        moved.is_step().then(|| found(moved, sample))
    }

    /// Less what slewing may have done, where the two clocks are not slewed alike.
    fn without_slew(&self, moved: WallStep, last: Bracket, now: Bracket) -> WallStep {
        let passed_ns = now.after_ns.saturating_sub(last.before_ns) as f64;
        let slewed_ns = (passed_ns * self.allowed_ppm * 1e-6).ceil() as i64;
        WallStep { low_ns: moved.low_ns.saturating_sub(slewed_ns), high_ns: moved.high_ns.saturating_add(slewed_ns) }
    }
}

fn found(moved: WallStep, sample: &Sample) -> Finding {
    let by_ns = (moved.low_ns as f64).midpoint(moved.high_ns as f64);
    let error_ns = (moved.high_ns as f64 - moved.low_ns as f64) / 2.0;
    let way = if by_ns < 0.0 { "back" } else { "forward" };
    let leap = sample
        .kernel
        .value()
        .is_some_and(|kernel| matches!(kernel.state, ClockState::InLeapSecond | ClockState::LeapSecondOver));
    let why = if leap { "a leap second moved the wall clock" } else { "the wall clock was set" };
    let said = format!("{why} {} {way} ({})", ns(by_ns.abs()), TIME.off(error_ns));
    Finding::new(WALL_CLOCK_SET, said)
        .about("CLOCK_REALTIME")
        .value("step_ns", by_ns)
        .value("error_ns", error_ns)
        .advice("find what sets it: a starting daemon, an administrator, the hypervisor")
        .advice("do not time intervals with CLOCK_REALTIME; use CLOCK_MONOTONIC")
}
