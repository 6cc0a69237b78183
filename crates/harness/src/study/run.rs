//! `Study::run`: a study from its plan to its record.

use std::time::Instant;

use super::against;
use super::error::StudyError;
use super::observer::StudyObserver;
use super::options::StudyOptions;
use super::study::Study;
use super::study_run::{StudyRun, milliseconds};
use super::turns::{Program, take_turns};
use crate::Start;
use crate::record::study::{StudyContent, StudyRecord};
use crate::record::{Document, Tool};
use crate::worker::is_worker;

/// The `command` in documents written by a benchmark program.
const COMMAND: &str = "study";

impl Study {
    /// Runs the study. Its worker processes are this program, restarted with the same arguments; with another build to compare
    /// with, they take turns with that build's.
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
        if is_worker() {
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
        let access = start.counter_access();
        let mut this = StudyRun::new(self, plan.clone(), access);
        let against = options.against.as_ref().map(|build| (build, Study { cases: build.cases(), ..self.clone() }));
        let mut other = against.as_ref().map(|(build, study)| (StudyRun::new(study, plan, access), build.launcher()));
        let workers = start.restarting();
        let mut programs = vec![Program { run: &mut this, workers: &workers }];
        programs.extend(other.iter_mut().map(|(run, workers)| Program { run, workers }));
        take_turns(&mut programs, observer);
        let interrupted = observer.cancelled();
        observer.goes_on(1.0, "estimates");
        let study = this.report();
        let against = against.zip(other).map(|((build, theirs), (run, _))| {
            let names = theirs.cases.into_iter().map(|case| case.name);
            let is_lacked = |name: &String| {
                options.filter.selects(self.name(), name) && self.cases.iter().all(|own| own.name != *name)
            };
            against::against(&study, run.report(), build.name(), names.filter(is_lacked).collect())
        });
        let content = StudyContent { study, against };
        let mut record = Document { started_at, interrupted, ..Document::new(COMMAND, tool, machine, content) };
        record.findings = crate::rule::conclude(super::rules::RULES, &record);
        record.content.study.conclusions = super::conclusions::conclusions(&record);
        record.elapsed_ms = milliseconds(began);
        Ok(record)
    }
}
