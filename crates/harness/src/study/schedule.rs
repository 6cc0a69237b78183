//! Which cells a study has, and in what order a process iterations them.

use std::fmt;
use std::time::Duration;

use super::case::Case;
use super::error::StudyError;
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
/// Of two builds, a process is no shorter than this, nor than so many iterations of each cell: starting it takes its time too.
const SHORTEST_PROCESS: Duration = Duration::from_millis(100);
const ITERATIONS: u32 = 10;
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

    /// Identifies the cell among those of its case, in words.
    pub(super) fn place(&self) -> String {
        self.place.clone()
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
    let calibrates_tokens = plan.backoff_tokens.iter().any(|tokens| *tokens > 0);
    let tokens = TOKENS.iter().copied().filter(|_| calibrates_tokens);
    let calibration = std::iter::once(0).chain(tokens).enumerate().map(|(arena, tokens)| CellSpec {
        case: EMPTY.to_owned(),
        control: false,
        parameters: Parameters::new(),
        tokens,
        threads: 1,
        arena: arena as u32,
        place: plan.place(&Parameters::new(), tokens, 1),
    });
    let mut found: Vec<CellSpec> = calibration.collect();
    let chosen: Vec<&Case> = cases.iter().filter(|case| plan.cases.contains(&case.name)).collect();
    let mut threads: Vec<u32> = chosen.iter().flat_map(|case| case.threads(&plan.threads)).collect();
    threads.sort_unstable();
    threads.dedup();
    let mut arena = found.len() as u32;
    for parameters in combinations(plan) {
        for threads in &threads {
            for tokens in &plan.backoff_tokens {
                for case in chosen.iter().filter(|case| case.threads(&plan.threads).contains(threads)) {
                    let is_baseline = plan.comparisons.iter().any(|(_, baseline)| *baseline == case.name);
                    for control in [false, true].into_iter().filter(|control| is_baseline || !control) {
                        found.push(CellSpec {
                            case: case.name.clone(),
                            control,
                            parameters: parameters.clone(),
                            tokens: *tokens,
                            threads: *threads,
                            arena,
                            place: plan.place(&parameters, *tokens, *threads),
                        });
                    }
                }
                arena += 1;
            }
        }
    }
    found
}

/// How many cells `plan` has, without making them; None if no number says it.
pub(super) fn cell_count(plan: &StudyPlan, cases: &[Case]) -> Option<usize> {
    let calibrates_tokens = plan.backoff_tokens.iter().any(|tokens| *tokens > 0);
    let calibration = if calibrates_tokens { 1 + TOKENS.len() } else { 1 };
    let of_case = |case: &Case| {
        let is_baseline = plan.comparisons.iter().any(|(_, baseline)| *baseline == case.name);
        case.threads(&plan.threads).len().checked_mul(if is_baseline { 2 } else { 1 })
    };
    let chosen = cases.iter().filter(|case| plan.cases.contains(&case.name));
    let once = chosen.map(of_case).try_fold(0, |sum: usize, cells| sum.checked_add(cells?))?;
    let combinations = plan.parameters.iter().map(|parameter| parameter.values.len());
    let of_user = combinations.chain([plan.backoff_tokens.len()]).try_fold(once, usize::checked_mul)?;
    of_user.checked_add(calibration)
}

/// Every combination of parameter values; one empty combination without parameters.
fn combinations(plan: &StudyPlan) -> Vec<Parameters> {
    let mut found = vec![Parameters::new()];
    for parameter in &plan.parameters {
        found = found
            .iter()
            .flat_map(|sofar| {
                parameter.values.iter().map(move |value| {
                    let mut with = sofar.clone();
                    with.insert(parameter.name.clone(), value.clone());
                    with
                })
            })
            .collect();
    }
    found
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

/// How many processes can measure every cell in this time.
pub(super) fn whole_processes(budget: Duration, cells: usize) -> u32 {
    let process = WHOLE_CELL.saturating_mul(u32::try_from(cells).unwrap_or(u32::MAX)).max(SHORTEST_PROCESS);
    (budget.as_secs_f64() / process.as_secs_f64()) as u32
}

/// Processes of each of two builds that take turns: as many as the time allows, and no fewer than `fewest`. The level of a machine
/// moves within a second, so the shorter two neighbours are, the more they have in common.
pub(super) fn pairs(budget: Duration, cells: usize, fewest: u32) -> u32 {
    let process = (SHORTEST_ITERATION * u32::try_from(cells).unwrap_or(u32::MAX))
        .saturating_mul(ITERATIONS)
        .max(SHORTEST_PROCESS);
    let pairs = budget.as_secs_f64() / 2.0 / process.as_secs_f64();
    (pairs as u32).min(MOST_PAIRS).max(fewest)
}

/// The CPUs to use.
pub(super) fn cpus(wanted: Option<&[u32]>, allowed: &[u32]) -> Result<Vec<u32>, StudyError> {
    let Some(wanted) = wanted else { return Ok(allowed.to_vec()) };
    if let Some(cpu) = wanted.iter().find(|cpu| !allowed.contains(cpu)) {
        return Err(StudyError::usage(format!("CPU {cpu} is not available to this process (available: {allowed:?})")));
    }
    if wanted.is_empty() {
        return Err(StudyError::usage("the list of CPUs is empty; name one, such as 0".to_owned()));
    }
    let mut cpus = wanted.to_vec();
    cpus.sort_unstable();
    cpus.dedup();
    Ok(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;
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
        assert_eq!(whole_processes(Duration::from_secs(5), 172), 5);
        assert_eq!(whole_processes(Duration::from_secs(5), 1), 50, "a process is no shorter than 0.1 s");
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

    #[test]
    fn what_disturbs_every_few_iterations_favours_neither_of_two_cells() {
        let cells: Vec<usize> =
            (0..50).flat_map(|process| (0..40).flat_map(move |round| order(2, 1, process, round))).collect();
        for every in 2..=16 {
            for first in 0..every {
                let met: Vec<f64> = cells.iter().skip(first).step_by(every).map(|cell| *cell as f64).collect();
                let (of_second, all) = (met.iter().sum::<f64>(), met.len() as f64);
                assert!(
                    (of_second - all / 2.0).abs() <= 2.0 * all.sqrt(),
                    "every {every} from {first}: {of_second} of {all}"
                );
            }
        }
    }

    #[test]
    fn cpus_that_are_not_allowed_are_refused() {
        assert!(cpus(Some(&[3]), &[0, 1]).is_err() && cpus(Some(&[]), &[0]).is_err());
        assert_eq!(cpus(Some(&[1, 0, 1]), &[0, 1]).unwrap(), [0, 1]);
        assert_eq!(cpus(None, &[2, 4]).unwrap(), [2, 4]);
    }
}
