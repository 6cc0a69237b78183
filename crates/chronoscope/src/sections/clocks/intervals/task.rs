//! Times work of known length directly, with one pair of reads per reading; the true duration comes from batches timed
//! as a whole.

use chronoscope_clock::TickSource;
use chronoscope_sources::SourceVisitor;
use chronoscope_sources::work::opaque;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::engine::task::{Bench, Task};
use crate::engine::timer::{Deadline, Timer};
use chronoscope_harness::estimators::intervals::{Batch, PROBE_TURNS, Reading, Round};
use chronoscope_harness::record::Disturbance;
use chronoscope_harness::work::{chain, empty_loop};

/// Shortest batch for a true duration, in nanoseconds: the timer's own cost is then below a tenth of a percent.
const BATCH_NS: f64 = 40_000.0;
/// Rounds, each with one batch and some readings per length.
const ROUNDS: u32 = 40;
const READINGS: usize = 15;
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntervalsTask {
    pub source: ClockId,
    pub lengths_ns: Vec<f64>,
    /// The step in which the clock moves, over which each length is varied; 0 if it is not known to move in any.
    pub step_ns: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// The smallest difference that two timer readings resolve.
    pub timer_error_ticks: u64,
    /// The mean length of an interference probe without turns, undisturbed.
    pub empty_probe_ticks: f64,
    /// In request order; a length that did not fit into the budget has no rounds.
    pub lengths: Vec<Vec<Round>>,
}

impl Task for IntervalsTask {
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
    request: &'a IntervalsTask,
    timer: Timer,
    deadline: Deadline,
}

impl SourceVisitor for Trials<'_> {
    type Output = Samples;

    fn visit<S: TickSource>(self, source: S) -> Samples {
        let timer_error_ticks = self.timer.error_ticks();
        let mut work = Work { timer: self.timer, value: 1 };
        let empty_probe_ticks = work.empty_probe_ticks();
        let ns_per_link = work.ns_per_link();
        let empty_ns = work.empty_ns(&source);
        let plans: Vec<u64> =
            self.request.lengths_ns.iter().map(|ns| ((ns / ns_per_link).round() as u64).max(1)).collect();
        let mut lengths: Vec<Vec<Round>> = plans.iter().map(|_| Vec::new()).collect();
        let spread = (self.request.step_ns / ns_per_link).ceil() as u64;
        // Round by round over all lengths, so that a slow period affects all of them alike.
        for round in 0..ROUNDS {
            for (links, rounds) in plans.iter().zip(&mut lengths) {
                if self.deadline.passed() {
                    return Samples { timer_error_ticks, empty_probe_ticks, lengths };
                }
                let first = round as usize * READINGS;
                let more = std::array::from_fn(|reading| part_of(spread, first + reading));
                rounds.push(work.round(&source, (*links, more), ns_per_link, empty_ns));
            }
        }
        opaque(work.value);
        Samples { timer_error_ticks, empty_probe_ticks, lengths }
    }
}

/// One of `spread` lengths, such that any few in a row lie over all of it.
fn part_of(spread: u64, at: usize) -> u64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    ((at as f64 * GOLDEN).fract() * spread as f64) as u64
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

    /// What the timer finds around two reads of the clock with nothing between them, undisturbed.
    fn empty_ns<S: TickSource>(&self, source: &S) -> f64 {
        const TIMES: usize = 200;
        let mut last = self.probe(PROBE_TURNS);
        let mut around: Vec<u64> = Vec::with_capacity(TIMES);
        for _ in 0..TIMES {
            opaque(source.read());
            opaque(source.read());
            let probe = self.probe(PROBE_TURNS);
            around.push(probe.start.saturating_sub(last.end));
            last = probe;
        }
        around.sort_unstable();
        // Few are disturbed, and those only longer.
        self.timer.rate().ns_of_mean(around[TIMES / 4] as f64)
    }

    /// Batches of chains of `links`, and between them readings of chains that are so many longer.
    fn round<S: TickSource>(
        &mut self,
        source: &S,
        (links, more): (u64, [u64; READINGS]),
        ns_per_link: f64,
        empty_ns: f64,
    ) -> Round {
        let chains = (BATCH_NS / (links as f64 * ns_per_link)).ceil().max(1.0) as u64;
        let mut last = self.probe(PROBE_TURNS);
        let truth_ns = self.batch_ns(chains, links);
        let mut flanked = |probe: Probe| std::mem::replace(&mut last, probe);
        let probe = self.probe(PROBE_TURNS);
        let before = Batch { truth_ns, probe_ticks: probe.ticks().max(flanked(probe).ticks()) };
        let mut readings = Vec::with_capacity(READINGS);
        for more in more {
            let length = links + more;
            // The probe ends in a fence, so that no reading starts while earlier work is still in flight: an unordered
            // read would then be early at both ends, and look correct.
            let start = source.read();
            self.value = chain(self.value, length);
            let ticks = source.read().wrapping_sub(start) as i64;
            let probe = self.probe(PROBE_TURNS);
            let last = flanked(probe);
            let around_ns = self.timer.rate().ns_of_mean(probe.start.saturating_sub(last.end) as f64);
            let probe_ticks = probe.ticks().max(last.ticks());
            let length = length as f64 / links as f64;
            readings.push(Reading { length, ticks, work_ns: around_ns - empty_ns, probe_ticks });
        }
        let truth_ns = self.batch_ns(chains, links);
        let probe = self.probe(PROBE_TURNS);
        let after = Batch { truth_ns, probe_ticks: probe.ticks().max(flanked(probe).ticks()) };
        Round { before, readings, after }
    }

    /// What a probe costs beyond its turns: the timer and the call.
    fn empty_probe_ticks(&self) -> f64 {
        const TIMES: usize = 200;
        let mut ticks: Vec<u64> = (0..TIMES).map(|_| self.probe(0).ticks()).collect();
        ticks.sort_unstable();
        // Few are disturbed, and those only longer.
        let undisturbed = &ticks[..TIMES * 9 / 10];
        undisturbed.iter().sum::<u64>() as f64 / undisturbed.len() as f64
    }

    /// An empty loop, which runs at half speed on a core shared with a busy neighbour. Not inlined, so that probes differ in turns alone.
    #[inline(never)]
    fn probe(&self, turns: u64) -> Probe {
        let start = self.timer.now();
        empty_loop(turns);
        Probe { start, end: self.timer.now() }
    }
}

/// When an interference probe ran, in timer ticks.
#[derive(Clone, Copy)]
struct Probe {
    start: u64,
    end: u64,
}

impl Probe {
    fn ticks(self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}
