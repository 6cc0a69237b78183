//! Reads each source once. A worker that dies of it reveals what no flag can.

use serde::{Deserialize, Serialize};

use super::task::{Bench, Task};
use super::timer::ReadOnce;
use crate::clock_id::ClockId;
use chronoscope_harness::record::Disturbance;

/// Reads these sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeTask(pub Vec<ClockId>);

impl Task for ProbeTask {
    const NAME: &'static str = "probe";
    /// For each source, None or the reason why it cannot be read.
    type Samples = Vec<Option<String>>;

    fn perform(&self, bench: &Bench) -> Result<(Self::Samples, Disturbance), String> {
        let reason = |clock: &ClockId| clock.visit(ReadOnce).err();
        bench.alone(|| Ok(self.0.iter().map(reason).collect()))
    }

    fn answered(&self, reasons: &Self::Samples) -> (usize, usize) {
        (reasons.len(), self.0.len())
    }
}
