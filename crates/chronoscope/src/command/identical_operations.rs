//! The comparison of identical operations, for the noise floor of a gate.

use std::time::Duration;

use chronoscope_bench::Failure;
use chronoscope_harness::record::study::StudyRecord;
use chronoscope_harness::{Start, Study, StudyOptions};

use super::study_run;
use crate::answers::noise_floor::report::NoiseFloor;
use crate::answers::noise_floor::size::{USUAL, processes_in};
use crate::document::{Content, Record};
use crate::engine::noise_floor_study;
use crate::run_options::RunOptions;

/// The `command` in documents without a check.
const COMMAND: &str = "gate";

/// The comparison, ready to run.
pub struct IdenticalOperations {
    study: Study,
    options: StudyOptions,
    budget: Duration,
}

impl IdenticalOperations {
    /// # Errors
    /// For a duration out of range, or CPUs that are not allowed.
    pub fn planned(start: &Start, run: &RunOptions) -> Result<Self, Failure> {
        let study = noise_floor_study::study().budget(USUAL);
        let options = study_run::options(run)?;
        let budget = options.budget.unwrap_or_else(|| USUAL.mul_f64(options.depth));
        let options = StudyOptions { processes: Some(processes_in(budget)), ..options };
        study.plan(&options, start.allowed_cpus()).map_err(of_study)?;
        Ok(Self { study, options, budget })
    }

    /// A document with what they show and nothing else.
    pub fn measured(self, run: &RunOptions) -> Result<Record, Failure> {
        let study = self.run(run)?;
        let content = Content { noise_floor: Some(NoiseFloor::of(&study)), ..Content::default() };
        Ok(Record { command: COMMAND.to_owned(), findings: Vec::new(), ..study.map(|_| content) })
    }

    /// A check with what they show after it.
    pub fn measured_after(self, mut check: Record, run: &RunOptions) -> Result<Record, Failure> {
        let study = self.run(run)?;
        check.content.noise_floor = Some(NoiseFloor::of(&study));
        check.interrupted |= study.interrupted;
        check.elapsed_ms += study.elapsed_ms;
        Ok(check)
    }

    fn run(&self, run: &RunOptions) -> Result<StudyRecord, Failure> {
        let measured = study_run::shown(run.quiet, |progress| {
            progress.expects(self.budget);
            self.study.run(&self.options, study_run::tool(), progress)
        });
        measured.map_err(of_study)
    }
}

fn of_study(error: chronoscope_harness::StudyError) -> Failure {
    Failure::usage(error.to_string())
}
