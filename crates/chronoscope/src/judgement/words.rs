//! Conclusions in words, as pages and gates have them.

use super::causality::{AcrossCores, Causality};
use super::monotonic::Monotonic;
use super::noise::{LostTo, NoiseAdvice};
use super::path::{CLOCK, FastPath};
use crate::clock_id::ClockId;
use chronoscope_harness::quantity::count;
use chronoscope_harness::record::PathMethod;
use chronoscope_render::words::{counted, given, quoted};

pub fn names(clocks: &[ClockId]) -> String {
    clocks.iter().map(|clock| quoted(clock.name())).collect::<Vec<_>>().join(", ")
}

impl Monotonic {
    pub fn words(&self) -> String {
        match self {
            Monotonic::SteppedBack => "not monotonic: a clock went backwards within a thread".to_owned(),
            Monotonic::Steady => "monotonic: no clock went backwards within a thread".to_owned(),
            Monotonic::NotTested { reason } => format!("monotonic: not tested: {reason}"),
            Monotonic::PartlyTested { untested } => {
                format!("monotonic: not tested for {}; no other clock went backwards within a thread", names(untested))
            }
        }
    }
}

impl Causality {
    pub fn words(&self) -> String {
        let values = |new: u64| counted(new, "new value", "new values");
        match &self.across_cores {
            AcrossCores::WentBackwards { violations, new_values, messages } => {
                let often = counted(*violations, "time", "times");
                let messages = counted(*messages, "message", "messages");
                let of = new_values.map_or_else(String::new, |new| format!(" in {} and {messages}", values(new)));
                format!("not causal across cores: clocks that must be causal went backwards {often}{of}")
            }
            AcrossCores::Causal { clocks, new_values, pairs, only_pair } => {
                let whence = match only_pair {
                    Some((writer, reader)) => format!("CPU {writer} → {reader}"),
                    None => format!("{} ordered pairs of CPUs", count(*pairs)),
                };
                let clocks = counted(*clocks, "clock", "clocks");
                format!("causal across cores: none of {clocks} went backwards in {} ({whence})", values(*new_values))
            }
            AcrossCores::NotTested { reason } => format!("causal across cores: not tested: {reason}"),
            AcrossCores::Unknown { unknown, clocks, new_values } => {
                let why = |clock: &ClockId| {
                    let reason = self.of(clock).and_then(|of| of.reason_unknown.as_deref());
                    format!("{} ({})", quoted(clock.name()), given(reason))
                };
                let unknown: Vec<String> = unknown.iter().map(why).collect();
                let others = match clocks {
                    0 => String::new(),
                    _ => format!(
                        "; none of {} went backwards in {}",
                        counted(*clocks, "other clock", "other clocks"),
                        values(*new_values)
                    ),
                };
                format!("causal across cores: unknown for {}{others}", unknown.join(", "))
            }
        }
    }
}

impl LostTo {
    pub const fn words(self) -> &'static str {
        match self {
            LostTo::Quota => "a CPU quota",
            LostTo::OtherThreads => "other threads",
            LostTo::OtherGuests => "other guests",
            LostTo::Interrupts => "interrupts or the hypervisor",
            LostTo::Unknown => "an unknown cause",
        }
    }
}

impl NoiseAdvice {
    pub const fn words(self) -> &'static str {
        match self {
            NoiseAdvice::RaiseQuota => "raise the quota or use a cpuset, and repeat",
            NoiseAdvice::PinToIdleCpu => "repeat on an idle CPU",
            NoiseAdvice::StopOtherWork => "stop other work, and repeat",
            NoiseAdvice::DedicatedCpus => "use a machine with dedicated CPUs",
            NoiseAdvice::MoveInterrupts => {
                "take medians of short intervals; move interrupts away, or use dedicated CPUs"
            }
        }
    }
}

impl FastPath {
    pub fn words(&self) -> String {
        let known = |method: Option<PathMethod>| match method {
            None => "evidence not recorded",
            Some(PathMethod::ByConstruction) => "by construction",
            Some(PathMethod::Proved) => "proved",
            Some(PathMethod::Counted) => "counted",
            Some(PathMethod::Inferred) => "inferred from timing, may be wrong",
        };
        match self {
            FastPath::ProbablyVdso { method } => {
                format!("{CLOCK} is probably on its fast path, the vDSO ({})", known(*method))
            }
            FastPath::Vdso { method } => {
                format!("{CLOCK} is on its fast path: the vDSO, no system call ({})", known(Some(*method)))
            }
            FastPath::SystemCall { method } => {
                format!("{CLOCK} is off its fast path: every read is a system call ({})", known(*method))
            }
            FastPath::Unknown { reason } => format!("fast path of {CLOCK}: unknown: {reason}"),
            FastPath::NotTested { reason } => format!("fast path of {CLOCK}: not tested: {reason}"),
        }
    }
}
