use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use chronoscope_harness::estimators::intervals::DirectInterval;
use chronoscope_harness::estimators::latch::ThreadReleaseReport;
use chronoscope_harness::estimators::latency::Latency;
use chronoscope_harness::estimators::pauses::Pauses;
use chronoscope_harness::estimators::reads::{READINGS_PER_GAP, Reads};
use chronoscope_harness::estimators::steps::Granularity;
use chronoscope_harness::estimators::tick::{Step, Tick};
use chronoscope_harness::record::{Estimate, Path};
use chronoscope_probes::RuntimeKind;

/// One language runtime of the machine, measured from inside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Runtime {
    pub kind: RuntimeKind,
    /// Its own name; the kind's name if it was never asked.
    pub name: String,
    /// Its version, as it reports it.
    pub version: Option<String>,
    /// The running file, as it reports it, else the one that was started.
    pub executable: Option<String>,
    /// Whether anything was measured.
    pub available: bool,
    /// Why nothing was measured.
    pub reason_unavailable: Option<String>,
    /// Whether nothing was measured because time ran out, which implies nothing about the runtime.
    #[serde(default)]
    pub out_of_time: bool,
    /// Requested measurements that could not be made.
    pub reasons_incomplete: Vec<String>,
    /// Measured processes.
    pub processes: u32,
    /// Time from the start of a process until it identified itself: the median over processes, in milliseconds.
    pub start_ms: Option<f64>,
    /// Whether threads of one process run in parallel; null if its programs have no threads, or it did not identify itself.
    pub parallel: Option<bool>,
    /// Caveats about how its loops are built.
    pub notes: Vec<String>,
    /// A turn of the same loop without a clock. Reported, never subtracted.
    pub loop_overhead_ns: Option<Latency>,
    pub clocks: Vec<RuntimeClock>,
    /// Actual length of its pauses; null if not requested.
    pub pause: Option<Pauses>,
    /// Cost of a call in one thread and in many released together; null if not requested.
    pub latch: Option<ThreadReleaseReport>,
}

impl Runtime {
    /// The kind and its version number: `Java 17.0.15`; for C the compiler's.
    pub fn title(&self) -> String {
        let kind = self.kind.title();
        let version = self.version.as_deref().unwrap_or_default();
        match (self.kind, number(version)) {
            (_, None) => kind.to_owned(),
            (RuntimeKind::C, Some(_)) => format!("{kind}, {}", version.split(',').next().unwrap_or_default()),
            (_, Some(number)) => format!("{kind} {number}"),
        }
    }

    /// Whether it is on this machine and could not be measured, although there was time.
    pub fn has_failed(&self) -> bool {
        !self.available && self.executable.is_some() && !self.out_of_time
    }

    /// The clock that its users time with, but for programs in C, which read the system's.
    pub fn clock_for_durations(&self) -> Option<&RuntimeClock> {
        self.monotonic_clock().filter(|_| self.available && self.kind != RuntimeKind::C)
    }

    /// The first of its clocks that cannot be set.
    pub fn monotonic_clock(&self) -> Option<&RuntimeClock> {
        self.clocks.iter().find(|clock| clock.kind == TimeKind::Monotonic)
    }
}

/// The first complete version number: `17.0.15` of `17.0.15+6-Debian`, `1.26.8` of `go1.26.8`.
fn number(version: &str) -> Option<&str> {
    let rest = &version[version.find(|c: char| c.is_ascii_digit())?..];
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    Some(rest[..end].trim_end_matches('.'))
}

/// What a clock of a runtime counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeKind {
    /// Elapsed time, which cannot be set.
    Monotonic,
    /// Time of day, which can be set during an interval.
    Wall,
    /// CPU time.
    Cpu,
}

/// One clock of a runtime, under its users' name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuntimeClock {
    /// The call.
    pub name: String,
    pub kind: TimeKind,
    /// The path of a read, if the counted calls are unambiguous: `vdso` for at most one call per twenty reads,
    /// `syscall` for at least nine per ten.
    pub path: Option<Path>,
    /// The rate at which it runs, as a multiple of that of this machine's clock, where it is another; what it measured is then left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong_rate: Option<f64>,
    /// The system calls made by its reads; null if they could not be counted.
    pub system_calls: Option<SystemCalls>,
    /// The tick length of its readings, in nanoseconds.
    pub tick_ns: f64,
    pub frequency_hz_declared: Option<f64>,
    /// Its declared resolution; if it declares only a frequency, the inverse of that.
    pub resolution_ns_declared: Option<f64>,
    /// Whether it declares itself a high-resolution clock.
    pub high_resolution_declared: Option<bool>,
    /// Cost of a read on one thread.
    pub latency_ns: Option<Latency>,
    /// The extra cost of a read over the underlying system clock, process by process in one interleaved run.
    pub added: Option<AddedLatency>,
    /// Cost of a read while several threads read.
    pub concurrent: Option<ConcurrentLatency>,
    /// In which steps it moves, from what follows; null where that is not known.
    #[serde(default)]
    pub step: Option<Step>,
    /// The smallest observed step.
    pub granularity_ns: Option<f64>,
    /// Whether that step is only the latency of the read.
    pub granularity_is_latency: Option<bool>,
    /// The observation behind it.
    pub granularity: Option<Granularity>,
    /// The lattice on which its readings lie, which also shows a tick shorter than a read; null if none was looked for.
    #[serde(default)]
    pub tick: Option<Tick>,
    /// The differences between consecutive reads.
    pub reads: Option<Reads<ClockId>>,
    /// The shortest interval that two reads of it should time correctly, from empty intervals and granularity.
    pub claimed_interval_ns: DirectInterval,
    /// The time of four times as many reads over that of the usual number: the median over processes. A loop emptied by the
    /// compiler would show about one.
    pub loop_ratio: Option<f64>,
    /// Warm-up of the loop.
    pub warm_up: Option<WarmUp>,
}

