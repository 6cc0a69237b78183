//! The one-way causality litmus: one CPU continuously publishes the clock; another reads the published value and then
//! its own clock, which must not be earlier.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use chronoscope_clock::TickSource;
use chronoscope_sources::SourceVisitor;
use chronoscope_sources::causality::{Board, Observations};
use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::engine::task::{Bench, Task};
use crate::engine::timer::{Deadline, Timer};
use chronoscope_harness::record::Disturbance;
use chronoscope_harness::watch::Watch;

/// Observations between deadline checks.
const CHUNK: u64 = 1000;
/// A publisher that nobody stops, because a real-time thread never gives way, ends by itself so much later.
const UNSTOPPED_MS: u64 = 1_000;
/// Longer steps back, in ticks, count as that.
const LONGEST_STEP: u64 = 1 << 40;

/// The clock and the CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LitmusTask {
    pub source: ClockId,
    pub writer: u32,
    pub reader: u32,
}

/// The reader's observations, in ticks of the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    pub seen: Observations,
    /// The median and the 99th percentile of the steps back of new values; None if none went back.
    pub back: Option<[u64; 2]>,
}

impl Samples {
    fn of(seen: Observations, back: &Histogram<u64>) -> Self {
        // The ends of the histogram's bins may lie above what they count.
        let quantile = |quantile| back.value_at_quantile(quantile).min(seen.worst_ticks);
        Self { seen, back: (!back.is_empty()).then(|| [0.5, 0.99].map(quantile)) }
    }
}

/// An empty histogram of steps back, to a thousandth of each.
fn steps_back() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LONGEST_STEP, 3).expect("bounds that the histogram allows")
}

impl Task for LitmusTask {
    const NAME: &'static str = "litmus";
    type Samples = Samples;

    fn perform(&self, bench: &Bench) -> Result<(Samples, Disturbance), String> {
        self.source.visit(OneWay { request: self, timer: bench.timer()?, budget_ms: bench.budget_ms })?
    }
}

struct OneWay<'a> {
    request: &'a LitmusTask,
    timer: Timer,
    budget_ms: u64,
}

impl SourceVisitor for OneWay<'_> {
    type Output = Result<(Samples, Disturbance), String>;

    fn visit<S: TickSource + Copy + Send + Sync>(self, source: S) -> Self::Output {
        let LitmusTask { writer, reader, .. } = *self.request;
        let board = Board::new(source.read());
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            let publisher = thread::Builder::new()
                .spawn_scoped(scope, || {
                    let watch = Watch::pinned(Some(writer));
                    let latest = Deadline::after_ms(self.timer, self.budget_ms.saturating_add(UNSTOPPED_MS));
                    board.publish_until(&source, || stop.load(Relaxed) || latest.passed());
                    watch.finish()
                })
                .map_err(|error| format!("could not start a second thread: {error}"))?;
            let (mut seen, mut back) = (Observations::default(), steps_back());
            let watch = Watch::pinned(Some(reader));
            // From here on one CPU reads the timer: on another it may be so far ahead that no time would be left.
            let deadline = Deadline::after_ms(self.timer, self.budget_ms);
            board.await_first(|| deadline.passed());
            while !deadline.passed() {
                board.observe(&source, CHUNK, &mut seen, |step| back.saturating_record(step));
            }
            stop.store(true, Relaxed);
            let mut watched = watch.finish();
            watched.merge(&publisher.join().map_err(|_| "the publishing thread panicked".to_owned())?);
            match &watched.reason_unpinned {
                Some(reason) => Err(format!("the two threads need two CPUs, but {reason}")),
                None => Ok((Samples::of(seen, &back), watched)),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_back_have_quantiles_that_are_no_longer_than_the_longest() {
        let mut back = steps_back();
        assert_eq!(Samples::of(Observations::default(), &back).back, None);
        (1..=100).for_each(|step| back.saturating_record(step * 10));
        let seen = |worst_ticks| Observations { worst_ticks, ..Observations::default() };
        assert_eq!(Samples::of(seen(1_000), &back).back, Some([500, 990]));
        back.saturating_record_n(u64::MAX, 100);
        assert_eq!(Samples::of(seen(u64::MAX), &back).back.map(|[p50, _]| p50), Some(1_000));
        assert_eq!(Samples::of(seen(5_000_000), &back).back, Some([1_000, 5_000_000]));
    }
}
