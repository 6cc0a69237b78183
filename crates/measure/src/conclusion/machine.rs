use crate::finding::{Finding, FindingId};
use crate::record::{Clocksource, Machine, RatingClass, Record, TscAccess, TscClass};

/// A declared frequency is wrong beyond what NTP's slewing of the reference, 500 ppm at most, explains.
const MISDECLARED_PPM: f64 = 600.0;
/// Sources that mean the counter's own frequency, to the hertz or nearly; the others round or mean something else.
const EXACT_SOURCES: [&str; 5] =
    ["CPUID 0x15", "CPUID 0x40000010", "kernel: tsc_freq_khz", "kernel log: refined", "CNTFRQ_EL0"];

pub(super) fn counter_forbidden(record: &Record) -> Vec<Finding> {
    if record.machine.tsc.access != Some(TscAccess::Faults) {
        return Vec::new();
    }
    vec![
        Finding::new(
            FindingId::CounterForbidden,
            "this process was started without the right to read the counter: rdtsc, and every clock of the system \
             that reads it on the vDSO, ends a program with SIGSEGV",
        )
        .advice("find what calls prctl(PR_SET_TSC, PR_TSC_SIGSEGV) above this process: a sandbox, or a record-and-replay tool"),
    ]
}

/// Whether the kernel has the TSC and does not offer it as a clocksource, or says that it is unstable.
pub(crate) fn kernel_distrusts_tsc(machine: &Machine) -> bool {
    let missing = machine.tsc.cpuid.is_some_and(|cpuid| cpuid.tsc)
        && !machine.clocksource.available.is_empty()
        && !machine.clocksource.available.iter().any(|name| name == "tsc");
    missing || machine.kernel.messages_of_distrust().next().is_some()
}

pub(super) fn tsc_distrusted(record: &Record) -> Vec<Finding> {
    let machine = &record.machine;
    if !kernel_distrusts_tsc(machine) {
        return Vec::new();
    }
    let saw = match machine.kernel.messages_of_distrust().next() {
        Some(message) => format!("the kernel said: {message}"),
        None => format!(
            "the kernel does not offer the TSC as a clocksource, only {}",
            machine.clocksource.available.join(", ")
        ),
    };
    vec![
        Finding::new(FindingId::TscDistrusted, saw)
            .about("tsc")
            .advice("do not read the TSC directly here, whatever CPUID says; the kernel has seen it fail"),
    ]
}

pub(super) fn tsc_not_invariant(record: &Record) -> Vec<Finding> {
    let tsc = &record.machine.tsc;
    let Some(class @ (TscClass::Absent | TscClass::Variant | TscClass::Constant)) = tsc.class else {
        return Vec::new();
    };
    vec![
        Finding::new(FindingId::TscNotInvariant, format!("the TSC is {}: {}", class.word(), tsc.class_evidence))
            .about("tsc")
            .advice("ticks are no measure of time here; use CLOCK_MONOTONIC"),
    ]
}

pub(super) fn frequency_misdeclared(record: &Record) -> Vec<Finding> {
    record
        .machine
        .tsc
        .frequency_sources
        .iter()
        .filter(|source| EXACT_SOURCES.iter().any(|exact| source.source.starts_with(exact)))
        .filter_map(|source| Some((source, source.hz?, source.deviation_ppm?)))
        .filter(|(_, _, deviation_ppm)| deviation_ppm.abs() > MISDECLARED_PPM)
        .map(|(source, hz, deviation_ppm)| {
            Finding::new(
                FindingId::FrequencyMisdeclared,
                format!(
                    "{} says that the counter runs at {:.3} MHz, which is {deviation_ppm:+.0} ppm off",
                    source.source,
                    hz / 1e6
                ),
            )
            .about(&source.source)
            .value("hz", hz)
            .value("deviation_ppm", deviation_ppm)
            .advice("calibrate against CLOCK_MONOTONIC instead of trusting this source")
        })
        .collect()
}

pub(super) fn better_clocksource(record: &Record) -> Vec<Finding> {
    let source = &record.machine.clocksource;
    let Some(current) = &source.current else { return Vec::new() };
    let tsc_is_there = source.available.iter().any(|name| name == "tsc");
    let is_poor = matches!(source.rating_class, Some(RatingClass::Unfit | RatingClass::Base | RatingClass::Good));
    if current == "tsc" || !tsc_is_there || !is_poor || kernel_distrusts_tsc(&record.machine) {
        return Vec::new();
    }
    vec![
        Finding::new(
            FindingId::BetterClocksourceAvailable,
            format!("the kernel reads {current} though tsc is available"),
        )
        .about(current)
        .advice(format!("now: {}", Clocksource::switch_command("tsc")))
        .advice("for good: boot with clocksource=tsc, once you know why the kernel chose otherwise"),
    ]
}

pub(super) fn frequency_scaling(record: &Record) -> Vec<Finding> {
    let others: Vec<&str> = record
        .machine
        .governor
        .governors
        .iter()
        .map(String::as_str)
        .filter(|governor| *governor != "performance")
        .collect();
    if others.is_empty() {
        return Vec::new();
    }
    vec![
        Finding::new(
            FindingId::FrequencyScaling,
            format!("the frequency governor is {}: work of the same length takes varying time", others.join(", ")),
        )
        .advice("for the time of a measurement: sudo cpupower frequency-set -g performance"),
    ]
}

pub(super) fn cpu_quota(record: &Record) -> Vec<Finding> {
    let allowed = record.machine.cpu.allowed.len() as f64;
    let Some(quota) = record.machine.limits.quota_cpus.filter(|quota| *quota < allowed) else { return Vec::new() };
    vec![
        Finding::new(
            FindingId::CpuQuota,
            format!(
                "the container may use {quota:.2} CPUs' time and sees {allowed}: beyond it every thread is stopped"
            ),
        )
        .value("quota_cpus", quota)
        .value("cpus_allowed", allowed)
        .advice("raise the quota while you measure, or use a cpuset instead of a quota"),
    ]
}
