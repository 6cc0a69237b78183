//! Rules that limit a quantity: each is judged by the ends of its interval.

use super::report::{Judged, LimitUnit, Measured, RuleOutcome};
use super::rule::{ClockLimit, Share, TimeLimit};
use crate::document::Record;
use crate::sections::causality::plan::OFFSETS;
use crate::sections::causality::rules::CROSS_CPU_SKEW;
use crate::sections::clocks::plan::{GRANULARITY, LATENCY};
use crate::sections::clocks::report::ClockReport;
use crate::sections::reads::plan::READS;
use crate::sections::sync::known::Known;
use crate::sections::sync::plan::SYNC;
use crate::sections::sync::rules::WALL_CLOCK_ERROR_LARGE;
use chronoscope_harness::quantity::{TIME, confidence, count, limit as percent_limit, ns, percent};
use chronoscope_harness::record::Estimate;
use chronoscope_harness::study_rules::NOISY_MACHINE;

/// Gaps of this length count as lost time, as for the finding `noisy_machine`.
const GAP_NS: f64 = 10_000.0;
/// How to narrow an interval.
const NARROW: &str = "the limit is inside the interval: measure longer (--thorough) or on a quieter machine";
/// Where a limit of a time cannot be met.
const SLOW: &str = "see `chronoscope clocks` for what a read costs, and by which path";

/// The clock's report, or why there is no measurement of it.
fn clock<'a>(record: &'a Record, limit: &ClockLimit) -> Result<&'a ClockReport, Box<Judged>> {
    let Some(clock) = record.clocks.iter().find(|clock| clock.name == limit.clock) else {
        let reason = record.reason_missing(&[LATENCY]);
        return Err(Box::new(Judged::unknown(format!("{} was not measured: {reason}", limit.clock))));
    };
    if clock.available {
        return Ok(clock);
    }
    let reason = clock.reason_unavailable.as_deref().unwrap_or("the record gives no reason");
    Err(Box::new(Judged::unknown(format!("{} cannot be read: {reason}", limit.clock))))
}

pub fn latency(record: &Record, limit: &ClockLimit) -> Judged {
    let clock = match clock(record, limit) {
        Ok(clock) => clock,
        Err(unknown) => return *unknown,
    };
    let Some(found) = &clock.latency_ns else {
        return Judged::unknown(format!("its latency was not measured: {}", record.reason_missing(&[LATENCY])));
    };
    let latency = Estimate { estimate: found.estimate, low: found.low, high: found.high, confidence: found.confidence };
    let words = format!("{} a read, limit {}", TIME.amount(&latency), limit.limit.words());
    let measured = measured(LimitUnit::Ns, limit.limit.ns(), Some(latency.estimate), (latency.low, latency.high));
    // What disturbs a batch makes it longer, never shorter.
    if found.minimum > limit.limit.ns() {
        let words =
            format!("{words}; even the fastest of {} batches took {} a read", count(found.batches), ns(found.minimum));
        return Judged { measured, ..Judged::seen(RuleOutcome::Failed, words) }.advice(SLOW);
    }
    if !latency.has_confidence() {
        let words = format!("{words}; the interval has a confidence of only {}", confidence(latency.confidence));
        return Judged { measured, ..Judged::seen(RuleOutcome::Unresolved, words) }
            .advice("measure longer, so that more processes take part (--thorough)");
    }
    let outcome = RuleOutcome::of_limit(latency.low, latency.high, limit.limit.ns());
    with_mend(Judged { measured, ..Judged::seen(outcome, words) }, SLOW)
}

pub fn granularity(record: &Record, limit: &ClockLimit) -> Judged {
    let clock = match clock(record, limit) {
        Ok(clock) => clock,
        Err(unknown) => return *unknown,
    };
    let limit_ns = limit.limit.ns();
    if let Some(step_ns) = clock.moves_in_ns() {
        let outcome = RuleOutcome::of_limit(step_ns, step_ns, limit_ns);
        let words = format!("moves in steps of {}, limit {}", ns(step_ns), limit.limit.words());
        let measured = measured(LimitUnit::Ns, limit_ns, Some(step_ns), (step_ns, step_ns));
        return with_mend(Judged { measured, ..Judged::seen(outcome, words) }, SLOW);
    }
    let Some(read_ns) = clock.granularity_ns else {
        return Judged::unknown(format!("its steps were not observed: {}", record.reason_missing(&[GRANULARITY])));
    };
    let outcome = RuleOutcome::of_limit(0.0, read_ns, limit_ns);
    let words = format!("moves with every read, at most {} apart, limit {}", ns(read_ns), limit.limit.words());
    Judged { measured: measured(LimitUnit::Ns, limit_ns, None, (0.0, read_ns)), ..Judged::seen(outcome, words) }
        .advice("a step shorter than a read is hidden by it: see `chronoscope clocks` for the tick")
}

