//! What a worker process can be asked to do: one file per task, each with its request, its samples and its loop.
//!
//! A task takes raw samples and estimates nothing. Its loops are generic over the source, so that tests run them
//! against a fake clock and the machine runs them compiled for each real one.

pub use crate::engine::{frequency, probe, timer};
pub use crate::sections::causality::{litmus, offset};
pub use crate::sections::clocks::granularity::task as granularity;
pub use crate::sections::clocks::intervals::{empty, task as interval};
pub use crate::sections::clocks::latency::task as latency;
pub use crate::sections::clocks::library_clock::task as library_clock;
pub use crate::sections::clocks::paths::task as path;
pub use crate::sections::contention::task as monotime;
pub use crate::sections::pauses::task as pause;
pub use crate::sections::reads::task as reads;
pub use crate::sections::thread_release::task as latch;
pub use chronoscope_harness::work;

use std::io::Write;
use std::process::ExitCode;

use chronoscope_clock::os::{CounterAccess, set_counter_access};
use serde::{Deserialize, Serialize};

use crate::sections::runtimes::probe::become_if_asked;
use crate::worker;

use crate::record::Disturbance;
use crate::watch::Watch;
use timer::{Timer, TimerSpec};

/// What a worker is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Whether the coordinator was started without the right to read the counter; the worker then gives it up too.
    pub counter_faults: bool,
    /// The CPU to run on; tasks with several threads name their own.
    pub cpu: Option<u32>,
    /// What times the batches.
    pub timer: TimerSpec,
    /// How long the task may take.
    pub budget_ms: u64,
    /// What to do.
    pub task: Task,
}

/// The task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Read each source once.
    Probe(probe::Request),
    /// Measure the counter's frequency.
    Frequency,
    /// Find each clock's path.
    Path(path::Request),
    /// Time batches of reads.
    Latency(latency::Request),
    /// Read until the clock changes.
    Granularity(granularity::Request),
    /// Take consecutive reads.
    Reads(reads::Request),
    /// Pass messages between two CPUs.
    Offset(offset::Request),
    /// Publish and observe.
    Litmus(litmus::Request),
    /// Time nothing.
    Empty(empty::Request),
    /// Time known work once per reading.
    Interval(interval::Request),
    /// Ask the library's clock about itself.
    LibraryClock,
    /// Let many threads read.
    Monotime(monotime::Request),
    /// Release many threads together.
    Latch(latch::Request),
    /// Pause in every way.
    Pause(pause::Request),
}

/// What a worker answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// What disturbed it.
    pub disturbance: Disturbance,
    /// What it saw, or why it saw nothing.
    pub samples: Result<Samples, String>,
}

/// What a task saw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Samples {
    /// Of [`Task::Probe`].
    Probe(probe::Samples),
    /// Of [`Task::Frequency`].
    Frequency(frequency::Samples),
    /// Of [`Task::Path`].
    Path(path::Samples),
    /// Of [`Task::Latency`].
    Latency(latency::Samples),
    /// Of [`Task::Granularity`].
    Granularity(granularity::Samples),
    /// Of [`Task::Reads`].
    Reads(reads::Samples),
    /// Of [`Task::Offset`].
    Offset(offset::Samples),
    /// Of [`Task::Litmus`].
    Litmus(litmus::Samples),
    /// Of [`Task::Empty`].
    Empty(empty::Samples),
    /// Of [`Task::Interval`].
    Interval(interval::Samples),
    /// Of [`Task::LibraryClock`].
    LibraryClock(library_clock::Samples),
    /// Of [`Task::Monotime`].
    Monotime(monotime::Samples),
    /// Of [`Task::Latch`].
    Latch(latch::Samples),
    /// Of [`Task::Pause`].
    Pause(pause::Samples),
}

