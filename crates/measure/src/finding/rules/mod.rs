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
