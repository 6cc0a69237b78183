//! Language runtimes, with the way off the slow path and whether the run was interrupted.

use super::of_parts::RuleOfParts;
use super::remedies::way_off_the_slow_path;
use crate::document::Record;
use crate::probe::runtime::{Runtime, RuntimeClock, TimeKind};
use crate::sections::runtimes::plan::RUNTIMES;
use crate::sections::runtimes::rules::measured;
use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning, Severity};
use chronoscope_harness::quantity::count;
use chronoscope_harness::record::Path;

pub const RULES: &[RuleOfParts] = &[
    RuleOfParts::new(&[RUNTIMES], &[RUNTIME_ON_SLOW_PATH], on_slow_path),
    RuleOfParts::new(&[RUNTIMES], &[RUNTIME_FAILED], failed),
];

pub const RUNTIME_ON_SLOW_PATH: Kind = Kind::warning(
    "runtime_on_slow_path",
    Meaning {
        about: "every read of a runtime's clock enters the kernel",
        evidence: "the system calls counted (`system_calls`) while the clock was read (`reads`)",
        mend: "switch to a clocksource that the vDSO can read, where the kernel offers a sound one; else \
            look for a sandbox or tracer",
    },
)
.shown_in(&["runtimes"])
.classed(HostState::Degraded);

pub const RUNTIME_FAILED: Kind = Kind::warning(
    "runtime_failed",
    Meaning {
        about: "an installed runtime could not be measured",
        evidence: "the program that was found, and why it could not be measured",
        mend: "run the program by hand and repair it, or allow more time with --duration",
    },
)
.shown_in(&["runtimes"]);

fn on_slow_path(record: &Record) -> Vec<Finding> {
    let slow = |runtime: &Runtime| {
        let entering: Vec<&RuntimeClock> = runtime
            .clocks
            .iter()
            .filter(|clock| clock.kind != TimeKind::Cpu && clock.path == Some(Path::Syscall))
            .collect();
        let names: Vec<&str> = entering.iter().map(|clock| clock.name.as_str()).collect();
        (!names.is_empty()).then(|| {
            let source = record.machine.clocksource.current.as_deref().unwrap_or("unknown");
            let counted = || entering.iter().filter_map(|clock| clock.system_calls.as_ref());
            let calls: u64 = counted().map(|calls| calls.count).sum();
            let reads: u64 = counted().map(|calls| calls.reads).sum();
            let summary = format!(
                "{}: {} system calls for {} reads of {} (clocksource {source})",
                runtime.title(),
                count(calls),
                count(reads),
                names.join(", ")
            );
            Finding::new(RUNTIME_ON_SLOW_PATH, summary)
                .about(runtime.title())
                .value("system_calls", calls as f64)
                .value("reads", reads as f64)
                .advice(way_off_the_slow_path(record))
        })
    };
    measured(record.content.runtimes()).filter_map(slow).collect()
}

/// In an interrupted run, nothing is held against a runtime; nor in a check what it had no time for, which is chance: its table
/// says so.
fn failed(record: &Record) -> Vec<Finding> {
    if record.interrupted {
        return Vec::new();
    }
    let is_in_check = record.content.sections.runtimes.plan.as_ref().is_some_and(|plan| plan.quick_starters);
    let fails = |runtime: &&Runtime| runtime.has_failed() || runtime.out_of_time && !is_in_check;
    let failing = record.content.runtimes().iter().filter(fails);
    failing
        .map(|runtime| {
            let place = runtime.executable.as_deref().unwrap_or_default();
            let reason = runtime.reason_unavailable.as_deref().unwrap_or("no reason given");
            if runtime.out_of_time {
                let summary = format!("{} at {place} was not measured: {reason}", runtime.title());
                let mut finding = Finding::new(RUNTIME_FAILED, summary).about(runtime.title());
                finding.severity = Severity::Notice;
                return finding.advice("run chronoscope runtimes, or allow more time with --duration");
            }
            let summary = format!("{} at {place} could not be measured: {reason}", runtime.title());
            Finding::new(RUNTIME_FAILED, summary).about(runtime.title())
        })
        .collect()
}
