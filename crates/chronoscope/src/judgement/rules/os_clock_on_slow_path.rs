//! Clocks, with what consecutive reads saw of them and which clocksource they could have.

use super::of_parts::RuleOfParts;
use crate::sections::clocks::plan::{GRANULARITY, PATHS};
use crate::sections::reads::plan::READS;
use std::collections::BTreeMap;

use super::remedies::{steady_os_clock, way_off_the_slow_path};
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::sections::clocks::rules::monotonic;
use crate::shared_findings::{NEGATIVE_ELAPSED, went_backwards};
use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning};
use chronoscope_harness::quantity::ns;
use chronoscope_harness::record::Path;

pub const RULES: &[RuleOfParts] = &[
    RuleOfParts::new(&[GRANULARITY, READS], &[NEGATIVE_ELAPSED], negative_elapsed),
    RuleOfParts::new(&[PATHS], &[OS_CLOCK_ON_SLOW_PATH], os_clock_on_slow_path),
];

pub const OS_CLOCK_ON_SLOW_PATH: Kind = Kind::warning(
    "os_clock_on_slow_path",
    Meaning {
        about: "every read of the monotonic clock enters the kernel",
        evidence: "the path of `CLOCK_MONOTONIC`, the clocksource, and the cost of a read (`latency_ns`)",
        mend: "switch to a clocksource that the vDSO can read, where the kernel offers a sound one; else \
            look for a sandbox or tracer",
    },
)
.shown_in(&["clocks"])
.classed(HostState::Degraded);

fn negative_elapsed(record: &Record) -> Vec<Finding> {
    let mut seen: BTreeMap<&str, (&ClockId, u64, f64)> = BTreeMap::new();
    for clock in &record.content.clocks().clocks {
        if let Some(granularity) = clock.granularity.as_ref().filter(|granularity| granularity.backward_steps > 0) {
            seen.insert(clock.name.name(), (&clock.name, granularity.backward_steps, granularity.worst_backward_ns));
        }
    }
    for reads in record.content.reads().iter().filter(|reads| reads.backward_steps > 0) {
        let entry = seen.entry(reads.clock.name()).or_insert((&reads.clock, 0, 0.0));
        entry.1 = entry.1.saturating_add(reads.backward_steps);
    }
    let instead = steady_os_clock(record).map_or_else(String::new, |name| format!("; use {name}"));
    seen.into_iter()
        .map(|(name, (clock, steps, worst_ns))| {
            went_backwards(name, steps, worst_ns, clock.is_settable().then_some(instead.as_str()))
        })
        .collect()
}

fn os_clock_on_slow_path(record: &Record) -> Vec<Finding> {
    let Some(clock) = monotonic(record.content.clocks()).filter(|clock| clock.path == Some(Path::Syscall)) else {
        return Vec::new();
    };
    let source = record.machine.clocksource.current.as_deref().unwrap_or("unknown");
    let mut summary = format!("every read of {} enters the kernel (clocksource {source})", clock.name);
    if let Some(latency) = &clock.latency_ns {
        summary += &format!(", {} a read", ns(latency.per_read.estimate));
    }
    let finding = Finding::new(OS_CLOCK_ON_SLOW_PATH, summary).about(&clock.name);
    let finding = match &clock.latency_ns {
        Some(latency) => finding.value("latency_ns", latency.per_read.estimate),
        None => finding,
    };
    vec![finding.advice(way_off_the_slow_path(record))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::{blank, judged};

    #[test]
    fn no_read_of_an_emulated_cpu_is_said_to_get_cheaper() {
        let mut record = blank();
        record.machine.clocksource.current = Some("hpet".to_owned());
        record.machine.clocksource.available = vec!["tsc".to_owned(), "hpet".to_owned()];
        assert!(way_off_the_slow_path(&judged(record.clone())).contains("tsc"));
        record.machine.cpu.emulation.is_emulated = Some(true);
        let way = way_off_the_slow_path(&judged(record.clone()));
        assert!(way.contains("tsc") && !way.contains("cheaper"), "{way}");
    }

    #[test]
    fn a_step_back_of_unknown_length_is_given_none() {
        let mut record = blank();
        let samples = chronoscope_harness::estimators::reads::Samples {
            differences: vec![(-7, 1), (20, 99)],
            span_ticks: 1_973,
            ..Default::default()
        };
        let rate = chronoscope_sources::Rate::NANOSECONDS;
        record.content.sections.reads.report.extend(chronoscope_harness::estimators::reads::reads(
            "CLOCK_MONOTONIC".into(),
            &samples,
            rate,
            Default::default(),
        ));
        let found = negative_elapsed(&record);
        assert!(found[0].evidence.summary.contains("once") && !found[0].evidence.values.contains_key("worst_ns"));
    }
}
