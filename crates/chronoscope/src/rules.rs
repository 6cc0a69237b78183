//! From a record to its findings: rules, each a pure function to the findings of one kind or a few that belong together.

use crate::engine::rules as run;
use crate::machine::rules as machine;
use crate::sections::causality::rules as causality;
use crate::sections::clocks::intervals::rules as intervals;
use crate::sections::clocks::rules as clocks;
use crate::sections::pauses::rules as pauses;
use crate::sections::runtimes::rules as runtimes;

pub use clocks::trap_cost_ns;

use crate::finding::Finding;
use crate::record::Record;

/// A rule.
type Rule = fn(&Record) -> Vec<Finding>;

const RULES: &[Rule] = &[
    clocks::negative_elapsed,
    clocks::resolution_is_not_granularity,
    clocks::os_clock_on_slow_path,
    clocks::os_clock_coarse,
    clocks::path_inferred,
    clocks::counter_traps,
    causality::non_causal_reads,
    causality::cross_cpu_skew,
    intervals::interval_near_latency,
    intervals::claim_refuted,
    pauses::early_pause,
    runtimes::negative_elapsed,
    runtimes::tick_coarse,
    runtimes::resolution_is_not_granularity,
    runtimes::on_slow_path,
    runtimes::wall_clock_for_intervals,
    runtimes::loop_doubtful,
    runtimes::not_steady,
    runtimes::not_parallel,
    runtimes::early_pause,
    runtimes::failed,
    machine::counter_forbidden,
    machine::tsc_distrusted,
    machine::tsc_not_invariant,
    machine::frequency_misdeclared,
    machine::better_clocksource,
    machine::frequency_scaling,
    machine::cpu_quota,
    run::noisy_machine,
    run::core_shared,
    run::stolen_time,
    run::no_workers,
    run::one_cpu,
    run::not_pinned,
    run::parts_unavailable,
    run::interrupted,
];

/// Everything that follows from `record`, gravest first.
pub fn conclude(record: &Record) -> Vec<Finding> {
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(record)).collect();
    findings.sort_by(|a, b| b.severity.cmp(&a.severity).then(a.id.cmp(&b.id)).then(a.subject.cmp(&b.subject)));
    findings
}

#[cfg(test)]
pub mod tests {
    use crate::engine::Planned;
    use crate::plan::RunWish;
    use crate::record::{ClockReport, Latency, Machine, Record, Tool};

    /// A record of a machine with two CPUs, on which nothing has been measured.
    pub fn blank() -> Record {
        blank_of(&RunWish::default(), &[0, 1])
    }

    /// The same, of a check as `wish` wants it on these CPUs.
    pub fn blank_of(wish: &RunWish, cpus: &[u32]) -> Record {
        let tool = Tool { name: "test".to_owned(), version: "1".to_owned() };
        Planned::check(&Default::default(), wish, cpus).unwrap().record(tool, Machine::default())
    }

    /// A clock that can be read, and of which nothing else is known.
    pub fn readable(name: &str) -> ClockReport {
        ClockReport {
            name: name.to_owned(),
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
        let found = crate::estimate::latency(&[batches], &[vec![true; 3]], rate).unwrap();
        Latency { estimate, ..found }
    }
}
