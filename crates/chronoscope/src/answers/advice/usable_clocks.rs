//! The clocks of a document that could time an interval, each with the figures that matter for it.

use super::report::{Figure, IntervalQuestion};
use crate::document::Record;
use crate::judgement::clocks::ClockAdvice;
use crate::judgement::intervals::MEASURED_BY;
use crate::probe::runtime::{Runtime, RuntimeClock};
use chronoscope_harness::estimators::intervals::{DirectInterval, ShortestInterval, TimedIntervals, Tolerance};
use chronoscope_harness::estimators::latency::Latency;
use chronoscope_harness::quantity::{limit, ns};
use chronoscope_harness::record::Estimate;
use chronoscope_probes::RuntimeKind;

/// A clock, and what a pair of its reads is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct UsableClock {
    /// Its name, with its runtime if it has one.
    pub name: String,
    /// Cost of a read.
    pub latency_ns: Option<Estimate>,
    /// The step in which it moves, if known.
    pub step_ns: Option<f64>,
    /// The largest error of 95 of 100 readings of a pair.
    pub error_ns: f64,
    /// What that rests on.
    pub basis: String,
    /// The shortest interval that trials confirm within the error asked for.
    pub confirmed_from_ns: Option<f64>,
    /// Lengths tried, and below what error in percent 95 of 100 readings of each were.
    pub trials: Vec<(f64, f64)>,
    /// Whether trials were made within that error, and confirmed nothing.
    pub refuted: bool,
    /// Whether it was never seen going backwards between CPUs; None if unknown.
    pub causal: Option<bool>,
    /// What a turn of an empty loop takes where it is read: in the harness, or in its runtime.
    pub loop_turn_ns: Option<f64>,
}

impl UsableClock {
    /// The shortest interval that one pair of reads times within `error` (a fraction), confirmed or expected.
    pub fn shortest_ns(&self, error: f64) -> f64 {
        self.confirmed_from_ns.unwrap_or(self.error_ns / error)
    }

    /// The error of a pair of reads, where at most `error` (a fraction) is asked for: trials that confirm it may say less than the
    /// figure for any length.
    pub fn error_within_ns(&self, error: f64) -> f64 {
        self.confirmed_from_ns.map_or(self.error_ns, |from_ns| self.error_ns.min(from_ns * error))
    }

    /// The longest trial of at most this length: a longer interval has no larger error in percent.
    pub fn longest_trial_ns(&self, interval_ns: f64) -> Option<(f64, f64)> {
        let fitting = self.trials.iter().filter(|(truth_ns, _)| *truth_ns <= interval_ns);
        fitting.copied().max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)))
    }

    /// What a pair of reads adds to an interval, at most: the time from one sample to the next.
    pub fn bias_ns(&self) -> Option<f64> {
        self.latency_ns.map(|latency| latency.high).filter(|ns| *ns >= 0.0)
    }

    /// Whether it moves in steps longer than a read.
    pub fn is_coarse(&self) -> bool {
        self.step_ns.zip(self.latency_ns).is_some_and(|(step, latency)| step > latency.estimate)
    }

    /// The figures, as evidence.
    pub fn figures(&self) -> Vec<Figure> {
        let figure = |name: &str, ns, basis: &str| Figure {
            name: name.to_owned(),
            clock: Some(self.name.clone()),
            ns,
            basis: basis.to_owned(),
        };
        let latency = self.latency_ns.map(|latency| match latency.has_confidence() {
            true => figure("cost of a read", latency, "median over processes, with its interval"),
            false => figure("cost of a read", Estimate::certain(latency.estimate), "too few processes for an interval"),
        });
        let step = self.step_ns.map(|step| figure("step of the clock", Estimate::certain(step), "observed"));
        let error = figure(
            "error of a pair of reads, at most, at the shortest interval",
            Estimate::certain(self.error_ns),
            &self.basis,
        );
        latency.into_iter().chain(step).chain([error]).collect()
    }
}

/// The clocks that suit the question, the best for it first; why there is none.
///
/// # Errors
/// What the document lacks, or what was asked for that there is not.
pub fn usable(question: &IntervalQuestion, record: &Record) -> Result<Vec<UsableClock>, String> {
    let mut found = match &question.runtime {
        Some(kind) => of_runtime(*kind, question, record)?,
        None => native(question, record)?,
    };
    let error = question.error_pct / 100.0;
    found.retain(|clock| clock.error_ns.is_finite() && clock.error_ns > 0.0);
    // Confirmed before expected, then the shortest; of equals the one that is read most cheaply.
    let key = |clock: &UsableClock| {
        (
            clock.confirmed_from_ns.is_none(),
            clock.shortest_ns(error),
            clock.latency_ns.map_or(f64::INFINITY, |of| of.estimate),
        )
    };
    found.sort_by(|a, b| {
        let (a, b) = (key(a), key(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2))
    });
    if found.is_empty() {
        return Err("no clock here has a known error".to_owned());
    }
    Ok(found)
}

