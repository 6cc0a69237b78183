//! Requests to probes and their answers: `probes/PROTOCOL.md` in types.

use serde::{Deserialize, Serialize};

use crate::probe::runtime::TimeKind;
pub use chronoscope_harness::worker::PROTOCOL;

/// Time for threads to meet before they read concurrently, for all clocks of a runtime.
const MEETING_MS: u64 = 100;
/// Clocks of a probe, about: each is read at irregular times in turn.
const CLOCKS_OF_A_PROBE: u64 = 5;
/// The lane without a clock, and the empty call.
pub const NOTHING: &str = "nothing";

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProbeRequest {
    protocol: u32,
    rotation: u32,
    #[serde(flatten)]
    pub task: Task,
}

/// A task for a probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "task", rename_all = "snake_case")]
pub enum Task {
    /// Read each clock this many times, while system calls are counted.
    Count { reads: u32 },
    /// The table of clocks.
    Clocks {
        batch_ns: u64,
        warm_ms: u64,
        lanes_ms: u64,
        steps: u32,
        steps_ms: u64,
        reads: u32,
        readings: u32,
        spread_ns: u64,
        threads: u32,
        concurrent_ms: u64,
    },
    /// Every method of pausing.
    Pause { lengths_ns: Vec<u64>, budget_ms: u64 },
    /// Threads released by one latch.
    Latch { threads: u32, budget_ms: u64 },
    /// Work and a read in turn, on fewer and more threads.
    Sweep {
        tokens: Vec<u64>,
        threads_list: Vec<u32>,
        /// Positions in the list of the probe's clocks; empty for all but those of CPU time.
        clocks: Vec<u64>,
        batch_ns: u64,
        iteration_ns: u64,
        warm_ms: u64,
        budget_ms: u64,
    },
    /// Work and each of the operations of an experiment in turn, as in a sweep.
    Experiment {
        experiment: &'static str,
        tokens: Vec<u64>,
        threads_list: Vec<u32>,
        batch_ns: u64,
        iteration_ns: u64,
        warm_ms: u64,
        budget_ms: u64,
    },
}

impl ProbeRequest {
    /// The request for `task` in round number `rotation`.
    pub fn new(task: Task, rotation: u32) -> Self {
        Self { protocol: PROTOCOL, rotation, task }
    }

    pub fn argument(&self) -> String {
        // Numbers and lists of numbers can always be serialized.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The total time of the task's parts.
    pub fn takes_ms(&self) -> u64 {
        match &self.task {
            Task::Count { .. } => 0,
            // Steps may take four times their share, and threads take a while to meet before they read.
            Task::Clocks { warm_ms, lanes_ms, steps_ms, readings, spread_ns, concurrent_ms, .. } => {
                // The longest work is a power of two of steps, up to twice as long.
                let readings_ms = 2 * u64::from(*readings) * spread_ns / 1_000_000;
                warm_ms + lanes_ms + 4 * steps_ms + CLOCKS_OF_A_PROBE * readings_ms + concurrent_ms + MEETING_MS
            }
            Task::Pause { budget_ms, .. } | Task::Latch { budget_ms, .. } => *budget_ms,
            Task::Sweep { warm_ms, budget_ms, .. } | Task::Experiment { warm_ms, budget_ms, .. } => {
                warm_ms + budget_ms + MEETING_MS
            }
        }
    }
}

/// One line of an answer; `probes/PROTOCOL.md` defines each field.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Line {
    Identity(Identity),
    Clock(Clock),
    CountBegin {
        clock: String,
    },
    CountEnd {
        clock: String,
        reads: u64,
    },
    Lane {
        clock: String,
        reads: u64,
        ticks: Vec<u64>,
        warm: Vec<(u64, u64)>,
        check: Vec<(u64, u64)>,
    },
    Steps {
        clock: String,
        reads: u64,
        unchanged: u64,
        changes: Vec<i64>,
    },
    Differences {
        clock: String,
        span: u64,
        counts: Vec<(i64, u64)>,
    },
    Readings {
        clock: String,
        changes: Vec<i64>,
    },
    Elapsed {
        clock: String,
        ticks: i64,
    },
    Concurrent(Concurrent),
    Pause(Paused),
    PauseUnavailable {
        way: String,
        reason: String,
    },
    Latch {
        call: String,
        serial_calls: u64,
        serial: Vec<u64>,
        release: Vec<u64>,
        inside: Vec<(u64, u64)>,
        wake: Vec<(i64, u64)>,
    },
    LatchStart {
        start: Vec<u64>,
    },
    LatchUnavailable {
        reason: String,
    },
    Sweep(Sweep),
    SweepUnavailable {
        reason: String,
    },
    End {
        #[expect(dead_code, reason = "keeps the compiler from dropping the probe's reads")]
        sink: String,
    },
}

/// The identity of the runtime.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    pub protocol: u32,
    pub runtime: String,
    pub version: String,
    /// Empty if unknown.
    pub executable: String,
    pub timer: String,
    pub timer_hz: u64,
    /// Whether threads of one process run in parallel; None if a program has no threads.
    pub parallel: Option<bool>,
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clock {
    pub clock: String,
    pub kind: TimeKind,
    /// Ticks per second of the readings in the answer.
    pub hz: u64,
    pub declared_hz: Option<u64>,
    pub declared_resolution_ns: Option<u64>,
    pub high_resolution: Option<bool>,
}

/// Batches of several threads that read concurrently.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Concurrent {
    pub clock: String,
    pub threads: u32,
    pub reads: u64,
    /// Thread, begin and end in timer ticks.
    pub batches: Vec<(u32, u64, u64)>,
}

/// Batches of one iteration: threads that repeat work and a read, all at once.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// [`NOTHING`] for the work alone.
    pub clock: String,
    /// Work before each read.
    pub tokens: u64,
    pub threads: u32,
    /// From 0.
    pub round: u32,
    /// Repetitions of work and read in each batch.
    pub operations: u64,
    /// Thread, begin and end in timer ticks.
    pub batches: Vec<(u32, u64, u64)>,
}

/// Pauses of one method and length.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paused {
    pub way: String,
    pub requested_ns: u64,
    pub wall_ns: u64,
    pub cpu_ns: Option<u64>,
    pub taken_ns: Vec<(u64, u64)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_one_flat_object() {
        let request = ProbeRequest::new(Task::Pause { lengths_ns: vec![1_000, 10_000], budget_ms: 5 }, 3);
        assert_eq!(
            request.argument(),
            r#"{"protocol":1,"rotation":3,"task":"pause","lengths_ns":[1000,10000],"budget_ms":5}"#
        );
        assert_eq!(request.takes_ms(), 5);
        let (tokens, threads_list, clocks) = (vec![0, 16], vec![1, 2], vec![]);
        let (batch_ns, iteration_ns, warm_ms, budget_ms) = (20_000, 1_000_000, 7, 30);
        let task = Task::Sweep { tokens, threads_list, clocks, batch_ns, iteration_ns, warm_ms, budget_ms };
        let request = ProbeRequest::new(task, 2);
        assert_eq!(
            request.argument(),
            concat!(
                r#"{"protocol":1,"rotation":2,"task":"sweep","tokens":[0,16],"threads_list":[1,2],"clocks":[],"#,
                r#""batch_ns":20000,"iteration_ns":1000000,"warm_ms":7,"budget_ms":30}"#
            )
        );
        assert!(request.takes_ms() >= 37);
    }
}
