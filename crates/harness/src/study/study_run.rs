//! The processes of one program in a run, and what they reported.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::affordable;
use super::estimate::{Observations, estimate};
use super::hearing::hear;
use super::observer::StudyObserver;
use super::protocol::{IterationLog, Message, StudyRequest};
use super::schedule::{CellSpec, EMPTY};
use super::study::Study;
use super::time_left::longest_iteration;
use crate::quantity::length;
use crate::record::TscAccess;
use crate::record::study::{CaseFailure, StudyClock, StudyPlan, StudyProcess, StudyReport};
use crate::stats;
use crate::worker::{Launch, Limit, Terms, WorkerFailure};

/// Maximum bytes of padding in a worker's environment.
const MOST_PADDING: u64 = 4096;

/// One process of a run, as far as it is planned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Its number: processes of different programs with the same number iteration cells in the same order, and are laid out alike.
    pub process: u32,
    /// The time that it may take.
    pub budget_ms: u64,
    /// Completed before it, and by it, as shares of the run.
    pub share: (f64, f64),
}

/// A study under way, process by process: for a program that measures something else in between.
///
/// [`Study::run`] does all of it.
pub struct StudyRun {
    study: Study,
    plan: StudyPlan,
    counter_faults: bool,
    cells: Vec<CellSpec>,
    /// The clock as reported by each process.
    clocks: Vec<StudyClock>,
    /// For each process, its iterations.
    iterations: Vec<Vec<IterationLog>>,
    failures: Vec<CaseFailure>,
    /// Cells that are not tried again.
    failed: BTreeSet<usize>,
    /// For each cell, what an operation was seen to take at least; None for one that no process has measured.
    operation_ns: Vec<Option<f64>>,
    /// Cells that the next process leaves to others.
    left_out: BTreeSet<usize>,
    /// How many processes said of a cell that its operation uses threads of its own.
    own_threads: BTreeMap<usize, usize>,
    processes: Vec<StudyProcess>,
    began: Instant,
}

impl StudyRun {
    /// Begins to carry out `plan` of `study` by workers that have `access` to the counter.
    pub fn new(study: &Study, plan: StudyPlan, access: TscAccess) -> Self {
        let cells = study.specs(&plan);
        Self {
            study: study.clone(),
            operation_ns: vec![None; cells.len()],
            cells,
            plan,
            counter_faults: access == TscAccess::Faults,
            clocks: Vec::new(),
            iterations: Vec::new(),
            failures: Vec::new(),
            failed: BTreeSet::new(),
            left_out: BTreeSet::new(),
            own_threads: BTreeMap::new(),
            processes: Vec::new(),
            began: Instant::now(),
        }
    }

    /// Runs one process; false if it must be restarted.
    pub fn run_one(&mut self, workers: &dyn Launch, turn: &Turn, observer: &mut dyn StudyObserver) -> bool {
        let began = Instant::now();
        let padding = u64::from(turn.process).wrapping_mul(1_442_695_041).wrapping_add(self.plan.seed) >> 3;
        let padding = (padding % MOST_PADDING) as u32;
        let mut report =
            StudyProcess { process: turn.process, environment_padding: padding, ..StudyProcess::default() };
        let request = StudyRequest {
            process: turn.process,
            budget_ms: turn.budget_ms,
            failed: (&self.failed | &self.left_out).into_iter().collect(),
            measured: (0..self.cells.len()).filter(|cell| self.operation_ns[*cell].is_some()).collect(),
            counter_faults: self.counter_faults,
            ..StudyRequest::new(self.study.name(), self.plan.clone())
        };
        let observer: RefCell<&mut dyn StudyObserver> = RefCell::new(observer);
        let limit = Limit::Each(longest_iteration(self.plan.budget_ms));
        let terms = Terms { limit, padding, cancelled: &|| observer.borrow().cancelled() };
        let expected = (self.cells.len() * self.plan.rounds as usize).max(1) as f64;
        let failed = self.failed.len();
        let mut iterations = Vec::new();
        // What happens before an iteration begins is nobody's doing.
        let mut current = None;
        let ended = hear(workers, &request, terms, |message| {
            match message {
                Message::Clock(clock) => self.clocks.push(clock),
                Message::Begin { cell, .. } => {
                    if let Some(spec) = self.cells.get(cell).filter(|_| current != Some(cell)) {
                        let share = turn.share.0 + turn.share.1 * (iterations.len() as f64 / expected).min(1.0);
                        observer.borrow_mut().goes_on(share, &spec.to_string());
                    }
                    current = Some(cell);
                }
                Message::OwnThreads { cell } => *self.own_threads.entry(cell).or_default() += 1,
                Message::Iteration(iteration) if iteration.cell < self.cells.len() => {
                    current = None;
                    iterations.push(iteration);
                }
                Message::Failed { cell, reason } => {
                    current = None;
                    self.fail(cell, reason);
                }
                Message::End { disturbance } => report.disturbance = disturbance,
                // No cell of another build's: it promised others.
                Message::Identity(_) | Message::Outline { .. } | Message::Iteration(_) => {}
            }
            Ok(())
        });
        report.elapsed_ms = milliseconds(began);
        let mut again = false;
        if let Err(failure) = ended {
            let reason = told(&failure);
            let is_its_own = !matches!(failure, WorkerFailure::Cancelled | WorkerFailure::NotStarted(_));
            let is_culprit = |cell: &usize| self.cells.get(*cell).is_some_and(|spec| spec.case != EMPTY);
            if let Some(cell) = current.filter(|_| is_its_own).filter(is_culprit) {
                self.fail(cell, reason.clone());
                // The remaining cases are worth another process if next to nothing was measured.
                again = iterations.len() + self.left_out.len() < self.cells.len() && self.failed.len() > failed;
            }
            report.reason_incomplete = Some(reason);
        }
        if !again {
            for iteration in &iterations {
                let seen_ns = &mut self.operation_ns[iteration.cell];
                *seen_ns = affordable::operation_ns(iteration).into_iter().chain(*seen_ns).reduce(f64::min);
            }
            self.processes.push(report);
            self.iterations.push(iterations);
        }
        !again
    }

