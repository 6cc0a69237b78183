//! Tasks for worker processes: a section's request, its samples, and the loop that takes them.
//!
//! A task takes raw samples and estimates nothing. Its loops are generic over the source, so that tests run them with a
//! fake clock and real runs compile them for each source.

use std::cell::RefCell;

use chronoscope_sources::os::{CounterAccess, set_counter_access};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::timer::{Timer, TimerSpec};
use chronoscope_harness::record::Disturbance;
use chronoscope_harness::watch::Watch;
use chronoscope_harness::worker::{Hear, Identity, message};

/// A request that a worker process answers.
pub trait Task: Serialize + DeserializeOwned + Sync + 'static {
    /// Its unique name in the protocol.
    const NAME: &'static str;

    type Samples: Serialize + DeserializeOwned + Send;

    /// Takes the samples, in this process and on this thread.
    ///
    /// # Errors
    /// Why there are no samples.
    fn perform(&self, bench: &Bench) -> Result<(Self::Samples, Disturbance), String>;

    /// How many of the requested items `samples` contains, and how many were requested; equal if nothing is missing.
    fn answered(&self, _samples: &Self::Samples) -> (usize, usize) {
        (1, 1)
    }
}

/// Resources available to a task.
#[derive(Debug)]
pub struct Bench {
    cpu: Option<u32>,
    timer: TimerSpec,
    /// The task's time budget.
    pub budget_ms: u64,
    /// Disturbance on this thread of a task that failed.
    suffered_in_vain: RefCell<Disturbance>,
}

impl Bench {
    /// `cpu`: where single-threaded tasks run.
    pub fn new(cpu: Option<u32>, timer: TimerSpec, budget_ms: u64) -> Self {
        Self { cpu, timer, budget_ms, suffered_in_vain: RefCell::default() }
    }

    /// The timer for batches.
    ///
    /// # Errors
    /// Why it is unavailable.
    pub fn timer(&self) -> Result<Timer, String> {
        Timer::new(self.timer)
    }

    /// Runs `take` on this thread, pinned to the bench's CPU and watched.
    ///
    /// # Errors
    /// Those of `take`.
    pub fn alone<T>(&self, take: impl FnOnce() -> Result<T, String>) -> Result<(T, Disturbance), String> {
        let watch = Watch::pinned(self.cpu);
        let seen = take();
        let suffered = watch.finish();
        match seen {
            Ok(samples) => Ok((samples, suffered)),
            Err(reason) => {
                self.suffered_in_vain.replace(suffered);
                Err(reason)
            }
        }
    }
}

/// A task in transit to a worker.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request<R> {
    /// The version of the protocol.
    pub protocol: u32,
    /// Whether the coordinator was started without the right to read the counter; the worker then drops it too.
    pub counter_faults: bool,
    /// The CPU to run on; multi-threaded tasks choose their own.
    pub cpu: Option<u32>,
    /// The timer for batches.
    pub timer: TimerSpec,
    /// The task's time budget.
    pub budget_ms: u64,
    /// The task's name.
    pub task: String,
    /// The task itself.
    pub request: R,
}

/// A worker's answer, and what disturbed it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", try_from = "Flat<S>", bound(deserialize = "S: DeserializeOwned"))]
pub enum Response<S> {
    Samples {
        samples: S,
        disturbance: Disturbance,
    },
    /// Why there are none.
    Refused {
        reason: String,
        disturbance: Disturbance,
    },
}

/// A [`Response`] as it is read. Read as a tagged enum, samples would go by way of a buffer, and all their types would have the
/// code that reads them a second time.
#[derive(Deserialize)]
#[serde(bound(deserialize = "S: DeserializeOwned"))]
struct Flat<S> {
    r#type: Answered,
    #[serde(default, deserialize_with = "given")]
    samples: Option<S>,
    reason: Option<String>,
    disturbance: Disturbance,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answered {
    Samples,
    Refused,
}

/// A value that is there, be it null.
fn given<'a, S: Deserialize<'a>, D: Deserializer<'a>>(value: D) -> Result<Option<S>, D::Error> {
    S::deserialize(value).map(Some)
}

impl<S> TryFrom<Flat<S>> for Response<S> {
    type Error = &'static str;

    fn try_from(Flat { r#type, samples, reason, disturbance }: Flat<S>) -> Result<Self, Self::Error> {
        match r#type {
            Answered::Samples => Ok(Self::Samples { samples: samples.ok_or("missing field `samples`")?, disturbance }),
            Answered::Refused => Ok(Self::Refused { reason: reason.ok_or("missing field `reason`")?, disturbance }),
        }
    }
}

/// Runs `task` in this process and on this thread.
pub fn perform<R: Task>(task: &R, bench: &Bench) -> Response<R::Samples> {
    match task.perform(bench) {
        Ok((samples, disturbance)) => Response::Samples { samples, disturbance },
        Err(reason) => Response::Refused { reason, disturbance: bench.suffered_in_vain.take() },
    }
}

/// Hears a worker that performs a task.
#[derive(Default)]
pub struct TaskAnswer {
    /// The text of its response.
    pub response: Option<String>,
    is_complete: bool,
}

