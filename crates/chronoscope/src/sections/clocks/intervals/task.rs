//! Times work of known length directly, with one pair of reads per reading; the true duration comes from batches timed
//! as a whole.

use chronoscope_clock::work::opaque;
use chronoscope_clock::{SourceVisitor, TickSource};
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::engine::task::{Bench, Task};
use crate::engine::timer::{Deadline, Timer};
use chronoscope_harness::record::Disturbance;
use chronoscope_harness::work::{chain, empty_loop};

/// Shortest batch for a true duration, in nanoseconds: the timer's own cost is then below a tenth of a percent.
const BATCH_NS: f64 = 40_000.0;
/// Rounds, each with one batch and some readings per length.
const ROUNDS: u32 = 40;
const READINGS: usize = 15;
/// Turns of the empty loop in an interference probe: a tenth of a microsecond.
pub const PROBE_TURNS: u64 = 400;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    pub source: ClockId,
    pub lengths_ns: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// The smallest difference that two timer readings resolve.
    pub timer_error_ticks: u64,
    /// In request order; a length that did not fit into the budget has no rounds.
    pub lengths: Vec<Vec<Round>>,
}

/// Readings between two batches, each with an interference probe before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    pub before: Batch,
    pub readings: Vec<Reading>,
    pub after: Batch,
}

/// The work, repeated, timed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// Duration of the work once, in nanoseconds.
    pub truth_ns: f64,
    /// The slower of the interference probes before and after, in timer ticks.
    pub probe_ticks: u64,
}

/// The work once, timed by the clock under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// The clock's reading, in its own ticks.
    pub ticks: i64,
    /// The slower of the interference probes before and after, in timer ticks.
    pub probe_ticks: u64,
}

impl Task for Request {
    const NAME: &'static str = "interval";
    type Samples = Samples;

    fn perform(&self, bench: &Bench) -> Result<(Samples, Disturbance), String> {
        bench.alone(|| {
            let timer = bench.timer()?;
            self.source.visit(Trials { request: self, timer, deadline: Deadline::after_ms(timer, bench.budget_ms) })
        })
    }

    fn answered(&self, samples: &Samples) -> (usize, usize) {
        (samples.lengths.len(), self.lengths_ns.len())
    }
}

struct Trials<'a> {
    request: &'a Request,
    timer: Timer,
    deadline: Deadline,
}

impl SourceVisitor for Trials<'_> {
    type Output = Samples;

    fn visit<S: TickSource>(self, source: S) -> Samples {
        let timer_error_ticks = self.timer.error_ticks();
        let mut work = Work { timer: self.timer, value: 1 };
        let ns_per_link = work.ns_per_link();
        let plans: Vec<u64> =
            self.request.lengths_ns.iter().map(|ns| ((ns / ns_per_link).round() as u64).max(1)).collect();
        let mut lengths: Vec<Vec<Round>> = plans.iter().map(|_| Vec::new()).collect();
        // Round by round over all lengths, so that a slow period affects all of them alike.
        for _ in 0..ROUNDS {
            for (links, rounds) in plans.iter().zip(&mut lengths) {
                if self.deadline.passed() {
                    return Samples { timer_error_ticks, lengths };
                }
                rounds.push(work.round(&source, *links, ns_per_link));
            }
        }
        opaque(work.value);
        Samples { timer_error_ticks, lengths }
    }
}

struct Work {
    timer: Timer,
    value: u64,
}

impl Work {
    /// Time per link, from the fastest of several long chains.
    fn ns_per_link(&mut self) -> f64 {
        const LINKS: u64 = 50_000;
        let fastest = (0..9).map(|_| self.batch_ns(1, LINKS)).fold(f64::INFINITY, f64::min);
        (fastest / LINKS as f64).max(1e-3)
    }

    fn batch_ns(&mut self, chains: u64, links: u64) -> f64 {
        let start = self.timer.now();
        for _ in 0..chains {
            self.value = chain(self.value, links);
        }
        let ticks = self.timer.now().saturating_sub(start);
        self.timer.rate().ns_of_mean(ticks as f64) / chains as f64
    }

    fn round<S: TickSource>(&mut self, source: &S, links: u64, ns_per_link: f64) -> Round {
        let chains = (BATCH_NS / (links as f64 * ns_per_link)).ceil().max(1.0) as u64;
        let mut last_probe = self.probe_ticks();
        let mut flanked = |ticks: u64| std::mem::replace(&mut last_probe, ticks).max(ticks);
        let truth_ns = self.batch_ns(chains, links);
        let before = Batch { truth_ns, probe_ticks: flanked(self.probe_ticks()) };
        let mut readings = Vec::with_capacity(READINGS);
        for _ in 0..READINGS {
            // The probe ends in a fence, so that no reading starts while earlier work is still in flight: an unordered
            // read would then be early at both ends, and look correct.
            let start = source.read();
            self.value = chain(self.value, links);
            let ticks = source.read().wrapping_sub(start) as i64;
            readings.push(Reading { ticks, probe_ticks: flanked(self.probe_ticks()) });
        }
        let truth_ns = self.batch_ns(chains, links);
        let after = Batch { truth_ns, probe_ticks: flanked(self.probe_ticks()) };
        Round { before, readings, after }
    }

    /// The duration of an empty loop that runs at half speed on a core shared with a busy neighbour.
    fn probe_ticks(&self) -> u64 {
        let start = self.timer.now();
        empty_loop(PROBE_TURNS);
        self.timer.now().saturating_sub(start)
    }
}
