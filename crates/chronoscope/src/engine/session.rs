//! A run in progress: its plan, its workers, its readable clocks, and the studies of its parts.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use chronoscope_sources::Rate;

use chronoscope_harness::{Start, Study, StudyObserver, StudyRun};

use super::task::{Bench, Request, Response, Task, TaskAnswer, perform};
use super::timer::TimerSpec;
use crate::clock_id::ClockId;
use crate::engine::stages::{StageError, StageResult};
use crate::part::{Part, PartReport};
use crate::plan::Plan;
use chronoscope_harness::record::{Disturbance, Machine, TscAccess};
use chronoscope_harness::worker::{Launch, Launcher, Limit, PROTOCOL, Terms, WorkerFailure};

/// Time allowed beyond twice a worker's budget, for start-up, pilots and the answer.
const GRACE: Duration = Duration::from_secs(3);

/// A clock of the plan.
pub struct KnownClock {
    pub name: ClockId,
    /// Why it cannot be read; None if it can.
    pub reason_unavailable: Option<String>,
}

/// The study of a part, under way.
pub(super) struct BuiltIn {
    pub part: Part,
    pub study: Study,
    pub run: StudyRun,
}

/// A run in progress: the plan, the machine, the worker launcher, and the timer.
pub struct Session<'a> {
    start: &'a Start,
    workers: &'a dyn Launch,
    pub plan: Plan,
    pub machine: Machine,
    /// The clocks of the plan.
    pub clocks: Vec<KnownClock>,
    /// How the parts so far ended.
    pub parts: Vec<PartReport>,
    pub observer: &'a mut dyn StudyObserver,
    pub timer: TimerSpec,
    pub(super) studies: Vec<BuiltIn>,
    /// Why tasks run in this process, if no other can be started.
    pub reason_no_workers: Option<String>,
    /// Planned time of the completed parts.
    pub done_ms: u64,
    began: Instant,
    /// Disturbance of all workers since it was last taken.
    suffered: RefCell<Disturbance>,
}

impl<'a> Session<'a> {
    pub fn new(
        start: &'a Start,
        workers: &'a dyn Launch,
        plan: Plan,
        machine: Machine,
        observer: &'a mut dyn StudyObserver,
    ) -> Self {
        Self {
            start,
            workers,
            plan,
            machine,
            clocks: Vec::new(),
            parts: Vec::new(),
            observer,
            timer: TimerSpec::SystemCall,
            studies: Vec::new(),
            reason_no_workers: None,
            done_ms: 0,
            began: Instant::now(),
            suffered: RefCell::default(),
        }
    }

    /// The clocks in `among` that can be read.
    pub fn available(&self, among: &[ClockId]) -> Vec<ClockId> {
        let is_readable =
            |id: &ClockId| self.clocks.iter().any(|clock| clock.name == *id && clock.reason_unavailable.is_none());
        among.iter().filter(|id| is_readable(id)).cloned().collect()
    }

    /// As [`available`](Self::available), for a part that needs at least one.
    ///
    /// # Errors
    /// Without one: why.
    pub fn readable(&self, among: &[ClockId]) -> Result<Vec<ClockId>, StageError> {
        let clocks = self.available(among);
        if clocks.is_empty() {
            let reason = self.clocks.iter().find_map(|clock| clock.reason_unavailable.as_deref());
            let because = reason.map_or_else(String::new, |reason| format!(": {reason}"));
            return Err(StageError::Skipped(format!("none of the planned clocks can be read{because}")));
        }
        Ok(clocks)
    }

    /// Sends `request` to a worker, on `cpu` unless its threads choose their own.
    pub fn ask<R: Task>(
        &self,
        cpu: Option<u32>,
        budget_ms: u64,
        request: &R,
    ) -> Result<(R::Samples, Disturbance), WorkerFailure> {
        let counter_faults = self.counter_faults();
        let response: Response<R::Samples> = match &self.reason_no_workers {
            None => {
                let task = R::NAME.to_owned();
                let (protocol, timer) = (PROTOCOL, self.timer);
                let request = Request { protocol, counter_faults, cpu, timer, budget_ms, task, request };
                let response = self.response(serde_json::to_string(&request), budget_ms)?;
                serde_json::from_str(&response).map_err(|error| WorkerFailure::ProtocolError(error.to_string()))?
            }
            Some(_) if counter_faults => {
                return Err(WorkerFailure::Refused(
                    "reading a clock might kill this process, and no worker can be started".into(),
                ));
            }
            Some(_) => in_this_process(request, Bench::new(cpu, self.timer, budget_ms))?,
        };
        let (samples, disturbance) = match response {
            Response::Samples { samples, disturbance } => (Ok(samples), disturbance),
            Response::Refused { reason, disturbance } => (Err(WorkerFailure::Refused(reason)), disturbance),
        };
        self.suffered.borrow_mut().merge(&disturbance);
        let samples = samples?;
        match request.answered(&samples) {
            (answered, asked) if answered != asked => Err(WorkerFailure::Refused(format!(
                "the worker process's answer is too short: {answered} of {asked} items"
            ))),
            _ => Ok((samples, disturbance)),
        }
    }

