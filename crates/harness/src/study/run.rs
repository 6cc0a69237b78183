use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Instant;

use super::cell_set::CellSet;
use super::error::StudyError;
use super::estimate::{Observations, estimate};
use super::launch::{self, End};
use super::protocol::{IterationLog, Message, Request, VARIABLE};
use super::schedule::{CellSpec, EMPTY};
use super::study::{Study, StudyOptions};
use crate::record::study::{CaseFailure, StudyClock, StudyContent, StudyPlan, StudyProcess, StudyRecord, StudyReport};
use crate::record::{Document, Tool, TscAccess};
use crate::worker::Launcher;
use crate::{Start, stats};

/// The `command` in documents written by a benchmark program.
const COMMAND: &str = "study";
/// Maximum bytes of padding in a worker's environment.
const MOST_PADDING: u64 = 4096;

/// Observes a study.
pub trait StudyObserver {
    /// `share` of the run (0 to 1) is complete, and `what` is being measured.
    fn goes_on(&mut self, share: f64, what: &str);

    /// Whether the user wants to stop the run; called often.
    fn cancelled(&self) -> bool;
}

/// Observes nothing and never stops a run.
impl StudyObserver for () {
    fn goes_on(&mut self, _share: f64, _what: &str) {}

    fn cancelled(&self) -> bool {
        false
    }
}

impl Study {
    /// Runs the study. Its worker processes are this program, restarted with the same arguments.
    ///
    /// # Guarantees
    /// Failures are recorded with their reason and do not discard other results. Stops soon after the observer requests
    /// it. Leaves no process behind.
    ///
    /// # Errors
    /// [`StudyError`] for an invalid plan, or if called in a worker process of another study: a program that runs
    /// several studies calls [`serve_if_worker`](Self::serve_if_worker) on all of them first. Nothing has been measured
    /// in either case.
    pub fn run(
        &self,
        options: &StudyOptions,
        tool: Tool,
        observer: &mut dyn StudyObserver,
    ) -> Result<StudyRecord, StudyError> {
        self.serve_if_worker();
        if std::env::var_os(VARIABLE).is_some() {
            return Err(StudyError::usage(format!(
                "this process is a worker of another study and cannot run {}; call serve_if_worker on every study before \
                 running the first",
                self.name()
            )));
        }
        let began = Instant::now();
        let started_at = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
        let start = Start::of_this_process();
        let plan = self.plan(options, start.allowed_cpus())?;
        let machine = crate::machine::identify(start.counter_access(), start.allowed_cpus());
        let cells = self.specs(&plan);
        let mut session = Run {
            study: self,
            plan: &plan,
            cells: &cells,
            start: &start,
            observer,
            clocks: Vec::new(),
            visits: Vec::new(),
            failures: Vec::new(),
            failed: BTreeSet::new(),
            measured: BTreeSet::new(),
            own_threads: BTreeSet::new(),
            forks: Vec::new(),
            began,
        };
        session.run_all();
        let Run { clocks, visits, failures, forks, own_threads, observer, .. } = session;
        let interrupted = observer.cancelled();
        observer.goes_on(1.0, "estimates");
        let mut report = StudyReport {
            clock: usual(clocks),
            failures,
            forks,
            measured_ms: milliseconds(began),
            ..StudyReport::planned(&self.name, plan)
        };
        let (error_ns, batch_ns) = report.clock.as_ref().map_or((0.0, 0.0), |clock| (clock.error_ns, clock.batch_ns));
        let plan = &report.plan.clone();
        estimate(
            &Observations {
                plan,
                cases: &self.cases,
                cells: &cells,
                forks: &visits,
                own_threads: &own_threads,
                error_ns,
                batch_ns,
            },
            &mut report,
        );
        let content = StudyContent { study: report, compared: None };
        let mut record = Document { started_at, interrupted, ..Document::new(COMMAND, tool, machine, content) };
        record.findings = crate::rule::conclude(super::rules::RULES, &record);
        record.conclusions = Some(super::conclusions::conclusions(&record));
        record.elapsed_ms = milliseconds(began);
        Ok(record)
    }
}

/// A run under way.
struct Run<'a> {
    study: &'a Study,
    plan: &'a StudyPlan,
    cells: &'a [CellSpec],
    start: &'a Start,
    observer: &'a mut dyn StudyObserver,
    /// The clock as reported by each process.
    clocks: Vec<StudyClock>,
    /// For each process, its visits.
    visits: Vec<Vec<IterationLog>>,
    failures: Vec<CaseFailure>,
    /// Cells that are not tried again.
    failed: BTreeSet<usize>,
    /// Cells that some process has measured.
    measured: BTreeSet<usize>,
    /// Cells whose operation uses threads of its own.
    own_threads: BTreeSet<usize>,
    forks: Vec<StudyProcess>,
    began: Instant,
}

/// What one process has reported so far.
#[derive(Default)]
struct ProcessLog {
    visits: Vec<IterationLog>,
    /// Cells that failed, with the reason.
    failures: Vec<(usize, String)>,
    /// Cells whose operation uses threads of its own.
    own_threads: Vec<usize>,
    /// The cell being visited.
    current: Option<usize>,
}

