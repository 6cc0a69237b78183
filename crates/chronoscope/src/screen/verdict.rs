//! The conclusions of a check in words, as its full page has them.

use super::first_screen::mark;
use crate::document::Record;
use crate::judgement::Judgement;
use crate::judgement::clocks::ClockAdvice;
use crate::judgement::grade::Grade;
use crate::judgement::intervals::{Answer, MEASURED_BY, Question, TimedBy};
use crate::judgement::skew::Skew;
use crate::judgement::words::names;
use chronoscope_harness::estimators::intervals::{FEWEST_READINGS, Promise, ShortestInterval, TimedIntervals};
use chronoscope_harness::quantity::{TIME, count, limit, ns, percent, share};
use chronoscope_render::findings;
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{DIM, PLAIN, WARNING};
use chronoscope_render::table::{Align, Table, style_if};
use chronoscope_render::words::{given, quoted};

pub fn show(page: &mut Page, record: &Record) {
    page.section("VERDICT");
    if let Some(judgement) = &record.content.judgement {
        intervals(page, judgement, record);
        answers(page, judgement);
        bullet(page, judgement.monotonic.grade(), &judgement.monotonic.words());
        let across = format!("{}; {}", judgement.causality.words(), skew(&judgement.skew, record));
        bullet(page, judgement.causality.grade(), &across);
        bullet(page, judgement.path.grade(), &judgement.path.words());
    } else {
        bullet(page, Grade::Unknown, record.content.reason_unconcluded());
    }
    findings::warnings(page, &record.findings);
}

fn bullet(page: &mut Page, grade: Grade, text: &str) {
    let (style, sign) = mark(grade);
    page.paragraph(Line::styled(style, sign), PLAIN, text);
}

fn intervals(page: &mut Page, judgement: &Judgement, record: &Record) {
    if judgement.clocks.is_empty() {
        let reason = record.content.reason_missing(&MEASURED_BY);
        bullet(page, Grade::Unknown, &format!("shortest interval: not tested: {reason}"));
    } else if judgement.recommended().next().is_none() {
        bullet(page, Grade::Warning, NONE_RECOMMENDED);
    }
    for clock in judgement.recommended() {
        let timed = record.content.clocks().intervals_of(&clock.name);
        let promised = timed.map(TimedIntervals::promise).unwrap_or_default();
        let why = timed.and_then(|timed| timed.reason_unvalidated.as_deref());
        bullet(page, clock.grade, &promise(clock.name.name(), &promised, why));
    }
}

const NONE_RECOMMENDED: &str = "no clock is recommended for timing intervals here";

/// The intervals a clock can time directly, and whether trials confirm it.
fn promise(name: &str, promise: &Promise, why: Option<&str>) -> String {
    use ShortestInterval::{Claimed, Confirmed, Unknown};

    let name = quoted(name);
    let why = || given(why);
    match (promise.within_1pct, promise.within_10pct) {
        (Confirmed(one), Confirmed(ten)) => format!(
            "{name} can time a single interval ≥ {} to 1 %, ≥ {} to 10 % ({})",
            ns(one),
            ns(ten),
            evidence(promise)
        ),
        (Claimed(one), Claimed(ten)) => format!(
            "{name} should time a single interval ≥ {} to 1 %, ≥ {} to 10 % (from empty intervals and step; not confirmed by \
             trials: {})",
            ns(one),
            ns(ten),
            why()
        ),
        (Unknown, Unknown) => format!("{name}: shortest interval unknown: {}", why()),
        (one, ten) => {
            let evidence = evidence(promise);
            let given = if evidence.is_empty() { String::new() } else { format!(" ({evidence})") };
            format!("{name}: {}; {}{given}", within(ten, "10 %"), within(one, "1 %"))
        }
    }
}

