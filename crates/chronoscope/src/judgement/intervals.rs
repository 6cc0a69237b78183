//! Which intervals the clocks can time directly: how good that is, and the answers to the user's questions.

use chronoscope_harness::estimators::intervals::{ShortestInterval, TimedIntervals, Tolerance};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clocks::ClockAdvice;
use super::facts::Facts;
use super::grade::Grade;
use crate::clock_id::ClockId;
use crate::part::Part;
use crate::sections::clocks::plan::{INTERVALS, LATENCY};

/// The parts that it takes.
pub const MEASURED_BY: [Part; 2] = [INTERVALS, LATENCY];

/// An interval the user asked about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    pub interval_ns: f64,
    /// Which recommended clocks time it directly.
    pub answer: Answer,
}

/// The answer to a question about an interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Answer {
    /// Nothing is known about the recommended clocks.
    Unknown,
    /// No clock was measured.
    NotTested {
        /// Why.
        reason: String,
    },
    /// No clock of this machine is recommended.
    NoneRecommended,
    /// Clocks time it directly.
    Timed {
        /// Those that do so within 1 %.
        within_1pct: TimedBy,
        /// Those that do so within 10 %, but not within 1 %.
        within_10pct: TimedBy,
    },
    /// It is longer than any trial, and long enough if one clock's error stays constant.
    Expected { clock: ClockId },
    /// It is too short for two reads of any clock.
    TooShort {
        /// The clock that comes closest.
        clock: ClockId,
        /// The shortest interval that it times within 10 %.
        shortest_ns: f64,
    },
}

/// The clocks that time an interval within a tolerance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimedBy {
    /// Confirmed by trials.
    pub confirmed: Vec<ClockId>,
    /// Claimed from empty intervals and step alone.
    pub claimed: Vec<ClockId>,
}

impl Answer {
    pub const fn grade(&self) -> Grade {
        match self {
            Self::Unknown | Self::NotTested { .. } => Grade::Unknown,
            Self::Timed { within_1pct, .. } if !within_1pct.confirmed.is_empty() => Grade::Good,
            Self::NoneRecommended | Self::Timed { .. } | Self::Expected { .. } => Grade::Warning,
            Self::TooShort { .. } => Grade::Critical,
        }
    }
}

/// Which recommended clocks time `interval_ns` directly.
pub fn question(interval_ns: f64, advice: &[ClockAdvice], facts: &Facts<'_>) -> Question {
    Question { interval_ns, answer: answer(interval_ns, advice, facts) }
}