impl Run<'_> {
    fn run_all(&mut self) {
        let mut fork = 0;
        while fork < self.plan.forks && !self.observer.cancelled() && self.is_worth_another() {
            // If a case kills a process before anything was measured, restart the process without that case.
            fork += u32::from(self.run_one(fork));
        }
    }

    /// Runs one process; false if it must be restarted.
    fn run_one(&mut self, fork: u32) -> bool {
        let began = Instant::now();
        let plan = self.plan;
        let padding = (u64::from(fork).wrapping_mul(1_442_695_041).wrapping_add(plan.seed) >> 3) % MOST_PADDING;
        let mut report = StudyProcess { fork, environment_padding: padding as u32, ..StudyProcess::default() };
        let mut log = ProcessLog::default();
        let ended = match self.start.launcher() {
            Ok(launcher) => self.listen(launcher, &mut report, &mut log),
            Err(failure) => Err(failure.to_string()),
        };
        report.elapsed_ms = milliseconds(began);
        let mut again = false;
        match ended {
            Ok(End::Done) => {}
            Ok(End::Cancelled) => report.reason_incomplete = Some("the run was interrupted".to_owned()),
            Ok(End::Died(reason)) => {
                let culprit = log.current.filter(|cell| self.cells.get(*cell).is_some_and(|spec| spec.case != EMPTY));
                if let Some(cell) = culprit {
                    log.failures.push((cell, reason.clone()));
                    // The remaining cases are worth another process if next to nothing was measured.
                    again = log.visits.len() < self.cells.len();
                }
                report.reason_incomplete = Some(reason);
            }
            Err(reason) => report.reason_incomplete = Some(reason),
        }
        self.take_in(&log);
        if !again {
            self.forks.push(report);
            self.visits.push(log.visits);
        }
        !again
    }

    /// Starts the process of `report` and receives its messages until it ends.
    fn listen(&mut self, launcher: &Launcher, report: &mut StudyProcess, log: &mut ProcessLog) -> Result<End, String> {
        let (plan, cells) = (self.plan, self.cells);
        let (fork, padding) = (report.fork, report.environment_padding);
        let request = Request {
            study: self.study.name().to_owned(),
            plan: plan.clone(),
            fork,
            budget_ms: self.budget_ms(fork),
            failed: CellSet::from(&self.failed),
            measured: CellSet::from(&self.measured),
            counter_faults: self.start.counter_access() == TscAccess::Faults,
        };
        let clocks = &mut self.clocks;
        let expected = (cells.len() * plan.rounds as usize).max(1) as f64;
        // Both the receiving closure and the one that asks whether to stop need the observer.
        let observer = RefCell::new(&mut *self.observer);
        let mut hear = |message: Message| match message {
            Message::Clock { name, error_ns, batch_ns } => clocks.push(StudyClock { name, error_ns, batch_ns }),
            Message::Begin { cell, .. } => {
                let share = (f64::from(fork) + log.visits.len() as f64 / expected) / f64::from(plan.forks);
                if let (Some(spec), true) = (cells.get(cell), log.current != Some(cell)) {
                    observer.borrow_mut().goes_on(share.min(1.0), &spec.to_string());
                }
                log.current = Some(cell);
            }
            Message::OwnThreads { cell } => log.own_threads.push(cell),
            Message::Visit(visit) => log.visits.push(visit),
            Message::Failed { cell, reason } => log.failures.push((cell, reason)),
            Message::End { disturbance } => report.disturbance = disturbance,
        };
        launch::run(launcher, &request, padding, &|| observer.borrow().cancelled(), &mut hear)
    }

    /// Cells of the user's cases that have not failed.
    fn sound(&self) -> impl Iterator<Item = usize> {
        (0..self.cells.len()).filter(|cell| self.cells[*cell].is_of_user() && !self.failed.contains(cell))
    }

    /// Whether another process has something to measure: what none has measured yet, or all of it if there is time for at least
    /// half of what a process takes.
    fn is_worth_another(&self) -> bool {
        let took_ms: u64 = self.forks.iter().map(|process| process.elapsed_ms).sum();
        let of_one_ms = took_ms / (self.forks.len() as u64).max(1);
        let in_time = milliseconds(self.began) + of_one_ms / 2 <= self.plan.budget_ms;
        let mut sound = self.sound();
        if self.forks.is_empty() || in_time {
            sound.next().is_some()
        } else {
            sound.any(|cell| !self.measured.contains(&cell))
        }
    }

    /// An equal share of the time that is left, for this process and those after it.
    fn budget_ms(&self, fork: u32) -> u64 {
        let left_ms = self.plan.budget_ms.saturating_sub(milliseconds(self.began));
        (left_ms / u64::from(self.plan.forks.saturating_sub(fork).max(1))).max(1)
    }

    /// Takes in what a process has shown; the reasons of failures are kept for the first cell of a case with its parameters.
    fn take_in(&mut self, log: &ProcessLog) {
        self.measured.extend(log.visits.iter().map(|visit| visit.cell));
        self.own_threads.extend(&log.own_threads);
        for (cell, reason) in &log.failures {
            let Some(spec) = self.cells.get(*cell) else { continue };
            if !self.failed.contains(cell) {
                let reason = reason.clone();
                self.failures.push(CaseFailure { case: spec.case.clone(), at: spec.place(), reason });
            }
            self.failed.extend((0..self.cells.len()).filter(|other| self.cells[*other].is_sibling(spec)));
        }
    }
}

/// The clock as the median process saw it: a process disturbed throughout is not representative.
fn usual(clocks: Vec<StudyClock>) -> Option<StudyClock> {
    let middle = |value: fn(&StudyClock) -> f64| stats::median(clocks.iter().map(value).collect());
    let (error_ns, batch_ns) = (middle(|clock| clock.error_ns)?, middle(|clock| clock.batch_ns)?);
    let name = clocks.into_iter().next()?.name;
    Some(StudyClock { name, error_ns, batch_ns })
}

fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
