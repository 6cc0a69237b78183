//! The text of every view, and the JSON, of one handmade record.
//!
//! `UPDATE_GOLDEN=1 cargo test -p chronoscope --lib` rewrites the golden files; review the difference before
//! committing.

use super::golden_file::assert_golden;
use crate::document::Record;
use crate::json::{document, json};
use crate::rules::tests::judged;
use crate::screen::{View, terminal};
use crate::sections::clocks::report::ClockReport;
use anstream::adapter::strip_str;
use chronoscope_harness::estimators::intervals::TimedIntervals;

const FIXTURE: &str = include_str!("../../tests/fixtures/record.json");

fn record() -> Record {
    document(FIXTURE).unwrap()
}

/// Measurements of a run of `chronoscope runtimes`, in few figures.
const RUNTIMES: &str = include_str!("../../tests/fixtures/runtimes.json");

fn record_of_runtimes() -> Record {
    document(RUNTIMES).unwrap()
}

fn plain(record: &Record, view: View) -> String {
    strip_str(&terminal(record, view)).to_string()
}

#[test]
fn check() {
    let text = plain(&record(), View::CHECK);
    assert_golden("check.txt", &text);
    assert!(text.lines().count() <= 80, "{} lines", text.lines().count());
}

#[test]
fn clocks() {
    assert_golden("clocks.txt", &plain(&record(), View::named("clocks")));
}

#[test]
fn reads() {
    assert_golden("reads.txt", &plain(&record(), View::named("reads")));
}

#[test]
fn causality() {
    assert_golden("causality.txt", &plain(&record(), View::named("causality")));
}

#[test]
fn runtimes() {
    assert_golden("runtimes.txt", &plain(&record_of_runtimes(), View::named("runtimes")));
    assert_golden("runtimes-in-check.txt", &plain(&record_of_runtimes(), View::CHECK));
    assert_golden("runtimes-unplanned.txt", &plain(&record(), View::named("runtimes")));
}

/// The intervals of the clock `name`.
fn timed<'r>(record: &'r mut Record, name: &str) -> &'r mut TimedIntervals {
    record.content.sections.clocks.report.clock_mut(&name.into()).and_then(|clock| clock.intervals.as_mut()).unwrap()
}

/// The line of the verdict on the current `record` that contains `words`, with its continuation lines.
fn line_of(record: &Record, words: &str) -> String {
    let record = judged(record.clone());
    let text = plain(&record, View::CHECK).replace("\n  ", " ");
    text.lines().find(|line| line.contains(words)).unwrap_or_default().to_owned()
}

/// As in `golden/verdict-lines.txt`: the lines of the verdict on records that are changed in one thing each.
#[test]
fn each_conclusion_has_its_line() {
    let mut said = Vec::new();
    let mut say = |case: &str, record: &Record, words: &str| {
        said.extend([format!("=== {case}"), line_of(record, words)]);
    };
    say_causality_and_intervals(&mut say);
    say_paths_and_questions(&mut say);
    assert_golden("verdict-lines.txt", &(said.join("\n") + "\n"));
}

fn changed(change: fn(&mut Record)) -> Record {
    let mut changed = record();
    change(&mut changed);
    changed
}

fn monotonic(record: &mut Record) -> &mut ClockReport {
    record.content.sections.clocks.report.clock_mut(&"CLOCK_MONOTONIC".into()).unwrap()
}

