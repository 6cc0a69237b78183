use std::time::{Duration, Instant};

use chronoscope_harness::ExternalStudy;
use chronoscope_harness::quantity::RATIO;

use super::external::study;
use super::operations::Operations;
use crate::probe::protocol::{ProbeRequest, Task};
use crate::probe::rates::wrong_timer;
use crate::probe::runtime::Runtime;
use crate::probe::{Candidate, ProbeRunner};

/// The start-up time that is assumed before the first.
pub const START_MS: f64 = 150.0;
/// What a probe's process says if it was told to stop.
const STOPPED: &str = "the run was interrupted";
const LATE: &str = "no time left; a longer --duration may suffice";
const SERIAL: &str = "its threads run one at a time, so that only one read its clock";

/// A runtime whose turn comes once per round.
pub struct Turn {
    pub candidate: Candidate,
    pub operations: Operations,
    /// Of each completed process, in milliseconds.
    elapsed_ms: Vec<u64>,
    pub used: Duration,
    longest: Duration,
}

impl Turn {
    pub fn new(mut candidate: Candidate, operations: Operations) -> Self {
        // That its system calls could not be counted matters elsewhere.
        candidate.runtime.reasons_incomplete.clear();
        Self { candidate, operations, elapsed_ms: Vec::new(), used: Duration::ZERO, longest: Duration::ZERO }
    }

    /// What is going on while it is asked.
    pub fn title(&self) -> String {
        let runtime = self.candidate.runtime.title();
        match self.operations {
            Operations::Clocks(_) => format!("clocks of {runtime}"),
            Operations::Experiment(_) => runtime,
        }
    }

    /// Whether it could be prepared.
    pub fn is_able(&self) -> bool {
        self.candidate.runtime.reason_unavailable.is_none()
    }

    pub fn processes(&self) -> u32 {
        self.candidate.sweeps.len() as u32
    }

    /// Whether another process with this task ends within the time `left`.
    pub fn is_in_time(&self, left: Duration, task: &Task, round: u32) -> bool {
        is_in_time(left, self.longest, self.planned(task, round))
    }

    /// How long a process with this task should take.
    fn planned(&self, task: &Task, round: u32) -> Duration {
        let start_ms = self.candidate.start_ms().unwrap_or(START_MS) as u64;
        Duration::from_millis(start_ms + ProbeRequest::new(task.clone(), round).takes_ms())
    }

    pub fn ask(
        &mut self,
        task: Task,
        round: u32,
        runner: &ProbeRunner<'_>,
        cpus: &[u32],
        cancelled: &dyn Fn() -> bool,
    ) {
        let (began, before) = (Instant::now(), self.candidate.sweeps.len());
        self.candidate.ask(task, round, runner, cpus, cancelled);
        let took = began.elapsed();
        self.used += took;
        self.longest = self.longest.max(took);
        if self.candidate.sweeps.len() > before {
            self.elapsed_ms.push(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
        }
        // What one process refuses, all do.
        let refused = self.candidate.sweeps.last().and_then(|process| process.answer.sweep_unavailable.clone());
        self.candidate.runtime.reason_unavailable = refused;
    }

    /// Its study, if it has any, and what is to be said about it.
    pub fn concluded(self, name: &str, label: &str, cpus: &[u32], stopped: bool) -> (Option<ExternalStudy>, Runtime) {
        let wrong_rate = wrong_timer(self.candidate.answers());
        let study = study((name, label), &self.operations, &self.candidate.sweeps, &self.elapsed_ms, cpus);
        let study = study.filter(|_| wrong_rate.is_none());
        let (processes, start_ms) = (self.processes(), self.candidate.start_ms());
        let mut runtime = Runtime { processes, start_ms, available: study.is_some(), ..self.candidate.runtime };
        if runtime.available {
            let is_serial = runtime.parallel == Some(false);
            runtime.reasons_incomplete.extend(is_serial.then(|| SERIAL.to_owned()));
            return (study, runtime);
        }
        // A compiler that was told to stop says so, whoever told it.
        let reason = runtime.reason_unavailable.take().filter(|reason| reason != STOPPED);
        let unbelieved =
            wrong_rate.map(|rate| format!("its timer runs at {} the rate of this machine's clock", RATIO.value(rate)));
        let reason = unbelieved.or(reason);
        let reason =
            reason.or_else(|| (!runtime.reasons_incomplete.is_empty()).then(|| runtime.reasons_incomplete.remove(0)));
        runtime.out_of_time = reason.is_none() && !stopped;
        let untold = if stopped { STOPPED } else { LATE };
        runtime.reason_unavailable = Some(reason.unwrap_or_else(|| untold.to_owned()));
        (None, runtime)
    }
}

/// Whether a process ends within the time `left` if it takes as long as the runtime's longest so far, or as planned if it is the
/// first.
fn is_in_time(left: Duration, longest: Duration, planned: Duration) -> bool {
    left > if longest.is_zero() { planned } else { longest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_process_starts_that_would_end_late() {
        let starts = |left: u64, longest: u64, planned: u64| {
            let [left, longest, planned] = [left, longest, planned].map(Duration::from_millis);
            is_in_time(left, longest, planned)
        };
        assert!(starts(501, 0, 500) && !starts(499, 0, 500), "the first, which no other foretells");
        assert!(starts(501, 300, 900) && !starts(3_000, 4_000, 500), "a slow start is known from the one before");
        assert!(!starts(0, 0, 0));
    }
}
