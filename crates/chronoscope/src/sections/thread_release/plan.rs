use chronoscope_sources::os::OsClock;
use chronoscope_sources::{Guarantee, SourceId};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::part::{Part, PartRow};
use crate::plan::{Frame, PlanError};

pub const THREAD_RELEASE: Part = Part::named("thread_release");

pub const PARTS: &[PartRow] = &[PartRow::on_request(THREAD_RELEASE, "calls by one thread and by many", 225)];

/// Default number of threads released together: as in the article.
const THREADS: u32 = 100;
/// These do not need a CPU each, since they do almost nothing.
const MOST_THREADS: u32 = 4096;

/// Options of the experiment with threads that are released together.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {
    /// Number of threads released together, 1 to 4096 [default: 100]
    #[arg(long, value_name = "N", value_parser = number_of_threads, allow_hyphen_values = true)]
    pub threads: Option<u32>,
}

/// A number of threads, as a user writes it.
pub fn number_of_threads(text: &str) -> Result<u32, String> {
    chronoscope_bench::whole_number(text, "1 to 4096")
}

/// Calls and thread counts to measure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadReleasePlan {
    /// Threads released together, each calling once.
    pub threads: u32,
    /// The clocks to read, in addition to an empty control.
    pub clocks: Vec<ClockId>,
    /// Rounds, each in its own worker process.
    pub rounds: u32,
}

pub fn plan(options: &Options, frame: &Frame) -> Result<ThreadReleasePlan, PlanError> {
    let is_chosen = |id: &SourceId| {
        matches!(id, SourceId::Os(OsClock::Monotonic | OsClock::Realtime) | SourceId::Clock(Guarantee::Ordered))
    };
    Ok(ThreadReleasePlan {
        threads: checked(options.threads.unwrap_or(THREADS))?,
        clocks: SourceId::all().filter(is_chosen).map(ClockId::Known).collect(),
        rounds: frame.depth.processes(),
    })
}

/// `threads`, if that many can be released together.
///
/// # Errors
/// Names the bounds.
pub fn checked(threads: u32) -> Result<u32, PlanError> {
    if (1..=MOST_THREADS).contains(&threads) {
        return Ok(threads);
    }
    Err(PlanError::new(format!("{threads} threads are out of range (1–{MOST_THREADS})")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Depth;

    #[test]
    fn from_1_to_4096_threads_are_released() {
        let planned = |threads| plan(&Options { threads }, &Frame { depth: Depth::Normal, cpus: vec![0], alone: true });
        let usual = planned(None).unwrap();
        assert_eq!((usual.threads, usual.clocks.len()), (100, 3));
        assert!(usual.rounds >= 11);
        for threads in [1, 4096] {
            assert_eq!(planned(Some(threads)).unwrap().threads, threads);
        }
        for threads in [0, 4097, u32::MAX] {
            assert!(planned(Some(threads)).unwrap_err().to_string().contains("out of range (1–4096)"));
        }
    }
}