impl Hear for TaskAnswer {
    fn line(&mut self, line: &str) -> Result<bool, String> {
        #[derive(Deserialize)]
        struct Head {
            r#type: String,
        }
        let Some(message) = message(line) else { return Ok(false) };
        let head: Head = serde_json::from_str(message).map_err(|error| error.to_string())?;
        match head.r#type.as_str() {
            "identity" => serde_json::from_str::<Identity>(message).map_err(|error| error.to_string())?.check()?,
            "end" => self.is_complete = self.response.is_some(),
            _ => self.response = Some(message.to_owned()),
        }
        Ok(true)
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }
}

/// A task served by workers.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    /// Its name in the protocol.
    pub name: &'static str,
    answer: fn(Value, &Bench) -> Result<String, serde_json::Error>,
}

/// The entry of `R` in its section's list of tasks.
pub const fn served<R: Task>() -> Served {
    Served {
        name: R::NAME,
        answer: |request, bench| serde_json::to_string(&perform(&serde_json::from_value::<R>(request)?, bench)),
    }
}

/// Answers the text of a request for one of `tasks`, as text.
///
/// # Errors
/// Why there is no answer: the request cannot be parsed, or names an unknown task.
pub fn answer(mut tasks: impl Iterator<Item = Served>, text: &str) -> Result<String, String> {
    let unparsable = |error: serde_json::Error| format!("cannot parse the request: {error}");
    let request: Request<Value> = serde_json::from_str(text).map_err(unparsable)?;
    let task =
        tasks.find(|served| served.name == request.task).ok_or_else(|| format!("unknown task {}", request.task))?;
    if request.counter_faults {
        set_counter_access(CounterAccess::Faults).map_err(|unavailable| unavailable.to_string())?;
    }
    (task.answer)(request.request, &Bench::new(request.cpu, request.timer, request.budget_ms)).map_err(unparsable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::worker::PROTOCOL;

    /// Counts to a given number, on this thread or on others; not beyond nine.
    #[derive(Serialize, Deserialize)]
    struct Count {
        to: u32,
        alone: bool,
    }

    impl Task for Count {
        const NAME: &'static str = "count";
        type Samples = Vec<u32>;

        fn perform(&self, bench: &Bench) -> Result<(Self::Samples, Disturbance), String> {
            let count = || {
                if self.to > 9 { Err(format!("{} is too many", self.to)) } else { Ok((0..self.to).collect()) }
            };
            if self.alone { bench.alone(count) } else { Ok((count()?, Disturbance::default())) }
        }
    }

    fn asked(task: &str, request: Value) -> Result<Response<Vec<u32>>, String> {
        let request = Request {
            protocol: PROTOCOL,
            counter_faults: false,
            cpu: None,
            timer: TimerSpec::SystemCall,
            budget_ms: 1,
            task: task.to_owned(),
            request,
        };
        let text = serde_json::to_string(&request).unwrap();
        Ok(serde_json::from_str(&answer([served::<Count>()].into_iter(), &text)?).unwrap())
    }

    #[test]
    fn an_answer_has_what_its_type_says() {
        let read = |mut answer: Value| {
            answer["disturbance"] = serde_json::to_value(Disturbance::default()).unwrap();
            let read = serde_json::from_str::<Response<Option<u32>>>(&answer.to_string());
            read.map_err(|error| error.to_string())
        };
        let samples = |answer| match read(answer) {
            Ok(Response::Samples { samples, .. }) => samples,
            other => panic!("{other:?}"),
        };
        assert_eq!(samples(serde_json::json!({ "type": "samples", "samples": 7 })), Some(7));
        assert_eq!(samples(serde_json::json!({ "type": "samples", "samples": null })), None);
        let refused = read(serde_json::json!({ "type": "refused", "reason": "no" }));
        assert!(matches!(refused, Ok(Response::Refused { reason, .. }) if reason == "no"));
        for (kind, lacks) in [("samples", "samples"), ("refused", "reason"), ("sung", "unknown variant")] {
            let error = read(serde_json::json!({ "type": kind })).unwrap_err();
            assert!(error.contains(lacks), "{error}");
        }
    }

    #[test]
    fn a_task_is_found_by_its_name() {
        let request = serde_json::json!({ "to": 3, "alone": false });
        let counted = asked("count", request.clone()).unwrap();
        assert!(matches!(counted, Response::Samples { samples, .. } if samples == [0, 1, 2]));
        assert_eq!(asked("sing", request).unwrap_err(), "unknown task sing");
    }

    #[test]
    fn a_request_that_cannot_be_parsed_says_so() {
        let reason = asked("count", serde_json::json!({ "to": "three", "alone": true })).unwrap_err();
        assert!(reason.starts_with("cannot"), "{reason}");
        let reason = answer([served::<Count>()].into_iter(), "{}").unwrap_err();
        assert!(reason.starts_with("cannot"), "{reason}");
    }

    #[test]
    fn a_refusal_tells_what_its_own_thread_suffered_and_blames_no_thread_that_waited() {
        let refused = |alone| match asked("count", serde_json::json!({ "to": 10, "alone": alone })).unwrap() {
            Response::Refused { reason, disturbance } => (reason, disturbance.reason_unpinned),
            Response::Samples { samples, .. } => panic!("{samples:?}"),
        };
        assert_eq!(refused(true), ("10 is too many".to_owned(), Some("no CPU was named".to_owned())));
        assert_eq!(refused(false), ("10 is too many".to_owned(), None));
    }
}