pub fn skew(record: &Record, limit: TimeLimit) -> Judged {
    let pairs = &record.causality.pairs;
    let Some(most_ns) = pairs.iter().map(|pair| pair.skew_not_excluded_ns()).reduce(f64::max) else {
        let reason = || record.reason_missing(&[OFFSETS]);
        let reason = record.causality.reason_unavailable.clone().unwrap_or_else(reason);
        return Judged::unknown(format!("no two CPUs were compared: {reason}"));
    };
    let least_ns = pairs.iter().map(|pair| (pair.offset_ns.abs() - pair.half_width_ns).max(0.0)).fold(0.0, f64::max);
    let all = match record.causality.pairs_tested_of_more() {
        Some(tested) => {
            format!(" in the {} of {} pairs of CPUs compared", count(tested), count(record.causality.pairs_possible))
        }
        None => String::new(),
    };
    let between = if least_ns > 0.0 { TIME.interval(least_ns, most_ns) } else { TIME.below(most_ns) };
    // A distance that changed may have been larger than was seen.
    let is_constant = pairs.iter().all(|pair| pair.reason_not_constant.is_none());
    let outcome = match RuleOutcome::of_limit(least_ns, most_ns, limit.ns()) {
        RuleOutcome::Passed if !is_constant => RuleOutcome::Unresolved,
        outcome => outcome,
    };
    let changing = if is_constant { "" } else { "; it was not constant, and may have been larger" };
    let words = format!("{between}{all}, limit {}{changing}", limit.words());
    let judged = Judged {
        measured: measured(LimitUnit::Ns, limit.ns(), None, (least_ns, most_ns)),
        ..Judged::seen(outcome, words)
    };
    match outcome {
        RuleOutcome::Unresolved => judged.advice(
            "a bound on skew is at least half a round trip between two CPUs: name a limit above that, or measure on a \
             quieter machine",
        ),
        _ => judged.advice(CROSS_CPU_SKEW.mend),
    }
}

pub fn ntp_error(record: &Record, limit: TimeLimit) -> Judged {
    let Some(sync) = &record.sync.report.as_ref() else {
        return Judged::unknown(format!("the wall clock was not examined: {}", record.reason_missing(&[SYNC])));
    };
    match &sync.bound {
        Known::Unavailable(why) => Judged::unknown(format!("no bound on the wall clock's error is known: {why}"))
            .advice("see `chronoscope sync` for what disciplines the wall clock"),
        Known::Value(bound) => {
            // The rule is about the bound, and that is a number.
            let outcome = RuleOutcome::of_limit(bound.error_ns, bound.error_ns, limit.ns());
            let words = format!("{}, limit {}", TIME.off(bound.error_ns), limit.words());
            let measured = measured(LimitUnit::Ns, limit.ns(), None, (bound.error_ns, bound.error_ns));
            Judged { measured, ..Judged::seen(outcome, words) }.advice(WALL_CLOCK_ERROR_LARGE.mend)
        }
    }
}

pub fn lost(record: &Record, share: Share) -> Judged {
    let worst = record.reads.iter().filter_map(|reads| {
        let gaps = reads.shown_gaps().find(|gaps| gaps.above_ns == GAP_NS)?;
        Some((reads, gaps.share_of_time * 100.0))
    });
    let Some((reads, lost_pct)) = worst.max_by(|(_, a), (_, b)| a.total_cmp(b)) else {
        let reason = record.reason_missing(&[READS]);
        return Judged::unknown(format!("gaps between reads were not observed: {reason}"));
    };
    let outcome = RuleOutcome::of_limit(lost_pct, lost_pct, share.percent());
    let words = format!(
        "{} of the time reading {} lost in gaps over {}, limit {}",
        percent(lost_pct),
        reads.clock,
        ns(GAP_NS),
        percent_limit(share.percent())
    );
    let measured = measured(LimitUnit::Percent, share.percent(), Some(lost_pct), (lost_pct, lost_pct));
    Judged { measured, ..Judged::seen(outcome, words) }.advice(NOISY_MACHINE.mend)
}

/// Adds how to narrow the interval if that is what it takes, else `mend`.
fn with_mend(judged: Judged, mend: &str) -> Judged {
    let advice = if judged.outcome == RuleOutcome::Unresolved { NARROW } else { mend };
    judged.advice(advice)
}

fn measured(unit: LimitUnit, limit: f64, estimate: Option<f64>, (low, high): (f64, f64)) -> Option<Measured> {
    let finite = |number: f64| Some(number).filter(|number| number.is_finite());
    Some(Measured { unit, limit, estimate: estimate.and_then(finite), low: finite(low), high: finite(high) })
}