/// How many trials confirm a length, how many count, and which longer lengths fell short. Empty without trials.
fn evidence(promise: &Promise) -> String {
    let is_confirmed = [promise.within_1pct, promise.within_10pct].into_iter().any(ShortestInterval::is_confirmed);
    let all = if promise.exceptions.is_empty() { "" } else { " of all longer lengths together" };
    let confirming = is_confirmed.then(|| format!("{CONFIRMING} quiet trials{all}"));
    let quiet = promise.quiet.map(|quiet| format!("{} of all trials were quiet", share(quiet)));
    let said: Vec<String> = confirming.into_iter().chain(quiet).chain(exceptions(promise)).collect();
    said.join("; ")
}

/// How many readings keep within the limit where a length is confirmed. Those of disturbed work are excluded.
pub const CONFIRMING: &str = "98 of 100";

/// Intervals longer than a confirmed one that did not hold individually, though all longer ones together did; None if all did.
fn exceptions(promise: &Promise) -> Option<String> {
    let words = promise.exceptions.iter().map(|trial| {
        format!("alone {} at {} to {} %", kept(trial.share_within), ns(trial.truth_ns), trial.tolerance_pct)
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| words.join("; "))
}

/// The sentence about them.
pub fn reservation(promise: &Promise) -> Option<String> {
    let failed = exceptions(promise)?;
    Some(format!(
        "all longer lengths taken together hold; some alone do not, where fewer than {CONFIRMING} readings did: {failed}"
    ))
}

/// The share of readings that kept within a limit, rounded down: 48 of 49 are not 98 %.
fn kept(readings: f64) -> String {
    const STEPS: f64 = 1_000.0;
    // A share with three digits is not to lose its last one to its representation.
    share((readings * STEPS + 1e-6).floor() / STEPS)
}

/// The shortest interval that a clock times within `limit`, with the evidence.
fn within(shortest: ShortestInterval, limit: &str) -> String {
    match shortest {
        ShortestInterval::Confirmed(from) => {
            format!("can time a single interval ≥ {} to {limit}", ns(from))
        }
        ShortestInterval::Claimed(from) => {
            format!("{limit} not tried; empty intervals and step suggest ≥ {}", ns(from))
        }
        ShortestInterval::NotConfirmed { tried_to_ns, kept: Some(share), .. } => format!(
            "trials up to {} confirmed no interval to {limit}; at that length {} of readings kept within it, but {CONFIRMING} must",
            ns(tried_to_ns),
            kept(share)
        ),
        ShortestInterval::NotConfirmed { tried_to_ns, error_ns, expected_from_ns, .. } => format!(
            "trials up to {} confirmed no interval to {limit}; expect ≥ {} if the error stays at {}",
            ns(tried_to_ns),
            ns(expected_from_ns),
            ns(error_ns)
        ),
        ShortestInterval::Unknown => format!("shortest interval to {limit} unknown"),
    }
}

/// The intervals the user asked about, with answers.
fn answers(page: &mut Page, judgement: &Judgement) {
    for question in &judgement.questions {
        let (grade, text) = answered(question);
        bullet(page, grade, &text);
    }
}

/// The answer to a question, with its grade.
pub fn answered(question: &Question) -> (Grade, String) {
    (question.answer.grade(), format!("{}: {}", ns(question.interval_ns), answer(question)))
}

/// The same as a section of its own, if there are any.
pub fn asked(page: &mut Page, record: &Record) {
    if let Some(judgement) = record.content.judgement.as_ref().filter(|judgement| !judgement.questions.is_empty()) {
        page.section("INTERVALS ASKED ABOUT");
        answers(page, judgement);
    }
}

fn answer(question: &Question) -> String {
    match &question.answer {
        Answer::NotTested { reason } => format!("not tested: {reason}"),
        Answer::NoneRecommended => NONE_RECOMMENDED.to_owned(),
        Answer::Timed { within_1pct, within_10pct } => {
            [timed_by(within_1pct, "1 %"), timed_by(within_10pct, "10 %")].concat().join("; ")
        }
        Answer::Expected { clock } => {
            format!("{} should time it to 10 %; trials did not go that far", quoted(clock.name()))
        }
        Answer::TooShort { clock, shortest_ns } => format!(
            "too short for two reads: the shortest interval to 10 % is {}, with {}; time a batch and divide",
            ns(*shortest_ns),
            quoted(clock.name())
        ),
        Answer::Unknown => "no clock's shortest interval is known".to_owned(),
    }
}

fn timed_by(clocks: &TimedBy, limit: &str) -> Vec<String> {
    let mut said = Vec::new();
    if !clocks.confirmed.is_empty() {
        let verb = if clocks.confirmed.len() == 1 { "times" } else { "time" };
        said.push(format!("{} {verb} it directly to {limit}", names(&clocks.confirmed)));
    }
    if !clocks.claimed.is_empty() {
        said.push(format!("{} should time it to {limit} (not confirmed by trials)", names(&clocks.claimed)));
    }
    said
}

fn skew(conclusion: &Skew, record: &Record) -> String {
    let causality = record.content.causality();
    let of = match causality.pairs_tested_of_more() {
        Some(pairs) => format!(" on {} of {} pairs of CPUs", count(pairs), count(causality.pairs_possible)),
        None => String::new(),
    };
    match conclusion {
        Skew::NotTested { reason } => format!("core-to-core skew: not tested: {reason}"),
        Skew::Apart { up_to_ns } => format!("CPUs disagree by up to {}{of}", ns(*up_to_ns)),
        Skew::NotExcluded { below_ns } => format!("core-to-core skew, if any, is {}{of}", TIME.below(*below_ns)),
    }
}

/// The result of testing a claim: confirmed, expected after failed trials, or not tried.
fn result(shortest: ShortestInterval) -> String {
    match shortest {
        ShortestInterval::Confirmed(from) => ns(from),
        ShortestInterval::NotConfirmed { tried_to_ns, some_held: true, .. } => {
            format!("unsteady to {}", ns(tried_to_ns))
        }
        ShortestInterval::NotConfirmed { tried_to_ns, .. } => format!("none to {}", ns(tried_to_ns)),
        ShortestInterval::Claimed(_) | ShortestInterval::Unknown => "–".to_owned(),
    }
}

fn basis(promise: &Promise) -> &'static str {
    match [promise.within_1pct, promise.within_10pct].map(ShortestInterval::is_tried) {
        [true, true] => "trials",
        [false, false] => "prediction alone",
        [true, false] => "trials for 1 %",
        [false, true] => "trials for 10 %",
    }
}

