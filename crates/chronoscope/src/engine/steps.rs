//! Reads a clock until it changes, repeatedly.

use chronoscope_clock::TickSource;
use chronoscope_harness::estimators::steps::{Steps, Stretches};
use chronoscope_sources::SourceVisitor;

/// Maximum changes recorded per clock.
pub const MOST_STEPS: usize = 4000;
/// Reads between deadline checks.
const CHUNK: u64 = 4096;

/// A few thousand reads of `source`: enough to show whether it moves in steps.
pub fn one_look<S: TickSource>(source: &S) -> Steps {
    observe(source, |steps| steps.reads > 0)
}

/// [`one_look`] at a source identified by its id.
pub struct OneLook;

impl SourceVisitor for OneLook {
    type Output = Steps;

    fn visit<S: TickSource>(self, source: S) -> Steps {
        one_look(&source)
    }
}

/// Reads `source` until `enough` returns true, which is called every few thousand reads.
pub fn observe<S: TickSource>(source: &S, enough: impl Fn(&Steps) -> bool) -> Steps {
    let mut steps = Steps { changes: Vec::with_capacity(MOST_STEPS + CHUNK as usize), ..Steps::default() };
    let mut last = source.read();
    let (mut stretches, mut equal) = (Stretches::default(), 0);
    while !enough(&steps) {
        for _ in 0..CHUNK {
            let now = source.read();
            if now == last {
                steps.unchanged += 1;
                equal += 1;
                stretches.count += u64::from(equal == 1);
                stretches.longest = stretches.longest.max(equal);
            } else {
                steps.changes.push(now.wrapping_sub(last) as i64);
                (last, equal) = (now, 0);
            }
        }
        steps.reads += CHUNK;
        // The deadline check lies between two chunks and must not count as a step.
        let now = source.read();
        if now != last {
            (last, equal) = (now, 0);
        }
    }
    steps.stretches = Some(stretches);
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_clock::FakeClock;
    use chronoscope_harness::estimators::steps::{GranularityEstimate, granularity};
    use chronoscope_sources::Rate;
    use std::time::Duration;

    fn seen(clock: &FakeClock) -> GranularityEstimate {
        granularity(&observe(clock, |steps| steps.reads > 20_000), Rate::NANOSECONDS).unwrap()
    }

    #[test]
    fn a_fine_clock_shows_its_latency() {
        let clock = FakeClock::new();
        clock.set_read_cost(Duration::from_nanos(21));
        let found = seen(&clock);
        assert!(found.is_latency);
        assert_eq!(found.step_ns, 21.0);
    }

    #[test]
    fn a_coarse_clock_shows_its_tick() {
        let clock = FakeClock::new();
        clock.set_read_cost(Duration::from_nanos(21));
        clock.coarsen(Duration::from_nanos(100));
        let found = seen(&clock);
        assert!(!found.is_latency);
        assert_eq!((found.step_ns, found.observed.quantum_ns), (100.0, Some(100.0)));
    }

    #[test]
    fn a_tick_as_long_as_the_latency_is_still_a_tick() {
        let clock = FakeClock::new();
        clock.set_read_cost(Duration::from_nanos(105));
        clock.coarsen(Duration::from_nanos(100));
        let found = seen(&clock);
        assert!(!found.is_latency, "{found:?}");
        assert_eq!(found.step_ns, 100.0);
    }
}
