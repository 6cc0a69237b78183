//! The processes of one program in a run, and what they reported.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Instant;

use super::affordable;
use super::case::Case;
use super::cell_set::CellSet;
use super::estimate::{Observations, estimate};
use super::hearing::{Hearing, ProcessLog};
use super::observer::StudyObserver;
use super::protocol::{IterationLog, StudyRequest};
use super::schedule::{self, CellSpec, EMPTY};
use super::study::Study;
use super::time_left::longest_iteration;
use crate::quantity::length;
use crate::record::TscAccess;
use crate::record::study::{CaseFailure, StudyClock, StudyPlan, StudyProcess, StudyReport};
use crate::stats;
use crate::worker::{Launch, Limit, PROTOCOL, STUDY, Terms, WorkerFailure};

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
    name: String,
    cases: Vec<Case>,
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
    /// Cells that some process has measured.
    measured: BTreeSet<usize>,
    /// For each cell, what an operation was seen to take at least.
    operation_ns: Vec<Option<f64>>,
    /// Cells that the next process leaves to others.
    left_out: BTreeSet<usize>,
    /// Cells whose operation uses threads of its own.
    own_threads: BTreeSet<usize>,
    processes: Vec<StudyProcess>,
    began: Instant,
}

impl StudyRun {
    /// Begins to carry out `plan` of `study` by workers that have `access` to the counter.
    pub fn new(study: &Study, plan: StudyPlan, access: TscAccess) -> Self {
        Self::of_cases(study.name(), study.cases.clone(), plan, access)
    }

    /// The same of a program that has these cases.
    pub(super) fn of_cases(name: &str, cases: Vec<Case>, plan: StudyPlan, access: TscAccess) -> Self {
        let cells = schedule::cells(&plan, &cases);
        Self {
            name: name.to_owned(),
            operation_ns: vec![None; cells.len()],
            cells,
            cases,
            plan,
            counter_faults: access == TscAccess::Faults,
            clocks: Vec::new(),
            iterations: Vec::new(),
            failures: Vec::new(),
            failed: BTreeSet::new(),
            measured: BTreeSet::new(),
            left_out: BTreeSet::new(),
            own_threads: BTreeSet::new(),
            processes: Vec::new(),
            began: Instant::now(),
        }
    }

    /// Runs one process; false if it must be restarted.
    pub fn run_one(&mut self, workers: &dyn Launch, turn: &Turn, observer: &mut dyn StudyObserver) -> bool {
        let began = Instant::now();
        let process = turn.process;
        let padding = (u64::from(process).wrapping_mul(1_442_695_041).wrapping_add(self.plan.seed) >> 3) % MOST_PADDING;
        let padding = padding as u32;
        let mut log = ProcessLog::default();
        let ended = self.listen(workers, turn, padding, &mut log, observer);
        let mut report = StudyProcess {
            process,
            environment_padding: padding,
            elapsed_ms: milliseconds(began),
            disturbance: log.disturbance.take().unwrap_or_default(),
            ..StudyProcess::default()
        };
        self.clocks.extend(log.clock.take());
        let mut again = false;
        if let Err(failure) = ended {
            let reason = told(&failure);
            let is_its_own = !matches!(failure, WorkerFailure::Cancelled | WorkerFailure::NotStarted(_));
            let culprit = log.current.filter(|cell| self.cells.get(*cell).is_some_and(|spec| spec.case != EMPTY));
            if let Some(cell) = culprit.filter(|_| is_its_own) {
                log.failures.push((cell, reason.clone()));
                // The remaining cases are worth another process if next to nothing was measured.
                again = log.iterations.len() + self.left_out.len() < self.cells.len();
            }
            report.reason_incomplete = Some(reason);
        }
        let failed = self.failed.len();
        self.take_in(&log);
        again &= self.failed.len() > failed;
        if !again {
            for iteration in &log.iterations {
                self.measured.insert(iteration.cell);
                let seen_ns = &mut self.operation_ns[iteration.cell];
                *seen_ns = affordable::operation_ns(iteration).into_iter().chain(*seen_ns).reduce(f64::min);
            }
            self.processes.push(report);
            self.iterations.push(log.iterations);
        }
        !again
    }

    /// Has a worker take a turn, and hears it until it ends.
    fn listen(
        &self,
        workers: &dyn Launch,
        turn: &Turn,
        padding: u32,
        log: &mut ProcessLog,
        observer: &mut dyn StudyObserver,
    ) -> Result<(), WorkerFailure> {
        let request = StudyRequest {
            protocol: PROTOCOL,
            task: STUDY.to_owned(),
            study: self.name.clone(),
            plan: self.plan.clone(),
            process: turn.process,
            budget_ms: turn.budget_ms,
            failed: CellSet::from(&(&self.failed | &self.left_out)),
            measured: CellSet::from(&self.measured),
            counter_faults: self.counter_faults,
            outline: false,
        };
        let request = serde_json::to_string(&request).map_err(|error| WorkerFailure::NotStarted(error.to_string()))?;
        let expected = (self.cells.len() * self.plan.rounds as usize).max(1);
        let shares = (turn.share.0, turn.share.1, 1.0 / expected as f64);
        let observer: RefCell<&mut dyn StudyObserver> = RefCell::new(observer);
        let mut hearing = Hearing { log, cells: &self.cells, shares, observer: &observer };
        let terms = Terms {
            limit: Limit::Each(longest_iteration(self.plan.budget_ms)),
            padding,
            cancelled: &|| observer.borrow().cancelled(),
        };
        workers.converse(&request, &mut hearing, terms)
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
        self.sound().any(|cell| !self.measured.contains(&cell))
    }

    pub(super) fn plan(&self) -> &StudyPlan {
        &self.plan
    }

    /// Time since the run began, in milliseconds.
    pub(super) fn took_ms(&self) -> u64 {
        milliseconds(self.began)
    }

    /// Takes in what a process has shown; the reasons of failures are kept for the first cell of a case with its parameters.
    fn take_in(&mut self, log: &ProcessLog) {
        self.own_threads.extend(&log.own_threads);
        for (cell, reason) in &log.failures {
            let Some(spec) = self.cells.get(*cell) else { continue };
            if !self.failed.contains(cell) {
                let reason = reason.clone();
                self.failures.push(CaseFailure { case: spec.case.clone(), at: spec.place.clone(), reason });
            }
            self.failed.extend((0..self.cells.len()).filter(|other| self.cells[*other].is_sibling(spec)));
        }
    }

    /// Everything that is known so far.
    pub fn report(&self) -> StudyReport {
        let measured = StudyReport {
            clock: usual(&self.clocks),
            failures: self.failures.clone(),
            processes: self.processes.clone(),
            measured_ms: milliseconds(self.began),
            ..StudyReport::planned(&self.name, self.plan.clone())
        };
        let (error_ns, batch_ns) = measured.clock.as_ref().map_or((0.0, 0.0), |clock| (clock.error_ns, clock.batch_ns));
        let seen = Observations {
            plan: &self.plan,
            cases: &self.cases,
            cells: &self.cells,
            processes: &self.iterations,
            own_threads: &self.own_threads,
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
    let middle = |value: fn(&StudyClock) -> f64| stats::median(clocks.iter().map(value).collect());
    let (error_ns, batch_ns) = (middle(|clock| clock.error_ns)?, middle(|clock| clock.batch_ns)?);
    let name = clocks.first()?.name.clone();
    Some(StudyClock { name, error_ns, batch_ns })
}

pub(super) fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