/// Claim and measured error of every clock, for the detailed view.
pub fn trials(page: &mut Page, record: &Record) {
    page.section("SHORTEST INTERVALS");
    let judged = record.content.judgement.iter().flat_map(|judgement| &judgement.clocks);
    let clocks: Vec<Timed<'_>> = judged
        .filter_map(|clock| {
            let timed = record.content.clocks().intervals_of(&clock.name)?;
            Some((clock, timed, timed.promise()))
        })
        .collect();
    if clocks.is_empty() {
        page.paragraph(Line::plain("  "), DIM, &format!("not tested: {}", record.content.reason_missing(&MEASURED_BY)));
        return;
    }
    claims(page, &clocks);
    clocks.iter().for_each(|clock| reservations(page, clock));
    if clocks.iter().any(|(_, timed, _)| !timed.trials.is_empty()) {
        errors(page, &clocks);
    }
}

/// A clock, its intervals, and what they amount to.
type Timed<'r> = (&'r ClockAdvice, &'r TimedIntervals, Promise);

fn claims(page: &mut Page, clocks: &[Timed<'_>]) {
    let from = |value: Option<f64>| value.map_or_else(|| "none found".to_owned(), ns);
    let mut claims = Table::new(&[
        ("clock", Align::Left),
        ("for intervals", Align::Left),
        ("predicted 1 %", Align::Right),
        ("predicted 10 %", Align::Right),
        ("result 1 %", Align::Right),
        ("result 10 %", Align::Right),
        ("basis", Align::Left),
    ]);
    for (clock, timed, promise) in clocks {
        claims.row(
            style_if(!clock.recommended, DIM),
            [
                clock.name.to_string(),
                yes(clock.recommended),
                from(timed.claimed_interval_ns.within_1pct),
                from(timed.claimed_interval_ns.within_10pct),
                result(promise.within_1pct),
                result(promise.within_10pct),
                basis(promise).to_owned(),
            ],
        );
    }
    page.table(claims);
    page.paragraph(
        Line::plain("  "),
        DIM,
        "predicted: from empty intervals and step; result: the shortest that trials confirm, rounded up",
    );
}

fn reservations(page: &mut Page, (clock, timed, promise): &Timed<'_>) {
    let mut said = |style, text: &str| page.paragraph(Line::plain(&format!("  {:<24} ", clock.name)), style, text);
    if let Some(failed) = reservation(promise) {
        said(PLAIN, &failed);
    }
    if !clock.why.is_empty() {
        said(PLAIN, &clock.why);
    }
    let results = [promise.within_1pct, promise.within_10pct];
    if !results.into_iter().all(ShortestInterval::is_confirmed) {
        said(DIM, &format!("not confirmed: {}", given(timed.reason_unvalidated.as_deref())));
    }
}

fn errors(page: &mut Page, clocks: &[Timed<'_>]) {
    page.heading("Trials: known work timed once per reading, against its duration timed in batches");
    let mut trials = Table::new(&[
        ("clock", Align::Left),
        ("claim", Align::Right),
        ("true duration", Align::Right),
        ("quiet readings", Align::Right),
        ("median error", Align::Right),
        ("95 % err below", Align::Right),
        ("within", Align::Right),
        ("holds", Align::Left),
    ])
    .named_by(2);
    for (clock, timed, _) in clocks {
        for trial in &timed.trials {
            trials.row(
                style_if(!trial.holds, WARNING),
                [
                    clock.name.to_string(),
                    limit(trial.tolerance_pct),
                    ns(trial.truth_ns),
                    format!("{} of {}", count(trial.readings), count(trial.readings_made)),
                    percent(trial.error_pct_p50),
                    percent(trial.error_pct_abs_p95),
                    kept(trial.share_within),
                    yes(trial.holds),
                ],
            );
        }
    }
    page.table(trials);
    let told = format!(
        "quiet: the work took its usual time, between two undisturbed probes; a length with fewer than {FEWEST_READINGS} quiet readings \
         is not shown: it neither holds nor fails"
    );
    page.paragraph(Line::plain("  "), DIM, &told);
}

fn yes(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_that_is_too_small_does_not_read_as_enough() {
        assert_eq!([48.0 / 49.0, 0.98, 0.964, 1.0].map(kept), ["97.9 %", "98.0 %", "96.4 %", "100 %"]);
    }

    #[test]
    fn a_length_that_failed_is_not_said_to_be_enough() {
        let failed = |kept, expected_from_ns| ShortestInterval::NotConfirmed {
            tried_to_ns: 8_400.0,
            error_ns: 64.8,
            expected_from_ns,
            kept,
            some_held: false,
        };
        let said = within(failed(Some(48.0 / 49.0), 8_400.0), "1 %");
        assert_eq!(
            said,
            "trials up to 8.40 µs confirmed no interval to 1 %; at that length 97.9 % of readings kept within it, but 98 of 100 must"
        );
        let said = within(failed(None, 12_000.0), "1 %");
        assert!(said.ends_with("expect ≥ 12.0 µs if the error stays at 64.8 ns"), "{said}");
    }
}
