//! Studies whose processes are another program's: it measures, the estimates are the same.

use std::collections::{BTreeMap, BTreeSet};

use super::estimate::{Observations, estimate};
use super::protocol::{IterationLog, ThreadLog};
use super::schedule::CellSpec;
use crate::record::study::{Parameters, StudyClock, StudyContent, StudyPlan, StudyProcess, StudyRecord, StudyReport};
use crate::record::{Document, Tool};
use crate::{Start, stats};

/// The `command` of its document.
const COMMAND: &str = "study";
/// Differences within this many percent are ignored.
const MARGIN_PCT: f64 = 1.0;
/// A batch that takes so much longer than the median of its process and cell contains a loss of the CPU: no scheduler takes it for less, and
/// no read of a clock waits so long for other threads.
const LOST_NS: f64 = 500_000.0;

/// Times of an iteration that a document keeps: a program that sweeps work and threads makes hundreds of thousands of batches.
const MOST_KEPT: usize = 2;

/// What processes of another program measured: operations between amounts of work, on some numbers of threads.
///
/// # Guarantees
/// Estimates, intervals and comparisons are those of a [`Study`](super::Study). The other program's processes carry no
/// interference probe, so that the report has none. An iteration in which some batch takes half a millisecond longer than
/// the median of that process and cell, as when a thread loses its CPU, counts as disturbed; a shared or slow core is not noticed.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::study::{StudyClock, StudyProcess};
/// use chronoscope_harness::{ExternalStudy, ExternalIteration};
///
/// // Six processes whose operation takes 20 ns on either thread.
/// let iteration = |process| ExternalIteration {
///     case: "read".to_owned(),
///     threads: 2,
///     process,
///     operations: 100,
///     batches_ns: vec![vec![(0, 2_000), (2_000, 4_000)], vec![(10, 2_010), (2_010, 4_010)]],
///     ..ExternalIteration::default()
/// };
/// let study = ExternalStudy {
///     name: "sweep".to_owned(),
///     cpus: vec![0, 1],
///     comparisons: Vec::new(),
///     clock: StudyClock { name: "its own".to_owned(), error_ns: 1.0, batch_ns: 1.0 },
///     processes: vec![StudyProcess::default(); 6],
///     iterations: (0..6).map(iteration).collect(),
/// };
/// let time = study.report().cells[0].time_ns.unwrap();
/// assert!((time.estimate - 20.0).abs() < 1e-9 && time.has_confidence());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalStudy {
    /// Its name.
    pub name: String,
    /// The CPUs that its threads may use.
    pub cpus: Vec<u32>,
    /// Pairs of cases to compare: the operation, then what it is compared with, measured in the same rounds.
    pub comparisons: Vec<(String, String)>,
    /// The clock that timed batches.
    pub clock: StudyClock,
    /// The processes, in the order of their numbers.
    pub processes: Vec<StudyProcess>,
    /// What they measured, in chronological order within each process.
    pub iterations: Vec<ExternalIteration>,
}

/// One iteration of a process to one combination of case, work and threads.
///
/// # Examples
/// See [`ExternalStudy`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExternalIteration {
    /// The case.
    pub case: String,
    /// Tokens of work before each operation.
    pub tokens: u64,
    /// How many threads ran.
    pub threads: u32,
    /// The number of the process, from 0.
    pub process: u32,
    /// Iterations of the same round can be compared.
    pub round: u32,
    /// Operations in each batch.
    pub operations: u64,
    /// For each thread, when its batches began and ended, in nanoseconds of a clock common to all.
    pub batches_ns: Vec<Vec<(u64, u64)>>,
}

impl ExternalStudy {
    /// The record of the study, with its findings and conclusions.
    pub fn record(&self, start: &Start, tool: Tool) -> StudyRecord {
        let machine = crate::machine::identify(start.counter_access(), start.allowed_cpus());
        let content = StudyContent { study: self.report(), against: None };
        let mut record = Document::new(COMMAND, tool, machine, content);
        record.findings = crate::rule::conclude(super::rules::RULES, &record);
        record.content.study.conclusions = super::conclusions::conclusions(&record);
        record
    }

