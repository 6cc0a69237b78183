//! What it takes to exclude a cause: that nothing was found is evidence only where it could have been.

use chronoscope_harness::quantity::{PPM, TIME, count};

use crate::answers::causality::{causality, skew};
use crate::answers::conclusions::{CausalityConclusion, FastPath, Skew};
use crate::answers::fast_path::{CLOCK, fast_path};
use crate::document::Record;
use crate::sections::sync::discipline::DisciplineState;
use crate::sections::sync::known::Known;
use crate::sections::sync::report::SyncReport;

/// Evidence against a cause, or why there is none.
pub type Exclusion = Result<String, String>;

fn unless<T>(known: Option<T>, evidence: impl FnOnce(T) -> String, reason: &str) -> Exclusion {
    known.map(evidence).ok_or_else(|| reason.to_owned())
}

/// No clock went backwards within a thread.
pub fn steady_on_one_thread(record: &Record) -> Exclusion {
    let reads: u64 = record.reads.iter().fold(0, |sum, reads| sum.saturating_add(reads.count));
    match record.verdict.monotonic {
        Some(true) => Ok(format!("no clock went backwards within a thread in {} consecutive reads", count(reads))),
        _ => Err("not every clock was observed".to_owned()),
    }
}

/// No clock that must be causal went backwards between CPUs.
pub fn causal(record: &Record) -> Exclusion {
    let bound = match skew(record) {
        Skew::NotExcluded { below_ns, .. } => format!("; skew, if any, is {}", TIME.below(below_ns)),
        _ => String::new(),
    };
    match causality(record) {
        CausalityConclusion::Causal { clocks, new_values, .. } => Ok(format!(
            "none of {} clocks that must be causal went backwards in {} new values{bound}",
            count(clocks),
            count(new_values)
        )),
        CausalityConclusion::NotTested { reason } => Err(format!("not tested: {reason}")),
        CausalityConclusion::Unknown { unknown, .. } => {
            let names: Vec<&str> = unknown.iter().map(|row| row.clock.name()).collect();
            Err(format!("too few observations of {}", names.join(", ")))
        }
        CausalityConclusion::WentBackwards { .. } => Err("a clock went backwards between CPUs".to_owned()),
    }
}

/// The monotonic clock does not enter the kernel.
pub fn fast(record: &Record) -> Exclusion {
    match fast_path(record) {
        FastPath::Vdso { .. } => Ok(format!("{CLOCK} is read through the vDSO, without a system call")),
        FastPath::ProbablyVdso { .. } => Err(format!("{CLOCK} is probably read through the vDSO; there is no proof")),
        FastPath::SystemCall { .. } => Err(format!("{CLOCK} is read by system calls")),
        FastPath::Unknown { reason } | FastPath::NotTested { reason } => Err(reason),
    }
}

/// Nothing speaks against the counter.
pub fn counter_trusted(record: &Record) -> Exclusion {
    match record.counter_doubt() {
        None => Ok("nothing speaks against the counter here".to_owned()),
        Some(doubt) => Err(doubt),
    }
}

/// The clocksource is known.
pub fn clocksource_known(record: &Record) -> Exclusion {
    let name = record.machine.clocksource.current.as_ref();
    unless(
        name,
        |name| format!("the clocksource is {name}, and none that is better is available"),
        "the clocksource is unknown",
    )
}

/// It is known that nobody shared the core.
pub fn core_alone(record: &Record) -> Exclusion {
    let shared = record.clocks.harness.as_ref().and_then(|harness| harness.interference.shared_throughout);
    let reason = "whether a neighbour shares the core could not be told; no time was seen stolen";
    unless(
        shared.filter(|shared| !shared),
        |_| "the core was not shared throughout, and no time was stolen".to_owned(),
        reason,
    )
}

/// The governor is known.
pub fn governor_known(record: &Record) -> Exclusion {
    let governors = &record.machine.governor.governors;
    let known = (!governors.is_empty()).then_some(governors);
    unless(
        known,
        |governors| format!("the frequency governor is {}", governors.join(", ")),
        "the frequency governor is unknown",
    )
}

/// The quota is known.
pub fn quota_known(record: &Record) -> Exclusion {
    match &record.machine.limits.reason_unavailable {
        None => Ok("no quota below the number of CPUs".to_owned()),
        Some(reason) => Err(format!("the quota is unknown: {reason}")),
    }
}

/// It is known that the CPU is real.
pub fn real_cpu(record: &Record) -> Exclusion {
    let emulated = record.machine.cpu.emulation.is_emulated.filter(|emulated| !emulated);
    unless(emulated, |_| "the CPU is not emulated".to_owned(), "whether the CPU is emulated is unknown")
}

fn sync<'r, T>(record: &'r Record, of: impl FnOnce(&'r SyncReport) -> Option<T>) -> Option<T> {
    record.sync.report.as_ref().and_then(of)
}

/// A look at the wall clock lasts a second: nothing excludes that it is set at another time.
pub fn not_set_meanwhile(record: &Record) -> Exclusion {
    let step = sync(record, |report| report.step.value().filter(|step| !step.is_step()));
    Err(match step {
        Some(_) => "it was not set while it was observed, which was for a moment".to_owned(),
        None => "whether it was set could not be observed".to_owned(),
    })
}

/// Something disciplines the wall clock.
pub fn disciplined(record: &Record) -> Exclusion {
    let state = sync(record, |report| Some(report.discipline.state));
    let is_disciplined = |state: &DisciplineState| *state == DisciplineState::Disciplined;
    let by = || sync(record, |report| Some(report.discipline.evidence.join("; "))).unwrap_or_default();
    unless(
        state.filter(is_disciplined),
        |_| format!("the wall clock is disciplined: {}", by()),
        "whether anything disciplines it is unknown",
    )
}

/// The kernel told of no leap second.
pub fn no_leap_second(record: &Record) -> Exclusion {
    let kernel = sync(record, |report| report.kernel.value());
    unless(kernel, |_| "the kernel announces no leap second".to_owned(), "the kernel's state is unknown")
}

/// The monotonic clock is not slewed fast.
pub fn not_slewed(record: &Record) -> Exclusion {
    let transient = sync(record, |report| match report.slew.transient_ppm {
        Known::Value(ppm) => Some(ppm),
        Known::Unavailable(_) => None,
    });
    let evidence = |ppm: f64| format!("CLOCK_MONOTONIC is slewed by {}", PPM.signed().value(ppm));
    unless(transient, evidence, "how fast CLOCK_MONOTONIC is slewed is unknown")
}

/// The counter's frequency was measured.
pub fn frequency_known(record: &Record) -> Exclusion {
    let declared = record.machine.tsc.frequency_sources.iter().filter_map(|source| source.deviation_ppm);
    let largest = declared.map(f64::abs).reduce(f64::max);
    let evidence = |ppm: f64| format!("the counter is within {} of every declared frequency", PPM.value(ppm));
    unless(largest, evidence, "the counter's frequency was compared with no declared one")
}
