//! The text of every view, and the JSON, of one handmade record.
//!
//! `UPDATE_GOLDEN=1 cargo test -p chronoscope --lib` rewrites the golden files; review the difference before
//! committing.

use super::golden_file::assert_golden;
use crate::answers::conclude::draw_conclusions;
use crate::document::Record;
use crate::json::{document, json};
use crate::screen::{View, terminal};
use anstream::adapter::strip_str;
use chronoscope_harness::estimators::intervals::TimedIntervals;
use unicode_width::UnicodeWidthStr;

const FIXTURE: &str = include_str!("../../tests/fixtures/record.json");

fn record() -> Record {
    document(FIXTURE).expect("the fixture is a record")
}

/// Measurements of a run of `chronoscope runtimes`, in few figures.
const RUNTIMES: &str = include_str!("../../tests/fixtures/runtimes.json");

fn record_of_runtimes() -> Record {
    document(RUNTIMES).expect("the fixture is a record")
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
    assert!(plain(&record(), View::named("runtimes")).contains("it was not part of the plan"));
}

/// The intervals of the clock `name`.
fn timed<'r>(record: &'r mut Record, name: &str) -> &'r mut TimedIntervals {
    record.clocks.clock_mut(&name.into()).and_then(|clock| clock.intervals.as_mut()).unwrap()
}

/// The line of the verdict on the current `record` that contains `words`, with its continuation lines.
fn line_of(record: &Record, words: &str) -> String {
    let mut record = record.clone();
    let clocks = record.clocks.report.clone();
    for verdict in &mut record.verdict.clocks {
        verdict.promise = clocks.intervals_of(&verdict.name).unwrap().promise();
    }
    draw_conclusions(&mut record);
    let text = plain(&record, View::CHECK).replace("\n  ", " ");
    text.lines().find(|line| line.contains(words)).unwrap_or_default().to_owned()
}

#[test]
fn a_recommended_clock_that_was_not_observed_takes_the_tick_of_causality() {
    let mut record = record();
    assert!(line_of(&record, "causal across cores").starts_with('✔'));
    let row = record.causality.litmus.iter_mut().find(|row| row.name == "CLOCK_MONOTONIC").unwrap();
    (row.observations, row.fresh) = (0, 0);
    let clock = record.clocks.iter_mut().find(|clock| clock.name == "CLOCK_MONOTONIC").unwrap();
    clock.causal = None;
    clock.reason_causal_unknown = Some("nothing was observed from CPU 0 to CPU 1".to_owned());
    // An earlier build reported the tick regardless.
    for told in [None, Some(true)] {
        record.verdict.causal = told;
        let line = line_of(&record, "causal across cores");
        assert!(line.starts_with("? causal across cores: unknown for CLOCK_MONOTONIC (nothing was observed"), "{line}");
        assert!(
            line.contains("none of 4 other clocks went backwards in 4\u{202f}000\u{202f}000 new values;"),
            "{line}"
        );
    }
}

/// From 2.40 µs on all trials together held, one of them alone did not.
#[test]
fn a_longer_interval_that_did_not_hold_is_named() {
    let mut record = record();
    let is_whole = |record: &Record| line_of(record, "CLOCK_MONOTONIC can time").ends_with("(95 of 100 quiet trials)");
    assert!(is_whole(&record));
    let monotonic = timed(&mut record, "CLOCK_MONOTONIC");
    let mut longer = *monotonic.trials.iter().find(|trial| trial.tolerance_pct == 1.0).unwrap();
    (longer.truth_ns, longer.share_within, longer.holds) = (7_200.0, 0.931, false);
    monotonic.trials.push(longer);
    let line = line_of(&record, "CLOCK_MONOTONIC can time");
    assert!(line.contains("(95 of 100 quiet trials; to 1 % 93.1 at 7.20 µs)"), "{line}");
}

/// An emulator whose CPUs hardly ever run concurrently yields too few new values of every clock.
#[test]
fn that_no_clock_was_seen_enough_has_its_reasons() {
    let mut record = record();
    record.verdict.causal = None;
    for clock in &mut record.clocks.report.clocks {
        clock.causal = None;
        clock.reason_causal_unknown = Some("new values seen: 7, too few to tell".to_owned());
    }
    let line = line_of(&record, "causal across cores");
    assert!(line.starts_with("? causal across cores: unknown for") && line.contains("7, too few to tell"), "{line}");
    assert!(!line.contains("gives no reason") && !line.contains("none of"), "{line}");
}

#[test]
fn a_guess_and_an_unwatched_clock_take_their_ticks() {
    let mut record = record();
    let clock = record.clocks.iter_mut().find(|clock| clock.name == "CLOCK_MONOTONIC").unwrap();
    clock.path_evidence.as_mut().unwrap().method = chronoscope_harness::record::PathMethod::Inferred;
    assert!(line_of(&record, "on its fast path").starts_with('?'));
    assert!(line_of(&record, "monotonic: no clock").starts_with('✔'));
    let clock = record.clocks.iter_mut().find(|clock| clock.name == "rdtscp").unwrap();
    clock.granularity = None;
    let line = line_of(&record, "monotonic:");
    assert!(line.starts_with("? monotonic: not tested for rdtscp"), "{line}");
}