fn native(question: &IntervalQuestion, record: &Record) -> Result<Vec<UsableClock>, String> {
    let advice = advice(record);
    if let Some(name) = &question.clock {
        let wanted = advice.iter().find(|clock| clock.name.name() == name);
        return match wanted {
            Some(clock) => Ok(vec![of_native(clock, question, record)]),
            None => Err(unknown_clock(question, record).unwrap_or_else(|| nothing_measured(record))),
        };
    }
    let usable: Vec<UsableClock> =
        advice.iter().filter(|clock| clock.recommended).map(|clock| of_native(clock, question, record)).collect();
    match usable.is_empty() {
        true if advice.is_empty() => Err(nothing_measured(record)),
        true => Err("no clock is recommended for timing intervals here".to_owned()),
        false => Ok(usable),
    }
}

/// The clocks that were judged.
fn advice(record: &Record) -> &[ClockAdvice] {
    record.content.judgement.as_ref().map_or(&[][..], |judgement| judgement.clocks.as_slice())
}

fn nothing_measured(record: &Record) -> String {
    format!("no clock was measured: {}", record.content.reason_missing(&MEASURED_BY))
}

fn of_native(clock: &ClockAdvice, question: &IntervalQuestion, record: &Record) -> UsableClock {
    let report = record.content.clocks().clock(&clock.name);
    let latency = report.and_then(|clock| clock.latency_ns.as_ref());
    let timed = report.and_then(|clock| clock.intervals.as_ref());
    let shortest = |tolerance| timed.map_or(ShortestInterval::Unknown, |timed| timed.shortest(tolerance));
    let expected = Tolerance::ALL.map(|tolerance| {
        shortest(tolerance).expected_from_ns().map(|from_ns| (from_ns * tolerance.share(), tolerance))
    });
    let (error_ns, tolerance) = nearest(expected, question.error_pct).unwrap_or((0.0, Tolerance::OnePercent));
    let basis = match shortest(tolerance) {
        ShortestInterval::Confirmed(from) => {
            format!("{} of {}, which trials confirm", limit(tolerance.percent()), ns(from))
        }
        ShortestInterval::Claimed(from) => {
            format!("{} of {}, from empty intervals and step; not tried", limit(tolerance.percent()), ns(from))
        }
        _ => "seen in trials that confirmed no length".to_owned(),
    };
    UsableClock {
        name: clock.name.to_string(),
        latency_ns: latency.map(|latency| latency.per_read),
        step_ns: report.and_then(|clock| clock.moves_in_ns()),
        error_ns,
        basis,
        confirmed_from_ns: timed.and_then(|timed| confirmed_from(timed, question.error_pct)),
        trials: timed.map_or_else(Vec::new, |timed| {
            timed.trials.iter().map(|trial| (trial.truth_ns, trial.error_pct_abs_p95)).collect()
        }),
        refuted: Tolerance::ALL.into_iter().any(|tolerance| {
            tolerance.percent() == question.error_pct
                && matches!(shortest(tolerance), ShortestInterval::NotConfirmed { .. })
        }),
        causal: record.content.causal(&clock.name),
        loop_turn_ns: turn_ns(
            record.content.clocks().harness.as_ref().and_then(|harness| harness.loop_overhead_ns.as_ref()),
        ),
    }
}

/// The error that counts within `error_pct`: an error in nanoseconds grows with the length a little, so that of the nearest
/// tolerance from below, or the larger of both between them.
fn nearest(errors: [Option<(f64, Tolerance)>; 2], error_pct: f64) -> Option<(f64, Tolerance)> {
    let [narrow, wide] = errors;
    let larger = |a: (f64, Tolerance), b: (f64, Tolerance)| if b.0 > a.0 { b } else { a };
    match (narrow, wide) {
        (Some(narrow), _) if error_pct <= Tolerance::OnePercent.percent() => Some(narrow),
        (_, Some(wide)) if error_pct >= Tolerance::TenPercent.percent() => Some(wide),
        (Some(narrow), Some(wide)) => Some(larger(narrow, wide)),
        (narrow, wide) => narrow.or(wide),
    }
}

/// The shortest interval that trials confirm within `error_pct`.
///
/// For 1 % and 10 %, what the page of a check says. For another error, the shortest length from which every trial had 95 of 100
/// readings within it; or what is confirmed within less.
fn confirmed_from(timed: &TimedIntervals, error_pct: f64) -> Option<f64> {
    let confirmed = |tolerance: Tolerance| match timed.shortest(tolerance) {
        ShortestInterval::Confirmed(from_ns) => Some(from_ns),
        _ => None,
    };
    if let Some(tolerance) = Tolerance::ALL.into_iter().find(|tolerance| tolerance.percent() == error_pct) {
        return confirmed(tolerance);
    }
    let mut trials: Vec<(f64, f64)> =
        timed.trials.iter().map(|trial| (trial.truth_ns, trial.error_pct_abs_p95)).collect();
    trials.sort_by(|a, b| b.0.total_cmp(&a.0));
    let own = trials.iter().take_while(|(_, error)| *error <= error_pct).last().map(|(truth_ns, _)| *truth_ns);
    let within_less =
        Tolerance::ALL.into_iter().filter(|tolerance| tolerance.percent() < error_pct).find_map(confirmed);
    // Not shorter than what is confirmed for a wider error.
    let least = Tolerance::ALL.into_iter().filter(|tolerance| tolerance.percent() > error_pct).find_map(confirmed);
    let shortest = own.into_iter().chain(within_less).reduce(f64::min)?;
    Some(least.map_or(shortest, |least| shortest.max(least)))
}

