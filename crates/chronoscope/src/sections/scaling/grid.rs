//! Which combinations are measured: never all of them, unless the user requests it.

use chronoscope_sources::os::OsClock;
use chronoscope_sources::{Guarantee, SourceId};

use super::clock::ScaledClock;
use super::report::{Conclusion, Front, Scales, slowed_most};
use crate::plan::{Depth, ascending};

/// Backoff sweeps 2^0 … 2^20 tokens.
const LARGEST_POWER: u32 = 20;
/// The clocks that programs usually use.
pub const USUAL: [SourceId; 2] = [SourceId::Os(OsClock::Monotonic), SourceId::Clock(Guarantee::Ordered)];
/// Thread counts beyond the CPUs, as multiples.
const OVERSUBSCRIBED: [u32; 2] = [2, 4];
/// Batches have the same number of operations for all cases of a combination, so times measured together may differ at
/// most by this factor.
const MOST_UNLIKE: f64 = 24.0;
/// Upper limits of the groups of clocks by their work, in nanoseconds per read.
const GROUPS_NS: [f64; 3] = [60.0, 1_000.0, 100_000.0];
/// The relative length of an iteration of such a combination: threads that share CPUs must be observed over several time
/// slices.
const OVERSUBSCRIBED_WEIGHT: f64 = 12.0;
/// Approximate cost of a token and of a call without tokens, in nanoseconds, for decisions before measuring.
const GUESS_NS: (f64, f64) = (1.5, 1.5);

/// One study: some cases at the same backoffs and thread counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// What it determines, in a few words.
    pub title: &'static str,
    pub cases: Vec<String>,
    /// Whether they are compared with [`NOTHING`](super::clock::NOTHING), which is then included.
    pub compared: bool,
    pub backoff: Vec<u64>,
    pub threads: Vec<u32>,
    /// Its time, relative to other passes.
    pub weight: f64,
}

/// Thread counts up to the number of CPUs, and beyond it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threads {
    pub within: Vec<u32>,
    pub beyond: Vec<u32>,
}

impl Threads {
    /// The user's, always with one thread; else powers of two and all CPUs, and twice and four times as many.
    pub fn new(wanted: Option<&[u32]>, cpus: u32) -> Self {
        let cpus = cpus.max(1);
        let powers = (0..=cpus.ilog2()).map(|power| 1 << power);
        let all = match wanted {
            Some(wanted) => ascending(wanted.iter().copied().chain([1])),
            None => ascending(powers.chain([cpus]).chain(OVERSUBSCRIBED.map(|times| cpus.saturating_mul(times)))),
        };
        let (within, beyond) = all.into_iter().partition(|threads| *threads <= cpus);
        Self { within, beyond }
    }

    /// One thread and all threads.
    fn ends(&self) -> Vec<u32> {
        ascending(self.within.first().into_iter().chain(self.within.last()).copied())
    }
}

/// Thread counts of the first measurements.
pub fn within(threads: &Threads, depth: Depth) -> Vec<u32> {
    if depth == Depth::Thorough { threads.within.clone() } else { threads.ends() }
}

/// Amounts of work of the first measurements, in tokens.
pub fn coarse(depth: Depth) -> impl Iterator<Item = u64> {
    (0..=LARGEST_POWER).filter(move |power| is_coarse(*power, depth)).map(|power| 1 << power)
}

/// Initial measurements.
pub fn first(clocks: &[ScaledClock], threads: &Threads, depth: Depth) -> Vec<Pass> {
    let within = within(threads, depth);
    let mut passes = Vec::new();
    for group in groups(clocks, |clock| clock.read_ns) {
        let cases = group.iter().map(|clock| clock.name.clone()).collect();
        passes.push(Pass::new("reads in a row", cases, false, vec![0], within.clone()));
    }
    for group in groups(clocks, |clock| clock.tick_ns) {
        let cases = group.iter().map(|clock| clock.ticks()).collect();
        passes.push(Pass::new("the smallest step", cases, false, vec![0], within.clone()));
    }
    for group in groups(clocks, |clock| clock.read_ns) {
        let slowest_ns = group.iter().map(|clock| clock.read_ns).fold(0.0, f64::max);
        let backoff: Vec<u64> = coarse(depth).filter(|tokens| is_alike(*tokens, slowest_ns)).collect();
        let cases = group.iter().map(|clock| clock.name.clone()).collect();
        passes.push(Pass::new("reads between work", cases, true, backoff, within.clone()));
    }
    passes
}

