//! The kernel keeps time by another clocksource.

use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning};

use super::shown_in::SHOWN_IN;
use crate::watch::sample::Sample;

pub const CLOCKSOURCE_CHANGED: Kind = Kind::warning(
    "clocksource_changed",
    Meaning {
        about: "the kernel keeps time by another clocksource",
        evidence: "both names",
        mend: "`dmesg | grep -i clocksource` says why; a watchdog that distrusts the TSC is the usual cause",
    },
)
.shown_in(SHOWN_IN)
.classed(HostState::Degraded);

#[derive(Debug, Default)]
pub struct Detector {
    last: Option<String>,
}

impl Detector {
    pub fn look(&mut self, sample: &Sample) -> Option<Finding> {
        let now = sample.clocksource.value()?;
        let last = self.last.replace(now.clone())?;
        (last != *now).then(|| {
            Finding::new(CLOCKSOURCE_CHANGED, format!("the clocksource changed from {last} to {now}"))
                .about(now.clone())
                .advice("`dmesg | grep -i clocksource` says why; a watchdog that distrusts the TSC is the usual cause")
                .advice("`chronoscope clocks` says what a read costs now")
        })
    }
}
