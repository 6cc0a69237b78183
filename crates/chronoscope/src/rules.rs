//! From a record to its findings.

use chronoscope_harness::rule::{in_order, ranked};

use crate::document::{Content, Record};
use crate::judgement::Judgement;
use crate::judgement::facts::Facts;
use crate::judgement::host::host;
use crate::judgement::rules::noise;
use crate::{engine, judgement, kinds, machine, registry};

/// `record` with what follows from it: the judgement, and the findings, most severe first.
pub fn judged(mut record: Record) -> Record {
    let of_sections = registry::findings(&record.machine, &record.content.sections);
    record.content.judgement = Some(judgement::conclude(&Facts::from(&record), &of_sections));
    let findings = [
        in_order(judgement::rules::rules().chain(noise::RULES).map(|rule| &rule.rule), &record),
        of_sections,
        in_order(machine::rules::RULES, &record.machine),
        in_order(engine::rules::RULES, &record),
    ];
    let findings = ranked(findings.concat(), kinds::of_checks());
    let host = is_check(&record).then(|| {
        let classed = findings.iter().map(|finding| (kinds::class_of(finding), finding));
        host(&Facts::from(&record), record.interrupted, &classed.collect::<Vec<_>>())
    });
    let judgement = record.content.judgement.map(|judgement| Judgement { host, ..judgement });
    Record { content: Content { judgement, ..record.content }, findings, ..record }
}

/// Whether it is the document of a check, for which a host has a state.
fn is_check(record: &Record) -> bool {
    let is_other = record.content.study.is_some() || record.content.pace.is_some() || record.content.scaling.is_some();
    record.command == "check" && !is_other
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::clock_id::ClockId;
    use crate::document::{Outcome, PartReport};
    use crate::engine::Planned;
    use crate::part::Part;
    use crate::sections::causality::report::{Litmus, PairOffset};
    use crate::sections::clocks::report::ClockReport;
    use chronoscope_harness::estimators::intervals::TimedIntervals;
    use chronoscope_harness::estimators::latency::{Latency, ProcessSummary};
    use chronoscope_harness::finding::Finding;
    use chronoscope_harness::record::{Disturbance, Machine, Tool};
    use chronoscope_harness::stats::Distribution;

    pub use super::judged;

    /// What is found in `record`.
    pub fn conclude(record: &Record) -> Vec<Finding> {
        judged(record.clone()).findings
    }

    #[test]
    fn only_a_check_has_the_state_of_a_host() {
        let mut section = blank();
        assert!(judged(section.clone()).content.judgement.as_ref().is_some_and(|judgement| judgement.host.is_some()));
        section.command = "reads".to_owned();
        assert!(judged(section).content.judgement.as_ref().is_some_and(|judgement| judgement.host.is_none()));
    }

    /// A record of a machine with two CPUs, without measurements.
    pub fn blank() -> Record {
        let tool = Tool { name: "test".to_owned(), version: "1".to_owned() };
        Planned::check(&Default::default(), &Default::default(), &[0, 1]).unwrap().record(tool, Machine::default())
    }

    /// A part that was done in this time.
    pub fn done(part: Part, elapsed_ms: u64, disturbance: Disturbance) -> PartReport {
        PartReport {
            part,
            outcome: Outcome::Done,
            reason: None,
            elapsed_ms,
            throttled_ms: None,
            clocksource: None,
            disturbance,
        }
    }

    /// A clock with the step that follows from its evidence.
    pub fn stepped(clock: ClockReport) -> ClockReport {
        ClockReport { step: clock.step_by_evidence(), ..clock }
    }

    /// A readable clock about which nothing else is known.
    pub fn readable(clock: impl Into<ClockId>) -> ClockReport {
        ClockReport {
            name: clock.into(),
            available: true,
            ordered: true,
            causal_by_design: true,
            ..ClockReport::default()
        }
    }

    /// As [`readable`], with intervals of which nothing is known.
    pub fn claimed(clock: impl Into<ClockId>) -> ClockReport {
        ClockReport { intervals: Some(TimedIntervals::default()), ..readable(clock) }
    }

    /// What CPU 1 saw of a clock that CPU 0 read: as many observations as new values, steps back of 1 ns.
    pub fn litmus(clock: impl Into<ClockId>, fresh: u64, violations: u64) -> Litmus {
        Litmus {
            name: clock.into(),
            writer: 0,
            reader: 1,
            observations: fresh,
            fresh,
            violated: Some(violations),
            violations,
            worst_ns: if violations > 0 { 1.0 } else { 0.0 },
            back_ns: None,
            by_one_count: false,
            disturbance: Disturbance::default(),
        }
    }

    /// The offset of `CLOCK_MONOTONIC` between CPUs 0 and 1, known to 10 ns.
    pub fn pair(offset_ns: f64, violations: u64) -> PairOffset {
        PairOffset {
            clock: "CLOCK_MONOTONIC".into(),
            a: 0,
            b: 1,
            rounds: 10,
            offset_ns,
            half_width_ns: 10.0,
            reason_not_constant: None,
            violations,
            round_trip_ns: None,
            disturbance: Disturbance::default(),
        }
    }

    /// A latency of which only the estimate matters.
    pub fn latency(estimate: f64) -> Latency {
        let process = ProcessSummary { p50: estimate, minimum: estimate, batches: 2 };
        Latency {
            per_read: chronoscope_harness::record::Estimate::without_interval(estimate),
            p50: estimate,
            p99: estimate,
            minimum: estimate,
            batches: 2,
            reads_per_batch: 1,
            processes: vec![process],
            histogram: Distribution::of(vec![estimate; 2]).histogram(),
        }
    }
}
