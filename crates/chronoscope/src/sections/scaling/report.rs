//! What is known about each clock: plain data.

use chronoscope_harness::record::study::Estimate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The clocks that programs use most.
const USUAL: [&str; 2] = ["CLOCK_MONOTONIC", "java System.nanoTime"];

/// The conclusions for one clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conclusion {
    /// The clock; one of a runtime after the runtime: `java System.nanoTime`.
    pub clock: String,
    /// The highest thread count at which no two threads share a CPU.
    pub threads: u32,
    /// How much work between reads it takes to scale, as far as known.
    pub front: Front,
    /// By ascending backoff, and within each by ascending thread count: all combinations that enter the front.
    pub points: Vec<Point>,
    /// Back-to-back reads and steps of the value, by number of threads.
    pub reads: Vec<Read>,
    /// Combinations with more threads than CPUs: they wait for a CPU, not for the clock, and reveal nothing about a
    /// front.
    pub oversubscribed: Vec<Oversubscribed>,
}

/// The least work between reads at which, and above which, adding threads, up to the number of CPUs, does not raise the
/// time per operation. It is known as a bracket at best, never as one number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Front {
    /// From where it scales.
    pub scales: Scales,
    /// The most work at which it is known not to scale, and which thus lies below the front.
    pub raised: Option<End>,
    /// The least work at which it is known to scale, with every larger amount tried.
    pub flat: Option<End>,
    /// The increase that more threads may cause before it counts as a rise, in percent. Absent in older records.
    #[serde(default)]
    pub tolerance_pct: Option<f64>,
}

/// From where a clock scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scales {
    /// From the smallest backoff tried.
    Everywhere,
    /// From between the two ends.
    From,
    /// Not even at the largest backoff tried.
    Beyond,
    /// The intervals leave one end open, or both.
    Unresolved,
}

/// One end of the front's bracket: an amount of work between reads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct End {
    pub tokens: u64,
    pub ns: f64,
}

#[cfg(test)]
impl Front {
    pub const fn everywhere(tokens: u64, ns: f64) -> Self {
        Self { scales: Scales::Everywhere, raised: None, flat: Some(End { tokens, ns }), tolerance_pct: Some(10.0) }
    }

    pub const fn beyond(tokens: u64, ns: f64) -> Self {
        Self { scales: Scales::Beyond, raised: Some(End { tokens, ns }), flat: None, tolerance_pct: Some(10.0) }
    }

    pub fn between(raised: (u64, f64), flat: (u64, f64)) -> Self {
        Self { scales: Scales::From, ..Self::open(Some(raised), Some(flat)) }
    }

    pub fn open(raised: Option<(u64, f64)>, flat: Option<(u64, f64)>) -> Self {
        let end = |(tokens, ns)| End { tokens, ns };
        Self { scales: Scales::Unresolved, raised: raised.map(end), flat: flat.map(end), tolerance_pct: Some(10.0) }
    }
}

/// Reads with this much work between them on this many threads, compared with one thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    pub backoff_tokens: u64,
    /// The work between reads, in nanoseconds.
    pub work_ns: f64,
    /// The same on all of the threads, in nanoseconds. Absent in older records; null if it was not measured.
    #[serde(default)]
    pub work_all_ns: Option<f64>,
    pub threads: u32,
    /// Time per operation on one thread, work included; null if indistinguishable from an empty loop.
    pub alone_ns: Option<Estimate>,
    /// On all of them.
    pub all_ns: Option<Estimate>,
    /// What the threads add, in percent of the time on one: from both in the same processes, less what they add to the work
    /// alone. Absent in older records; null if no process measured both.
    #[serde(default)]
    pub increase_pct: Option<Estimate>,
    pub rise: Rise,
}

/// Whether more threads raise the time per operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rise {
    /// By no more than the tolerance.
    Flat,
    /// By more.
    Raised,
    /// The interval allows both, or the threads hardly ran at the same time.
    Unresolved,
}

/// Back-to-back reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Read {
    pub threads: u32,
    /// Time per read; null if unavailable.
    pub latency_ns: Option<Estimate>,
    /// Upper bound, if indistinguishable from an empty loop.
    pub latency_below_ns: Option<f64>,
    /// Time until the value changes.
    pub step_ns: Option<Estimate>,
    /// Upper bound, if that is indistinguishable from an empty loop.
    pub step_below_ns: Option<f64>,
}

/// More threads than CPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Oversubscribed {
    pub backoff_tokens: u64,
    pub threads: u32,
    pub time_ns: Estimate,
}

impl Point {
    /// Whether there is work between the reads.
    pub fn has_work(&self) -> bool {
        self.work_ns > 0.0
    }
}

impl Conclusion {
    /// The points on the most threads that were measured.
    pub fn widest(&self) -> impl Iterator<Item = &Point> {
        self.points.iter().filter(|point| point.threads == self.threads)
    }

    /// The time of a read on one thread, back to back, and the first point whose work takes at least as long; None if unknown.
    pub fn work_as_long_as_a_read(&self) -> Option<(Estimate, &Point)> {
        let read = self.reads.iter().find(|read| read.threads == 1)?.latency_ns?;
        Some((read, self.widest().find(|point| point.work_ns >= read.estimate)?))
    }

