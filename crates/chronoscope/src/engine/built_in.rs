//! Studies that are parts of sections: measured by the tool's own workers, within the section's time.

use chronoscope_harness::estimators::latency::{Latency, latency};
use chronoscope_harness::record::study::StudyReport;
use chronoscope_harness::worker::Launch;
use chronoscope_harness::{Study, StudyObserver, StudyOptions, StudyRun, Turn};
use std::time::Duration;

use super::latency_study::case_of;
use super::session::{BuiltIn, KnownClock, Session};
use super::stages::{StageError, StageResult};
use crate::clock_id::ClockId;
use crate::part::Part;

/// A study needs as many processes for an interval.
const FEWEST_PROCESSES: u32 = 2;

impl Session<'_> {
    /// Begins the study of `part`, on the measuring CPU, in this many processes, which share `budget_ms`.
    pub fn begin_study(&mut self, part: Part, study: Study, processes: u32, budget_ms: u64) -> StageResult {
        let options = StudyOptions {
            budget: Some(Duration::from_millis(budget_ms)),
            processes: Some(processes.max(FEWEST_PROCESSES)),
            cpus: self.plan.measuring_cpu().map(|cpu| vec![cpu]),
            ..StudyOptions::default()
        };
        let plan = study
            .plan(&options, self.allowed_cpus())
            .map_err(|error| StageError::Skipped(format!("the study cannot be planned: {error}")))?;
        let run = StudyRun::new(&study, plan, self.counter_access());
        self.studies.push(BuiltIn { part, study, run });
        Ok(())
    }

    /// Runs all processes of the study of `part`.
    pub fn run_all(&mut self, part: Part) {
        self.attend(part, |run, workers, observer| run.run_all(workers, observer));
    }

    /// Runs its process of that number.
    pub fn run_one(&mut self, part: Part, process: u32, budget_ms: u64) {
        let turn = Turn { process, budget_ms, share: (0.0, 1.0) };
        self.attend(part, |run, workers, observer| {
            run.run_one(workers, &turn, observer);
        });
    }

    fn attend(&mut self, part: Part, run: impl FnOnce(&mut StudyRun, &dyn Launch, &mut dyn StudyObserver)) {
        let Some(at) = self.studies.iter().position(|study| study.part == part) else { return };
        let mut study = self.studies.remove(at);
        let before = study.run.processes().len();
        // Where no process starts, the study is its own worker.
        let workers = if self.reason_no_workers.is_some() { &study.study } else { self.workers() };
        run(&mut study.run, workers, &mut OfPart { session: self, part });
        study.run.processes()[before..].iter().for_each(|process| self.suffer(&process.disturbance));
        self.studies.push(study);
    }

    /// Everything that the study of `part` has measured so far.
    ///
    /// # Errors
    /// If there is no such study.
    pub fn study(&self, part: Part) -> Result<StudyReport, StageError> {
        let of_part = self.studies.iter().find(|study| study.part == part);
        of_part.map(|study| study.run.report()).ok_or_else(|| StageError::Skipped("no study was begun".to_owned()))
    }

    /// What a read of each clock costs that a study has measured, whichever part it belongs to.
    pub fn latencies(&self) -> Vec<(ClockId, Latency)> {
        let studies: Vec<StudyReport> = self.studies.iter().map(|study| study.run.report()).collect();
        let of = |clock: &KnownClock| {
            let case = case_of(&clock.name, false);
            let mut cells = studies.iter().flat_map(|study| &study.cells).filter(|cell| cell.case == case);
            Some((clock.name.clone(), cells.find_map(latency)?))
        };
        self.clocks.iter().filter_map(of).collect()
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
