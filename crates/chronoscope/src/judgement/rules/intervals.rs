//! Intervals, of the clocks that the verdict recommends.

use super::of_parts::RuleOfParts;
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::judgement::Judgement;
use crate::sections::clocks::plan::{GRANULARITY, INTERVALS, LATENCY};
use chronoscope_harness::estimators::intervals::{ShortestInterval, TimedIntervals, Tolerance};
use chronoscope_harness::finding::{Finding, Kind, Meaning};
use chronoscope_harness::quantity::ns;

pub const RULES: &[RuleOfParts] = &[
    RuleOfParts::new(&[LATENCY, GRANULARITY, INTERVALS], &[INTERVAL_NEAR_LATENCY], interval_near_latency).lacking(
        |record| record.content.sections.clocks.plan.questions_ns.is_empty().then_some("no interval was asked about"),
    ),
    RuleOfParts::new(&[LATENCY, GRANULARITY, INTERVALS], &[INTERVAL_CLAIM_REFUTED], claim_refuted),
];

pub const INTERVAL_NEAR_LATENCY: Kind = Kind::warning(
    "interval_near_latency",
    Meaning {
        about: "a requested interval is too short for the recommended clock",
        evidence: "the interval asked about (`interval_ns`) and the shortest that the clock can time to 10 % \
            (`shortest_ns`)",
        mend: "time batches of the operation, or model it",
    },
)
.shown_in(&["clocks"]);
pub const INTERVAL_CLAIM_REFUTED: Kind = Kind::notice(
    "interval_claim_refuted",
    Meaning {
        about: "known work was timed less accurately than latency and granularity predict",
        evidence: "the interval expected from empty intervals and step (`claimed_ns`) at `tolerance_pct`, and what \
            trials confirmed",
        mend: "use the confirmed interval; where there is none, use longer intervals or time batches",
    },
)
.shown_in(&["clocks"]);

/// A claim is refuted if the trials confirm only an interval longer by more than this factor, or none.
const REFUTED_FACTOR: f64 = 1.5;

fn recommended(record: &Record) -> impl Iterator<Item = (&ClockId, &TimedIntervals)> {
    let recommended = record.content.judgement.iter().flat_map(Judgement::recommended);
    recommended.filter_map(|clock| Some((&clock.name, record.content.clocks().intervals_of(&clock.name)?)))
}

/// Finds requested intervals that a recommended clock cannot time within 10 %.
fn interval_near_latency(record: &Record) -> Vec<Finding> {
    let mut findings = Vec::new();
    for interval_ns in &record.content.sections.clocks.plan.questions_ns {
        for (clock, timed) in recommended(record) {
            let shortest = timed.shortest(Tolerance::TenPercent);
            // After trials that confirmed nothing, only intervals below the claim are certainly too short.
            let least_ns = match shortest {
                ShortestInterval::NotConfirmed { .. } => timed.claimed_interval_ns.within_10pct,
                shortest => shortest.known_from_ns(),
            };
            let Some(shortest_ns) = shortest.expected_from_ns() else { continue };
            if least_ns.is_none_or(|least_ns| *interval_ns >= least_ns) {
                continue;
            }
            let times = match shortest {
                ShortestInterval::NotConfirmed { .. } => "is expected to time",
                ShortestInterval::Claimed(_) => "should time",
                _ => "can time",
            };
            findings.push(
                Finding::new(
                    INTERVAL_NEAR_LATENCY,
                    format!(
                        "{} is too short to time with {}, which {times} single intervals ≥ {} to 10 %",
                        ns(*interval_ns),
                        clock,
                        ns(shortest_ns)
                    ),
                )
                .about(clock)
                .value("interval_ns", *interval_ns)
                .value("shortest_ns", shortest_ns)
                .advice(format!(
                    "time batches of {}, or model the operation",
                    (shortest_ns * 10.0 / interval_ns).ceil()
                )),
            );
        }
    }
    findings
}

fn claim_refuted(record: &Record) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (clock, timed) in recommended(record) {
        for tolerance in Tolerance::ALL {
            let Some(claim) = tolerance.of(&timed.claimed_interval_ns) else { continue };
            let (saw, then) = match timed.shortest(tolerance) {
                ShortestInterval::Confirmed(confirmed) if confirmed > claim * REFUTED_FACTOR => {
                    (format!("only ≥ {}", ns(confirmed)), "use the confirmed interval")
                }
                ShortestInterval::NotConfirmed { tried_to_ns, .. } => (
                    format!("at none of the lengths tried (up to {})", ns(tried_to_ns)),
                    "use longer intervals, or time batches",
                ),
                _ => continue,
            };
            let tolerance_pct = tolerance.percent();
            findings.push(
                Finding::new(
                    INTERVAL_CLAIM_REFUTED,
                    format!(
                        "by empty intervals and step, {} should time intervals ≥ {} to {tolerance_pct} %; 98 of 100 quiet trials \
                         did so {saw}",
                        clock,
                        ns(claim)
                    ),
                )
                .about(clock)
                .value("tolerance_pct", tolerance_pct)
                .value("claimed_ns", claim)
                .advice(then),
            );
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::{blank, judged, readable};
    use crate::sections::clocks::report::ClockReport;
    use chronoscope_harness::estimators::intervals::{DirectInterval, IntervalTrial};

    const CLOCK: &str = "CLOCK_MONOTONIC";

    #[test]
    fn trials_that_confirmed_nothing_make_an_interval_too_short_only_below_the_claim() {
        let mut record = blank();
        let claim = DirectInterval { within_1pct: None, within_10pct: Some(8_000.0) };
        let failed = IntervalTrial {
            tolerance_pct: 10.0,
            truth_ns: 64_000.0,
            readings_made: 100,
            readings: 100,
            error_pct_p50: 1.0,
            error_pct_abs_p95: 15.0,
            share_within: 0.8,
            holds: false,
        };
        let timed = TimedIntervals {
            direct_interval_ns: DirectInterval::default(),
            trials: vec![failed],
            ..TimedIntervals::claimed(claim)
        };
        record.content.sections.clocks.report.clocks.push(ClockReport { intervals: Some(timed), ..readable(CLOCK) });
        record.content.sections.clocks.plan.questions_ns = vec![1_000.0, 50_000.0, 1e9];
        let record = judged(record);
        let found = interval_near_latency(&record);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].evidence.summary.contains("96.0"));
        let refuted = claim_refuted(&record);
        assert!(refuted[0].is(INTERVAL_CLAIM_REFUTED));
        assert!(refuted[0].evidence.summary.contains("64.0"), "{refuted:?}");
    }
}
