//! The one-way causality litmus: one CPU publishes the clock without pause, another looks at what was published and
//! then at its own clock, which must not be earlier.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use std::thread;

use chronoscope_clock::{SourceVisitor, TickSource};
use serde::{Deserialize, Serialize};

use super::source;
use super::timer::{Deadline, Timer};
use crate::record::Disturbance;
use crate::watch::Watch;

/// Observations between two looks at the deadline.
const CHUNK: u64 = 1000;

/// Which clock on which CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The clock.
    pub source: String,
    /// The CPU that publishes.
    pub writer: u32,
    /// The CPU that observes.
    pub reader: u32,
}

/// What the reader saw, in ticks of the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// Observations.
    pub observations: u64,
    /// Observations of a value that had not been seen before.
    pub fresh: u64,
    /// Own reads that were earlier than the value just seen.
    pub violations: u64,
    /// The largest step back.
    pub worst_ticks: u64,
}

pub(super) fn run(request: &Request, timer: Timer, budget_ms: u64) -> Result<(Samples, Disturbance), String> {
    source(&request.source)?
        .visit(OneWay { request, deadline: Deadline::after_ms(timer, budget_ms) })
        .map_err(|unavailable| unavailable.to_string())?
}

struct OneWay<'a> {
    request: &'a Request,
    deadline: Deadline,
}

impl SourceVisitor for OneWay<'_> {
    type Output = Result<(Samples, Disturbance), String>;

    fn visit<S: TickSource + Copy + Send + Sync>(self, source: S) -> Self::Output {
        let Request { writer, reader, .. } = *self.request;
        let published = Published(AtomicU64::new(source.read()));
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            let publisher = thread::Builder::new()
                .spawn_scoped(scope, || {
                    let watch = Watch::pinned(Some(writer));
                    while !stop.load(Relaxed) {
                        published.0.store(source.read(), Release);
                    }
                    watch.finish()
                })
                .map_err(|error| format!("no second thread could be started: {error}"))?;
            let watch = Watch::pinned(Some(reader));
            let first = published.0.load(Acquire);
            while published.0.load(Acquire) == first && !self.deadline.passed() {
                std::hint::spin_loop();
            }
            let mut samples = Samples::default();
            while !self.deadline.passed() {
                observe(&source, &published.0, CHUNK, &mut samples);
            }
            stop.store(true, Relaxed);
            let mut watched = watch.finish();
            watched.merge(&publisher.join().map_err(|_| "the publishing thread panicked".to_owned())?);
            match &watched.reason_unpinned {
                Some(reason) => Err(format!("the two threads must be on two CPUs, and {reason}")),
                None => Ok((samples, watched)),
            }
        })
    }
}

/// The published value, alone on its cache lines.
#[repr(align(128))]
struct Published(AtomicU64);

/// Looks at `published` and then at `source`, `count` times.
pub fn observe<S: TickSource>(source: &S, published: &AtomicU64, count: u64, samples: &mut Samples) {
    let mut last = published.load(Acquire);
    for _ in 0..count {
        let shown = published.load(Acquire);
        let own = source.read();
        samples.fresh += u64::from(shown != last);
        last = shown;
        if own < shown {
            samples.violations += 1;
            samples.worst_ticks = samples.worst_ticks.max(shown - own);
        }
    }
    samples.observations += count;
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_clock::FakeClock;

    #[test]
    fn a_reader_behind_what_it_was_shown_is_a_violation() {
        let clock = FakeClock::new();
        clock.advance(1_000_000);
        let published = AtomicU64::new(clock.view(0).read());
        let mut samples = Samples::default();
        observe(&clock.view(-5_000), &published, 10, &mut samples);
        assert_eq!((samples.observations, samples.fresh, samples.violations), (10, 0, 10));
        assert_eq!(samples.worst_ticks, 4_999);
    }

    #[test]
    fn a_reader_that_is_not_behind_is_none() {
        let clock = FakeClock::new();
        let published = AtomicU64::new(clock.read());
        let mut samples = Samples::default();
        observe(&clock, &published, 10, &mut samples);
        assert_eq!((samples.violations, samples.worst_ticks), (0, 0));
    }
}
