//! What a probe is asked, and what it answers: `probes/PROTOCOL.md` in types.

use serde::{Deserialize, Serialize};

use crate::sections::runtimes::report::TimeKind;

/// The version of the protocol that this build speaks.
pub const PROTOCOL: u32 = 1;
/// What threads take to meet before they read at once, for all clocks of a runtime.
const MEETING_MS: u64 = 100;
/// The lane without a clock, and the call that calls nothing.
pub const NOTHING: &str = "nothing";

/// One request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Request {
    protocol: u32,
    rotation: u32,
    #[serde(flatten)]
    task: Task,
}

/// What a probe can be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "task", rename_all = "snake_case")]
pub enum Task {
    /// Read each clock so often, while system calls are counted.
    Count {
        /// Reads of each clock.
        reads: u32,
    },
    /// The table of clocks.
    Clocks {
        /// The shortest batch.
        batch_ns: u64,
        /// How long lanes warm up.
        warm_ms: u64,
        /// How long they are measured.
        lanes_ms: u64,
        /// Changes of each clock to wait for.
        steps: u32,
        /// How long to wait for them.
        steps_ms: u64,
        /// Consecutive reads.
        reads: u32,
        /// Threads that read at once.
        threads: u32,
        /// For how long.
        crowd_ms: u64,
    },
    /// Every way to pause.
    Pause {
        /// For these lengths.
        lengths_ns: Vec<u64>,
        /// In this time.
        budget_ms: u64,
    },
    /// Threads that one latch releases.
    Latch {
        /// Threads.
        threads: u32,
        /// In this time.
        budget_ms: u64,
    },
}

impl Request {
    /// The request for `task` in round number `rotation`.
    pub fn new(task: Task, rotation: u32) -> Self {
        Self { protocol: PROTOCOL, rotation, task }
    }

    /// The one argument of a probe.
    pub fn argument(&self) -> String {
        // Numbers and lists of numbers can always be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The time that the parts of the task take together.
    pub fn takes_ms(&self) -> u64 {
        match &self.task {
            Task::Count { .. } => 0,
            // Steps may take four times their share, and threads meet for a while before they read.
            Task::Clocks { warm_ms, lanes_ms, steps_ms, crowd_ms, .. } => {
                warm_ms + lanes_ms + 4 * steps_ms + crowd_ms + MEETING_MS
            }
            Task::Pause { budget_ms, .. } | Task::Latch { budget_ms, .. } => *budget_ms,
        }
    }
}

/// One line of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Line {
    /// Who answers.
    Identity(Identity),
    /// One of its clocks.
    Clock(Clock),
    /// Counted reads begin.
    CountBegin(CountBegin),
    /// They are over.
    CountEnd(CountEnd),
    /// Batches of one loop.
    Lane(Lane),
    /// Changes of one clock.
    Steps(Steps),
    /// Differences between consecutive readings.
    Differences(Differences),
    /// Batches of several threads.
    Crowd(Crowd),
    /// Pauses of one way and length.
    Pause(Paused),
    /// A way to pause that is not there.
    PauseUnavailable(PauseUnavailable),
    /// One call in one thread and in many.
    Latch(Latched),
    /// How long threads took to start.
    LatchStart(LatchStart),
    /// Why none could be.
    LatchUnavailable(LatchUnavailable),
    /// Nothing follows.
    End(End),
}

/// Who answers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The protocol that it speaks.
    pub protocol: u32,
    /// The runtime's name.
    pub runtime: String,
    /// Its version.
    pub version: String,
    /// The file that runs; empty if it does not tell.
    pub executable: String,
    /// The clock that times batches.
    pub timer: String,
    /// Its ticks per second.
    pub timer_hz: u64,
    /// Whether threads of one process run at once.
    pub parallel: bool,
    /// What a reader of its numbers must know.
    pub notes: Vec<String>,
}

/// One of its clocks.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clock {
    /// As its users write it.
    pub clock: String,
    /// What it counts.
    pub kind: TimeKind,
    /// Ticks per second of the readings in the answer.
    pub hz: u64,
    /// The frequency that it declares.
    pub declared_hz: Option<u64>,
    /// The resolution that it declares.
    pub declared_resolution_ns: Option<u64>,
    /// What it says of being a high-resolution clock.
    pub high_resolution: Option<bool>,
}

/// Counted reads begin.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountBegin {
    /// Of this clock.
    pub clock: String,
}

/// Counted reads are over.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountEnd {
    /// Of this clock.
    pub clock: String,
    /// So many.
    pub reads: u64,
}

/// Batches of one loop.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lane {
    /// The clock, or [`NOTHING`].
    pub clock: String,
    /// Reads in a batch.
    pub reads: u64,
    /// Ticks of the timer per batch.
    pub ticks: Vec<u64>,
    /// The first batches of the warm-up: reads and ticks.
    pub warm: Vec<(u64, u64)>,
    /// Ticks of a batch, and of one of four times as many reads.
    pub check: Vec<(u64, u64)>,
}

/// Changes of one clock, in its ticks.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steps {
    /// The clock.
    pub clock: String,
    /// Readings made.
    pub reads: u64,
    /// Those equal to the one before.
    pub unchanged: u64,
    /// Differences between a reading and the different one before it.
    pub changes: Vec<i64>,
}

/// Differences between consecutive readings, in the clock's ticks.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Differences {
    /// The clock.
    pub clock: String,
    /// From the first reading to the last.
    pub span: u64,
    /// Every difference with how often it came.
    pub counts: Vec<(i64, u64)>,
}

/// Batches of several threads that read at once.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crowd {
    /// The clock.
    pub clock: String,
    /// Threads.
    pub threads: u32,
    /// Reads in a batch.
    pub reads: u64,
    /// Thread, begin and end in ticks of the timer.
    pub batches: Vec<(u32, u64, u64)>,
}

/// Pauses of one way and length.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paused {
    /// The way.
    pub way: String,
    /// What was asked for.
    pub requested_ns: u64,
    /// The time of all of them.
    pub wall_ns: u64,
    /// The CPU time of all of them.
    pub cpu_ns: Option<u64>,
    /// What they took, with counts.
    pub taken_ns: Vec<(u64, u64)>,
}

/// A way to pause that is not there.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PauseUnavailable {
    /// The way.
    pub way: String,
    /// Why.
    pub reason: String,
}

/// One call in one thread and in many.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Latched {
    /// The clock, or [`NOTHING`].
    pub call: String,
    /// Calls of each batch in one thread.
    pub serial_calls: u64,
    /// Ticks of the timer per batch.
    pub serial: Vec<u64>,
    /// Ticks from the opening of the latch until the last thread had called.
    pub release: Vec<u64>,
    /// Ticks between a thread's two stamps, with counts.
    pub inside: Vec<(u64, u64)>,
    /// Ticks from the opening to a thread's first stamp, with counts.
    pub wake: Vec<(i64, u64)>,
}

/// How long threads took to start.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatchStart {
    /// Ticks from the start of the first until all waited.
    pub start: Vec<u64>,
}

/// Why there is no latch.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatchUnavailable {
    /// The reason.
    pub reason: String,
}

/// Nothing follows.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// The sum of all readings.
    pub sink: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_one_flat_object() {
        let request = Request::new(Task::Pause { lengths_ns: vec![1_000, 10_000], budget_ms: 5 }, 3);
        assert_eq!(
            request.argument(),
            r#"{"protocol":1,"rotation":3,"task":"pause","lengths_ns":[1000,10000],"budget_ms":5}"#
        );
        assert_eq!(request.takes_ms(), 5);
    }
}