#[test]
fn a_path_that_no_proof_settled_is_unknown_with_its_reason() {
    let mut record = record();
    let clock = record.clocks.iter_mut().find(|clock| clock.name == "CLOCK_MONOTONIC").unwrap();
    (clock.path, clock.path_evidence) = (None, None);
    clock.reason_path_unknown = Some("137 of 1000 reads failed".to_owned());
    record.verdict.os_clock_on_fast_path = None;
    assert_eq!(line_of(&record, "fast path"), "? fast path of CLOCK_MONOTONIC: unknown: 137 of 1000 reads failed");
    assert!(plain(&record, View::named("clocks")).contains("unknown, 137 of 1000 reads failed"));
}

#[test]
fn trials_that_confirm_nothing_say_from_where_to_expect_it() {
    let mut record = record();
    timed(&mut record, "CLOCK_MONOTONIC").direct_interval_ns.within_10pct = None;
    let line = line_of(&record, "! CLOCK_MONOTONIC: ");
    // 8.7 % of 240 ns, the longest trial, are 20.9 ns.
    assert!(
        line.contains(
            "trials up to 240 ns confirmed no interval to 10 %; expect ≥ 240 ns if the error stays at 20.9 ns"
        ),
        "{line}"
    );
    assert!(!plain(&record, View::CHECK).contains("no interval was found"));
    // And without a trial the claim is a claim.
    timed(&mut record, "CLOCK_MONOTONIC").trials.retain(|trial| trial.tolerance_pct != 10.0);
    let line = line_of(&record, "! CLOCK_MONOTONIC: ");
    assert!(line.contains("10 % not tried; latency and step suggest ≥ 217 ns"), "{line}");
}

#[test]
fn a_question_is_answered_by_what_is_known() {
    let mut record = record();
    let asked = |record: &mut Record, interval_ns: f64, within: [&[&str]; 2]| {
        let [within_1pct, within_10pct] = within.map(|names| names.iter().map(|&name| name.into()).collect());
        record.verdict.questions = vec![crate::answers::report::Question {
            interval_ns,
            within_1pct,
            within_10pct,
            answer: Default::default(),
        }];
    };
    asked(&mut record, 50.0, [&[], &[]]);
    let line = line_of(&record, "50.0 ns: ");
    assert!(line.starts_with("✘ 50.0 ns: too short") && line.contains("150 ns, with `lfence; rdtsc`"), "{line}");
    asked(&mut record, 9_000.0, [&["CLOCK_MONOTONIC"], &[]]);
    assert_eq!(line_of(&record, "9.00 µs: "), "✔ 9.00 µs: CLOCK_MONOTONIC times it directly to 1 %");
    for clock in record.clocks.iter_mut().filter_map(|clock| clock.intervals.as_mut()) {
        clock.trials.clear();
    }
    let line = line_of(&record, "9.00 µs: ");
    assert_eq!(line, "! 9.00 µs: CLOCK_MONOTONIC should time it to 1 % (not confirmed by trials)");
    record.verdict.clocks.clear();
    assert!(line_of(&record, "9.00 µs: ").starts_with("? 9.00 µs: not tested: "));
}

#[test]
fn no_command_switches_to_a_counter_that_the_page_distrusts() {
    let mut record = record();
    assert!(plain(&record, View::named("clocks")).contains("echo tsc"));
    record.machine.tsc.class = Some(chronoscope_harness::record::TscClass::Variant);
    let kept = record.verdict.trust.take();
    assert!(plain(&record, View::named("clocks")).contains("tsc"), "a document may lack the judgement");
    record.verdict.trust = kept;
    assert!(plain(&record, View::named("clocks")).contains("echo tsc"), "the page judges nothing itself");
    record.verdict.trust = Some(record.trust());
    let text = plain(&record, View::named("clocks"));
    assert!(!text.contains("echo tsc") && text.contains("do not switch to it: the counter is variant"), "{text}");
}

#[test]
fn styles() {
    assert_golden("check.ansi.txt", &terminal(&record(), View::CHECK).replace('\x1b', "␛"));
}

#[test]
fn no_line_is_wider_than_the_page() {
    for view in View::all() {
        for line in [record(), record_of_runtimes()]
            .iter()
            .flat_map(|record| plain(record, view).lines().map(str::to_owned).collect::<Vec<_>>())
        {
            assert!(line.width() <= 118, "{} columns: {line}", line.width());
        }
    }
}

#[test]
fn json_round_trips() {
    let record = record();
    let text = json(&record).expect("the fixture can be written");
    let again = document(&text).expect("what was written can be read");
    assert_eq!(again, record);
    assert_eq!(json(&again).expect("it can be written again"), text);
    // The fixture itself is what is written: the format is sealed.
    assert_golden("../fixtures/record.json", &text);
    let runtimes = record_of_runtimes();
    let text = json(&runtimes).expect("the fixture can be written");
    assert_eq!(document(&text).expect("what was written can be read"), runtimes);
    assert_golden("../fixtures/runtimes.json", &text);
}
