use super::ns;
use crate::finding::{Finding, FindingId};
use crate::record::Record;

/// A claim is refuted if the trials confirm only an interval longer by more than this factor, or none.
const REFUTED_FACTOR: f64 = 1.5;

/// An interval that was asked about and that a recommended clock cannot time within 10 %.
pub(super) fn interval_near_latency(record: &Record) -> Vec<Finding> {
    let mut findings = Vec::new();
    for interval_ns in &record.plan.questions_ns {
        for clock in record.verdict.clocks.iter().filter(|clock| clock.recommended) {
            let confirmed_or_claimed = clock.direct_interval_ns.within_10pct.or(clock.claimed_interval_ns.within_10pct);
            let Some(shortest_ns) = confirmed_or_claimed.filter(|ns| interval_ns < ns) else { continue };
            findings.push(
                Finding::new(
                    FindingId::IntervalNearLatency,
                    format!(
                        "{} is too near the latency of {}, which times single intervals within 10 % from {} on",
                        ns(*interval_ns),
                        clock.name,
                        ns(shortest_ns)
                    ),
                )
                .about(&clock.name)
                .value("interval_ns", *interval_ns)
                .value("shortest_ns", shortest_ns)
                .advice(format!(
                    "time {} of them together from outside, or build a model of the operation",
                    (shortest_ns * 10.0 / interval_ns).ceil()
                )),
            );
        }
    }
    findings
}

pub(super) fn claim_refuted(record: &Record) -> Vec<Finding> {
    let mut findings = Vec::new();
    for clock in record.verdict.clocks.iter().filter(|clock| clock.recommended && clock.validated) {
        let (claims, found) = (clock.claimed_interval_ns, clock.direct_interval_ns);
        for (tolerance_pct, claim, confirmed) in
            [(1.0, claims.within_1pct, found.within_1pct), (10.0, claims.within_10pct, found.within_10pct)]
        {
            let Some(claim) = claim else { continue };
            let saw = match confirmed {
                Some(confirmed) if confirmed <= claim * REFUTED_FACTOR => continue,
                Some(confirmed) => format!("only from {} on", ns(confirmed)),
                None => "at no length tried".to_owned(),
            };
            findings.push(
                Finding::new(
                    FindingId::IntervalClaimRefuted,
                    format!(
                        "{} should time intervals within {tolerance_pct} % from {} on by its latency and granularity, \
                         and did so {saw}",
                        clock.name,
                        ns(claim)
                    ),
                )
                .about(&clock.name)
                .value("tolerance_pct", tolerance_pct)
                .value("claimed_ns", claim)
                .advice("the verdict gives what the trials confirm; run again when the machine is quieter"),
            );
        }
    }
    findings
}
