use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::report::DirectInterval;
use crate::clock_id::ClockId;
use crate::sections::clocks::report::{Granularity, Latency, Path, PathEvidence};
use crate::sections::pauses::report::{PauseFigures, PauseUnavailable, PublishedPause};
use crate::sections::reads::report::Reads;
use crate::sections::runtimes::kind::RuntimeKind;
use crate::sections::thread_release::report::ThreadReleaseReport;
use chronoscope_harness::record::{Disturbance, Spread};

/// One language runtime of the machine, measured from inside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Runtime {
    /// Which kind.
    pub kind: RuntimeKind,
    /// How it calls itself; the kind's name where it was never asked.
    pub name: String,
    /// Its version, as it says it.
    pub version: Option<String>,
    /// The file that runs, as it says itself, else the one that was started.
    pub executable: Option<String>,
    /// Whether anything was measured in it.
    pub available: bool,
    /// Why nothing was.
    pub reason_unavailable: Option<String>,
    /// Whether nothing was measured because the time was over, which says nothing about the runtime.
    #[serde(default)]
    pub out_of_time: bool,
    /// What was asked of it and could not be had.
    pub reasons_incomplete: Vec<String>,
    /// Processes of it that were measured.
    pub forks: u32,
    /// From the start of a process until it said who it is: the median over processes, in milliseconds.
    pub start_ms: Option<f64>,
    /// Whether threads of one process run at once.
    pub parallel: Option<bool>,
    /// What a reader of its numbers must know of how its loops are made.
    pub notes: Vec<String>,
    /// A turn of the same loop with no clock in it. Shown, never subtracted.
    pub loop_overhead_ns: Option<Latency>,
    /// Its clocks.
    pub clocks: Vec<RuntimeClock>,
    /// How long its pauses take; null where that was not requested.
    pub pause: Option<RuntimePause>,
    /// What a call costs in one thread and in many released together; null where that was not requested.
    pub latch: Option<ThreadReleaseReport>,
    /// What disturbed the machine while it was measured.
    pub disturbance: Disturbance,
}

impl Runtime {
    /// The kind and the number of its version: `Java 17.0.15`; for C the compiler's.
    pub fn title(&self) -> String {
        let kind = self.kind.title();
        let version = self.version.as_deref().unwrap_or_default();
        match (self.kind, number(version)) {
            (_, None) => kind.to_owned(),
            (RuntimeKind::C, Some(_)) => format!("{kind}, {}", version.split(',').next().unwrap_or_default()),
            (_, Some(number)) => format!("{kind} {number}"),
        }
    }
}

/// The first number of a version with all its parts: `17.0.15` of `17.0.15+6-Debian`, `1.26.8` of `go1.26.8`.
fn number(version: &str) -> Option<&str> {
    let rest = &version[version.find(|c: char| c.is_ascii_digit())?..];
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    Some(rest[..end].trim_end_matches('.'))
}

/// What a clock of a runtime counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeKind {
    /// Elapsed time, which nobody sets.
    Monotonic,
    /// The time of day, which can be set while an interval runs.
    Wall,
    /// Time that a CPU worked.
    Cpu,
}

/// One clock of a runtime, as its users call it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuntimeClock {
    /// The call.
    pub name: String,
    /// What it counts.
    pub kind: TimeKind,
    /// The way that a read takes, where the counted calls leave no doubt: `vdso` with one for every twenty reads or fewer,
    /// `syscall` with nine for every ten or more.
    pub path: Option<Path>,
    /// How that is known.
    pub path_evidence: Option<PathEvidence>,
    /// The system calls behind its reads; null where they could not be counted.
    pub system_calls: Option<SystemCalls>,
    /// The length of a tick of its readings, in nanoseconds.
    pub tick_ns: f64,
    /// The frequency that it declares.
    pub frequency_hz_declared: Option<f64>,
    /// The resolution that it declares; where it declares a frequency alone, the inverse of that.
    pub resolution_ns_declared: Option<f64>,
    /// What it says of being a high-resolution clock.
    pub high_resolution_declared: Option<bool>,
    /// Cost of a read on one thread.
    pub latency_ns: Option<Latency>,
    /// What a read costs more than the system's own clock beneath it, process by process of one interleaved run.
    pub added: Option<AddedLatency>,
    /// Cost of a read while several threads read.
    pub crowd: Option<CrowdLatency>,
    /// The smallest step that was seen.
    pub granularity_ns: Option<f64>,
    /// Whether that step is merely the latency of the read.
    pub granularity_is_latency: Option<bool>,
    /// The observation behind it.
    pub granularity: Option<Granularity>,
    /// The differences between consecutive reads.
    pub reads: Option<Reads>,
    /// The shortest interval that two reads of it should time rightly, from empty intervals and granularity.
    pub claimed_interval_ns: DirectInterval,
    /// Whether the loop that was timed really reads the clock as often as it says.
    pub loop_check: Option<LoopCheck>,
    /// How long the loop took to become steady.
    pub warm_up: Option<WarmUp>,
    /// What was published of the same call, on other machines.
    pub published: Vec<PublishedTimer>,
}

impl RuntimeClock {
    /// The step in which the clock moves, where that is longer than a read takes.
    pub fn step_ns(&self) -> Option<f64> {
        self.granularity_ns.filter(|_| self.granularity_is_latency == Some(false))
    }