fn answer(interval_ns: f64, advice: &[ClockAdvice], facts: &Facts<'_>) -> Answer {
    if advice.is_empty() {
        return Answer::NotTested { reason: facts.reason_missing(&MEASURED_BY) };
    }
    let timed =
        |clock: &ClockAdvice| Some((clock.name.clone(), facts.sections.clocks.report.intervals_of(&clock.name)?));
    let clocks: Vec<(ClockId, &TimedIntervals)> =
        advice.iter().filter(|clock| clock.recommended).filter_map(timed).collect();
    if clocks.is_empty() {
        return Answer::NoneRecommended;
    }
    let mut within_1pct = TimedBy::default();
    let mut within_10pct = TimedBy::default();
    for (clock, timed) in &clocks {
        let [one, ten] = Tolerance::ALL.map(|tolerance| timed.shortest(tolerance));
        let holds = |shortest: ShortestInterval| shortest.known_from_ns().is_some_and(|from| interval_ns >= from);
        let (by, shortest) = if holds(one) { (&mut within_1pct, one) } else { (&mut within_10pct, ten) };
        if holds(shortest) {
            let by = if shortest.is_confirmed() { &mut by.confirmed } else { &mut by.claimed };
            by.push(clock.clone());
        }
    }
    if within_1pct != TimedBy::default() || within_10pct != TimedBy::default() {
        return Answer::Timed { within_1pct, within_10pct };
    }
    let expected = clocks.into_iter().filter_map(|(clock, timed)| {
        let from_ns = timed.shortest(Tolerance::TenPercent).expected_from_ns()?;
        Some((from_ns, clock))
    });
    match expected.min_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((from_ns, clock)) if interval_ns >= from_ns => Answer::Expected { clock },
        Some((shortest_ns, clock)) => Answer::TooShort { clock, shortest_ns },
        None => Answer::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::clocks;
    use crate::rules::tests::{blank, readable};
    use crate::sections::clocks::report::ClockReport;
    use chronoscope_harness::estimators::intervals::{DirectInterval, IntervalTrial};

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
    fn clock(confirmed: [Option<f64>; 2], trials: Vec<IntervalTrial>) -> TimedIntervals {
        let claim = DirectInterval { within_1pct: Some(2_000.0), within_10pct: Some(200.0) };
        let [within_1pct, within_10pct] = confirmed;
        let direct_interval_ns = DirectInterval { within_1pct, within_10pct };
        TimedIntervals { direct_interval_ns, trials, ..TimedIntervals::claimed(claim) }
    }

    /// The answer of a machine with one clock, or none.
    fn answered(interval_ns: f64, timed: Option<TimedIntervals>, recommended: bool) -> Answer {
        let mut record = blank();
        let advice = |timed: &TimedIntervals| ClockAdvice {
            name: CLOCK.into(),
            recommended,
            why: String::new(),
            grade: clocks::of_intervals(timed),
        };
        let advice: Vec<_> = timed.iter().map(advice).collect();
        let clock = timed.map(|timed| ClockReport { intervals: Some(timed), ..readable(CLOCK) });
        record.content.sections.clocks.report.clocks.extend(clock);
        question(interval_ns, &advice, &Facts::from(&record)).answer
    }

    #[test]
    fn a_promise_is_as_good_as_its_trials() {
        use ShortestInterval::{Claimed, Confirmed, NotConfirmed, Unknown};

        let held = [trial(1.0, 2_400.0, true), trial(10.0, 240.0, true)];
        let failed =
            NotConfirmed { tried_to_ns: 240.0, error_ns: 48.0, expected_from_ns: 480.0, kept: None, some_held: false };
        let some_held =
            NotConfirmed { tried_to_ns: 240.0, error_ns: 48.0, expected_from_ns: 480.0, kept: None, some_held: true };
        let both = [Some(2_400.0), Some(240.0)];
        let rows = [
            (clock(both, held.to_vec()), Confirmed(2_400.0), Confirmed(240.0), Grade::Good),
            (clock(both, Vec::new()), Claimed(2_000.0), Claimed(200.0), Grade::Warning),
            (clock(both, held[..1].to_vec()), Confirmed(2_400.0), Claimed(200.0), Grade::Warning),
            (clock([None; 2], vec![trial(10.0, 240.0, false)]), Claimed(2_000.0), failed, Grade::Warning),
            (clock([None; 2], vec![trial(10.0, 240.0, true)]), Claimed(2_000.0), some_held, Grade::Warning),
            (TimedIntervals::default(), Unknown, Unknown, Grade::Unknown),
        ];
        for (clock, within_1pct, within_10pct, grade) in rows {
            let found = Tolerance::ALL.map(|tolerance| clock.shortest(tolerance));
            assert_eq!((found, clocks::of_intervals(&clock)), ([within_1pct, within_10pct], grade));
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
        let rows = [
            (None, 9_000.0, Answer::NotTested { reason }, Grade::Unknown),
            (Some(TimedIntervals::default()), 9_000.0, Answer::Unknown, Grade::Unknown),
            (Some(confirmed()), 9_000.0, timed(by(&[CLOCK], &[]), none()), Grade::Good),
            (Some(claimed()), 9_000.0, timed(by(&[], &[CLOCK]), none()), Grade::Warning),
            (Some(confirmed()), 300.0, timed(none(), by(&[CLOCK], &[])), Grade::Warning),
            (Some(claimed()), 300.0, timed(none(), by(&[], &[CLOCK])), Grade::Warning),
            (Some(failed()), 480.0, Answer::Expected { clock: CLOCK.into() }, Grade::Warning),
            (Some(failed()), 479.0, Answer::TooShort { clock: CLOCK.into(), shortest_ns: 480.0 }, Grade::Critical),
        ];
        for (clock, interval_ns, wanted, grade) in rows {
            let found = answered(interval_ns, clock, true);
            assert_eq!((&found, found.grade()), (&wanted, grade));
        }
        let refused = answered(9_000.0, Some(confirmed()), false);
        assert_eq!((&refused, refused.grade()), (&Answer::NoneRecommended, Grade::Warning));
    }
}
