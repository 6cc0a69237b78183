//! The one-way causality litmus: one CPU continuously publishes the clock; another reads the published value and then
//! its own clock, which must not be earlier.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use chronoscope_clock::TickSource;
use chronoscope_sources::SourceVisitor;
use chronoscope_sources::causality::{Board, Observations};
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

/// The clock and the CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LitmusTask {
    pub source: ClockId,
    pub writer: u32,
    pub reader: u32,
}

/// The reader's observations, in ticks of the source.
pub type Samples = Observations;

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
            let watch = Watch::pinned(Some(reader));
            // From here on one CPU reads the timer: on another it may be so far ahead that no time would be left.
            let deadline = Deadline::after_ms(self.timer, self.budget_ms);
            board.await_first(|| deadline.passed());
            let mut samples = Samples::default();
            while !deadline.passed() {
                board.observe(&source, CHUNK, &mut samples);
            }
            stop.store(true, Relaxed);
            let mut watched = watch.finish();
            watched.merge(&publisher.join().map_err(|_| "the publishing thread panicked".to_owned())?);
            match &watched.reason_unpinned {
                Some(reason) => Err(format!("the two threads need two CPUs, but {reason}")),
                None => Ok((samples, watched)),
            }
        })
    }
}
