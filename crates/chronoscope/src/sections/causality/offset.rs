//! Forced alternation: two threads on two CPUs exchange timestamped messages, each answering the other.
//!
//! A message cannot arrive before it was sent, so the shortest apparent trip each way bounds the offset between the two
//! CPUs' views of the clock: with d₁ there and d₂ back, b − a lies between −d₂ and d₁.

use std::io;

use chronoscope_clock::TickSource;
use chronoscope_sources::SourceVisitor;
pub use chronoscope_sources::causality::Trips;
use chronoscope_sources::causality::alternate;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::engine::steps::one_look;
use crate::engine::task::{Bench, Task};
use crate::engine::timer::Deadline;
use chronoscope_harness::estimators::steps::Steps;
use chronoscope_harness::record::Disturbance;
use chronoscope_harness::watch::Watch;

/// The clock and the CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OffsetTask {
    pub source: ClockId,
    pub a: u32,
    pub b: u32,
    pub rounds: u64,
}

/// The result of the exchange, in ticks of the source, and its steps on one CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    pub trips: Trips,
    /// The median and the 99th percentile of round trips.
    pub round_trips: [u64; 2],
    /// Changes of the source between consecutive reads, which show whether it moves in steps.
    pub steps: Steps,
}

impl Task for OffsetTask {
    const NAME: &'static str = "offset";
    type Samples = Samples;

    fn perform(&self, bench: &Bench) -> Result<(Samples, Disturbance), String> {
        let deadline = Deadline::after_ms(bench.timer()?, bench.budget_ms);
        self.source.visit(PingPong { request: self, deadline })?
    }

    fn answered(&self, samples: &Samples) -> (usize, usize) {
        (usize::from(samples.trips.rounds > 0), 1)
    }
}

struct PingPong<'a> {
    request: &'a OffsetTask,
    deadline: Deadline,
}

impl SourceVisitor for PingPong<'_> {
    type Output = Result<(Samples, Disturbance), String>;

    fn visit<S: TickSource + Copy + Send + Sync>(self, source: S) -> Self::Output {
        let OffsetTask { a, b, rounds, .. } = *self.request;
        let enter = |side: usize| Watch::pinned(Some([a, b][side]));
        let mut round_trips = Vec::new();
        let returned = |trip| round_trips.push(trip);
        let (trips, [mut watched, other]) =
            alternate(&source, &source, rounds, || self.deadline.passed(), enter, Watch::finish, returned)
                .map_err(|error| no_exchange(&error))?;
        watched.merge(&other);
        let unbound = watched.reason_unpinned.as_ref();
        match (trips, unbound) {
            (_, Some(reason)) => Err(format!("the two threads need two CPUs, but {reason}")),
            (None, _) => Err(format!("CPUs {a} and {b} did not exchange a message in time")),
            (Some(trips), None) => {
                let steps = one_look(&source);
                Ok((Samples { trips, round_trips: quantiles(round_trips), steps }, watched))
            }
        }
    }
}

/// The median and the 99th percentile.
fn quantiles(mut of: Vec<u64>) -> [u64; 2] {
    of.sort_unstable();
    let at = |percent: usize| of.get((of.len() * percent).div_ceil(100).saturating_sub(1)).copied();
    [50, 99].map(|percent| at(percent).unwrap_or_default())
}

/// Why the exchange failed: only a panic has no kind of its own.
fn no_exchange(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::Other => error.to_string(),
        _ => format!("could not start a second thread: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_round_trips_are_no_longer_than_the_median_and_99_of_100_than_the_other() {
        assert_eq!(quantiles((1..=1_000).rev().collect()), [500, 990]);
        assert_eq!(quantiles(vec![9, 4, 5]), [5, 9]);
        assert_eq!((quantiles(vec![7]), quantiles(Vec::new())), ([7; 2], [0; 2]));
    }
}
