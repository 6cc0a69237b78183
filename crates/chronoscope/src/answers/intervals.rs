//! Which intervals the clocks can time directly, and the answers to the user's questions.

use crate::answers::conclusions::{Grade, Intervals};
use crate::answers::report::{Answer, ClockVerdict, Question, TimedBy};
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::sections::clocks::plan::{INTERVALS, LATENCY};
use chronoscope_harness::estimators::intervals::{Promise, ShortestInterval, Tolerance};

/// Whether the verdict recommends clocks for timing intervals.
pub fn intervals(record: &Record) -> Intervals {
    match record.verdict.clocks.as_slice() {
        [] => Intervals::NotTested { reason: record.reason_missing(&[INTERVALS, LATENCY]) },
        clocks if clocks.iter().any(|clock| clock.recommended) => Intervals::Recommended,
        _ => Intervals::NoneRecommended,
    }
}

/// How good a promise is.
pub const fn grade(promise: &Promise) -> Grade {
    use ShortestInterval::{Confirmed, Unknown};

    match (promise.within_1pct, promise.within_10pct) {
        (Confirmed(_), Confirmed(_)) => Grade::Good,
        (Unknown, Unknown) => Grade::Unknown,
        _ => Grade::Warning,
    }
}

/// Which recommended clocks time `interval_ns` directly.
pub fn question(interval_ns: f64, record: &Record) -> Question {
    let within = |tolerance: Tolerance| -> Vec<ClockId> {
        recommended(record)
            .filter(|clock| clock.promise.within(tolerance).known_from_ns().is_some_and(|from| interval_ns >= from))
            .map(|clock| clock.name.clone())
            .collect()
    };
    let within_1pct = within(Tolerance::OnePercent);
    let mut within_10pct = within(Tolerance::TenPercent);
    within_10pct.retain(|name| !within_1pct.contains(name));
    Question { interval_ns, within_1pct, within_10pct, answer: Answer::Unknown }
}

/// The answer to `question`.
pub fn answer(question: &Question, record: &Record) -> Answer {
    match intervals(record) {
        Intervals::NotTested { reason } => return Answer::NotTested { reason },
        Intervals::NoneRecommended => return Answer::NoneRecommended,
        Intervals::Recommended => {}
    }
    if !question.within_1pct.is_empty() || !question.within_10pct.is_empty() {
        return Answer::Timed {
            within_1pct: timed_by(&question.within_1pct, Tolerance::OnePercent, record),
            within_10pct: timed_by(&question.within_10pct, Tolerance::TenPercent, record),
        };
    }
    let expected = recommended(record).filter_map(|clock| {
        let from_ns = clock.promise.within(Tolerance::TenPercent).expected_from_ns()?;
        Some((from_ns, clock.name.clone()))
    });
    match expected.min_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((from_ns, clock)) if question.interval_ns >= from_ns => Answer::Expected { clock },
        Some((shortest_ns, clock)) => Answer::TooShort { clock, shortest_ns },
        None => Answer::Unknown,
    }
}

fn recommended(record: &Record) -> impl Iterator<Item = &ClockVerdict> {
    record.verdict.clocks.iter().filter(|clock| clock.recommended)
}

