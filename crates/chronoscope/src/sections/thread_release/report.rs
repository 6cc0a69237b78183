use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use chronoscope_harness::record::{Disturbance, Estimate};

/// The cost of a call in one thread, and its apparent cost when many threads are released together and call once each;
/// with an empty control, since such a release mostly measures thread wake-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadReleaseReport {
    /// Threads released together, newly started each time.
    pub threads: u32,
    /// Rounds, each in its own process, in which the calls took turns.
    pub rounds: u64,
    /// Number of releases, over all calls and processes.
    pub releases: u64,
    /// Time from the start of the first thread until the last waited at the latch, per thread; included in no other
    /// figure.
    pub thread_start_ns: Option<Estimate>,
    /// Call by call, the control first.
    pub rows: Vec<ReleaseRow>,
    /// The smallest step in the times between stamps; null if there is none, and in records of earlier versions.
    #[serde(default)]
    pub stamp_step_ns: Option<f64>,
    /// Share of a call's cost that the control must reach for the conclusion that wake-up was measured, in percent.
    pub control_share_pct_least: f64,
    /// Disturbance of the thread that released the others and made the calls in one thread.
    pub disturbance: Disturbance,
}

/// One call: a clock read once, or nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReleaseRow {
    /// The clock; `nothing` for the control.
    pub call: ClockId,
    /// Whether it is the control, which reads nothing, so that none of its cost is a clock's.
    pub is_control: bool,
    /// Per call, of many in one thread, timed as a whole.
    pub serial_ns: Option<Estimate>,
    /// From the release of the threads until the last has called, per thread; null if no threads could be started.
    pub concurrent_ns: Option<Estimate>,
    /// `concurrent_ns` over `serial_ns` of the same process.
    pub slowdown: Option<Estimate>,
    /// The time of the control's releases over that of this call's, turn by turn; null for the control itself.
    pub control_share: Option<Estimate>,
    /// The conclusion from `control_share` about `concurrent_ns`; null for the control itself, and if there is none.
    pub verdict: Option<ReleaseVerdict>,
    /// Median over threads of one call between two stamps of its own thread, in separate releases. It includes the cost
    /// of the stamps, shown in the control's row.
    pub inside_ns_p50: Option<Estimate>,
    /// 99th percentile of the same.
    pub inside_ns_p99: Option<Estimate>,
    /// Median over threads of the time from the release to the thread's first stamp.
    pub wake_ns_p50: Option<Estimate>,
    /// The largest of these times in any process.
    pub wake_ns_max: Option<f64>,
    /// What was published for a like call and as many threads, on another machine.
    pub published: Option<PublishedRelease>,
}

/// What dominates the time from a release to its last call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReleaseVerdict {
    /// Thread wake-up: the empty control takes as long, or nearly so.
    WakingThreads,
    /// Mostly thread wake-up: the empty control takes more than half as long, and perhaps as long.
    MostlyWaking,
    /// More than thread wake-up: the empty control takes clearly less.
    MoreThanWaking,
    /// The interval is too wide to decide.
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
    /// The machine, as far as named.
    pub machine: String,
    /// The publication.
    pub source: String,
}