fn say_causality_and_intervals(say: &mut dyn FnMut(&str, &Record, &str)) {
    let causal = "causal across cores";
    let unobserved = changed(|record| {
        let mut rows = record.content.sections.causality.report.litmus.iter_mut();
        let row = rows.find(|row| row.name == "CLOCK_MONOTONIC").unwrap();
        (row.observations, row.fresh) = (0, 0);
    });
    say("causal", &record(), causal);
    say("a recommended clock that was not observed", &unobserved, causal);
    // An emulator whose CPUs hardly ever run concurrently yields too few new values of every clock.
    let unseen = changed(|record| {
        record.content.sections.causality.report.litmus.iter_mut().for_each(|row| (row.fresh, row.violations) = (7, 0));
    });
    say("no clock was seen enough", &unseen, causal);
    let (interval, warned) = ("CLOCK_MONOTONIC can time", "! CLOCK_MONOTONIC: ");
    say("confirmed intervals", &record(), interval);
    // From 2.40 µs on all trials together held, one of them alone did not.
    let longer = changed(|record| {
        let monotonic = timed(record, "CLOCK_MONOTONIC");
        let mut longer = *monotonic.trials.iter().find(|trial| trial.tolerance_pct == 1.0).unwrap();
        (longer.truth_ns, longer.share_within, longer.holds) = (7_200.0, 0.931, false);
        monotonic.trials.push(longer);
    });
    say("a longer interval that did not hold", &longer, interval);
    let mut unconfirmed = changed(|record| timed(record, "CLOCK_MONOTONIC").direct_interval_ns.within_10pct = None);
    say("trials that confirmed nothing", &unconfirmed, warned);
    timed(&mut unconfirmed, "CLOCK_MONOTONIC").trials.retain(|trial| trial.tolerance_pct != 10.0);
    say("and without a trial the claim is a claim", &unconfirmed, warned);
}

fn say_paths_and_questions(say: &mut dyn FnMut(&str, &Record, &str)) {
    let guessed = changed(|record| {
        let method = &mut monotonic(record).path_evidence.as_mut().unwrap().method;
        *method = chronoscope_harness::record::PathMethod::Inferred;
    });
    say("a path that is a guess", &guessed, "fast path");
    let unknown = changed(|record| {
        let clock = monotonic(record);
        (clock.path, clock.path_evidence) = (None, None);
        clock.reason_path_unknown = Some("137 of 1000 reads failed".to_owned());
    });
    say("a path that no proof settled", &unknown, "fast path");
    say("monotonic", &record(), "monotonic: ");
    let unwatched = changed(|record| {
        record.content.sections.clocks.report.clock_mut(&"rdtscp".into()).unwrap().granularity = None;
    });
    say("an unwatched clock", &unwatched, "monotonic: ");
    let mut asked = record();
    asked.content.sections.clocks.plan.questions_ns = vec![50.0, 9_000.0];
    say("a question of too short an interval", &asked, "50.0 ns: ");
    say("of one that was confirmed", &asked, "9.00 µs: ");
    let clocks = &mut asked.content.sections.clocks.report.clocks;
    clocks.iter_mut().filter_map(|clock| clock.intervals.as_mut()).for_each(|timed| timed.trials.clear());
    say("of one that is claimed", &asked, "9.00 µs: ");
    asked.content.sections.clocks.report.clocks.iter_mut().for_each(|clock| clock.intervals = None);
    say("of one that was not tested", &asked, "9.00 µs: ");
}

#[test]
fn no_command_switches_to_a_counter_that_the_page_distrusts() {
    let mut record = record();
    assert!(plain(&record, View::named("clocks")).contains("echo tsc"));
    record.machine.tsc.class = Some(chronoscope_harness::record::TscClass::Variant);
    assert!(plain(&record, View::named("clocks")).contains("echo tsc"), "the page judges nothing itself");
    assert!(!plain(&judged(record.clone()), View::named("clocks")).contains("echo tsc"));
    record.content.judgement = None;
    assert!(plain(&record, View::named("clocks")).contains("tsc"), "a document may lack the judgement");
}

#[test]
fn styles() {
    assert_golden("check.ansi.txt", &terminal(&record(), View::CHECK).replace('\x1b', "␛"));
}

#[test]
fn json_round_trips() {
    let record = record();
    let text = json(&record).unwrap();
    let again = document(&text).unwrap();
    assert_eq!(again, record);
    assert_eq!(json(&again).unwrap(), text);
    // The fixture itself is what is written: the format is sealed.
    assert_golden("../fixtures/record.json", &text);
    let runtimes = record_of_runtimes();
    let text = json(&runtimes).unwrap();
    assert_eq!(document(&text).unwrap(), runtimes);
    assert_golden("../fixtures/runtimes.json", &text);
}