    /// The point with the largest relative increase due to threads, and that factor with the interval implied by both
    /// times; None if unknown.
    pub fn worst(&self) -> Option<(&Point, Estimate)> {
        let factor = |point: &'_ Point| {
            // A multiple of zero is undefined.
            let (alone, all) = (point.alone_ns?, point.all_ns?);
            all.over(&alone)
        };
        let raised = self.points.iter().filter(|point| point.rise == Rise::Raised);
        raised.filter_map(|point| Some((point, factor(point)?))).max_by(|a, b| a.1.estimate.total_cmp(&b.1.estimate))
    }

    /// The confidence of what is known of the front: that with which all combinations that are decided hold at once (Bonferroni), or
    /// the least of all if none is. None without an interval.
    pub fn confidence(&self) -> Option<f64> {
        let rated = |is_counted: fn(&Point) -> bool| {
            let counted = self.points.iter().filter(move |point| is_counted(point));
            counted.filter_map(|point| point.increase_pct).filter(Estimate::has_interval).map(|found| found.confidence)
        };
        let misses = rated(|point| point.rise != Rise::Unresolved).map(|confidence| 1.0 - confidence);
        let joint = misses.reduce(|all, one| all + one).map(|all| (1.0 - all).max(0.0));
        joint.or_else(|| rated(|_| true).reduce(f64::min))
    }

    /// Each backoff tried, rated by its worst thread count.
    pub fn by_backoff(&self) -> Vec<(End, Rise)> {
        worst_by_backoff(&self.points)
    }

    /// Whether it is known not to scale at any backoff up to this one.
    pub fn is_raised_up_to(&self, tokens: u64) -> bool {
        worst_by_backoff(&self.points).iter().all(|(at, rise)| at.tokens > tokens || *rise == Rise::Raised)
    }

    /// Back-to-back reads on this many threads, compared with one; none for one thread, or if not measured.
    pub fn in_a_row(&self, threads: u32) -> Option<Rise> {
        self.points.iter().find(|point| (point.backoff_tokens, point.threads) == (0, threads)).map(|point| point.rise)
    }
}

/// What a time is less than, if it cannot be told from nothing.
pub fn less_than(estimate: Option<Estimate>, below_ns: Option<f64>) -> Option<f64> {
    match estimate {
        Some(found) => found.interval().filter(|(low, _)| *low <= 0.0).map(|(_, high)| high),
        None => below_ns,
    }
}

/// The clock whose readers slow each other down the most; none where no clock's do.
pub fn slowed_most(conclusions: &[Conclusion]) -> Option<&Conclusion> {
    let factors = conclusions.iter().filter_map(|one| Some((one, one.worst()?.1.estimate)));
    factors.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(one, _)| one)
}

/// The clock whose chart tells most: the one with the lowest front known at both ends, else the one that programs use.
pub fn most_telling(conclusions: &[Conclusion]) -> Option<&Conclusion> {
    let bracket = |one: &&Conclusion| one.front.raised.zip(one.front.flat).map(|(_, high)| high.ns);
    let bracketed = conclusions.iter().filter_map(|one| Some((one, bracket(&one)?)));
    let lowest = bracketed.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(one, _)| one);
    let usual = || USUAL.iter().find_map(|name| conclusions.iter().find(|one| one.clock == *name));
    lowest.or_else(usual).or(conclusions.first())
}

/// Each backoff, rated by its worst thread count.
pub fn worst_by_backoff(points: &[Point]) -> Vec<(End, Rise)> {
    let mut backoffs: Vec<(End, Rise)> = Vec::new();
    for point in points {
        match backoffs.last_mut() {
            Some((end, rise)) if end.tokens == point.backoff_tokens => *rise = worse(*rise, point.rise),
            _ => backoffs.push((End { tokens: point.backoff_tokens, ns: point.work_ns }, point.rise)),
        }
    }
    backoffs
}

fn worse(a: Rise, b: Rise) -> Rise {
    match (a, b) {
        (Rise::Raised, _) | (_, Rise::Raised) => Rise::Raised,
        (Rise::Unresolved, _) | (_, Rise::Unresolved) => Rise::Unresolved,
        (Rise::Flat, Rise::Flat) => Rise::Flat,
    }
}

/// Up to `most` of the ascending amounts `all`: the least and the most, then `of_fronts`, then others, spread evenly.
pub fn telling(all: &[u64], of_fronts: impl Iterator<Item = u64>, most: usize) -> Vec<u64> {
    let most = most.min(all.len());
    let spread = (0..most).map(|i| all[i * (all.len() - 1) / (most - 1).max(1)]);
    let outer = all.first().into_iter().chain(all.last()).copied();
    let mut chosen: Vec<u64> = Vec::new();
    for tokens in outer.chain(of_fronts.filter(|tokens| all.contains(tokens))).chain(spread) {
        if chosen.len() < most && !chosen.contains(&tokens) {
            chosen.push(tokens);
        }
    }
    chosen.sort_unstable();
    chosen
}