fn of_runtime(kind: RuntimeKind, question: &IntervalQuestion, record: &Record) -> Result<Vec<UsableClock>, String> {
    let title = kind.title();
    let runtimes: Vec<&Runtime> = record.content.runtimes().iter().filter(|runtime| runtime.kind == kind).collect();
    if !runtimes.iter().any(|runtime| runtime.available) {
        let reason = runtimes.iter().find_map(|runtime| runtime.reason_unavailable.clone());
        let why = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        return Err(format!("{title} was not measured{why}"));
    }
    let clocks = || runtimes.iter().flat_map(|runtime| runtime.clocks.iter().map(move |clock| (*runtime, clock)));
    let found: Vec<UsableClock> = match &question.clock {
        Some(name) => {
            let named = clocks().filter(|(_, clock)| clock.name == *name);
            named.map(|(runtime, clock)| of_clock(runtime, clock, question)).collect()
        }
        // Those that the first screen names.
        None => {
            let of_durations = runtimes.iter().filter_map(|runtime| Some((*runtime, runtime.monotonic_clock()?)));
            of_durations.map(|(runtime, clock)| of_clock(runtime, clock, question)).collect()
        }
    };
    if found.is_empty() {
        let names: Vec<&str> = clocks().map(|(_, clock)| clock.name.as_str()).collect();
        return Err(unknown_clock(question, record)
            .unwrap_or_else(|| format!("{title} has no clock that measures intervals; it has {}", names.join(", "))));
    }
    Ok(found)
}

fn of_clock(runtime: &Runtime, clock: &RuntimeClock, question: &IntervalQuestion) -> UsableClock {
    let DirectInterval { within_1pct, within_10pct } = clock.claimed_interval_ns;
    let claims = [(within_1pct, Tolerance::OnePercent), (within_10pct, Tolerance::TenPercent)];
    let errors = claims.map(|(from, tolerance)| from.map(|from: f64| (from * tolerance.share(), tolerance)));
    let found = nearest(errors, question.error_pct);
    let latency = clock.latency_ns.as_ref();
    UsableClock {
        name: format!("{}: {}", runtime.title(), clock.name),
        latency_ns: latency.map(|latency| latency.per_read),
        step_ns: clock.moves_in_ns(),
        error_ns: found.map_or(0.0, |(error_ns, _)| error_ns),
        basis: "from readings of empty intervals and the step; not tried".to_owned(),
        confirmed_from_ns: None,
        trials: Vec::new(),
        refuted: false,
        causal: None,
        loop_turn_ns: turn_ns(runtime.loop_overhead_ns.as_ref()),
    }
}

fn turn_ns(turn: Option<&Latency>) -> Option<f64> {
    turn.map(|turn| turn.per_read.estimate).filter(|turn| turn.is_finite() && *turn > 0.0)
}

/// Why a document cannot answer, and what measures it; None if it can.
pub fn lacking(question: &IntervalQuestion, record: &Record) -> Option<String> {
    let has = |kind| record.content.runtimes().iter().any(|runtime| runtime.kind == kind && !runtime.clocks.is_empty());
    match question.runtime {
        None if advice(record).is_empty() => {
            Some("it has no clocks; `chronoscope check --output FILE` measures them".to_owned())
        }
        Some(kind) if !has(kind) => Some(format!(
            "it has no clocks of {}; `chronoscope runtimes --only {} --output FILE` measures them",
            kind.title(),
            kind.row().word
        )),
        _ => unknown_clock(question, record),
    }
}

/// Which clocks there are, if the one asked for is none of them.
fn unknown_clock(question: &IntervalQuestion, record: &Record) -> Option<String> {
    let name = question.clock.as_deref()?;
    let (owner, mut names): (&str, Vec<&str>) = match question.runtime {
        None => ("this document", advice(record).iter().map(|clock| clock.name.name()).collect()),
        Some(kind) => {
            let of_kind = record.content.runtimes().iter().filter(|runtime| runtime.kind == kind);
            let clocks = of_kind.flat_map(|runtime| &runtime.clocks);
            (kind.title(), clocks.map(|clock| clock.name.as_str()).collect())
        }
    };
    names.dedup();
    let is_other = !names.is_empty() && !names.contains(&name);
    is_other.then(|| format!("there is no clock {name} in {owner}; it has {}", names.join(", ")))
}
