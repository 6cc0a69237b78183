//! The rules: each a pure function from the record to the findings of one kind or a few that belong together.

mod causality;
mod clocks;
mod intervals;
mod machine;
mod run;

pub(crate) use machine::kernel_distrusts_tsc;

use super::Finding;
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
    run::one_cpu,
    run::not_pinned,
    run::parts_unavailable,
    run::interrupted,
];

/// What all rules conclude from `record`.
pub(super) fn all(record: &Record) -> Vec<Finding> {
    RULES.iter().flat_map(|rule| rule(record)).collect()
}

/// Nanoseconds for a sentence.
fn ns(value: f64) -> String {
    match value.abs() {
        v if v < 1e3 => format!("{value:.1} ns"),
        v if v < 1e6 => format!("{:.2} µs", value / 1e3),
        v if v < 1e9 => format!("{:.2} ms", value / 1e6),
        _ => format!("{:.2} s", value / 1e9),
    }
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
mod tests {
    #[test]
    fn counts_are_grouped() {
        assert_eq!(super::count(0), "0");
        assert_eq!(super::count(123), "123");
        assert_eq!(super::count(12_345_678), "12\u{202f}345\u{202f}678");
    }
}
