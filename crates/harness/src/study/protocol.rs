//! The protocol between a study and its worker processes: one JSON text per line on the worker's standard output, each
//! preceded by a record separator (RFC 7464), so that output of the user's own code does no harm.

use serde::{Deserialize, Serialize};

use super::cell_set::CellSet;
use crate::record::Disturbance;
use crate::record::study::StudyPlan;

/// The environment variable that holds a worker's request.
pub const VARIABLE: &str = "CHRONOSCOPE_STUDY_FORK";
/// The environment variable used only for padding.
pub(super) const PADDING: &str = "CHRONOSCOPE_STUDY_PADDING";
/// The prefix of every line.
pub(super) const SEPARATOR: char = '\u{1e}';

/// The request to a worker process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Request {
    /// The study's name.
    pub(super) study: String,
    pub(super) plan: StudyPlan,
    pub(super) fork: u32,
    pub(super) budget_ms: u64,
    /// Cells that have failed and are not retried.
    pub(super) failed: CellSet,
    /// Cells that some process has measured: when time is short, only the others are measured.
    pub(super) measured: CellSet,
    /// Whether the coordinator was started without the right to read the counter.
    pub(super) counter_faults: bool,
}

/// A message from a worker process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Message {
    /// The clock that times batches: its error, and the overhead of a batch.
    Clock { name: String, error_ns: f64, batch_ns: f64 },
    /// A cell is about to be visited: whatever happens next is attributed to it. Rounds count from 0; the pilot has
    /// none.
    Begin { cell: usize, round: Option<u32> },
    /// The result of a visit.
    Visit(IterationLog),
    /// The operation of this cell uses threads of its own, so that its measuring threads are bound to no CPU.
    OwnThreads { cell: usize },
    /// A case failed in this cell and is not visited again.
    Failed { cell: usize, reason: String },
    /// All work is complete.
    End { disturbance: Disturbance },
}

/// The result of a visit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct IterationLog {
    pub(super) cell: usize,
    pub(super) round: u32,
    pub(super) layout: u32,
    pub(super) threads: Vec<ThreadLog>,
}

/// One thread's part of a visit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ThreadLog {
    /// When its measured part began and ended, in nanoseconds of a clock common to all threads.
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
    pub(super) operations: u64,
    /// Nanoseconds of each batch.
    pub(super) batches_ns: Vec<u64>,
    /// Nanoseconds of the timestamped parts of each batch, where the case has them.
    pub(super) parts_ns: Vec<u64>,
    /// Single operations: nanoseconds and count.
    pub(super) singles: Vec<(u64, u64)>,
    /// Operations between two single ones.
    pub(super) untimed_between: u64,
    /// CPU time of the thread from the beginning of the visit to its end.
    pub(super) cpu_ns: u64,
    /// Before and after: nanoseconds per turn of the empty loop, and per link of the chain.
    pub(super) turn_ns: [f64; 2],
    pub(super) link_ns: [f64; 2],
    /// Times it was preempted.
    pub(super) preempted: u64,
}

/// `message` as a line.
pub(super) fn line(message: &Message) -> Option<String> {
    let text = serde_json::to_string(message).ok()?;
    Some(format!("{SEPARATOR}{text}\n"))
}

/// Parses a line; None if it is not part of this protocol.
pub(super) fn parse(line: &str) -> Option<Message> {
    let (_, text) = line.rsplit_once(SEPARATOR)?;
    serde_json::from_str(text.trim_end()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_heard_behind_what_a_case_prints() {
        let message = Message::Failed { cell: 3, reason: "line\nbreak".into() };
        let line = line(&message).unwrap();
        assert_eq!(line.matches('\n').count(), 1);
        assert_eq!(parse(&line), Some(message.clone()));
        assert_eq!(parse(&format!("progress… {line}")), Some(message));
        assert_eq!(parse("hello"), None);
        assert_eq!(parse("\u{1e}{\"unknown\":1}"), None);
    }
}
