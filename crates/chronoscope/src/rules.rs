//! From a record to its findings: the rules of every section, each a pure function to the findings of one kind or a few that
//! belong together.

use chronoscope_harness::rule::{self, Rule};

use crate::answers::conclude;
use crate::document::Record;
use crate::{engine, machine, registry};
use chronoscope_harness::finding::{Finding, Kind};

/// Findings that are equally grave are told in this order.
fn rules() -> impl Iterator<Item = &'static Rule<Record>> {
    registry::rules().chain(machine::rules::RULES).chain(engine::rules::RULES)
}

/// Everything that follows from `record`, gravest first.
pub fn conclude(record: &Record) -> Vec<Finding> {
    rule::conclude(rules(), record)
}

/// The verdict on `record`, and its findings.
pub fn judge(record: &mut Record) {
    conclude::conclude(record);
    record.findings = conclude(record);
}

/// Every kind that these rules yield, some more than once.
pub fn kinds() -> impl Iterator<Item = &'static Kind> {
    rules().flat_map(|rule| rule.yields)
}

/// The kind of this id; None for one of another build.
pub fn kind(id: &str) -> Option<&'static Kind> {
    kinds().find(|kind| kind.id == id)
}

#[cfg(test)]
pub mod tests {
    use crate::clock_id::ClockId;
    use crate::document::Record;
    use crate::engine::Planned;
    use crate::sections::clocks::report::{ClockReport, Latency};
    use chronoscope_harness::record::{Machine, Tool};

    /// A record of a machine with two CPUs, on which nothing has been measured.
    pub fn blank() -> Record {
        let tool = Tool { name: "test".to_owned(), version: "1".to_owned() };
        Planned::check(&Default::default(), &Default::default(), &[0, 1]).unwrap().record(tool, Machine::default())
    }

    /// A clock that can be read, and of which nothing else is known.
    pub fn readable(clock: impl Into<ClockId>) -> ClockReport {
        ClockReport {
            name: clock.into(),
            available: true,
            ordered: true,
            causal_by_design: Some(true),
            ..ClockReport::default()
        }
    }

    /// A latency of which only the estimate is of interest.
    pub fn latency(estimate: f64) -> Latency {
        let batches = crate::sections::clocks::latency::task::LaneSamples {
            reads_per_batch: 1,
            batch_ticks: vec![estimate as u64; 3],
        };
        let rate = chronoscope_clock::Rate::NANOSECONDS;
        let found = crate::sections::clocks::latency::estimate::latency(&[batches], &[vec![true; 3]], rate).unwrap();
        Latency { estimate, ..found }
    }
}
