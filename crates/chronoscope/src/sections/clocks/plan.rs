use std::time::Duration;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::part::{Part, PartRow};
use crate::plan::{Frame, PlanError, within};

pub const PATHS: Part = Part::Paths;
pub const LATENCY: Part = Part::Latency;
pub const GRANULARITY: Part = Part::Granularity;
pub const TICK: Part = Part::Tick;
pub const INTERVALS: Part = Part::Intervals;

pub const PARTS: &[PartRow] = &[
    PartRow::of_check(PATHS, "path of each clock", 4),
    PartRow::of_check(LATENCY, "latency of a read", 272),
    PartRow::of_check(GRANULARITY, "granularity", 30),
    PartRow::of_check(TICK, "tick of each clock", 25),
    PartRow::of_check(INTERVALS, "shortest intervals", 180),
];

/// Range of intervals in questions.
const QUESTION_BOUNDS: (Duration, Duration) = (Duration::from_nanos(1), Duration::from_secs(86_400));
/// Worker processes per confirmed interval.
pub const INTERVAL_PROCESSES: u32 = 3;

/// Options of what can answer for intervals.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {
    /// Also report whether an interval of this length can be timed here, e.g. 500ns; repeatable
    #[arg(long, value_name = "TIME", value_parser = interval, allow_hyphen_values = true)]
    pub interval: Vec<Duration>,
}

fn interval(text: &str) -> Result<Duration, String> {
    chronoscope_bench::time(text, "1 ns to 24 h")
}

/// How the clocks are examined.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClocksPlan {
    /// Worker processes per latency estimate.
    pub latency_processes: u32,
    /// Intervals the user asks about, in nanoseconds.
    pub questions_ns: Vec<f64>,
}

pub fn plan(options: &Options, frame: &Frame) -> Result<ClocksPlan, PlanError> {
    let question_ns =
        |interval: &Duration| within(*interval, QUESTION_BOUNDS, "interval").map(|interval| interval.as_nanos() as f64);
    Ok(ClocksPlan {
        latency_processes: frame.depth.processes(),
        questions_ns: options.interval.iter().map(question_ns).collect::<Result<_, _>>()?,
    })
}
