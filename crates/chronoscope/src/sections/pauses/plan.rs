use std::time::Duration;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::report::PauseWay;
use crate::part::{Part, PartRow};
use crate::plan::{Frame, PlanError, bounded_list, within};
use chronoscope_harness::literature::pause_lengths_ns;

pub const PAUSES: Part = Part::Pauses;

pub const PARTS: &[PartRow] = &[PartRow::of_check(PAUSES, "length of pauses", 45)];

/// Pauses requested alone get this multiple of a check's time: a hundred of 10 ms take a second.
pub const TIME_FACTOR: f64 = 2.4;
/// Lengths and methods in a check.
const LENGTHS_IN_CHECK_NS: [u64; 3] = [1_000, 100_000, 1_000_000];
const WAYS_IN_CHECK: [PauseWay; 4] = [PauseWay::StdSleep, PauseWay::Sleep, PauseWay::Pauser, PauseWay::Spin];
const ROUNDS_IN_CHECK: u32 = 3;
/// Range of pauses.
const BOUNDS: (Duration, Duration) = (Duration::from_nanos(100), Duration::from_secs(1));

/// Options of the table of pauses.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {
    /// Pause length, e.g. 50us; repeatable [default: 1us, 10us, 100us, 1ms, 10ms]
    #[arg(long, value_name = "TIME", value_parser = length, allow_hyphen_values = true)]
    pub length: Vec<Duration>,

    /// Next to a thread that never sleeps on the same CPU
    #[arg(long)]
    pub load: bool,

    /// Also under the real-time policy, where permitted
    #[arg(long)]
    pub realtime: bool,
}

fn length(text: &str) -> Result<Duration, String> {
    chronoscope_bench::time(text, "100 ns to 1 s")
}

/// The pauses to measure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PausesPlan {
    /// Methods of pausing.
    pub ways: Vec<PauseWay>,
    /// Lengths of pauses, in nanoseconds.
    pub lengths_ns: Vec<u64>,
    /// Rounds, each in its own worker process.
    pub rounds: u32,
    /// Whether a thread that never sleeps runs on the same CPU throughout.
    pub load: bool,
}

pub fn plan(options: &Options, frame: &Frame) -> Result<PausesPlan, PlanError> {
    let all = || PauseWay::ALL.into_iter().filter(|way| options.realtime || *way != PauseWay::PauserRealTime);
    Ok(PausesPlan {
        ways: if frame.alone { all().collect() } else { WAYS_IN_CHECK.to_vec() },
        lengths_ns: lengths_ns(options, frame)?,
        rounds: if frame.alone { frame.depth.processes() } else { ROUNDS_IN_CHECK },
        load: options.load,
    })
}

/// In ascending order.
fn lengths_ns(options: &Options, frame: &Frame) -> Result<Vec<u64>, PlanError> {
    if options.length.is_empty() {
        return Ok(if frame.alone { pause_lengths_ns() } else { LENGTHS_IN_CHECK_NS.to_vec() });
    }
    // At most a second, so they fit.
    let ns = |length: &Duration| within(*length, BOUNDS, "pause").map(|length| length.as_nanos() as u64);
    bounded_list(options.length.iter().map(ns).collect::<Result<_, _>>()?, "lengths of pauses")
}
