//! From samples to events: one file per kind. Every detector is a pure function of the samples so far.

mod clocksource;
mod gap;
mod leap;
mod shown_in;
mod skew;
mod slew;
mod steal;
mod stepped;
mod suspended;
mod synchronised;

use chronoscope_harness::finding::{Finding, Kind};

use super::sample::Sample;
use crate::shared_findings::CLOCKSOURCE_CHANGED;

/// Every kind of event, in the order of reports.
pub const KINDS: &[Kind] = &[
    stepped::WALL_CLOCK_SET,
    slew::SLEW_CHANGED,
    CLOCKSOURCE_CHANGED,
    synchronised::SYNC_CHANGED,
    leap::LEAP_CHANGED,
    skew::SKEW_GROWN,
    steal::TIME_STOLEN,
    suspended::SUSPENDED,
    gap::NOT_RUN,
];

#[derive(Debug, Default)]
pub struct Detectors {
    stepped: stepped::Detector,
    suspended: suspended::Detector,
    slew: slew::Detector,
    clocksource: clocksource::Detector,
    synchronised: synchronised::Detector,
    leap: leap::Detector,
    skew: skew::Detector,
    steal: steal::Detector,
}

impl Detectors {
    /// For a machine whose wall clock is steered apart from the reference, by up to so many ppm.
    pub fn allowing(wall_ppm: f64) -> Self {
        Self { stepped: stepped::Detector::allowing(wall_ppm), ..Self::default() }
    }

    /// What happened since the last look.
    pub fn look(&mut self, sample: &Sample) -> Vec<Finding> {
        let suspended = self.suspended.look(sample);
        // After a suspend every wait ends late.
        let gap = if suspended.is_none() { gap::look(sample) } else { None };
        [
            self.stepped.look(sample),
            self.slew.look(sample),
            self.clocksource.look(sample),
            self.synchronised.look(sample),
            self.leap.look(sample),
            self.skew.look(sample),
            self.steal.look(sample),
            suspended,
            gap,
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

#[cfg(test)]
mod tests;
