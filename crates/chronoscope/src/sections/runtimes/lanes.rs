//! The loops of a runtime's probes, as iterations of a study: its estimates are those of every other clock.

use std::collections::BTreeMap;

use chronoscope_sources::Rate;

use crate::probe::probe_process::{ProbeProcess, timer_rate, timer_step_ns};
use crate::probe::runtime::WarmUp;
use chronoscope_harness::estimators::latency::{Latency, latency};
use chronoscope_harness::record::study::{Cell, StudyClock, StudyProcess};
use chronoscope_harness::stats::median;
use chronoscope_harness::{ExternalIteration, ExternalStudy};

/// A loop is steady if its batches differ by less than this share from one stretch to the next.
const STEADY_MARGIN: f64 = 0.05;

/// Of fewer batches nothing is said, and of so many in a row a steady loop begins.
const FEWEST_BATCHES: usize = 15;
const IN_A_ROW: usize = 5;

/// All loops of a runtime, in all of its processes.
pub struct Lanes {
    cells: Vec<Cell>,
    warm_ups: BTreeMap<String, WarmUp>,
}

impl Lanes {
    pub fn of(processes: &[ProbeProcess]) -> Self {
        let timer = timer_rate(processes);
        let mut warm_ups = BTreeMap::<String, WarmUp>::new();
        let mut iterations = Vec::new();
        for (number, process) in processes.iter().enumerate() {
            for (name, lane) in &process.answer.lanes {
                let warm_up = warm_ups.entry(name.clone()).or_default();
                let from = steady_from(&lane.batch_ticks, warm_up);
                let batches = lane.batch_ticks.iter().enumerate().skip(from);
                iterations.extend(batches.map(|(round, ticks)| ExternalIteration {
                    case: name.clone(),
                    threads: 1,
                    process: number as u32,
                    round: round as u32,
                    operations: lane.reads_per_batch,
                    batches_ns: vec![vec![(0, timer.ns(*ticks))]],
                    ..ExternalIteration::default()
                }));
            }
        }
        Self { cells: cells(processes, timer, iterations), warm_ups }
    }

    fn cell(&self, name: &str) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.case == name)
    }

    /// The cost of a turn of the loop.
    pub fn latency(&self, name: &str) -> Option<Latency> {
        self.cell(name).and_then(latency)
    }

    /// How many processes the loop has of which the fewest count; 0 without loops.
    pub fn fewest_processes(&self) -> usize {
        let of = |cell: &Cell| cell.processes.iter().filter(|process| process.typical_ns.is_some()).count();
        self.cells.iter().map(of).min().unwrap_or(0)
    }

    /// How it warmed up. None if it was not timed.
    pub fn warm_up(&self, name: &str) -> Option<WarmUp> {
        self.warm_ups.get(name).filter(|_| self.latency(name).is_some()).copied()
    }

    /// For each round, what a turn took in its process.
    pub fn by_round(&self, processes: &[ProbeProcess], name: &str) -> BTreeMap<u32, f64> {
        let Some(cell) = self.cell(name) else { return BTreeMap::new() };
        processes
            .iter()
            .zip(&cell.processes)
            .filter_map(|(process, found)| Some((process.round, found.typical_ns?)))
            .collect()
    }
}

fn cells(processes: &[ProbeProcess], timer: Rate, iterations: Vec<ExternalIteration>) -> Vec<Cell> {
    let tick_ns = timer.ns_of_mean(1.0).max(timer_step_ns(processes));
    let study = ExternalStudy {
        name: "loops".to_owned(),
        cpus: vec![0],
        comparisons: Vec::new(),
        clock: StudyClock { name: "the runtime's timer".to_owned(), error_ns: tick_ns, batch_ns: tick_ns },
        processes: vec![StudyProcess::default(); processes.len()],
        iterations,
    };
    study.report().cells
}

/// The first batch of a loop that counts: never the very first, and none from before it was steady: the first of five in a row whose
/// median is as long as that of the last third of all. A loop whose last third and the third before differ has not become steady.
fn steady_from(batch_ticks: &[u64], warm_up: &mut WarmUp) -> usize {
    let first = usize::from(batch_ticks.len() > 1);
    let series = &batch_ticks[first..];
    if series.len() < FEWEST_BATCHES {
        return first;
    }
    let typical = |batches: &[u64]| median(batches.iter().map(|ticks| *ticks as f64)).unwrap_or(0.0);
    let third = series.len() / 3;
    let level = typical(&series[series.len() - third..]);
    let is_level = |batches: &[u64]| (typical(batches) - level).abs() <= STEADY_MARGIN * level;
    warm_up.processes += 1;
    if !is_level(&series[third..series.len() - third]) {
        return first;
    }
    warm_up.processes_steady += 1;
    first + series.windows(IN_A_ROW).position(is_level).unwrap_or(0)
}
