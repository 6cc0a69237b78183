//! From a record to its findings: rules, each a pure function to the findings of one kind or a few that belong together.

mod causality;
mod clocks;
mod intervals;
mod machine;
mod pauses;
mod run;
mod runtimes;

pub(crate) use clocks::trap_cost_ns;

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

/// Nanoseconds for a sentence, to three digits.
pub(crate) fn ns(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        v if v < 999.5 => (value, "ns"),
        v if v < 999.5e3 => (value / 1e3, "µs"),
        v if v < 999.5e6 => (value / 1e6, "ms"),
        _ => (value / 1e9, "s"),
    };
    let decimals = match scaled.abs() {
        v if v >= 99.95 || v == 0.0 => 0,
        v if v >= 9.995 => 1,
        v if v >= 0.9995 => 2,
        _ => 3,
    };
    format!("{scaled:.decimals$} {unit}")
}

/// A count for a sentence, its digits in groups of three.
fn count(value: u64) -> String {
    let digits = value.to_string();
    let first = digits.len() % 3;
    let (head, tail) = digits.split_at(first);
    let groups = tail.as_bytes().chunks(3).map(|group| String::from_utf8_lossy(group).into_owned());
    let groups: Vec<String> = std::iter::once(head.to_owned()).filter(|head| !head.is_empty()).chain(groups).collect();
    groups.join("\u{202f}")
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::plan::{Plan, Wish};
    use crate::record::{ClockReport, Latency, Machine, Record};

    /// A record of a machine with two CPUs, on which nothing has been measured.
    pub(crate) fn blank() -> Record {
        crate::engine::blank(Plan::new(&Wish::default(), &[0, 1]).unwrap(), Machine::default())
    }

    /// A clock that can be read, and of which nothing else is known.
    pub(crate) fn readable(name: &str) -> ClockReport {
        ClockReport {
            name: name.to_owned(),
            available: true,
            ordered: true,
            causal_by_design: Some(true),
            ..ClockReport::default()
        }
    }

    /// A latency of which only the estimate is of interest.
    pub(crate) fn latency(estimate: f64) -> Latency {
        let batches = crate::task::latency::LaneSamples { reads_per_batch: 1, batch_ticks: vec![estimate as u64; 3] };
        let rate = chronoscope_clock::Rate::NANOSECONDS;
        let found = crate::estimate::latency(&[batches], &[vec![true; 3]], rate).unwrap();
        Latency { estimate, ..found }
    }

    #[test]
    fn lengths_have_three_digits() {
        let said = [0.0, 0.358, 1.0, 8.876, 16.91, 999.4, 999.6, 10_000.0, -1_234_567.0].map(super::ns);
        assert_eq!(
            said,
            ["0 ns", "0.358 ns", "1.00 ns", "8.88 ns", "16.9 ns", "999 ns", "1.00 µs", "10.0 µs", "-1.23 ms"]
        );
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!(super::count(0), "0");
        assert_eq!(super::count(123), "123");
        assert_eq!(super::count(12_345_678), "12\u{202f}345\u{202f}678");
    }
}
