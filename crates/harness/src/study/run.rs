use std::cell::RefCell;
use std::time::Instant;

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

/// What a document says was run where a program of studies wrote it.
const COMMAND: &str = "study";
/// A worker's environment is padded by up to so many bytes.
const MOST_PADDING: u64 = 4096;

/// Watches a study.
pub trait StudyObserver {
    /// The run is over by `share` (0 to 1), and `what` is being measured.
    fn goes_on(&mut self, share: f64, what: &str);

    /// Whether the user wants the run to stop; asked often.
    fn cancelled(&self) -> bool;
}

/// Watches nothing and never stops a run.
impl StudyObserver for () {
    fn goes_on(&mut self, _share: f64, _what: &str) {}

    fn cancelled(&self) -> bool {
        false
    }
}

impl Study {
    /// Runs the study: its worker processes are this program, started again with the same arguments.
    ///
    /// # Guarantees
    /// What fails stands in the record with its reason, and takes nothing along that was measured. Stops soon after the
    /// observer says so. Leaves no process behind.
    ///
    /// # Errors
    /// [`StudyError`] for a plan that makes no sense, and in a worker process of another study: a program that runs several
    /// calls [`serve_if_worker`](Self::serve_if_worker) of all of them first. Nothing was measured then.
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
            forks: Vec::new(),
        };
        session.run_all();
        let Run { clocks, visits, failures, forks, observer, .. } = session;
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
            &Observations { plan, cases: &self.cases, cells: &cells, forks: &visits, error_ns, batch_ns },
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
    /// What each process reported of its clock.
    clocks: Vec<StudyClock>,
    /// For each process, what it visited.
    visits: Vec<Vec<IterationLog>>,
    failures: Vec<CaseFailure>,
    forks: Vec<StudyProcess>,
}

/// What one process has reported so far.
#[derive(Default)]
struct ProcessLog {
    visits: Vec<IterationLog>,
    failures: Vec<CaseFailure>,
    /// The cell that it is at.
    current: Option<usize>,
}

impl Run<'_> {
    fn run_all(&mut self) {
        let mut fork = 0;
        while fork < self.plan.forks && !self.observer.cancelled() && !self.all_failed() {
            // A process that a case took down before anything was measured is started again without that case.
            fork += u32::from(self.run_one(fork));
        }
    }

    /// Runs one process; false if it is to be started again.
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
                let culprit = log.current.and_then(|cell| self.cells.get(cell)).filter(|spec| spec.case != EMPTY);
                if let Some(spec) = culprit {
                    log.failures.push(failure(spec, reason.clone()));
                    // What other cases would have shown after it is worth another process, if there was next to nothing.
                    again = log.visits.len() < self.cells.len();
                }
                report.reason_incomplete = Some(reason);
            }
            Err(reason) => report.reason_incomplete = Some(reason),
        }
        for failure in log.failures {
            if !self.failures.iter().any(|known| known.case == failure.case) {
                self.failures.push(failure);
            }
        }
        if !again {
            self.forks.push(report);
            self.visits.push(log.visits);
        }
        !again
    }

    /// Starts the process of `report` and takes in what it says until it ends.
    fn listen(&mut self, launcher: &Launcher, report: &mut StudyProcess, log: &mut ProcessLog) -> Result<End, String> {
        let (plan, cells) = (self.plan, self.cells);
        let (fork, padding) = (report.fork, report.environment_padding);
        let request = Request {
            study: self.study.name().to_owned(),
            plan: plan.clone(),
            fork,
            budget_ms: (plan.budget_ms / u64::from(plan.forks)).max(1),
            failed: self.failures.iter().map(|failure| failure.case.clone()).collect(),
            counter_faults: self.start.counter_access() == TscAccess::Faults,
        };
        let clocks = &mut self.clocks;
        let expected = (cells.len() * plan.rounds as usize).max(1) as f64;
        // The closure that listens and the one that asks whether to stop both need the observer.
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
            Message::Visit(visit) => log.visits.push(visit),
            Message::Failed { cell, reason } => log.failures.extend(cells.get(cell).map(|spec| failure(spec, reason))),
            Message::End { disturbance } => report.disturbance = disturbance,
        };
        launch::run(launcher, &request, padding, &|| observer.borrow().cancelled(), &mut hear)
    }

    /// Whether no case is left that could be measured.
    fn all_failed(&self) -> bool {
        self.plan.cases.iter().all(|case| self.failures.iter().any(|failure| failure.case == *case))
    }
}

/// The clock as the middle one of the processes saw it: one that was disturbed all the while says little of it.
fn usual(clocks: Vec<StudyClock>) -> Option<StudyClock> {
    let middle = |value: fn(&StudyClock) -> f64| stats::median(clocks.iter().map(value).collect());
    let (error_ns, batch_ns) = (middle(|clock| clock.error_ns)?, middle(|clock| clock.batch_ns)?);
    let name = clocks.into_iter().next()?.name;
    Some(StudyClock { name, error_ns, batch_ns })
}

fn failure(spec: &CellSpec, reason: String) -> CaseFailure {
    CaseFailure { case: spec.case.clone(), at: spec.place(), reason }
}

fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