    /// What the shortest iteration of each cell takes, as far as it was seen; not of the calibration, which every process needs.
    pub(super) fn need_ns(&self) -> Vec<Option<f64>> {
        // Where the study fixes the operations, nothing is tried before it is measured: every process measures all cells once.
        let is_tried = self.plan.fixed_operations().is_none();
        let counts = |cell: usize| is_tried && self.cells[cell].case != EMPTY && !self.failed.contains(&cell);
        let batches = self.plan.fewest_batches();
        let need = |(cell, ns): (usize, &Option<f64>)| ns.filter(|_| counts(cell)).map(|ns| ns * batches);
        self.operation_ns.iter().enumerate().map(need).collect()
    }

    pub(super) fn cells(&self) -> &[CellSpec] {
        &self.cells
    }

    /// Has the next process leave out these cells.
    pub(super) fn leave_out(&mut self, cells: impl IntoIterator<Item = usize>) {
        self.left_out = cells.into_iter().collect();
    }

    /// Cells of the user's cases that have not failed.
    fn sound(&self) -> impl Iterator<Item = usize> {
        (0..self.cells.len()).filter(|cell| self.cells[*cell].is_of_user() && !self.failed.contains(cell))
    }

    /// Processes so far.
    pub fn processes(&self) -> &[StudyProcess] {
        &self.processes
    }

    /// Whether a process could measure anything.
    pub(super) fn has_work(&self) -> bool {
        self.sound().next().is_some()
    }

    /// Whether a process could measure what none has measured yet.
    pub(super) fn has_unmeasured(&self) -> bool {
        self.sound().any(|cell| self.operation_ns[cell].is_none())
    }

    pub(super) fn plan(&self) -> &StudyPlan {
        &self.plan
    }

    /// Time since the run began, in milliseconds.
    pub(super) fn took_ms(&self) -> u64 {
        milliseconds(self.began)
    }

    /// Gives up a case with its parameters; the reason is kept for the first cell of theirs that failed.
    fn fail(&mut self, cell: usize, reason: String) {
        let Some(spec) = self.cells.get(cell) else { return };
        if !self.failed.contains(&cell) {
            self.failures.push(CaseFailure { case: spec.case.clone(), at: spec.place.clone(), reason });
        }
        self.failed.extend((0..self.cells.len()).filter(|other| self.cells[*other].is_sibling(spec)));
    }

    /// Everything that is known so far.
    pub fn report(&self) -> StudyReport {
        let measured = StudyReport {
            clock: usual(&self.clocks),
            failures: self.failures.clone(),
            processes: self.processes.clone(),
            measured_ms: milliseconds(self.began),
            ..StudyReport::planned(self.study.name(), self.plan.clone())
        };
        let (error_ns, batch_ns) = measured.clock.as_ref().map_or((0.0, 0.0), |clock| (clock.error_ns, clock.batch_ns));
        // One process may take what ended late for an operation's own.
        let is_usual = |(_, said): &(&usize, &usize)| 2 * **said > self.iterations.len();
        let own_threads = self.own_threads.iter().filter(is_usual).map(|(cell, _)| *cell).collect();
        let seen = Observations {
            plan: &self.plan,
            cases: &self.study.cases,
            cells: &self.cells,
            processes: &self.iterations,
            own_threads: &own_threads,
            error_ns,
            batch_ns,
        };
        estimate(&seen, measured)
    }
}

/// Why a process ended early, in words.
fn told(failure: &WorkerFailure) -> String {
    match failure {
        WorkerFailure::TimedOut { limit, .. } => format!(
            "timed out after {}: it hangs, or one operation takes longer and needs --duration {}s or more",
            length(*limit),
            limit.as_secs_f64().ceil()
        ),
        _ => failure.to_string(),
    }
}

/// The clock as the median process saw it: a process disturbed throughout is not representative.
fn usual(clocks: &[StudyClock]) -> Option<StudyClock> {
    let middle = |value: fn(&StudyClock) -> f64| stats::median(clocks.iter().map(value));
    let (error_ns, batch_ns) = (middle(|clock| clock.error_ns)?, middle(|clock| clock.batch_ns)?);
    let name = clocks.first()?.name.clone();
    Some(StudyClock { name, error_ns, batch_ns })
}

pub(super) fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
