//! Takes consecutive reads into a preallocated array, and finds the largest of many empty intervals.

use chronoscope_clock::TickSource;
use chronoscope_sources::SourceVisitor;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::engine::task::{Bench, Task};
use crate::engine::timer::Deadline;
use chronoscope_harness::estimators::gaps_over_time::LongestDifferences;
use chronoscope_harness::estimators::reads::Samples;
use chronoscope_harness::record::Disturbance;

/// Reads per piece; the deadline is checked between pieces.
const PIECE: usize = 1 << 18;
/// Empty intervals between deadline checks.
const CHUNK: u64 = 10_000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadsTask {
    pub source: ClockId,
    pub reads: u64,
    /// Start-stop pairs with nothing between them.
    pub empty_intervals: u64,
}

impl Task for ReadsTask {
    const NAME: &'static str = "reads";
    type Samples = Samples;

    fn perform(&self, bench: &Bench) -> Result<(Samples, Disturbance), String> {
        bench.alone(|| {
            let timer = bench.timer()?;
            let after = |budget_ms| Deadline::after_ms(timer, budget_ms);
            self.source.visit(Collect {
                request: self,
                half: after(bench.budget_ms / 2),
                whole: after(bench.budget_ms),
            })
        })
    }

    fn answered(&self, samples: &Samples) -> (usize, usize) {
        (usize::from(!samples.differences.is_empty()), 1)
    }
}

struct Collect<'a> {
    request: &'a ReadsTask,
    half: Deadline,
    whole: Deadline,
}

impl SourceVisitor for Collect<'_> {
    type Output = Samples;

    fn visit<S: TickSource>(self, source: S) -> Samples {
        let mut samples = consecutive(&source, self.request.reads, || self.half.passed());
        (samples.empty_intervals, samples.largest_empty_ticks) =
            empty_intervals(&source, self.request.empty_intervals, || self.whole.passed());
        samples
    }
}

/// Differences between `reads` consecutive reads of `source`, or fewer if `stop` returns true between two pieces.
pub fn consecutive<S: TickSource>(source: &S, reads: u64, stop: impl Fn() -> bool) -> Samples {
    let mut samples = Samples::default();
    let mut piece = vec![1; PIECE.min(usize::try_from(reads).unwrap_or(PIECE)).max(2)];
    let mut counts = std::collections::BTreeMap::<i64, u64>::new();
    let mut longest = LongestDifferences::default();
    let (mut taken, mut first) = (0, None);
    while taken < reads && (taken == 0 || !stop()) {
        for slot in &mut piece {
            *slot = source.read();
        }
        // From here on nothing is timed.
        let first = *first.get_or_insert(piece[0]);
        for pair in piece.windows(2) {
            let ticks = pair[1].wrapping_sub(pair[0]) as i64;
            *counts.entry(ticks).or_default() += 1;
            longest.add(pair[0].saturating_sub(first), ticks);
        }
        let [begin, end] = [piece[0], piece[piece.len() - 1]];
        longest.pieces.push((begin.saturating_sub(first), end.saturating_sub(first)));
        samples.span_ticks += end.saturating_sub(begin);
        taken += piece.len() as u64;
    }
    samples.differences = counts.into_iter().collect();
    samples.longest = longest.finish();
    samples
}

/// How many start-stop pairs were made, and the largest of them.
fn empty_intervals<S: TickSource>(source: &S, pairs: u64, stop: impl Fn() -> bool) -> (u64, i64) {
    let (mut made, mut largest) = (0, 0);
    while made < pairs && !stop() {
        for _ in 0..CHUNK {
            let start = source.read();
            largest = largest.max(source.read().wrapping_sub(start) as i64);
        }
        made += CHUNK;
    }
    (made, largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_clock::FakeClock;
    use chronoscope_harness::estimators::reads::reads;
    use chronoscope_sources::Rate;
    use std::cell::Cell;
    use std::time::Duration;

    #[test]
    fn a_steady_clock_has_one_difference() {
        let clock = FakeClock::new();
        clock.set_read_cost(Duration::from_nanos(20));
        let samples = consecutive(&clock, 1000, || false);
        assert_eq!(samples.differences, [(20, 999)]);
        assert_eq!(samples.span_ticks, 999 * 20);
    }

    #[test]
    fn gaps_are_found_where_they_began() {
        let clock = FakeClock::new();
        clock.set_read_cost(Duration::from_nanos(20));
        let samples = consecutive(&clock, 2 * PIECE as u64, || false);
        let piece_ticks = 20 * (PIECE as u64 - 1);
        assert_eq!(samples.longest.pieces, [(0, piece_ticks), (piece_ticks + 20, 2 * piece_ticks + 20)]);
        let found = reads("fake", &samples, Rate::NANOSECONDS, Disturbance::default()).unwrap();
        assert_eq!(
            found.gaps_over_time.map(|gaps| (gaps.above_ns, gaps.longest, gaps.more)),
            Some((1_000.0, vec![], 0))
        );
        let stalls = Stalls { reads: Cell::new(0), clock: &clock };
        let samples = consecutive(&stalls, 1_000, || false);
        let found = reads("fake", &samples, Rate::NANOSECONDS, Disturbance::default()).unwrap().gaps_over_time.unwrap();
        let gaps: Vec<(f64, f64)> = found.longest.iter().map(|gap| (gap.began_ms, gap.length_ns)).collect();
        assert_eq!(gaps, [(0.001_980, 5_020.0), (0.008_980, 5_020.0)]);
    }

    /// Holds up its reader for 5 µs at the 100th and the 200th reading.
    struct Stalls<'a> {
        reads: Cell<u64>,
        clock: &'a FakeClock,
    }

    impl TickSource for Stalls<'_> {
        fn read(&self) -> u64 {
            self.reads.set(self.reads.get() + 1);
            if [101, 201].contains(&self.reads.get()) {
                self.clock.advance(Duration::from_micros(5));
            }
            self.clock.read()
        }
    }

    #[test]
    fn stopping_early_keeps_the_first_piece() {
        let clock = FakeClock::new();
        clock.set_read_cost(Duration::from_nanos(1));
        let samples = consecutive(&clock, u64::MAX, || true);
        assert_eq!(samples.differences, [(1, PIECE as u64 - 1)]);
    }

    #[test]
    fn the_largest_empty_interval_is_kept() {
        let clock = FakeClock::new();
        clock.set_read_cost(Duration::from_nanos(5));
        assert_eq!(empty_intervals(&clock, 1, || false), (CHUNK, 5));
        assert_eq!(empty_intervals(&clock, 1, || true), (0, 0));
    }
}
