//! Reads each source once. A worker that dies of it tells the coordinator what no flag can.

use serde::{Deserialize, Serialize};

use super::task::{Bench, Task};
use super::timer::ReadOnce;
use crate::clock_id::ClockId;
use chronoscope_harness::record::Disturbance;

/// Which sources to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Their names.
    pub sources: Vec<ClockId>,
}

/// For each source, nothing or the reason why it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// In the order of the request.
    pub reasons_unavailable: Vec<Option<String>>,
}

impl Task for Request {
    const NAME: &'static str = "probe";
    type Samples = Samples;

    fn perform(&self, bench: &Bench) -> Result<(Samples, Disturbance), String> {
        bench.alone(|| Ok(run(self)))
    }
}

fn run(request: &Request) -> Samples {
    let reason = |clock: &ClockId| match clock.source() {
        Ok(id) => id.visit(ReadOnce).err().map(|unavailable| unavailable.to_string()),
        Err(reason) => Some(reason),
    };
    Samples { reasons_unavailable: request.sources.iter().map(reason).collect() }
}