/// Four times the reads must take so many times as long, or the compiler made something else of the loop. Wide, since a
/// disturbed batch is no proof of that.
const LOOP_BOUNDS: RangeInclusive<f64> = 2.5..=6.4;

impl RuntimeClock {
    /// The step in which the clock moves, if longer than a read.
    pub fn step_ns(&self) -> Option<f64> {
        let read_ns = self.latency_ns.as_ref().map(|latency| latency.per_read.estimate);
        self.step?.shown_ns(read_ns)
    }

    /// The step in which the clock moves, if known: as observed, or as short as a read hides it.
    pub fn moves_in_ns(&self) -> Option<f64> {
        self.step?.moves_in_ns()
    }

    /// What follows from the evidence of its step.
    pub fn step_by_evidence(&self) -> Option<Step> {
        let smallest = self.granularity_ns.zip(self.granularity_is_latency);
        Step::of(self.tick.as_ref(), smallest, self.granularity.as_ref())
    }

    /// Whether the timed loop may not have read the clock as often as reported.
    pub fn loop_is_doubtful(&self) -> bool {
        self.loop_ratio.is_some_and(|ratio| !LOOP_BOUNDS.contains(&ratio))
    }

    /// The largest gap between two reads; an upper bound if the clock's steps hide shorter gaps. None without data.
    ///
    /// Each of two readings may be up to a step old, so a difference of `n` steps is a gap of less than `n + 1`.
    pub fn largest_gap_ns(&self) -> Option<Bounded> {
        let reads = self.reads.as_ref()?;
        let step = Some(reads.step_ns()).filter(|step| step.is_finite()).unwrap_or(0.0);
        let step = step.max(self.step_ns().unwrap_or(0.0));
        match reads.maximum_ns {
            0.0 if step == 0.0 => None,
            largest if largest >= step * READINGS_PER_GAP => Some(Bounded::Known(largest)),
            largest => Some(Bounded::Below(largest + step)),
        }
    }
}

/// A number, or an upper bound on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounded {
    /// Its value.
    Known(f64),
    /// Its magnitude is smaller than this.
    Below(f64),
}

/// Time-related system calls counted while a clock was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SystemCalls {
    /// Reads made in that time.
    pub reads: u64,
    /// All of the process's time-related system calls.
    pub count: u64,
}

impl SystemCalls {
    /// Calls per read.
    pub fn per_read(&self) -> f64 {
        self.count as f64 / self.reads.max(1) as f64
    }

    /// Calls per read, if more than one.
    pub fn several_per_read(&self) -> Option<f64> {
        const SEVERAL: f64 = 1.5;
        Some(self.per_read()).filter(|each| *each >= SEVERAL)
    }
}

/// The extra cost of reading a runtime's clock over the underlying clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AddedLatency {
    /// The underlying clock, read from native code.
    pub over: ClockId,
    /// The difference: the median over rounds, each with one process of either.
    pub ns: Estimate,
}

impl AddedLatency {
    /// The difference; its upper bound if its interval contains 0, so that its sign is unknown.
    pub fn difference_ns(&self) -> Bounded {
        let Estimate { estimate, low, high, .. } = self.ns;
        if low <= 0.0 && high >= 0.0 && low < high { Bounded::Below(high.max(-low)) } else { Bounded::Known(estimate) }
    }
}

/// Cost of a read while several threads of one process read the same clock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConcurrentLatency {
    pub threads: u32,
    /// Time per read and thread: the median over processes of each one's median batch.
    pub ns: Estimate,
}

/// Warm-up of a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WarmUp {
    /// Processes whose measured batches were classified: those with at least twenty in quiet rounds.
    pub processes: u32,
    /// Those that were steady at the end.
    pub processes_steady: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_that_may_be_nothing_has_no_sign() {
        let difference = |low, estimate, high| {
            let ns = Estimate { estimate, low, high, confidence: 0.75 };
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
