use std::collections::BTreeMap;

use chronoscope_clock::SourceId;
use chronoscope_clock::os::OsClock;

use super::ns;
use crate::finding::{Finding, FindingId, Severity};
use crate::record::{ClockReport, Path, PathMethod, Record};
use crate::verdict::COARSE_NS;

/// A step is another than the declared one if it differs by more than this factor.
const RESOLUTION_FACTOR: f64 = 1.5;
/// A register read that costs more than this is taken to trap: no CPU's own read does.
const TRAP_NS: f64 = 250.0;

pub(super) fn negative_elapsed(record: &Record) -> Vec<Finding> {
    let mut seen: BTreeMap<&str, (u64, f64)> = BTreeMap::new();
    for clock in &record.clocks {
        if let Some(granularity) = clock.granularity.as_ref().filter(|granularity| granularity.backward_steps > 0) {
            seen.insert(&clock.name, (granularity.backward_steps, granularity.worst_backward_ns));
        }
    }
    for reads in record.reads.iter().filter(|reads| reads.backward_steps > 0) {
        let entry = seen.entry(&reads.clock).or_default();
        entry.0 = entry.0.saturating_add(reads.backward_steps);
    }
    seen.into_iter()
        .map(|(name, (steps, worst_ns))| {
            let mut finding = Finding::new(
                FindingId::NegativeElapsed,
                format!("{name} stepped back {steps} times on one thread, by up to {}", ns(worst_ns)),
            )
            .about(name)
            .value("backward_steps", steps as f64)
            .value("worst_ns", worst_ns);
            if SourceId::from_name(name) == Some(SourceId::Os(OsClock::Realtime)) {
                // A wall clock may be set; that it was, during the run, is worth knowing and no more.
                finding.severity = Severity::Notice;
                finding.advice("never time an interval with a wall clock; use CLOCK_MONOTONIC")
            } else {
                finding.advice("do not use this clock: an interval timed with it can come out negative")
            }
        })
        .collect()
}

pub(super) fn resolution_is_not_granularity(record: &Record) -> Vec<Finding> {
    let differs = |clock: &ClockReport| {
        let step = clock.granularity_ns.filter(|_| clock.granularity_is_latency == Some(false))?;
        misdeclared(&clock.name, clock.resolution_ns_declared?, step)
    };
    record.clocks.iter().filter_map(differs).collect()
}

/// The finding that a clock moves in other steps than it declares, if it does.
pub(super) fn misdeclared(name: &str, declared: f64, step: f64) -> Option<Finding> {
    let differs = !(1.0 / RESOLUTION_FACTOR..=RESOLUTION_FACTOR).contains(&(step / declared));
    differs.then(|| {
        let summary = format!("{name} declares a resolution of {} and moves in steps of {}", ns(declared), ns(step));
        Finding::new(FindingId::ResolutionIsNotGranularity, summary)
            .about(name)
            .value("declared_ns", declared)
            .value("granularity_ns", step)
            .advice("go by the observed step; a declared resolution, or 1/frequency, is not what a program sees")
    })
}

fn monotonic(record: &Record) -> Option<&ClockReport> {
    let name = SourceId::Os(OsClock::Monotonic).name();
    record.clocks.iter().find(|clock| clock.available && clock.name == name)
}

pub(super) fn os_clock_on_slow_path(record: &Record) -> Vec<Finding> {
    let Some(clock) = monotonic(record).filter(|clock| clock.path == Some(Path::Syscall)) else { return Vec::new() };
    let source = record.machine.clocksource.current.as_deref().unwrap_or("unknown");
    let mut summary = format!("{} enters the kernel at every read (clocksource {source})", clock.name);
    if let Some(latency) = &clock.latency_ns {
        summary += &format!(", at {} a read", ns(latency.estimate));
    }
    let finding = Finding::new(FindingId::OsClockOnSlowPath, summary).about(&clock.name);
    let finding = match &clock.latency_ns {
        Some(latency) => finding.value("latency_ns", latency.estimate),
        None => finding,
    };
    vec![finding.advice(
        "a clocksource that the vDSO can read (tsc, kvm-clock, hyperv_clocksource_tsc_page, arch_sys_counter) makes \
         reads several times cheaper",
    )]
}

pub(super) fn os_clock_coarse(record: &Record) -> Vec<Finding> {
    monotonic(record)
        .filter(|clock| clock.granularity_is_latency == Some(false))
        .and_then(|clock| clock.granularity_ns.filter(|step| *step >= COARSE_NS).map(|step| (clock, step)))
        .map(|(clock, step)| {
            Finding::new(FindingId::OsClockCoarse, format!("{} moves in steps of {}", clock.name, ns(step)))
                .about(&clock.name)
                .value("granularity_ns", step)
                .advice("nothing shorter than a hundred of these steps can be timed within 1 %; see the clocksource")
        })
        .into_iter()
        .collect()
}

pub(super) fn path_inferred(record: &Record) -> Vec<Finding> {
    let inferred: Vec<&str> = record
        .clocks
        .iter()
        .filter(|clock| clock.path_evidence.as_ref().is_some_and(|proof| proof.method == PathMethod::Inferred))
        .map(|clock| clock.name.as_str())
        .collect();
    if inferred.is_empty() {
        return Vec::new();
    }
    vec![
        Finding::new(FindingId::PathInferred, format!("the path of {} is a guess from timing", inferred.join(", ")))
            .value("clocks", inferred.len() as f64)
            .advice("run where a process may install a seccomp filter, to have it proved"),
    ]
}

pub(super) fn counter_traps(record: &Record) -> Vec<Finding> {
    let name = SourceId::CounterUnordered.name();
    let cost = record
        .clocks
        .iter()
        .find(|clock| clock.name == name)
        .and_then(|clock| clock.latency_ns.as_ref())
        .map(|latency| latency.estimate)
        .filter(|cost| *cost > TRAP_NS);
    cost.map(|cost| {
        Finding::new(FindingId::CounterTraps, format!("{name} costs {}, which is what a trap costs", ns(cost)))
            .about(name)
            .value("latency_ns", cost)
            .advice(
                "the hypervisor or an emulator intercepts the counter; ask for a machine type that passes it through",
            )
    })
    .into_iter()
    .collect()
}
