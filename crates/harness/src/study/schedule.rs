//! Which cells a study has, and in what order a process iterations them.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::case::Case;
use super::lot::{ORDER, heads, lot};
use crate::record::study::{Estimate, Mode, Parameters, StudyPlan};
use crate::stats::confidence_of_each;

/// The case present in every study: an empty loop with only the backoff. It calibrates tokens and shows which times are
/// indistinguishable from an empty loop.
pub(super) const EMPTY: &str = "(empty loop)";
/// Token counts used to calibrate the length of a token.
pub(super) const TOKENS: [u64; 10] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 1024];
/// Copies of the loop at different offsets within a cache line.
pub const LAYOUTS: u32 = 4;
/// Minimum planned length of an iteration.
const SHORTEST_ITERATION: Duration = Duration::from_millis(1);
/// Maximum planned length of an iteration while there are too few of them.
const LONGEST_ITERATION: Duration = Duration::from_millis(3);
/// Iterations of a cell per process: fewer do not represent the process, more add no information.
const ROUNDS: (u32, u32) = (4, 40);
/// What a cell takes of a process that measures it once: a pilot, an iteration and what is between them.
const WHOLE_CELL: Duration = Duration::from_millis(5);
/// Threads that share CPUs must be observed over several scheduler time slices.
pub(super) const OVERSUBSCRIBED_ITERATION: Duration = Duration::from_millis(20);
/// What a cell takes of a process that is compared with another build's: ten short iterations.
const PAIRED_CELL: Duration = Duration::from_millis(10);
/// A process is no shorter than this: starting it takes its time too.
const SHORTEST_PROCESS: Duration = Duration::from_millis(100);
/// Maximum processes of each of two builds, unless more are asked for.
const MOST_PAIRS: u32 = 100;

impl StudyPlan {
    /// Operations per batch, where the plan fixes them.
    pub(super) fn fixed_operations(&self) -> Option<u64> {
        match self.mode {
            Mode::Batch(operations) => Some(operations),
            Mode::SingleShot => Some(1),
            Mode::AverageTime | Mode::Throughput | Mode::SampleTime => None,
        }
    }

    /// Whether more threads than CPUs share them in this cell.
    pub(super) fn is_oversubscribed(&self, cell: &CellSpec) -> bool {
        cell.threads as usize > self.cpus.len().max(1)
    }

    /// Batches in the shortest iteration.
    pub(super) fn fewest_batches(&self) -> f64 {
        f64::from(1 + self.warm_up_batches.min(1))
    }
}

/// One cell to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CellSpec {
    /// The case's name; [`EMPTY`] for the calibration.
    pub(super) case: String,
    /// Whether it is the second arm of a comparison of the case with itself.
    pub(super) control: bool,
    pub(super) parameters: Parameters,
    pub(super) tokens: u64,
    pub(super) threads: u32,
    /// Cells in one arena differ only in their case.
    pub(super) arena: u32,
    /// Identifies it among the cells of its case, in words; empty where there is nothing to tell apart.
    pub(super) place: String,
}

impl CellSpec {
    /// Whether it is a user's case rather than calibration or control.
    pub(super) fn is_of_user(&self) -> bool {
        !self.control && self.case != EMPTY
    }

    /// Whether it is of the same case with the same parameters.
    pub(super) fn is_sibling(&self, other: &Self) -> bool {
        self.case == other.case && self.parameters == other.parameters
    }

    /// Whether it is the same combination in another build, whose cases may come in another order.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.is_sibling(other)
            && (self.control, self.tokens, self.threads) == (other.control, other.tokens, other.threads)
    }
}

impl fmt::Display for CellSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.case)?;
        if self.place.is_empty() { Ok(()) } else { write!(f, ", {}", self.place) }
    }
}