/// Measurements where the first passes found something: between the largest backoff at which threads slow each other
/// down and the smallest at which they do not.
pub fn second(clocks: &[ScaledClock], found: &[Conclusion], threads: &Threads, depth: Depth) -> Vec<Pass> {
    let mut passes = Vec::new();
    if depth == Depth::Normal {
        for group in groups(clocks, |clock| clock.read_ns) {
            let of = |clock: &ScaledClock| found.iter().find(|conclusion| conclusion.clock == clock.name);
            let gaps: Vec<(&ScaledClock, Vec<u64>)> = group
                .into_iter()
                .filter_map(|clock| Some((clock, between(&of(clock)?.front))))
                .filter(|(_, gap)| !gap.is_empty())
                .collect();
            let backoff = ascending(gaps.iter().flat_map(|(_, gap)| gap.iter().copied()));
            let cases: Vec<String> = gaps.iter().map(|(clock, _)| clock.name.clone()).collect();
            if !cases.is_empty() {
                passes.push(Pass::new("where reads start to scale", cases, true, backoff, threads.within.clone()));
            }
        }
    }
    if depth != Depth::Quick && !threads.beyond.is_empty() {
        for group in groups(clocks, |clock| clock.read_ns) {
            let slowest_ns = group.iter().map(|clock| clock.read_ns).fold(0.0, f64::max);
            let chosen = group.into_iter().filter(|clock| depth == Depth::Thorough || is_telling(clock, found));
            let cases: Vec<String> = chosen.map(|clock| clock.name.clone()).collect();
            let few = if depth == Depth::Thorough { vec![1, 1 << 8, 1 << 16] } else { vec![1 << 6] };
            let backoff: Vec<u64> = few.into_iter().filter(|tokens| is_alike(*tokens, slowest_ns)).collect();
            if !cases.is_empty() && !backoff.is_empty() {
                let mut pass = Pass::new("more threads than CPUs", cases, true, backoff, threads.beyond.clone());
                pass.weight *= OVERSUBSCRIBED_WEIGHT;
                passes.push(pass);
            }
        }
    }
    passes
}

impl Pass {
    fn new(title: &'static str, cases: Vec<String>, compared: bool, backoff: Vec<u64>, threads: Vec<u32>) -> Self {
        // A comparison needs the work alone and its control.
        let arms = cases.len() + if compared { 2 } else { 0 };
        let weight = (arms * backoff.len() * threads.len()) as f64;
        Self { title, cases, compared, backoff, threads, weight }
    }
}

/// Clocks grouped by similar `cost`, cheap ones first.
fn groups(clocks: &[ScaledClock], cost: impl Fn(&ScaledClock) -> f64) -> Vec<Vec<&ScaledClock>> {
    let mut groups: Vec<Vec<&ScaledClock>> = vec![Vec::new(); GROUPS_NS.len() + 1];
    for clock in clocks {
        let group = GROUPS_NS.iter().filter(|border| cost(clock) >= **border).count();
        groups[group].push(clock);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

fn is_coarse(power: u32, depth: Depth) -> bool {
    match depth {
        Depth::Quick => [0, 6, 12].contains(&power),
        Depth::Normal => [0, 4, 8, 12, 16].contains(&power),
        Depth::Thorough => true,
    }
}

/// Whether this many tokens of work take long enough, relative to a read, to be measured together with it.
fn is_alike(tokens: u64, read_ns: f64) -> bool {
    let work_ns = GUESS_NS.1 + GUESS_NS.0 * tokens as f64;
    work_ns * MOST_UNLIKE >= read_ns
}

/// Powers of two strictly between the largest backoff that does not scale and the smallest that does.
fn between(front: &Front) -> Vec<u64> {
    let Some(low) = front.raised.filter(|_| front.scales != Scales::Unresolved) else { return Vec::new() };
    let (low, high) = (low.tokens, front.flat.map_or(1 << LARGEST_POWER, |flat| flat.tokens));
    (0..=LARGEST_POWER).map(|power| 1 << power).filter(|tokens| low < *tokens && *tokens < high).collect()
}

/// Clocks also read with more threads than CPUs: the one with most contention, and two that programs use.
fn is_telling(clock: &ScaledClock, found: &[Conclusion]) -> bool {
    USUAL.iter().any(|id| clock.is(*id)) || slowed_most(found).is_some_and(|worst| worst.clock == clock.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_powers_of_two_and_all() {
        let found = Threads::new(None, 6);
        assert_eq!((found.within, found.beyond), (vec![1, 2, 4, 6], vec![12, 24]));
        let found = Threads::new(None, 1);
        assert_eq!((found.within, found.beyond), (vec![1], vec![2, 4]));
        let found = Threads::new(Some(&[3, 9]), 4);
        assert_eq!((found.within.clone(), found.beyond.clone()), (vec![1, 3], vec![9]));
        assert_eq!(found.ends(), [1, 3]);
        assert_eq!(Threads::new(None, 1).ends(), [1]);
    }

    #[test]
    fn gaps_are_filled() {
        let front = Front::between((16, 25.0), (256, 380.0));
        assert_eq!(between(&front), [32, 64, 128]);
        assert_eq!(between(&Front::beyond(1 << 18, 1e6)), [1 << 19]);
        assert!(between(&Front::everywhere(0, 0.0)).is_empty());
    }

    #[test]
    fn slow_reads_are_not_measured_beside_next_to_no_work() {
        assert!(is_alike(1, 20.0) && !is_alike(1, 140.0));
        assert!(is_alike(16, 220.0) && is_alike(256, 3_600.0) && !is_alike(64, 3_600.0));
    }

    #[test]
    fn passes_hold_every_clock() {
        let clocks: Vec<ScaledClock> = ScaledClock::all(true).into_iter().map(ScaledClock::probed).collect();
        for depth in [Depth::Quick, Depth::Normal, Depth::Thorough] {
            let passes = first(&clocks, &Threads::new(None, 2), depth);
            let within = |pass: &&Pass| pass.compared && pass.threads.iter().all(|threads| *threads <= 2);
            for pass in passes.iter().filter(within) {
                assert_eq!(
                    pass.threads,
                    [1, 2],
                    "{}: one and many threads are compared in the same rounds",
                    pass.title
                );
            }
            for clock in &clocks {
                for case in [clock.name.clone(), clock.ticks()] {
                    assert!(passes.iter().any(|pass| pass.cases.contains(&case)), "{case}");
                }
            }
        }
    }
}
