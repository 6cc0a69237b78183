use chronoscope_sources::SourceId;
use chronoscope_sources::os::OsClock;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::part::{Part, PartRow};
use crate::plan::Frame;

pub const READS: Part = Part::Reads;

pub const PARTS: &[PartRow] = &[PartRow::of_check(READS, "consecutive reads", 45)];

/// Nothing beyond what can be said of any run.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {}

/// The reads to take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadsPlan {
    /// Clocks to read consecutively.
    pub clocks: Vec<ClockId>,
}

pub fn plan(frame: &Frame) -> ReadsPlan {
    let is_chosen = |id: &SourceId| match frame.alone {
        true => id.facts().is_shared_timeline && !id.facts().traps_under_hypervisor,
        false => matches!(id, SourceId::CounterOrdered | SourceId::Os(OsClock::Monotonic)),
    };
    let clocks = SourceId::all().filter(is_chosen).map(ClockId::Known).collect();
    ReadsPlan { clocks }
}