    /// A worker's response, as text.
    fn response(&self, request: serde_json::Result<String>, budget_ms: u64) -> Result<String, WorkerFailure> {
        let request = request.map_err(|error| WorkerFailure::NotStarted(error.to_string()))?;
        let limit = Limit::Whole(GRACE + 2 * Duration::from_millis(budget_ms));
        let terms = Terms { limit, padding: 0, cancelled: &|| self.observer.cancelled() };
        let mut heard = TaskAnswer::default();
        self.workers.converse(&request, &mut heard, terms)?;
        Ok(heard.response.unwrap_or_default())
    }

    /// Starts processes of this program.
    pub fn launcher(&self) -> Result<&Launcher, WorkerFailure> {
        self.start.launcher()
    }

    /// What answers requests.
    pub fn workers(&self) -> &'a dyn Launch {
        self.workers
    }

    /// The CPUs that the process may run on.
    pub fn allowed_cpus(&self) -> &'a [u32] {
        self.start.allowed_cpus()
    }

    /// Whether this process was started with the right to read the counter.
    pub fn counter_access(&self) -> TscAccess {
        self.start.counter_access()
    }

    /// Whether this process was started without the right to read the counter.
    pub fn counter_faults(&self) -> bool {
        self.start.counter_access() == TscAccess::Faults
    }

    /// Adds a disturbance of processes other than workers.
    pub fn suffer(&self, disturbance: &Disturbance) {
        self.suffered.borrow_mut().merge(disturbance);
    }

    /// As [`ask`](Self::ask), on the measuring CPU.
    pub fn ask_alone<R: Task>(&self, budget_ms: u64, request: &R) -> Result<(R::Samples, Disturbance), WorkerFailure> {
        self.ask(self.plan.measuring_cpu(), budget_ms, request)
    }

    /// Attributes the disturbance of workers since it was last taken to `part`.
    pub fn charge(&mut self, part: Part) {
        let suffered = self.take_suffered();
        if let Some(report) = self.parts.iter_mut().find(|report| report.part == part) {
            report.disturbance.merge(&suffered);
        }
    }

    /// The disturbance of all workers since the last call.
    pub fn take_suffered(&self) -> Disturbance {
        self.suffered.take()
    }

    /// Whether there is time for a retry: the run has not been stopped, and some is left.
    pub fn has_time(&self) -> bool {
        !self.observer.cancelled() && !self.time_left().is_zero()
    }

    /// How a part ends whose run may have been interrupted in the meantime, after which its results are incomplete.
    pub fn uninterrupted(&self, meanwhile: &str) -> StageResult {
        match self.observer.cancelled() {
            true => Err(StageError::Incomplete(format!("the run was interrupted{meanwhile}"))),
            false => Ok(()),
        }
    }

    /// The time left for retries: a run may exceed its budget by an eighth.
    pub fn time_left(&self) -> Duration {
        let budget = Duration::from_millis(self.plan.budget_ms);
        (budget + budget / 8).saturating_sub(self.began.elapsed())
    }

    /// Reports to the observer that `share` of `part` is complete.
    pub fn goes_on(&mut self, part: Part, share: f64) {
        let whole_ms: u64 = self.plan.parts.iter().map(|part| part.budget_ms).sum();
        let done_ms = self.done_ms as f64 + self.budget_ms(part) as f64 * share;
        self.observer.goes_on((done_ms / whole_ms.max(1) as f64).min(1.0), part.title());
    }

    /// The time budget of `part`.
    pub fn budget_ms(&self, part: Part) -> u64 {
        self.plan.budget_ms_of(part).unwrap_or(1)
    }

    /// The tick length of `clock`.
    pub fn rate_of(&self, clock: &ClockId) -> Rate {
        if clock.is_counter() { self.timer_rate() } else { Rate::NANOSECONDS }
    }

    /// The tick length of the timer.
    pub fn timer_rate(&self) -> Rate {
        match self.timer {
            TimerSpec::Counter { hz } => Rate::from_hz(hz).unwrap_or(Rate::NANOSECONDS),
            TimerSpec::OsClock | TimerSpec::SystemCall => Rate::NANOSECONDS,
        }
    }
}

/// Runs `request` on a separate thread of this process, which confines the task's effects on its thread, such as CPU
/// affinity or a forbidden system call.
fn in_this_process<R: Task>(request: &R, bench: Bench) -> Result<Response<R::Samples>, WorkerFailure> {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .spawn_scoped(scope, move || perform(request, &bench))
            .map_err(|error| WorkerFailure::Refused(format!("could not start a thread: {error}")))?
            .join()
            .map_err(|_| WorkerFailure::Refused("the measuring thread panicked".to_owned()))
    })
}
