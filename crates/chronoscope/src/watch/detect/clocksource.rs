//! The kernel keeps time by another clocksource.

use chronoscope_harness::finding::Finding;

use crate::shared_findings::CLOCKSOURCE_CHANGED;
use crate::watch::sample::Sample;

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
                .advice(CLOCKSOURCE_CHANGED.mend)
                .advice("`chronoscope clocks` says what a read costs now")
        })
    }
}
