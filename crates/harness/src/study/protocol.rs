//! What a study and its worker processes say to each other: task `study` of `probes/PROTOCOL.md`.

use serde::{Deserialize, Serialize};

use super::cell_set::CellSet;
use super::outline::CaseOutline;
use crate::record::Disturbance;
use crate::record::study::{Handled, StudyClock, StudyPlan};
use crate::worker::{Identity, PROTOCOL, STUDY, message};

/// The request to a worker process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct StudyRequest {
    pub(super) protocol: u32,
    pub(super) task: String,
    /// The study's name.
    pub(super) study: String,
    pub(super) plan: StudyPlan,
    pub(super) process: u32,
    pub(super) budget_ms: u64,
    /// Cells that have failed and are not retried.
    pub(super) failed: CellSet,
    /// Cells that some process has measured: when time is short, only the others are measured.
    pub(super) measured: CellSet,
    /// Whether the coordinator was started without the right to read the counter.
    pub(super) counter_faults: bool,
    /// Whether to report only which cases there are, and to measure nothing.
    #[serde(default)]
    pub(super) outline: bool,
}

impl StudyRequest {
    /// Has the first process of a study measure in no time.
    pub(super) fn new(study: &str, plan: StudyPlan) -> Self {
        Self { protocol: PROTOCOL, task: STUDY.to_owned(), study: study.to_owned(), plan, ..Self::default() }
    }
}

/// A message from a worker process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Message {
    /// Who speaks.
    Identity(Identity),
    /// The cases of the study, if only they were requested.
    Outline { cases: Vec<CaseOutline> },
    /// The clock that times batches: its error, and the overhead of a batch.
    Clock(StudyClock),
    /// A cell is about to be measured: whatever happens next is attributed to it. Rounds count from 0; the pilot has
    /// none.
    Begin { cell: usize, round: Option<u32> },
    /// The result of an iteration.
    Iteration(IterationLog),
    /// The operation of this cell uses threads of its own, so that its measuring threads are bound to no CPU.
    OwnThreads { cell: usize },
    /// A case failed in this cell and is not measured again.
    Failed { cell: usize, reason: String },
    /// All work is complete.
    End { disturbance: Disturbance },
}

/// The result of an iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct IterationLog {
    pub(super) cell: usize,
    pub(super) round: u32,
    pub(super) layout: u32,
    pub(super) threads: Vec<ThreadLog>,
}

/// One thread's part of an iteration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ThreadLog {
    /// When its measured part began and ended, in nanoseconds of a clock common to all threads.
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
    pub(super) operations: u64,
    /// Nanoseconds of each batch, or of as many in a row as `merged` says.
    pub(super) batches_ns: Vec<u64>,
    /// Batches in each of `batches_ns`. The last one may be of more; 0 is 1.
    #[serde(default)]
    pub(super) merged: u64,
    /// Nanoseconds of the timestamped parts of each batch, where the case has them.
    pub(super) parts_ns: Vec<u64>,
    /// Single operations: nanoseconds and count.
    pub(super) singles: Vec<(u64, u64)>,
    /// Operations between two single ones.
    pub(super) untimed_between: u64,
    /// Of a pilot: nanoseconds per operation with all that is not timed. Nobody but the worker needs it.
    #[serde(skip)]
    pub(super) whole_ns: f64,
    /// CPU time of the thread from the beginning of the iteration to its end.
    pub(super) cpu_ns: u64,
    /// Before and after: nanoseconds per turn of the empty loop, and per link of the chain.
    pub(super) turn_ns: [f64; 2],
    pub(super) link_ns: [f64; 2],
    /// Times it was preempted.
    pub(super) preempted: u64,
    /// What its measured operations allocated, where that is counted: blocks and bytes.
    #[serde(default)]
    pub(super) allocated: Option<(u64, u64)>,
    /// What an operation handles, as far as the case says.
    #[serde(default)]
    pub(super) handles: Option<Handled>,
}

/// Parses a line of output; None if it is not part of this protocol.
pub(super) fn parse(line: &str) -> Option<Message> {
    serde_json::from_str(message(line)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_heard_behind_what_a_case_prints() {
        let message = Message::Failed { cell: 3, reason: "line\nbreak".into() };
        let line = crate::worker::line(&serde_json::to_string(&message).unwrap());
        assert_eq!(line.matches('\n').count(), 1);
        assert_eq!(parse(&line), Some(message.clone()));
        assert_eq!(parse(&format!("progress… {line}")), Some(message));
        assert_eq!(parse("hello"), None);
        assert_eq!(parse("\u{1e}{\"type\":\"unknown\"}"), None);
    }
}
