use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use chronoscope_harness::record::{Disturbance, Spread};

/// What a call costs in one thread, and what it seems to cost when many threads are released together and call once
/// each; with a control that calls nothing, since such a release is mostly the waking of threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadReleaseReport {
    /// Threads released together, started anew each time.
    pub threads: u32,
    /// Rounds made, each in a process of its own; in each, the calls took turns.
    pub rounds: u64,
    /// How often threads were released, all calls and processes together.
    pub releases: u64,
    /// From the start of the first thread until the last waited at the latch, per thread; no other figure holds it.
    pub thread_start_ns: Option<Spread>,
    /// Call by call, the control first.
    pub rows: Vec<ReleaseRow>,
    /// The smallest step that the times between stamps show; null where there is none, and in records of earlier versions.
    #[serde(default)]
    pub stamp_step_ns: Option<f64>,
    /// How much of a call's cost the control must reach before waking is said to be what was measured, in percent.
    pub control_share_pct_least: f64,
    /// What disturbed the thread that released the others, and that made the calls in one thread.
    pub disturbance: Disturbance,
}

/// One call: a clock read once, or nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReleaseRow {
    /// The clock; `nothing` for the control.
    pub call: ClockId,
    /// Whether it reads nothing, so that whatever it costs is not a clock's.
    pub is_control: bool,
    /// Per call, of many in one thread, timed from outside.
    pub serial_ns: Option<Spread>,
    /// From the release of the threads until the last has called, per thread; null where no threads could be started.
    pub concurrent_ns: Option<Spread>,
    /// `concurrent_ns` over `serial_ns` of the same process.
    pub slowdown: Option<Spread>,
    /// The time of the control's releases over that of this one's, turn by turn; null for the control itself.
    pub control_share: Option<Spread>,
    /// What `control_share` says of `concurrent_ns`; null for the control itself, and where there is none.
    pub verdict: Option<ReleaseVerdict>,
    /// Median over threads of one call between two stamps of its own thread, in releases of their own. It holds what the
    /// stamps cost, as the control's row shows.
    pub inside_ns_p50: Option<Spread>,
    /// 99th percentile of the same.
    pub inside_ns_p99: Option<Spread>,
    /// Median over threads of the time from the release to the thread's first stamp.
    pub wake_ns_p50: Option<Spread>,
    /// The largest of these times in any process.
    pub wake_ns_max: Option<f64>,
    /// What was published for a like call and as many threads, on another machine.
    pub published: Option<PublishedRelease>,
}

/// What the time from a release to its last call is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReleaseVerdict {
    /// Waking threads: the empty control takes as long, or nearly so.
    WakingThreads,
    /// Waking threads for the most part: the empty control takes more than half as long, and perhaps as long.
    MostlyWaking,
    /// More than waking threads: the empty control takes clearly less.
    MoreThanWaking,
    /// The interval is too wide to say.
    Undecided,
}

/// A published pair of figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedRelease {
    /// The call.
    pub call: String,
    /// Per call in one thread.
    pub serial_ns: f64,
    /// Per thread of a release.
    pub concurrent_ns: f64,
    /// The machine, as far as it is named.
    pub machine: String,
    /// Who published it.
    pub source: String,
}
