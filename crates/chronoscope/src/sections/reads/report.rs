use crate::clock_id::ClockId;
use chronoscope_harness::estimators::reads;

/// The distribution of the differences between consecutive reads of one clock.
pub type Reads = reads::Reads<ClockId>;
