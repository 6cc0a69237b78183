//! Times batches of reads as a whole, interleaving the clocks.

use chronoscope_clock::work::opaque;
use chronoscope_clock::{Rate, Serialised, SourceVisitor, TickSource};
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::engine::task::{Bench, Task};
use crate::engine::timer::{Deadline, Timer};
use chronoscope_harness::record::Disturbance;
use chronoscope_harness::work::{chain, empty_loop};

/// Rounds always made, however slow: one for warm-up and two that count.
const FEWEST_ROUNDS: usize = 3;
/// Maximum reads per batch.
const MOST_READS: u64 = 1 << 24;

/// What to time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    pub lanes: Vec<Lane>,
    /// The timer's maximum share of a batch.
    pub timer_error: f64,
    /// The first lane of the first round.
    pub rotation: usize,
}

/// One loop to time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lane {
    /// The empty loop.
    Empty,
    /// A chain of dependent multiplications: one link per turn.
    Chain,
    Reads(ClockId),
    /// Reads of this source, each followed by a fence.
    Serialised(ClockId),
}

/// Batches of every lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// The smallest difference that two timer readings resolve.
    pub timer_cost_ticks: u64,
    pub lanes: Vec<LaneSamples>,
}

/// Batches of one lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneSamples {
    pub reads_per_batch: u64,
    pub batch_ticks: Vec<u64>,
}

impl LaneSamples {
    /// Batch means, in timer ticks.
    pub fn ticks_per_read(&self) -> impl Iterator<Item = f64> {
        let reads = self.reads_per_batch.max(1) as f64;
        self.batch_ticks.iter().map(move |ticks| *ticks as f64 / reads)
    }

    pub fn ns_per_read(&self, timer: Rate) -> Vec<f64> {
        let reads = self.reads_per_batch.max(1) as f64;
        self.batch_ticks.iter().map(|ticks| timer.ns_of_mean(*ticks as f64) / reads).collect()
    }
}

/// Times a batch of `reads` reads as a whole, in timer ticks.
type Batch = Box<dyn Fn(u64) -> u64>;

impl Task for Request {
    const NAME: &'static str = "latency";
    type Samples = Samples;

    fn perform(&self, bench: &Bench) -> Result<(Samples, Disturbance), String> {
        bench.alone(|| run(self, bench.timer()?, bench.budget_ms))
    }

    fn answered(&self, samples: &Samples) -> (usize, usize) {
        let is_whole = |lane: &&LaneSamples| lane.reads_per_batch > 0 && lane.batch_ticks.len() >= FEWEST_ROUNDS;
        (samples.lanes.iter().filter(is_whole).count(), self.lanes.len())
    }
}

fn run(request: &Request, timer: Timer, budget_ms: u64) -> Result<Samples, String> {
    let deadline = Deadline::after_ms(timer, budget_ms);
    let timer_cost_ticks = timer.error_ticks();
    // Twice what the error requires, since a pilot runs cold and later batches may be faster.
    let wanted = (2.0 * timer_cost_ticks as f64 / request.timer_error.clamp(1e-6, 1.0)).ceil() as u64;
    // A coarse timer would need batches longer than the available time; the record holds the remaining error.
    let longest_ns = budget_ms.saturating_mul(1_000_000) / (request.lanes.len().max(1) * FEWEST_ROUNDS * 2) as u64;
    let shortest = wanted.min((longest_ns as f64 / timer.rate().ns_of_mean(1.0)) as u64).max(1);
    let batches: Vec<Batch> = request.lanes.iter().map(|lane| batch(lane, timer)).collect::<Result<_, _>>()?;
    let mut lanes: Vec<LaneSamples> = batches
        .iter()
        .map(|batch| LaneSamples { reads_per_batch: pilot(batch, shortest), batch_ticks: Vec::new() })
        .collect();
    // A cyclic Latin square: over a full cycle every lane takes every position and follows the same neighbour.
    let mut first = request.rotation;
    while lanes.first().is_some_and(|lane| lane.batch_ticks.len() < FEWEST_ROUNDS) || !deadline.passed() {
        for turn in 0..lanes.len() {
            let at = (first + turn) % lanes.len();
            let ticks = batches[at](lanes[at].reads_per_batch);
            lanes[at].batch_ticks.push(ticks);
        }
        first += 1;
    }
    Ok(Samples { timer_cost_ticks, lanes })
}

/// The number of reads for which a batch takes at least `shortest` ticks.
fn pilot(batch: &Batch, shortest: u64) -> u64 {
    let mut reads = 1;
    loop {
        // The minimum of a few, since an interrupted batch looks long enough but is not.
        let ticks = (0..3).map(|_| batch(reads)).min().unwrap_or(0).max(1);
        if ticks >= shortest || reads >= MOST_READS {
            return reads;
        }
        // Aim a quarter higher, and based on one sample grow at least twofold and at most a hundredfold.
        let wanted = (reads as f64 * shortest as f64 / ticks as f64 * 1.25).ceil() as u64;
        reads = wanted.clamp(reads * 2, reads * 100).min(MOST_READS);
    }
}

fn batch(lane: &Lane, timer: Timer) -> Result<Batch, String> {
    let reads = |clock: &ClockId, serialised| clock.visit(ReadLoop { timer, serialised })?;
    let timed = |work: fn(u64)| -> Batch {
        Box::new(move |turns| {
            let start = timer.now();
            work(turns);
            timer.now().saturating_sub(start)
        })
    };
    match lane {
        Lane::Empty => Ok(timed(empty_loop)),
        Lane::Chain => Ok(timed(|links| {
            opaque(chain(1, links));
        })),
        Lane::Reads(clock) => reads(clock, false),
        Lane::Serialised(clock) => reads(clock, true),
    }
}

struct ReadLoop {
    timer: Timer,
    serialised: bool,
}

impl SourceVisitor for ReadLoop {
    type Output = Result<Batch, String>;

    fn visit<S: TickSource + 'static>(self, source: S) -> Self::Output {
        let timer = self.timer;
        if self.serialised {
            let source = Serialised::new(source).map_err(|unavailable| unavailable.to_string())?;
            Ok(Box::new(move |reads| time(timer, &source, reads)))
        } else {
            Ok(Box::new(move |reads| time(timer, &source, reads)))
        }
    }
}

fn time<S: TickSource>(timer: Timer, source: &S, reads: u64) -> u64 {
    let start = timer.now();
    read_loop(source, reads);
    timer.now().saturating_sub(start)
}

/// The loop whose cost per turn is a clock's latency.
#[inline(never)]
fn read_loop<S: TickSource>(source: &S, reads: u64) {
    for _ in 0..reads {
        opaque(source.read());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_clock::FakeClock;

    #[test]
    fn a_pilot_reaches_the_shortest_batch() {
        for cost in [1, 7, 50, 30_000] {
            let fake = std::sync::Arc::new(FakeClock::new());
            fake.set_read_cost(std::time::Duration::from_nanos(cost));
            let clock = fake.clone();
            let batch: Batch = Box::new(move |reads| {
                let before = clock.elapsed();
                read_loop(&&*clock, reads);
                (clock.elapsed() - before).as_nanos() as u64
            });
            let reads = pilot(&batch, 25_000);
            assert!(batch(reads) >= 25_000, "{reads} reads of {cost} ns");
        }
    }

    #[test]
    fn a_clock_that_stands_still_ends_the_pilot() {
        let batch: Batch = Box::new(|_| 0);
        assert_eq!(pilot(&batch, 1000), MOST_READS);
    }
}
