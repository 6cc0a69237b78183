//! A study that is part of a section: measured by the tool's own workers, within the section's time.

use chronoscope_harness::record::study::StudyReport;
use chronoscope_harness::worker::Launch;
use chronoscope_harness::{Study, StudyObserver, StudyOptions, StudyRun, Turn};
use std::time::Duration;

use super::session::Session;
use super::stages::StageError;
use crate::part::Part;

/// A study needs as many processes for an interval.
const FEWEST_PROCESSES: u32 = 2;

/// A study under way.
pub struct BuiltIn {
    study: Study,
    run: StudyRun,
}

impl BuiltIn {
    /// `study` on the measuring CPU, in this many processes, which share `budget_ms`.
    pub fn begin(session: &Session<'_>, study: Study, processes: u32, budget_ms: u64) -> Result<Self, StageError> {
        let options = StudyOptions {
            budget: Some(Duration::from_millis(budget_ms)),
            processes: Some(processes.max(FEWEST_PROCESSES)),
            cpus: session.plan.measuring_cpu().map(|cpu| vec![cpu]),
            ..StudyOptions::default()
        };
        let plan = study
            .plan(&options, session.allowed_cpus())
            .map_err(|error| StageError::Skipped(format!("the study cannot be planned: {error}")))?;
        let run = StudyRun::new(&study, plan, session.counter_access());
        Ok(Self { study, run })
    }

    /// Runs all processes, as parts of `part`.
    pub fn run_all(&mut self, session: &mut Session<'_>, part: Part) {
        self.attended(session, part, |run, workers, observer| run.run_all(workers, observer));
    }

    /// Runs the process of that number.
    pub fn run_one(&mut self, session: &mut Session<'_>, part: Part, process: u32, budget_ms: u64) {
        let turn = Turn { process, budget_ms, share: (0.0, 1.0) };
        self.attended(session, part, |run, workers, observer| {
            run.run_one(workers, &turn, observer);
        });
    }

    fn attended(
        &mut self,
        session: &mut Session<'_>,
        part: Part,
        run: impl FnOnce(&mut StudyRun, &dyn Launch, &mut dyn StudyObserver),
    ) {
        let before = self.run.processes().len();
        let workers = session.workers();
        let here = self.study.in_this_process();
        let workers = if session.reason_no_workers.is_some() { &here } else { workers };
        run(&mut self.run, workers, &mut OfPart { session: &mut *session, part });
        self.run.processes()[before..].iter().for_each(|process| session.suffer(&process.disturbance));
    }

    /// Goes on with a study that was set aside.
    pub fn resume((study, run): (Study, StudyRun)) -> Self {
        Self { study, run }
    }

    pub fn set_aside(self) -> (Study, StudyRun) {
        (self.study, self.run)
    }

    /// Everything measured so far.
    pub fn report(&self) -> StudyReport {
        self.run.report()
    }
}

/// Tells the session's observer how far its part is.
struct OfPart<'a, 's> {
    session: &'a mut Session<'s>,
    part: Part,
}

impl StudyObserver for OfPart<'_, '_> {
    fn goes_on(&mut self, share: f64, _what: &str) {
        self.session.goes_on(self.part, share);
    }

    fn cancelled(&self) -> bool {
        self.session.observer.cancelled()
    }
}
