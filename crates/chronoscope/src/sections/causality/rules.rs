use super::plan::CausalityPlan;
use super::report::Causality;
use crate::section::rule::{self, SectionRule};
use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning};
use chronoscope_harness::quantity::{TIME, count, ns};

type RuleInput<'a> = rule::RuleInput<'a, CausalityPlan, Causality>;

pub const RULES: &[SectionRule<CausalityPlan, Causality>] = &[
    SectionRule::new(&[CROSS_CPU_SKEW], cross_cpu_skew),
    SectionRule::new(&[OFFSET_NOT_CONSTANT], offset_not_constant),
];

pub const CROSS_CPU_SKEW: Kind = Kind::critical(
    "cross_cpu_skew",
    Meaning {
        about: "two CPUs disagree on the time by more than the error bound",
        evidence: "the offset between the CPUs (`offset_ns` ± `half_width_ns`) and messages that arrived before \
            they were sent (`violations`)",
        mend: "do not compare times between these CPUs; bind what you time to one of them",
    },
)
.shown_in(&["causality"])
.classed(HostState::Broken);

pub const OFFSET_NOT_CONSTANT: Kind = Kind::critical(
    "offset_not_constant",
    Meaning {
        about: "a clock on two CPUs has no constant offset: it stalls or jumps on one of them",
        evidence: "the least distance seen between the clocks of two CPUs (`apart_ns_at_least`) and messages \
            that arrived before they were sent (`violations`)",
        mend: CROSS_CPU_SKEW.mend,
    },
)
.shown_in(&["causality"])
.classed(HostState::Broken);

fn cross_cpu_skew(seen: &RuleInput<'_>) -> Vec<Finding> {
    seen.report
        .pairs
        .iter()
        .filter(|pair| pair.shows_skew() && pair.reason_not_constant.is_none())
        .map(|pair| {
            Finding::new(
                CROSS_CPU_SKEW,
                format!(
                    "{} on CPU {} is {} {} away from CPU {}; {} of {} messages arrived before they were sent",
                    pair.clock,
                    pair.b,
                    ns(pair.offset_ns),
                    TIME.off(pair.half_width_ns),
                    pair.a,
                    count(pair.violations),
                    count(pair.rounds.saturating_mul(2))
                ),
            )
            .about(format!("{} on CPUs {} and {}", pair.clock, pair.a, pair.b))
            .value("offset_ns", pair.offset_ns)
            .value("half_width_ns", pair.half_width_ns)
            .value("violations", pair.violations as f64)
            .advice(CROSS_CPU_SKEW.mend)
        })
        .collect()
}

fn offset_not_constant(seen: &RuleInput<'_>) -> Vec<Finding> {
    let pairs = seen.report.pairs.iter().filter_map(|pair| Some((pair, pair.reason_not_constant.as_ref()?)));
    pairs
        .map(|(pair, reason)| {
            let subject = format!("{} on CPUs {} and {}", pair.clock, pair.a, pair.b);
            let messages = count(pair.rounds.saturating_mul(2));
            let early = count(pair.violations);
            Finding::new(
                OFFSET_NOT_CONSTANT,
                format!("{subject}: {reason}; {early} of {messages} messages arrived before they were sent"),
            )
            .about(subject)
            .value("apart_ns_at_least", pair.skew_not_excluded_ns())
            .value("violations", pair.violations as f64)
            .advice(OFFSET_NOT_CONSTANT.mend)
        })
        .collect()
}
