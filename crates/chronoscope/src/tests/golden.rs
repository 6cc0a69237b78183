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

/// As in `golden/verdict-lines.txt`: the lines of the verdict on records that are changed in one thing each.
#[test]
fn each_conclusion_has_its_line() {
    let mut said = Vec::new();
    let mut say = |case: &str, record: &Record, words: &[&str]| {
        said.push(format!("=== {case}"));
        said.extend(words.iter().map(|words| line_of(record, words)));
    };
    let changed = |change: fn(&mut Record)| {
        let mut changed = record();
        change(&mut changed);
        changed
    };
    fn monotonic(record: &mut Record) -> &mut crate::sections::clocks::report::ClockReport {
        record.clocks.report.clocks.iter_mut().find(|clock| clock.name == "CLOCK_MONOTONIC").unwrap()
    }
    let causal = ["causal across cores"];
    let unobserved = changed(|record| {
        let row = record.causality.litmus.iter_mut().find(|row| row.name == "CLOCK_MONOTONIC").unwrap();
        (row.observations, row.fresh) = (0, 0);
        let clock = monotonic(record);
        clock.causal = None;
        clock.reason_causal_unknown = Some("nothing was observed from CPU 0 to CPU 1".to_owned());
    });
    say("causal", &record(), &causal);
    say("a recommended clock that was not observed", &unobserved, &causal);
    // An emulator whose CPUs hardly ever run concurrently yields too few new values of every clock.
    let unseen = changed(|record| {
        for clock in &mut record.clocks.report.clocks {
            clock.causal = None;
            clock.reason_causal_unknown = Some("new values seen: 7, too few to tell".to_owned());
        }
    });
    say("no clock was seen enough", &unseen, &causal);
    let interval = ["CLOCK_MONOTONIC can time", "! CLOCK_MONOTONIC: "];
    say("confirmed intervals", &record(), &interval[..1]);
    // From 2.40 µs on all trials together held, one of them alone did not.
    let longer = changed(|record| {
        let monotonic = timed(record, "CLOCK_MONOTONIC");
        let mut longer = *monotonic.trials.iter().find(|trial| trial.tolerance_pct == 1.0).unwrap();
        (longer.truth_ns, longer.share_within, longer.holds) = (7_200.0, 0.931, false);
        monotonic.trials.push(longer);
    });
    say("a longer interval that did not hold", &longer, &interval[..1]);
    let mut unconfirmed = changed(|record| timed(record, "CLOCK_MONOTONIC").direct_interval_ns.within_10pct = None);
    say("trials that confirmed nothing", &unconfirmed, &interval[1..]);
    timed(&mut unconfirmed, "CLOCK_MONOTONIC").trials.retain(|trial| trial.tolerance_pct != 10.0);
    say("and without a trial the claim is a claim", &unconfirmed, &interval[1..]);
    let path = ["fast path"];
    let guessed = changed(|record| {
        let method = &mut monotonic(record).path_evidence.as_mut().unwrap().method;
        *method = chronoscope_harness::record::PathMethod::Inferred;
    });
    say("a path that is a guess", &guessed, &path);
    let unknown = changed(|record| {
        let clock = monotonic(record);
        (clock.path, clock.path_evidence) = (None, None);
        clock.reason_path_unknown = Some("137 of 1000 reads failed".to_owned());
        record.verdict.os_clock_on_fast_path = None;
    });
    say("a path that no proof settled", &unknown, &path);
    say("monotonic", &record(), &["monotonic: "]);
    let unwatched = changed(|record| {
        record.clocks.iter_mut().find(|clock| clock.name == "rdtscp").unwrap().granularity = None;
    });
    say("an unwatched clock", &unwatched, &["monotonic: "]);
    let asked = |interval_ns: f64, within_1pct: &[&str]| {
        let mut record = record();
        record.verdict.questions = vec![crate::answers::report::Question {
            interval_ns,
            within_1pct: within_1pct.iter().map(|&name| name.into()).collect(),
            within_10pct: Vec::new(),
            answer: Default::default(),
        }];
        record
    };
    say("a question of too short an interval", &asked(50.0, &[]), &["50.0 ns: "]);
    let mut long = asked(9_000.0, &["CLOCK_MONOTONIC"]);
    say("of one that was confirmed", &long, &["9.00 µs: "]);
    long.clocks.iter_mut().filter_map(|clock| clock.intervals.as_mut()).for_each(|timed| timed.trials.clear());
    say("of one that is claimed", &long, &["9.00 µs: "]);
    long.verdict.clocks.clear();
    say("of one that was not tested", &long, &["9.00 µs: "]);
    assert_golden("verdict-lines.txt", &(said.join("\n") + "\n"));
}

#[test]
fn no_command_switches_to_a_counter_that_the_page_distrusts() {
    let mut record = record();
    assert!(plain(&record, View::named("clocks")).contains("echo tsc"));
    record.machine.tsc.class = Some(chronoscope_harness::record::TscClass::Variant);
    let kept = record.verdict.trust.take();
    assert!(plain(&record, View::named("clocks")).contains("tsc"));
    record.verdict.trust = kept;
    assert!(plain(&record, View::named("clocks")).contains("echo tsc"));
    record.verdict.trust = Some(record.trust());
    let text = plain(&record, View::named("clocks"));
    assert!(!text.contains("echo tsc"), "{text}");
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