fn timed_by(clocks: &[ClockId], tolerance: Tolerance, record: &Record) -> TimedBy {
    let is_confirmed = |name: &&ClockId| {
        let mut verdicts = record.verdict.clocks.iter().filter(|clock| clock.name == **name);
        verdicts.any(|clock| matches!(clock.promise.within(tolerance), ShortestInterval::Confirmed(_)))
    };
    let (confirmed, claimed) = clocks.iter().partition::<Vec<_>, _>(is_confirmed);
    let owned = |clocks: Vec<&ClockId>| clocks.into_iter().cloned().collect();
    TimedBy { confirmed: owned(confirmed), claimed: owned(claimed) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Outcome, PartReport};
    use crate::rules::tests::blank;
    use chronoscope_harness::estimators::intervals::{DirectInterval, IntervalTrial, TimedIntervals};
    use chronoscope_harness::record::Disturbance;

    const CLOCK: &str = "CLOCK_MONOTONIC";

    fn trial(tolerance_pct: f64, truth_ns: f64, holds: bool) -> IntervalTrial {
        IntervalTrial {
            tolerance_pct,
            truth_ns,
            readings_made: 100,
            readings: 100,
            error_pct_p50: 0.0,
            error_pct_abs_p95: 20.0,
            share_within: if holds { 0.99 } else { 0.9 },
            holds,
        }
    }

    /// A clock that claims 2 µs and 200 ns; trials confirm `confirmed`.
    fn clock(confirmed: [Option<f64>; 2], trials: Vec<IntervalTrial>) -> ClockVerdict {
        let claim = DirectInterval { within_1pct: Some(2_000.0), within_10pct: Some(200.0) };
        let [within_1pct, within_10pct] = confirmed;
        let direct_interval_ns = DirectInterval { within_1pct, within_10pct };
        let timed = TimedIntervals { direct_interval_ns, trials, ..TimedIntervals::claimed(claim) };
        ClockVerdict { recommended: true, ..ClockVerdict::of(CLOCK, &timed) }
    }

    fn nothing_known() -> ClockVerdict {
        ClockVerdict { recommended: true, ..ClockVerdict::of(CLOCK, &TimedIntervals::default()) }
    }

    fn record(clocks: Vec<ClockVerdict>) -> Record {
        let mut record = blank();
        record.verdict.clocks = clocks;
        record
    }

    #[test]
    fn intervals_need_a_clock_that_was_measured_and_is_recommended() {
        let mut none = record(Vec::new());
        assert_eq!(intervals(&none), Intervals::NotTested { reason: "it was not part of the plan".to_owned() });
        let disturbance = Disturbance::default();
        let reason = Some("no process could be started".to_owned());
        none.parts.push(PartReport { part: LATENCY, outcome: Outcome::Failed, reason, elapsed_ms: 1, disturbance });
        assert_eq!(intervals(&none), Intervals::NotTested { reason: "no process could be started".to_owned() });
        let refused = ClockVerdict { recommended: false, ..nothing_known() };
        assert_eq!(intervals(&record(vec![refused.clone()])), Intervals::NoneRecommended);
        assert_eq!(intervals(&record(vec![refused, nothing_known()])), Intervals::Recommended);
    }

    #[test]
    fn a_promise_is_as_good_as_its_trials() {
        use ShortestInterval::{Claimed, Confirmed, NotConfirmed, Unknown};

        let held = [trial(1.0, 2_400.0, true), trial(10.0, 240.0, true)];
        let failed = NotConfirmed { tried_to_ns: 240.0, error_ns: 48.0, expected_from_ns: 480.0, some_held: false };
        let some_held = NotConfirmed { tried_to_ns: 240.0, error_ns: 48.0, expected_from_ns: 480.0, some_held: true };
        let both = [Some(2_400.0), Some(240.0)];
        let rows = [
            (clock(both, held.to_vec()), Confirmed(2_400.0), Confirmed(240.0), Grade::Good),
            (clock(both, Vec::new()), Claimed(2_000.0), Claimed(200.0), Grade::Warning),
            (clock(both, held[..1].to_vec()), Confirmed(2_400.0), Claimed(200.0), Grade::Warning),
            (clock([None; 2], vec![trial(10.0, 240.0, false)]), Claimed(2_000.0), failed, Grade::Warning),
            (clock([None; 2], vec![trial(10.0, 240.0, true)]), Claimed(2_000.0), some_held, Grade::Warning),
            (nothing_known(), Unknown, Unknown, Grade::Unknown),
        ];
        for (clock, within_1pct, within_10pct, grade) in rows {
            let found = clock.promise;
            assert_eq!(found, Promise { within_1pct, within_10pct, exceptions: Vec::new() });
            assert_eq!(super::grade(&found), grade, "{found:?}");
        }
    }

    #[test]
    fn every_question_has_its_answer() {
        let confirmed =
            || clock([Some(2_400.0), Some(240.0)], vec![trial(1.0, 2_400.0, true), trial(10.0, 240.0, true)]);
        let claimed = || clock([None; 2], Vec::new());
        let failed = || clock([None; 2], vec![trial(10.0, 240.0, false)]);
        let by = |confirmed: &[&str], claimed: &[&str]| {
            let owned = |names: &[&str]| names.iter().map(|&name| name.into()).collect();
            TimedBy { confirmed: owned(confirmed), claimed: owned(claimed) }
        };
        let timed = |within_1pct, within_10pct| Answer::Timed { within_1pct, within_10pct };
        let none = || by(&[], &[]);
        let reason = "it was not part of the plan".to_owned();
        let refused = ClockVerdict { recommended: false, ..confirmed() };
        let rows = [
            (Vec::new(), 9_000.0, Answer::NotTested { reason }, Grade::Unknown),
            (vec![refused], 9_000.0, Answer::NoneRecommended, Grade::Warning),
            (vec![nothing_known()], 9_000.0, Answer::Unknown, Grade::Unknown),
            (vec![confirmed()], 9_000.0, timed(by(&[CLOCK], &[]), none()), Grade::Good),
            (vec![claimed()], 9_000.0, timed(by(&[], &[CLOCK]), none()), Grade::Warning),
            (vec![confirmed()], 300.0, timed(none(), by(&[CLOCK], &[])), Grade::Warning),
            (vec![claimed()], 300.0, timed(none(), by(&[], &[CLOCK])), Grade::Warning),
            (vec![failed()], 480.0, Answer::Expected { clock: CLOCK.into() }, Grade::Warning),
            (vec![failed()], 479.0, Answer::TooShort { clock: CLOCK.into(), shortest_ns: 480.0 }, Grade::Critical),
        ];
        for (clocks, interval_ns, wanted, grade) in rows {
            let record = record(clocks);
            let found = answer(&question(interval_ns, &record), &record);
            assert_eq!((&found, found.grade()), (&wanted, grade));
        }
    }
}
