use std::time::Duration;

use chronoscope_bench::ThreadList;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::granularity_list::GranularityList;
use crate::part::{Part, PartRow};
use crate::plan::{Frame, MOST_THREADS, PlanError, bounded_list, within};

pub const CONTENTION: Part = Part::named("contention");

pub const PARTS: &[PartRow] = &[PartRow::on_request(CONTENTION, "causal clocks on many threads", 225)];

/// Default granularities of the causal clock.
const GRANULARITIES_NS: [u64; 3] = [0, 100, 1_000];
/// A clock that changes once a second or less is out of scope.
const GRANULARITY_BOUNDS: (Duration, Duration) = (Duration::ZERO, Duration::from_secs(1));

/// Options of the experiment with many threads.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {
    /// Thread counts; 1 is always included [default: powers of two up to the number of CPUs]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub threads: Option<ThreadList>,

    /// Granularities of the causal clock, in nanoseconds or with a unit, e.g. 0,100,1us [default: 0,100,1000]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub granularity: Option<GranularityList>,
}

/// Clocks, granularities and thread counts to measure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContentionPlan {
    /// Granularities of the causal clock.
    pub granularities_ns: Vec<u64>,
    /// Numbers of threads that read it; always includes 1, the reference for the others.
    pub threads: Vec<u32>,
    /// Rounds, each in its own worker process.
    pub rounds: u32,
}

pub fn plan(options: &Options, frame: &Frame) -> Result<ContentionPlan, PlanError> {
    Ok(ContentionPlan {
        granularities_ns: granularities_ns(options)?,
        threads: threads(options, frame.cpus.len())?,
        rounds: frame.depth.processes(),
    })
}

/// In ascending order.
fn granularities_ns(options: &Options) -> Result<Vec<u64>, PlanError> {
    let Some(list) = &options.granularity else { return Ok(GRANULARITIES_NS.to_vec()) };
    // At most a second, so it fits.
    let ns = |granularity: &Duration| {
        within(*granularity, GRANULARITY_BOUNDS, "granularity").map(|length| length.as_nanos() as u64)
    };
    bounded_list(list.0.iter().map(ns).collect::<Result<_, _>>()?, "granularities")
}

/// The requested numbers of threads, ascending, or powers of two up to the number of CPUs and that number itself;
/// always with 1, the reference for the others.
fn threads(options: &Options, cpus: usize) -> Result<Vec<u32>, PlanError> {
    let mut threads = options.threads.as_ref().map(|list| list.0.clone()).unwrap_or_default();
    if let Some(threads) = threads.iter().find(|threads| !(1..=MOST_THREADS).contains(*threads)) {
        return Err(PlanError::new(format!("{threads} threads are out of range (1–{MOST_THREADS})")));
    }
    if threads.is_empty() {
        let cpus = u32::try_from(cpus).unwrap_or(MOST_THREADS).clamp(1, MOST_THREADS);
        threads = std::iter::successors(Some(1_u32), |threads| threads.checked_mul(2))
            .take_while(|threads| *threads < cpus)
            .chain([cpus])
            .collect();
    }
    threads.push(1);
    bounded_list(threads, "numbers of threads")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Depth;

    fn planned(options: &Options, cpus: u32) -> Result<ContentionPlan, PlanError> {
        plan(options, &Frame { depth: Depth::Normal, cpus: (0..cpus).collect(), alone: true })
    }

    fn threads(list: &[u32]) -> Options {
        Options { threads: Some(ThreadList(list.to_vec())), ..Options::default() }
    }

    fn granularities(list: &[Duration]) -> Options {
        Options { granularity: Some(GranularityList(list.to_vec())), ..Options::default() }
    }

    #[test]
    fn without_options_it_is_powers_of_two_and_the_usual_granularities() {
        let usual = planned(&Options::default(), 6).unwrap();
        assert_eq!((usual.threads, usual.granularities_ns), (vec![1, 2, 4, 6], GRANULARITIES_NS.to_vec()));
        assert!(usual.rounds >= 9);
    }

    #[test]
    fn threads_and_granularities_are_put_in_order() {
        assert_eq!(planned(&threads(&[8, 2, 8]), 2).unwrap().threads, [1, 2, 8]);
        let list = granularities(&[Duration::from_secs(1), Duration::ZERO]);
        assert_eq!(planned(&list, 2).unwrap().granularities_ns, [0, 1_000_000_000]);
    }

    #[test]
    fn absurd_threads_and_granularities_are_refused() {
        for list in [vec![0], vec![1, 1025], (1..=33).collect()] {
            planned(&threads(&list), 2).unwrap_err();
        }
        planned(&granularities(&[Duration::from_nanos(1_000_000_001)]), 2).unwrap_err();
    }
}