/// All cells of `plan`: calibration first, then the arms of each comparison together.
pub(super) fn cells(plan: &StudyPlan, cases: &[Case]) -> Vec<CellSpec> {
    let cell = |case: &str, control, parameters: &Parameters, tokens, threads, arena| CellSpec {
        case: case.to_owned(),
        control,
        parameters: parameters.clone(),
        tokens,
        threads,
        arena,
        place: plan.place(parameters, tokens, threads),
    };
    let none = Parameters::new();
    let calibration = (0..).zip(calibration(plan));
    let mut found: Vec<CellSpec> =
        calibration.map(|(arena, tokens)| cell(EMPTY, false, &none, tokens, 1, arena)).collect();
    let mut arena = found.len() as u32;
    let arms = arms(plan, cases);
    for parameters in combinations(plan) {
        for (threads, arms) in &arms {
            for tokens in &plan.backoff_tokens {
                let of_arm =
                    |(case, control): &(&str, bool)| cell(case, *control, &parameters, *tokens, *threads, arena);
                found.extend(arms.iter().map(of_arm));
                arena += 1;
            }
        }
    }
    found
}

/// How many cells `plan` has, without making them; the largest number if no number says it.
pub(super) fn cell_count(plan: &StudyPlan, cases: &[Case]) -> usize {
    let combinations = plan.parameters.iter().map(|parameter| parameter.values.len());
    let arms = arms(plan, cases).values().map(Vec::len).sum();
    let of_user = combinations.chain([plan.backoff_tokens.len()]).fold(arms, usize::saturating_mul);
    of_user.saturating_add(calibration(plan).len())
}

/// The tokens of the calibration cells.
fn calibration(plan: &StudyPlan) -> Vec<u64> {
    if plan.has_backoff() { [&[0], TOKENS.as_slice()].concat() } else { vec![0] }
}

/// For each number of threads, the cases that have it, and after each baseline its control.
fn arms<'a>(plan: &StudyPlan, cases: &'a [Case]) -> BTreeMap<u32, Vec<(&'a str, bool)>> {
    let mut arms: BTreeMap<u32, Vec<(&str, bool)>> = BTreeMap::new();
    for case in cases.iter().filter(|case| plan.cases.contains(&case.name)) {
        let is_baseline = plan.comparisons.iter().any(|(_, baseline)| *baseline == case.name);
        for threads in case.threads(&plan.threads) {
            let controls = [false, true].into_iter().take(1 + usize::from(is_baseline));
            arms.entry(threads).or_default().extend(controls.map(|control| (case.name.as_str(), control)));
        }
    }
    arms
}

/// Every combination of parameter values; one empty combination without parameters.
fn combinations(plan: &StudyPlan) -> Vec<Parameters> {
    plan.parameters.iter().fold(vec![Parameters::new()], |found, parameter| {
        let with = |(sofar, value): (&Parameters, &String)| {
            let own = (parameter.name.clone(), value.clone());
            sofar.clone().into_iter().chain([own]).collect()
        };
        found.iter().flat_map(|sofar| parameter.values.iter().map(move |value| (sofar, value))).map(with).collect()
    })
}

/// The order in which a process goes through `cells` cells in a round: round and round from a start of its own, forwards or backwards,
/// both by lot, so that no cell is always first or always follows the same neighbour.
pub(super) fn order(cells: usize, seed: u64, process: u32, round: u32) -> Vec<usize> {
    // Golden-section steps spread the starts of a process evenly, however many rounds it has.
    let turn = f64::from(round).mul_add(0.618_033_988_749_894_9, lot(seed, process, ORDER, 0));
    let first = (turn.fract() * cells as f64) as usize;
    let forwards = (0..cells).map(|at| (first + at) % cells);
    if heads(seed, process, ORDER, round) { forwards.collect() } else { forwards.rev().collect() }
}

/// Iterations of each cell per process, given the available time.
pub(super) fn rounds(budget: Duration, processes: u32, cells: usize) -> u32 {
    let per_cell = budget.as_secs_f64() / f64::from(processes.max(1)) / cells.max(1) as f64;
    let (fewest, most) = ROUNDS;
    let long = per_cell / LONGEST_ITERATION.as_secs_f64();
    let short = per_cell / SHORTEST_ITERATION.as_secs_f64();
    // As many long iterations as fit; if those are too few, shorter ones.
    (long.max(short.min(f64::from(fewest))) as u32).clamp(fewest.min(3), most)
}