    /// The largest gap between two reads; a bound where the clock's steps hide what is shorter. None if nothing was seen.
    ///
    /// Each of two readings may be up to a step old, so a difference of `n` steps is a gap of less than `n + 1`.
    pub fn largest_gap_ns(&self) -> Option<Bounded> {
        let reads = self.reads.as_ref()?;
        let step = Some(reads.step_ns()).filter(|step| step.is_finite()).unwrap_or(0.0);
        let step = step.max(self.step_ns().unwrap_or(0.0));
        match reads.maximum_ns {
            0.0 if step == 0.0 => None,
            largest if largest >= step * Reads::STEPS_PER_GAP => Some(Bounded::Known(largest)),
            largest => Some(Bounded::Below(largest + step)),
        }
    }
}

/// A number, or the most that it can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounded {
    /// It is this.
    Known(f64),
    /// It is smaller than this, either way.
    Below(f64),
}

/// Published figures of a runtime's clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedTimer {
    /// The runtime, the system and what its clock rested on.
    pub surroundings: String,
    /// The length of a tick.
    pub tick_ns: Option<f64>,
    /// Cost of a read, from.
    pub latency_ns_low: f64,
    /// Cost of a read, to.
    pub latency_ns_high: f64,
    /// Who published it.
    pub source: String,
}

/// System calls for the time that were counted while a clock was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SystemCalls {
    /// Reads made meanwhile.
    pub reads: u64,
    /// All of the process's system calls that ask for the time.
    pub count: u64,
    /// The same by what was asked.
    pub by_call: BTreeMap<String, u64>,
}

impl SystemCalls {
    /// For each read.
    pub fn per_read(&self) -> f64 {
        self.count as f64 / self.reads.max(1) as f64
    }

    /// For each read, where that is more than one.
    pub fn several_per_read(&self) -> Option<f64> {
        const SEVERAL: f64 = 1.5;
        Some(self.per_read()).filter(|each| *each >= SEVERAL)
    }
}

/// What a read of a runtime's clock costs beyond a read of the clock beneath it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AddedLatency {
    /// The clock beneath, read from native code.
    pub over: ClockId,
    /// The difference: the median over rounds, in each of which one process of either was measured.
    pub ns: Spread,
}

impl AddedLatency {
    /// The difference; its most where its interval holds 0, so that its sign is not known.
    pub fn difference_ns(&self) -> Bounded {
        let Spread { median, low, high, .. } = self.ns;
        if low <= 0.0 && high >= 0.0 && low < high { Bounded::Below(high.max(-low)) } else { Bounded::Known(median) }
    }
}

/// Cost of a read while several threads of one process read the same clock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CrowdLatency {
    /// Threads.
    pub threads: u32,
    /// Time per read and thread: the median over processes of each one's median batch.
    pub ns: Spread,
    /// Batches that lay wholly in the time in which all threads read, over all processes.
    pub batches: u64,
}

/// Whether four times as many reads take four times as long.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoopCheck {
    /// The time of four times as many reads over that of the usual number: the median over processes.
    pub ratio: f64,
    /// Whether that is near enough to four. A loop that the compiler had emptied would show about one.
    pub holds: bool,
}

/// How long a loop took to become steady.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WarmUp {
    /// The first batches: the median over processes of what a read cost in the first one long enough to tell.
    pub first_ns: Option<f64>,
    /// Processes whose measured batches were judged: those with twenty or more in quiet rounds.
    pub forks: u32,
    /// Those of them in which they were steady at the end.
    pub forks_steady: u32,
    /// Batches that were left out since they came before the steady ones, over all processes.
    pub batches_left_out: u64,
}

/// How long pauses of a runtime take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuntimePause {
    /// Every way to pause that it has, at every length.
    pub methods: Vec<PauseFigures>,
    /// Ways that this version of it lacks.
    pub unavailable: Vec<PauseUnavailable>,
    /// Processes in which they were measured.
    pub rounds: u64,
    /// What was published for ways of the same name, on other machines.
    pub published: Vec<PublishedPause>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_that_may_be_nothing_has_no_sign() {
        let difference = |low, median, high| {
            let ns = Spread { median, low, high, confidence: 0.75 };
            AddedLatency { over: ClockId::default(), ns }.difference_ns()
        };
        assert_eq!(difference(-0.78, -0.76, 0.69), Bounded::Below(0.78));
        assert_eq!(difference(-0.1, 0.2, 0.9), Bounded::Below(0.9));
        assert_eq!(difference(0.1, 0.2, 0.9), Bounded::Known(0.2));
        assert_eq!(difference(-0.9, -0.2, -0.1), Bounded::Known(-0.2));
        assert_eq!(difference(7.0, 7.0, 7.0), Bounded::Known(7.0));
    }

    #[test]
    fn the_number_of_a_version_is_found() {
        for (version, wanted) in [
            ("17.0.15+6-Debian-1deb12u1", Some("17.0.15")),
            ("go1.26.8", Some("1.26.8")),
            ("v20.20.2", Some("20.20.2")),
            ("gcc 12.2.0, glibc 2.36", Some("12.2.0")),
            ("25.", Some("25")),
            ("devel", None),
        ] {
            assert_eq!(number(version), wanted, "{version}");
        }
    }
}