/// Does what `request` asks, in this process and on this thread.
pub fn perform(request: &Request) -> Response {
    let budget_ms = request.budget_ms;
    let timer = || Timer::new(request.timer);
    match &request.task {
        Task::Offset(task) => across(timer().and_then(|timer| offset::run(task, timer, budget_ms)), Samples::Offset),
        Task::Litmus(task) => across(timer().and_then(|timer| litmus::run(task, timer, budget_ms)), Samples::Litmus),
        Task::Monotime(task) => {
            across(timer().and_then(|timer| monotime::run(task, timer, budget_ms)), Samples::Monotime)
        }
        Task::Latch(task) => across(timer().and_then(|timer| latch::run(task, timer, budget_ms)), Samples::Latch),
        Task::Pause(task) => across(pause::run(task, budget_ms), Samples::Pause),
        task => {
            let watch = Watch::pinned(request.cpu);
            let samples = alone(task, timer, budget_ms);
            Response { disturbance: watch.finish(), samples }
        }
    }
}

/// The answer of a task whose threads bind and watch themselves.
fn across<T>(seen: Result<(T, Disturbance), String>, into: fn(T) -> Samples) -> Response {
    match seen {
        Ok((samples, disturbance)) => Response { disturbance, samples: Ok(into(samples)) },
        Err(reason) => Response { disturbance: Disturbance::default(), samples: Err(reason) },
    }
}

/// Does a task that runs on this thread alone.
fn alone(task: &Task, timer: impl Fn() -> Result<Timer, String>, budget_ms: u64) -> Result<Samples, String> {
    match task {
        Task::Probe(task) => Ok(Samples::Probe(probe::run(task))),
        Task::Frequency => frequency::run(budget_ms).map(Samples::Frequency),
        Task::Path(task) => path::run(task).map(Samples::Path),
        Task::Latency(task) => latency::run(task, timer()?, budget_ms).map(Samples::Latency),
        Task::Granularity(task) => granularity::run(task, timer()?, budget_ms).map(Samples::Granularity),
        Task::Reads(task) => reads::run(task, timer()?, budget_ms).map(Samples::Reads),
        Task::Empty(task) => empty::run(task).map(Samples::Empty),
        Task::Interval(task) => interval::run(task, timer()?, budget_ms).map(Samples::Interval),
        Task::LibraryClock => Ok(Samples::LibraryClock(library_clock::run(timer()?, budget_ms))),
        Task::Offset(_) | Task::Litmus(_) | Task::Monotime(_) | Task::Latch(_) | Task::Pause(_) => {
            Err("this task takes several threads".to_owned())
        }
    }
}

/// The source called `name`.
pub fn source(name: &str) -> Result<chronoscope_clock::SourceId, String> {
    chronoscope_clock::SourceId::from_name(name).ok_or_else(|| format!("this build knows no clock called {name}"))
}

/// Serves one request and tells the program to exit, if it was started as a worker; becomes the probe of a language
/// runtime, if it was started for that; else does nothing.
pub fn serve_if_asked() -> Option<ExitCode> {
    if let Some(reason) = become_if_asked(std::env::args_os().skip(1)) {
        let _ = writeln!(std::io::stderr(), "{reason}");
        return Some(ExitCode::FAILURE);
    }
    worker::serve_if_asked(answer)
}

fn answer(request: &str) -> Result<String, String> {
    let request: Request = serde_json::from_str(request).map_err(|error| format!("the request is garbled: {error}"))?;
    if request.counter_faults {
        set_counter_access(CounterAccess::Faults).map_err(|unavailable| unavailable.to_string())?;
    }
    serde_json::to_string(&perform(&request)).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_task_across_cpus_does_not_blame_the_thread_that_waited() {
        let task = Task::Offset(offset::Request { source: "sundial".into(), a: 0, b: 1, rounds: 1 });
        let timer = TimerSpec::SystemCall;
        let response = perform(&Request { counter_faults: false, cpu: None, timer, budget_ms: 1, task });
        assert!(response.samples.is_err());
        assert_eq!(response.disturbance.reason_unpinned, None);
    }
}
