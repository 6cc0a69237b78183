//! What a CPU quota took from the run.

use super::of_parts::RuleOfParts;
use crate::document::Record;
use crate::judgement::throttling::throttling;
use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning};
use chronoscope_harness::quantity::ms;

pub const RULES: &[RuleOfParts] =
    &[RuleOfParts::new(&[], &[CPU_THROTTLED], |record| Vec::from_iter(cpu_throttled(record))).lacking(not_counted)];

pub const CPU_THROTTLED: Kind = Kind::warning(
    "cpu_throttled",
    Meaning {
        about: "a CPU quota stopped the run",
        evidence: "for how long it did, each CPU counted on its own (`throttled_ms`), and the length of the run (`elapsed_ms`)",
        mend: "raise the quota while you measure, or use a cpuset instead of a quota",
    },
)
.classed(HostState::Noisy);

fn cpu_throttled(record: &Record) -> Option<Finding> {
    let found = throttling(&record.content.parts)?;
    let quota = record.machine.cpu_quota.value().copied().flatten();
    let quota = quota.map_or_else(String::new, |cpus| format!(" of {cpus:.2} CPUs"));
    let summary =
        format!("a CPU quota{quota} stopped the run for {} of {}", ms(found.throttled_ms), ms(found.elapsed_ms));
    let finding = Finding::new(CPU_THROTTLED, summary)
        .value("throttled_ms", found.throttled_ms)
        .value("elapsed_ms", found.elapsed_ms)
        .advice(CPU_THROTTLED.mend);
    Some(finding)
}

/// Where no quota is counted there is none, if the limits of the control groups are known.
fn not_counted(record: &Record) -> Option<&'static str> {
    let is_counted = record.content.parts.iter().any(|report| report.throttled_ms.is_some());
    let is_known = record.machine.cpu_quota.value().is_some();
    (!is_counted && !is_known).then_some("whether a CPU quota stops this process is not known here")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::Part;
    use crate::rules::tests::{blank, done};
    use chronoscope_harness::record::{Disturbance, Known};

    #[test]
    fn a_run_that_was_stopped_by_a_quota_says_so() {
        let mut record = blank();
        assert_eq!(cpu_throttled(&record), None);
        let mut part = |part: Part, elapsed_ms, throttled_ms| {
            let mut report = done(part, elapsed_ms, Disturbance::default());
            report.throttled_ms = throttled_ms;
            record.content.parts.push(report);
        };
        part(Part::Latency, 10_000, Some(9_950.0));
        part(Part::Reads, 7_600, Some(7_550.0));
        record.machine.cpu_quota = Known::Value(Some(0.5));
        let found = cpu_throttled(&record).unwrap();
        assert!(found.is(CPU_THROTTLED) && found.severity == CPU_THROTTLED.severity, "{found:?}");
        assert_eq!(found.evidence.summary, "a CPU quota of 0.50 CPUs stopped the run for 17.5 s of 17.6 s");
        record.content.parts.iter_mut().for_each(|report| report.throttled_ms = Some(0.0));
        assert_eq!(cpu_throttled(&record), None);
    }

    #[test]
    fn without_a_count_only_a_known_absence_of_limits_tells_that_there_was_none() {
        let mut record = blank();
        record.machine.cpu_quota = Known::Unavailable("no /proc".to_owned());
        assert!(not_counted(&record).is_some());
        record.machine.cpu_quota = Known::Value(None);
        assert_eq!(not_counted(&record), None);
    }
}
