//! The loops of a runtime's probes, as iterations of a study: its estimates are those of every other clock.

use std::collections::BTreeMap;

use chronoscope_sources::Rate;

use crate::probe::Answer;
use crate::probe::probe_process::{ProbeProcess, timer_rate, timer_step_ns};
use crate::probe::runtime::WarmUp;
use chronoscope_harness::estimators::latency::{Latency, latency};
use chronoscope_harness::record::study::{Cell, StudyClock, StudyProcess};
use chronoscope_harness::stats::{Steadiness, median, steady_state};
use chronoscope_harness::{ExternalIteration, ExternalStudy};

/// A loop is steady if its batches differ by less than this share from one stretch to the next.
const STEADY_MARGIN: f64 = 0.05;

/// All loops of a runtime, in all of its processes.
pub struct Lanes {
    cells: Vec<Cell>,
    warm_ups: BTreeMap<String, WarmUp>,
}

impl Lanes {
    pub fn of(processes: &[ProbeProcess]) -> Self {
        let timer = timer_rate(processes);
        let usual = usual(processes);
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
                    slowness: slowness(&process.answer, name, round, &usual),
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
        let of = |cell: &Cell| cell.processes.iter().filter(|process| process.time_ns.is_some()).count();
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
            .filter_map(|(process, found)| Some((process.round, found.time_ns?)))
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

/// The first batch of a loop that counts: never the very first, and none from before it was steady.
fn steady_from(batch_ticks: &[u64], warm_up: &mut WarmUp) -> usize {
    let first = usize::from(batch_ticks.len() > 1);
    let series: Vec<f64> = batch_ticks[first..].iter().map(|ticks| *ticks as f64).collect();
    let found = steady_state(&series, STEADY_MARGIN);
    if found.class == Steadiness::TooShort {
        return first;
    }
    warm_up.processes += 1;
    let Some(from) = found.steady_from else { return first };
    warm_up.processes_steady += 1;
    first + from
}

/// What a turn of each loop usually takes, in ticks.
fn usual(processes: &[ProbeProcess]) -> BTreeMap<&str, f64> {
    let mut turns: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (name, lane) in processes.iter().flat_map(|process| &process.answer.lanes) {
        turns.entry(name).or_default().extend(lane.ticks_per_read().skip(1));
    }
    turns.into_iter().filter_map(|(name, ticks)| Some((name, median(ticks).filter(|ticks| *ticks > 0.0)?))).collect()
}

/// How many times as long as usual the other loops took in a round, the empty one among them.
///
/// Never the loop itself: to choose among its batches by their length would make the estimate a minimum. And not the empty loop
/// alone: where a compiler makes one of it that waits for its own results, it does not notice a busy neighbour on the core.
fn slowness(answer: &Answer, name: &str, round: usize, usual: &BTreeMap<&str, f64>) -> f64 {
    let others = answer.lanes.iter().filter(|(of, _)| *of != name);
    let slow = others.filter_map(|(of, lane)| Some(lane.ticks_per_read_of(round)? / usual.get(of.as_str())?));
    median(slow.collect()).unwrap_or(0.0)
}