/// The fewest processes with which `comparisons` at once have a verdict: the range of n values holds the median with a probability of
/// 1 − 2/2ⁿ.
pub(super) fn processes_for_verdicts(comparisons: usize) -> u32 {
    let of_each = confidence_of_each(Estimate::LEAST_CONFIDENCE, comparisons);
    (2.0 / (1.0 - of_each)).log2().ceil() as u32
}

/// How many processes can measure every cell of `plan` in this time.
pub(super) fn whole_processes(budget: Duration, plan: &StudyPlan, cells: &[CellSpec]) -> u32 {
    let long = cells.iter().filter(|cell| plan.is_oversubscribed(cell)).count();
    processes_within(budget, times(WHOLE_CELL, cells.len()) + times(OVERSUBSCRIBED_ITERATION, long))
}

/// Processes of each of two builds that take turns: as many as the time allows, and no fewer than `fewest`. The level of a machine
/// moves within a second, so the shorter two neighbours are, the more they have in common.
pub(super) fn pairs(budget: Duration, cells: usize, fewest: u32) -> u32 {
    processes_within(budget / 2, times(PAIRED_CELL, cells)).min(MOST_PAIRS).max(fewest)
}

fn times(of_cell: Duration, cells: usize) -> Duration {
    of_cell.saturating_mul(u32::try_from(cells).unwrap_or(u32::MAX))
}

fn processes_within(budget: Duration, process: Duration) -> u32 {
    (budget.as_secs_f64() / process.max(SHORTEST_PROCESS).as_secs_f64()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::made_up;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_round_has_every_cell_once(cells in 0_usize..300, process in 0_u32..50, round in 0_u32..50) {
            let mut seen = order(cells, 1, process, round);
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..cells).collect::<Vec<_>>());
        }

        #[test]
        fn there_are_always_rounds(budget_ms in 0_u64..1_000_000, processes in 0_u32..100, cells in 0_usize..100_000) {
            let found = rounds(Duration::from_millis(budget_ms), processes, cells);
            prop_assert!((3..=ROUNDS.1).contains(&found));
        }
    }

    #[test]
    fn verdicts_take_six_processes_and_more_at_once() {
        assert_eq!([1, 6, 20, 72, 100].map(processes_for_verdicts), [6, 8, 10, 12, 12]);
        let plan = StudyPlan { cpus: vec![0, 1], ..made_up::plan() };
        let spec = |threads: u32| CellSpec { threads, ..cells(&plan, &[])[0].clone() };
        let whole = |cells: &[CellSpec]| whole_processes(Duration::from_secs(5), &plan, cells);
        assert_eq!(whole(&vec![spec(1); 172]), 5);
        assert_eq!(whole(&[spec(2)]), 50, "a process is no shorter than 0.1 s");
        assert_eq!(whole(&[vec![spec(1); 86], vec![spec(3); 86]].concat()), 1, "threads that share CPUs take longer");
    }

    #[test]
    fn two_builds_have_as_many_pairs_as_time_allows() {
        let seconds = Duration::from_secs;
        assert_eq!([1, 5, 10, 60].map(|budget| pairs(seconds(budget), 1, 24)), [24, 25, 50, 100]);
        assert_eq!(pairs(seconds(20), 20, 24), 50);
        assert_eq!(pairs(seconds(600), 100_000, 5), 5);
        assert_eq!(pairs(Duration::MAX, usize::MAX, 5), MOST_PAIRS);
    }

    #[test]
    fn no_cell_always_comes_first() {
        let firsts: std::collections::BTreeSet<usize> = (0..8).map(|round| order(8, 1, 0, round)[0]).collect();
        assert!(firsts.len() >= 5, "{firsts:?}");
    }
}
