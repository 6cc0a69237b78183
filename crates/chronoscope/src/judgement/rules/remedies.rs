//! What to use or do in place of what a rule finds fault with.

use chronoscope_sources::SourceId;

use crate::document::Record;
use crate::judgement::facts::Facts;
use crate::judgement::{clocks, clocksource};

/// The system clock to use in place of another; None where it is no better.
pub fn steady_os_clock(record: &Record) -> Option<&'static str> {
    let judgement = record.content.judgement.as_ref()?;
    clocks::steady_os_clock(&Facts::from(record), &judgement.causality.clocks).map(SourceId::name)
}

/// Remedies where reads of the system clock enter the kernel.
pub fn way_off_the_slow_path(record: &Record) -> String {
    clocksource::way_off_the_slow_path(&Facts::from(record), record.content.counter_doubt())
}
