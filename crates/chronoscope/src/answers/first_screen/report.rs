use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::conclusions::Grade;
use crate::answers::host::Host;
use crate::clock_id::ClockId;
use chronoscope_harness::estimators::intervals::ShortestInterval;
use chronoscope_harness::record::Path;

/// What the first screen of a check shows, in its order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FirstScreen {
    /// The state of the host.
    pub host: Host,
    /// Which clock to use, by purpose and by language.
    pub uses: Vec<ClockUse>,
    /// Runtimes of this machine that a check has no time for.
    pub runtimes_left: Vec<String>,
    /// Which clock not to use for what.
    pub avoid: Vec<Avoid>,
    /// The shortest interval that one pair of reads can time: of the clock to use for durations, then of one that times
    /// shorter intervals, if there is one.
    pub one_shot: Vec<OneShot>,
    /// How far the clocks can be trusted, one check each.
    pub trust: Vec<TrustCheck>,
    /// What disturbs measurements here.
    pub noise: Noise,
}

/// A clock to use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClockUse {
    /// For what.
    pub purpose: Purpose,
    /// The clock; of a runtime, the call.
    pub clock: ClockId,
    /// Time per read, as estimated.
    pub latency_ns: Option<f64>,
    /// The path of a read.
    pub path: Option<Path>,
    /// The step in which it moves, where that is longer than a read.
    pub step_ns: Option<f64>,
}

/// What a clock is used for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum Purpose {
    /// Durations and timeouts.
    Durations {
        /// Whether it was tested that threads can compare its readings.
        across_threads: bool,
    },
    /// Intervals shorter than that clock can time, within one thread.
    ShortIntervals,
    /// The time of day.
    TimeOfDay,
    /// Timestamps in a hot path, by the library chronoscope-clock.
    RustHotPath,
    /// Durations in the programs of a runtime.
    Runtime {
        /// Its name and version.
        title: String,
    },
}

/// A clock that is wrong for a purpose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Avoid {
    /// The clock.
    pub clock: ClockId,
    /// What for.
    pub purpose: WrongFor,
    /// The share of observations from another CPU in which it went backwards.
    pub backward_share: Option<f64>,
}

/// What a clock is wrong for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WrongFor {
    /// All: it went backwards although it promises not to.
    Everything,
    /// Comparing times of several threads.
    BetweenThreads,
    /// Durations: it can be set.
    Durations,
}

/// The shortest intervals that one pair of reads times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OneShot {
    /// The clock.
    pub clock: ClockId,
    /// Within 10 %.
    pub within_10pct: ShortestInterval,
    /// Within 1 %.
    pub within_1pct: ShortestInterval,
}

/// One check of how far the clocks can be trusted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrustCheck {
    /// What was checked.
    pub topic: TrustTopic,
    /// The result; unknown where it was not checked.
    pub grade: Grade,
    /// Reads or observations that it rests on.
    pub tries: Option<u64>,
    /// CPUs between which it was checked.
    pub cpus: Option<u64>,
    /// Upper bound: on the skew, or on the wall clock's error.
    pub bound_ns: Option<f64>,
    /// The counter, or the daemon that disciplines the wall clock.
    pub by: Option<String>,
    /// Why the result is not good, or unknown.
    pub reason: Option<String>,
}

/// What is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustTopic {
    /// No clock goes backwards within a thread.
    OneThread,
    /// No clock that threads may compare goes backwards between CPUs.
    AcrossCores,
    /// The counter is invariant, and nothing speaks against it.
    Counter,
    /// `CLOCK_MONOTONIC` is read without a system call.
    NoSystemCall,
    /// How far apart the clocks of two CPUs can be.
    Skew,
    /// The wall clock is disciplined.
    WallClock,
}

/// What disturbs measurements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Noise {
    /// Time lost in gaps between consecutive reads; null if that was not measured.
    pub lost: Option<Lost>,
    /// Why it was not.
    pub reason_unmeasured: Option<String>,
    /// What to do; null where little is lost.
    pub advice: Option<NoiseAdvice>,
}

/// Time lost in gaps between consecutive reads of all clocks that show them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lost {
    /// Gaps longer than this count.
    pub above_ns: f64,
    /// Their share of the time.
    pub share: f64,
    /// The longest.
    pub worst_ns: f64,
    /// Who took most of it, as far as the kernel counts that.
    pub mostly_by: LostTo,
}

/// Who took time from a thread that only reads clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LostTo {
    /// Other threads: the reader waited for its CPU.
    OtherThreads,
    /// Other guests: the hypervisor counted it as stolen.
    OtherGuests,
    /// Interrupts, firmware or the host: the kernel counted no wait.
    Interrupts,
    /// Nothing is counted here.
    Unknown,
}

/// What to do about lost time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoiseAdvice {
    /// Bind the measurement to a CPU on which nothing else runs.
    PinToIdleCpu,
    /// There is no other CPU, or binding is not permitted.
    StopOtherWork,
    /// CPUs that the hypervisor gives to nobody else.
    DedicatedCpus,
    /// Bind interrupts to other CPUs; beyond that, the host must be quieter.
    MoveInterrupts,
}