    /// The estimates; none for an iteration that belongs to no process, or in which some thread ran no batch.
    pub fn report(&self) -> StudyReport {
        let plan = self.plan();
        let cells = specs(&plan, &self.iterations);
        let mut processes: Vec<Vec<IterationLog>> = vec![Vec::new(); self.processes.len()];
        for iteration in &self.iterations {
            let is_of = |spec: &CellSpec| {
                spec.case == iteration.case && (spec.tokens, spec.threads) == (iteration.tokens, iteration.threads)
            };
            let of_process = processes.get_mut(iteration.process as usize);
            if let (Some(of_process), Some(cell)) = (of_process, cells.iter().position(is_of)) {
                of_process.push(iteration.log(cell));
            }
        }
        processes.iter_mut().for_each(|logs| count_losses(logs));
        let measured = StudyReport {
            clock: Some(self.clock.clone()),
            processes: self.processes.clone(),
            measured_ms: self.processes.iter().map(|process| process.elapsed_ms).sum(),
            ..StudyReport::planned(&self.name, plan.clone())
        };
        let seen = Observations {
            plan: &plan,
            cases: &[],
            cells: &cells,
            processes: &processes,
            own_threads: &BTreeSet::new(),
            error_ns: self.clock.error_ns,
            batch_ns: self.clock.batch_ns,
        };
        // There was no probe.
        let mut report = StudyReport { interference_probe: None, ..estimate(&seen, measured) };
        let processes = report.cells.iter_mut().flat_map(|cell| &mut cell.processes);
        for iteration in processes.flat_map(|process| &mut process.iterations) {
            iteration.batches_ns = thinned(&iteration.batches_ns);
        }
        report
    }

    fn plan(&self) -> StudyPlan {
        let all = |value: fn(&ExternalIteration) -> u64| self.iterations.iter().map(value).collect::<BTreeSet<u64>>();
        let mut cases: Vec<String> = Vec::new();
        for iteration in &self.iterations {
            if !cases.contains(&iteration.case) {
                cases.push(iteration.case.clone());
            }
        }
        StudyPlan {
            cases,
            backoff_tokens: all(|iteration| iteration.tokens).into_iter().collect(),
            threads: all(|iteration| u64::from(iteration.threads)).into_iter().map(|threads| threads as u32).collect(),
            comparisons: self.comparisons.clone(),
            processes: self.processes.len() as u32,
            rounds: self.iterations.iter().map(|iteration| iteration.round.saturating_add(1)).max().unwrap_or(0),
            cpus: self.cpus.clone(),
            margin_pct: MARGIN_PCT,
            confidence: stats::CONFIDENCE,
            ..StudyPlan::default()
        }
    }
}

/// The times of an iteration as a document keeps them: means of batches in a row, at most [`MOST_KEPT`]. What is estimated rests on all.
fn thinned(batches_ns: &[f64]) -> Vec<f64> {
    // To a ten-thousandth of a nanosecond, as the times of other studies.
    let mean = |batches: &[f64]| (batches.iter().sum::<f64>() / batches.len() as f64 * 1e4).round() / 1e4;
    batches_ns.chunks(batches_ns.len().div_ceil(MOST_KEPT).max(1)).map(mean).collect()
}

/// Counts each batch in which a thread of this process lost its CPU as a preemption.
fn count_losses(logs: &mut [IterationLog]) {
    let mut usual_ns: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for log in logs.iter() {
        let batches = log.threads.iter().flat_map(|thread| &thread.batches_ns);
        usual_ns.entry(log.cell).or_default().extend(batches.map(|ns| *ns as f64));
    }
    let most_ns: BTreeMap<usize, f64> =
        usual_ns.iter().map(|(cell, ns)| (*cell, stats::median(ns).unwrap_or(0.0) + LOST_NS)).collect();
    for log in logs {
        for thread in &mut log.threads {
            thread.preempted = thread.batches_ns.iter().filter(|ns| **ns as f64 > most_ns[&log.cell]).count() as u64;
        }
    }
}

/// The combinations that were measured; those that differ only in their case share an arena.
fn specs(plan: &StudyPlan, iterations: &[ExternalIteration]) -> Vec<CellSpec> {
    let measured = iterations.iter().filter_map(|iteration| {
        let case = plan.cases.iter().position(|case| *case == iteration.case)?;
        Some((iteration.threads, iteration.tokens, case))
    });
    let mut found: Vec<CellSpec> = Vec::new();
    for (threads, tokens, case) in measured.collect::<BTreeSet<(u32, u64, usize)>>() {
        let begins = |last: &CellSpec| u32::from((last.threads, last.tokens) != (threads, tokens));
        found.push(CellSpec {
            case: plan.cases[case].clone(),
            control: false,
            parameters: Parameters::new(),
            tokens,
            threads,
            arena: found.last().map_or(0, |last| last.arena + begins(last)),
            place: plan.place(&Parameters::new(), tokens, threads),
        });
    }
    found
}

