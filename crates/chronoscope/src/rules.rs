//! From a record to its findings.

use chronoscope_harness::rule::{in_order, ranked};

use crate::answers::conclude;
use crate::answers::first_screen::conclude::draw_first_screen;
use crate::document::Record;
use crate::{engine, judgement, kinds, machine, registry};
use chronoscope_harness::finding::Finding;

/// All findings from `record`, most severe first.
pub fn conclude(record: &Record) -> Vec<Finding> {
    let findings = [
        in_order(judgement::rules::rules(), record),
        registry::findings(&record.machine, &record.sections),
        in_order(machine::rules::RULES, &record.machine),
        in_order(engine::rules::RULES, record),
    ];
    ranked(findings.concat(), kinds::of_checks())
}

/// The verdict on `record`, its findings, and its first screen.
pub fn judge(record: &mut Record) {
    conclude::conclude(record);
    record.findings = conclude(record);
    draw_first_screen(record);
}

#[cfg(test)]
pub mod tests {
    use crate::clock_id::ClockId;
    use crate::document::Record;
    use crate::engine::Planned;
    use crate::sections::clocks::report::ClockReport;
    use chronoscope_harness::estimators::intervals::TimedIntervals;
    use chronoscope_harness::estimators::latency::{ForkSummary, Latency};
    use chronoscope_harness::record::{Machine, Tool};
    use chronoscope_harness::stats::Distribution;

    /// A record of a machine with two CPUs, without measurements.
    pub fn blank() -> Record {
        let tool = Tool { name: "test".to_owned(), version: "1".to_owned() };
        Planned::check(&Default::default(), &Default::default(), &[0, 1]).unwrap().record(tool, Machine::default())
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

    /// A latency of which only the estimate matters.
    pub fn latency(estimate: f64) -> Latency {
        let process = ForkSummary { p50: estimate, minimum: estimate, maximum: estimate, batches: 2 };
        Latency {
            estimate,
            low: estimate,
            high: estimate,
            confidence: 0.0,
            p50: estimate,
            p99: estimate,
            minimum: estimate,
            batches: 2,
            reads_per_batch: 1,
            forks: vec![process],
            histogram: Distribution::of(vec![estimate; 2]).histogram(),
        }
    }
}
