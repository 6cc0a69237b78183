//! The verdict in words: every judgement here was made by the rules of `answers`.

use anstyle::Style;

use crate::answers::conclusions::{CausalityConclusion, FastPath, Grade, Intervals, Monotonic, Skew, UnknownClock};
use crate::answers::fast_path::CLOCK;
use crate::answers::intervals::grade;
use crate::answers::report::{Answer, ClockVerdict, Question, TimedBy};
use crate::clock_id::ClockId;
use crate::document::Record;
use chronoscope_harness::estimators::intervals::{Promise, ShortestInterval, TimedIntervals};
use chronoscope_harness::quantity::{TIME, count, limit, ns, percent, share};
use chronoscope_harness::record::PathMethod;
use chronoscope_render::findings;
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{CRITICAL, DIM, GOOD, PLAIN, WARNING};
use chronoscope_render::table::{Align, Table, style_if};
use chronoscope_render::words::{counted, given, quoted};

pub fn show(page: &mut Page, record: &Record) {
    page.section("VERDICT");
    if let Some(conclusions) = &record.verdict.conclusions {
        intervals(page, &conclusions.intervals, record);
        answers(page, record);
        bullet(page, conclusions.monotonic.grade(), &monotonic(&conclusions.monotonic));
        let across = format!("{}; {}", causality(&conclusions.causality), skew(&conclusions.skew));
        bullet(page, conclusions.causality.grade(), &across);
        bullet(page, conclusions.fast_path.grade(), &fast_path(&conclusions.fast_path));
    }
    findings::warnings(page, &record.findings);
}

fn bullet(page: &mut Page, grade: Grade, text: &str) {
    let (style, sign): (Style, &str) = match grade {
        Grade::Good => (GOOD, "✔ "),
        Grade::Unknown => (DIM, "? "),
        Grade::Warning => (WARNING, "! "),
        Grade::Critical => (CRITICAL, "✘ "),
    };
    page.paragraph(Line::styled(style, sign), PLAIN, text);
}

fn intervals(page: &mut Page, intervals: &Intervals, record: &Record) {
    match intervals {
        Intervals::NotTested { reason } => {
            bullet(page, Grade::Unknown, &format!("shortest interval: not tested: {reason}"));
        }
        Intervals::NoneRecommended => bullet(page, Grade::Warning, NONE_RECOMMENDED),
        Intervals::Recommended => {
            for clock in record.verdict.clocks.iter().filter(|clock| clock.recommended) {
                bullet(page, grade(&clock.promise), &promise(clock, record));
            }
        }
    }
}

const NONE_RECOMMENDED: &str = "no clock is recommended for timing intervals here";

/// The intervals a clock can time directly, and whether trials confirm it.
fn promise(clock: &ClockVerdict, record: &Record) -> String {
    use ShortestInterval::{Claimed, Confirmed, Unknown};

    let name = quoted(clock.name.name());
    let timed = record.clocks.intervals_of(&clock.name);
    let why = || given(timed.and_then(|timed| timed.reason_unvalidated.as_deref()));
    match (clock.promise.within_1pct, clock.promise.within_10pct) {
        (Confirmed(one), Confirmed(ten)) => format!(
            "{name} can time a single interval ≥ {} to 1 %, ≥ {} to 10 % ({CONFIRMED}{})",
            ns(one),
            ns(ten),
            exceptions(&clock.promise)
        ),
        (Claimed(one), Claimed(ten)) => format!(
            "{name} should time a single interval ≥ {} to 1 %, ≥ {} to 10 % (from latency and step; not confirmed by \
             trials: {})",
            ns(one),
            ns(ten),
            why()
        ),
        (Unknown, Unknown) => format!("{name}: shortest interval unknown: {}", why()),
        (one, ten) => format!("{name}: {}; {}", within(ten, "10 %"), within(one, "1 %")),
    }
}

/// The basis of a confirmed length. Readings with disturbed work are excluded.
const CONFIRMED: &str = "95 of 100 quiet trials";