impl ExternalIteration {
    fn log(&self, cell: usize) -> IterationLog {
        let thread = |batches: &Vec<(u64, u64)>| ThreadLog {
            from_ns: batches.first().map_or(0, |batch| batch.0),
            to_ns: batches.last().map_or(0, |batch| batch.1),
            operations: self.operations.saturating_mul(batches.len() as u64),
            batches_ns: batches.iter().map(|(begin, end)| end.saturating_sub(*begin)).collect(),
            ..ThreadLog::default()
        };
        // A thread without a batch ends before the others begin, so that the iteration yields no time.
        let threads = (0..self.threads as usize).map(|at| self.batches_ns.get(at).map(thread).unwrap_or_default());
        IterationLog { cell, round: self.round, layout: 0, threads: threads.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `operations` of `ns` each in two batches, on so many threads.
    fn iteration(case: &str, tokens: u64, threads: u32, process: u32, ns: u64) -> ExternalIteration {
        let batch = |from: u64| (from, from + 100 * ns);
        let thread = |at: u32| vec![batch(u64::from(at)), batch(u64::from(at) + 100 * ns)];
        let batches_ns = (0..threads).map(thread).collect();
        ExternalIteration { case: case.to_owned(), tokens, threads, process, round: 0, operations: 100, batches_ns }
    }

    fn study(iterations: Vec<ExternalIteration>) -> StudyReport {
        let processes =
            (0..6).map(|process| StudyProcess { process, elapsed_ms: 10, ..StudyProcess::default() }).collect();
        let clock = StudyClock { name: "ticks".to_owned(), error_ns: 1.0, batch_ns: 1.0 };
        let comparisons = vec![("read".to_owned(), "nothing".to_owned())];
        ExternalStudy { name: "sweep".to_owned(), cpus: vec![0, 1], comparisons, clock, processes, iterations }.report()
    }

    #[test]
    fn another_programs_iterations_have_the_same_estimates() {
        let of = |process: u32| {
            let both = |case: &'static str, own: u64, shared: u64| {
                [iteration(case, 16, 1, process, 30 + own), iteration(case, 16, 2, process, 30 + shared)]
            };
            both("nothing", 0, 0).into_iter().chain(both("read", 20, 90))
        };
        let report = study((0..6).flat_map(of).collect());
        let time = |case: &str, threads: u32| {
            report
                .cells
                .iter()
                .find(|cell| (cell.case.as_str(), cell.threads) == (case, threads))
                .unwrap()
                .time_ns
                .unwrap()
        };
        assert_eq!((time("read", 1).estimate, time("read", 2).estimate), (50.0, 120.0));
        assert!(time("read", 2).has_confidence() && time("read", 2).confidence < 0.999, "six processes");
        let added = |threads: usize| report.comparisons[threads - 1].points[0].difference_ns.estimate;
        assert!((added(1) - 20.0).abs() < 1e-9 && (added(2) - 90.0).abs() < 1e-9);
        assert_eq!((report.interference_probe, report.control, report.measured_ms), (None, None, 60));
        assert_eq!((report.plan.cases.len(), report.plan.threads.clone()), (2, vec![1, 2]));
    }

    #[test]
    fn a_document_keeps_means_of_batches_in_a_row() {
        assert_eq!(
            thinned(&[1.0, 3.0, 10.0, 20.0, 5.0, 7.0, 8.0]),
            [8.5, 20.0 / 3.0].map(|ns: f64| (ns * 1e4).round() / 1e4)
        );
        assert_eq!((thinned(&[1.5]), thinned(&[])), (vec![1.5], Vec::new()));
        let many = vec![20.0; 1_000];
        assert_eq!(thinned(&many), [20.0; 2]);
    }

    #[test]
    fn an_iteration_that_lost_its_cpu_is_not_quiet() {
        let of = |process: u32| {
            (0..8).map(move |round| {
                let mut iteration = ExternalIteration { round, ..iteration("read", 0, 1, process, 20) };
                iteration.batches_ns[0] = (0..10).map(|at| (2_000 * at, 2_000 * (at + 1))).collect();
                if round % 4 == 0 {
                    iteration.batches_ns[0].push((20_000, 4_020_000));
                }
                iteration
            })
        };
        let report = study((0..6).flat_map(of).collect());
        let cell = &report.cells[0];
        assert_eq!((cell.iterations, cell.iterations_quiet), (48, 36));
        assert!((cell.time_ns.unwrap().estimate - 20.0).abs() < 1e-9, "{cell:?}");
    }

    #[test]
    fn a_iteration_that_cannot_be_one_counts_for_nothing() {
        let mut lame = iteration("read", 0, 2, 0, 20);
        lame.batches_ns.pop();
        let hostile = ExternalIteration {
            operations: u64::MAX,
            batches_ns: vec![vec![(u64::MAX, 0), (5, u64::MAX)]],
            ..iteration("read", 4, 1, 1, 1)
        };
        let report = study(vec![lame, iteration("read", 0, 1, 99, 20), hostile]);
        assert!(report.cells.iter().all(|cell| cell.time_ns.is_none_or(|time| time.estimate.is_finite())));
        assert!(report.cells.iter().any(|cell| (cell.backoff_tokens, cell.threads, cell.time_ns) == (0, 2, None)));
        assert!(study(Vec::new()).cells.is_empty());
    }
}