/// Intervals longer than a confirmed one that did not hold individually, though all longer ones together did.
fn exceptions(promise: &Promise) -> String {
    let words = promise.exceptions.iter().map(|trial| {
        format!("; to {} % {:.1} at {}", trial.tolerance_pct, trial.share_within * 100.0, ns(trial.truth_ns))
    });
    words.collect()
}

/// The shortest interval that a clock times within `limit`, with the evidence.
fn within(shortest: ShortestInterval, limit: &str) -> String {
    match shortest {
        ShortestInterval::Confirmed(from) => {
            format!("can time a single interval ≥ {} to {limit} ({CONFIRMED})", ns(from))
        }
        ShortestInterval::Claimed(from) => {
            format!("{limit} not tried; latency and step suggest ≥ {}", ns(from))
        }
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
fn answers(page: &mut Page, record: &Record) {
    for question in &record.verdict.questions {
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
    if !record.verdict.questions.is_empty() {
        page.section("INTERVALS ASKED ABOUT");
        answers(page, record);
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

fn names(clocks: &[ClockId]) -> String {
    clocks.iter().map(|clock| quoted(clock.name())).collect::<Vec<_>>().join(", ")
}

/// In words.
pub fn monotonic(conclusion: &Monotonic) -> String {
    match conclusion {
        Monotonic::SteppedBack => "not monotonic: a clock went backwards within a thread".to_owned(),
        Monotonic::Steady => "monotonic: no clock went backwards within a thread".to_owned(),
        Monotonic::NotTested { reason } => format!("monotonic: not tested: {reason}"),
        Monotonic::PartlyTested { untested } => {
            format!("monotonic: not tested for {}; no other clock went backwards within a thread", names(untested))
        }
    }
}

/// In words.
pub fn causality(conclusion: &CausalityConclusion) -> String {
    let values = |new: u64| counted(new, "new value", "new values");
    match conclusion {
        CausalityConclusion::WentBackwards { violations, observations, messages } => format!(
            "not causal across cores: clocks that must be causal went backwards {} in {} and {}",
            counted(*violations, "time", "times"),
            counted(*observations, "observation", "observations"),
            counted(*messages, "message", "messages")
        ),
        CausalityConclusion::Causal { clocks, new_values, pairs, only_pair } => {
            let whence = match only_pair {
                Some((writer, reader)) => format!("CPU {writer} → {reader}"),
                None => format!("{} pairs of CPUs", count(*pairs)),
            };
            let clocks = counted(*clocks, "clock", "clocks");
            format!("causal across cores: none of {clocks} went backwards in {} ({whence})", values(*new_values))
        }
        CausalityConclusion::NotTested { reason } => format!("causal across cores: not tested: {reason}"),
        CausalityConclusion::Unknown { unknown, clocks, new_values } => {
            let why = |UnknownClock { clock, reason }: &UnknownClock| {
                format!("{} ({})", quoted(clock.name()), given(reason.as_deref()))
            };
            let unknown: Vec<String> = unknown.iter().map(why).collect();
            let others = match clocks {
                0 => String::new(),
                _ => format!(
                    "; none of {} went backwards in {}",
                    counted(*clocks, "other clock", "other clocks"),
                    values(*new_values)
                ),
            };
            format!("causal across cores: unknown for {}{others}", unknown.join(", "))
        }
    }
}

fn skew(conclusion: &Skew) -> String {
    let of = |pairs: u64, possible: u64| match pairs < possible {
        true => format!(" on {} of {} pairs of CPUs", count(pairs), count(possible)),
        false => String::new(),
    };
    match conclusion {
        Skew::NotTested { reason } => format!("core-to-core skew: not tested: {reason}"),
        Skew::Apart { up_to_ns, pairs, pairs_possible } => {
            format!("CPUs disagree by up to {}{}", ns(*up_to_ns), of(*pairs, *pairs_possible))
        }
        Skew::NotExcluded { below_ns, pairs, pairs_possible } => {
            format!("core-to-core skew, if any, is {}{}", TIME.below(*below_ns), of(*pairs, *pairs_possible))
        }
    }
}

/// In words.
pub fn fast_path(conclusion: &FastPath) -> String {
    let known = |method: Option<PathMethod>| match method {
        None => "evidence not recorded",
        Some(PathMethod::ByConstruction) => "by construction",
        Some(PathMethod::Proved) => "proved",
        Some(PathMethod::Counted) => "counted",
        Some(PathMethod::Inferred) => "inferred from timing, may be wrong",
    };
    match conclusion {
        FastPath::ProbablyVdso { method } => {
            format!("{CLOCK} is probably on its fast path, the vDSO ({})", known(*method))
        }
        FastPath::Vdso { method } => {
            format!("{CLOCK} is on its fast path: the vDSO, no system call ({})", known(Some(*method)))
        }
        FastPath::SystemCall { method } => {
            format!("{CLOCK} is off its fast path: every read is a system call ({})", known(*method))
        }
        FastPath::Unknown { reason } => format!("fast path of {CLOCK}: unknown: {reason}"),
        FastPath::NotTested { reason } => format!("fast path of {CLOCK}: not tested: {reason}"),
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
        [false, false] => "claim alone",
        [true, false] => "trials for 1 %",
        [false, true] => "trials for 10 %",
    }
}

/// Claim and measured error of every clock, for the detailed view.
pub fn trials(page: &mut Page, record: &Record) {
    page.section("SHORTEST INTERVALS");
    let clocks = &record.verdict.clocks;
    if let Some(Intervals::NotTested { reason }) = record.verdict.conclusions.as_ref().map(|found| &found.intervals) {
        page.paragraph(Line::plain("  "), DIM, &format!("not tested: {reason}"));
        return;
    }
    let measured = || clocks.iter().filter_map(|clock| Some((clock, record.clocks.intervals_of(&clock.name)?)));
    claims(page, measured());
    measured().for_each(|(clock, timed)| reservations(page, clock, timed));
    if measured().any(|(_, timed)| !timed.trials.is_empty()) {
        errors(page, measured());
    }
}

fn claims<'r>(page: &mut Page, clocks: impl Iterator<Item = (&'r ClockVerdict, &'r TimedIntervals)>) {
    let from = |value: Option<f64>| value.map_or_else(|| "none found".to_owned(), ns);
    let mut claims = Table::new(&[
        ("clock", Align::Left),
        ("recommended", Align::Left),
        ("claimed 1 %", Align::Right),
        ("claimed 10 %", Align::Right),
        ("result 1 %", Align::Right),
        ("result 10 %", Align::Right),
        ("basis", Align::Left),
    ]);
    for (clock, timed) in clocks {
        claims.row(
            style_if(!clock.recommended, DIM),
            [
                clock.name.to_string(),
                yes(clock.recommended),
                from(timed.claimed_interval_ns.within_1pct),
                from(timed.claimed_interval_ns.within_10pct),
                result(clock.promise.within_1pct),
                result(clock.promise.within_10pct),
                basis(&clock.promise).to_owned(),
            ],
        );
    }
    page.table(claims);
}

fn reservations(page: &mut Page, clock: &ClockVerdict, timed: &TimedIntervals) {
    let mut said = |style, text: &str| page.paragraph(Line::plain(&format!("  {:<24} ", clock.name)), style, text);
    let failed = exceptions(&clock.promise);
    if let Some(failed) = failed.strip_prefix(';') {
        said(PLAIN, &format!("longer intervals hold taken together; below 95 of 100 individually:{failed}"));
    }
    if !clock.why.is_empty() {
        said(PLAIN, &clock.why);
    }
    let results = [clock.promise.within_1pct, clock.promise.within_10pct];
    if !results.into_iter().all(ShortestInterval::is_confirmed) {
        said(DIM, &format!("not confirmed: {}", given(timed.reason_unvalidated.as_deref())));
    }
}

fn errors<'r>(page: &mut Page, clocks: impl Iterator<Item = (&'r ClockVerdict, &'r TimedIntervals)>) {
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
    for (clock, timed) in clocks {
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
                    share(trial.share_within),
                    yes(trial.holds),
                ],
            );
        }
    }
    page.table(trials);
}

fn yes(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}
