//! The first screen fits, whatever the record holds, and says what was checked.

use anstream::adapter::strip_str;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json as value};
use unicode_width::UnicodeWidthStr;

use super::golden_file::assert_golden;
use super::mutation::{mutated_in, mutation};
use crate::command::page::{Shown, page};
use crate::document::{Outcome, Record};
use crate::json::document;
use crate::judgement::facts::Facts;
use crate::judgement::host::host;
use crate::kinds::class_of;
use crate::rules::judged;
use crate::screen::View;
use chronoscope_harness::finding::HostState;
use chronoscope_harness::finding::{Finding, Kind};
use chronoscope_render::Width;

const RECORD: &str = include_str!("../../tests/fixtures/record.json");
const RUNTIMES: &str = include_str!("../../tests/fixtures/runtimes.json");
const SHOWN: &str = include_str!("../../../../docs/shown/check.json");

/// The screen has so many lines of so many columns at most.
const LINES: usize = 24;
const COLUMNS: usize = 80;

/// What a check prints.
const CHECK: Shown = Shown { view: Some(View::CHECK), full: false };

fn record() -> Record {
    document(RECORD).expect("the fixture is a record")
}

fn screen_at(record: &Record, columns: usize) -> String {
    strip_str(&page(record, CHECK, Width::of_columns(columns))).to_string()
}

/// The words that hold a digit, each with the times it is there.
fn numbers(page: &str) -> Vec<&str> {
    let mut numbers: Vec<&str> =
        page.split_whitespace().filter(|word| word.contains(|c: char| c.is_ascii_digit())).collect();
    numbers.sort_unstable();
    numbers
}

/// That the screen fits at every width, and that a narrow one has the numbers of a wide one.
fn assert_fits(record: &Record, widths: impl IntoIterator<Item = usize>) {
    let usual = screen_at(record, COLUMNS);
    for columns in widths {
        let screen = screen_at(record, columns);
        for line in screen.lines() {
            assert!(line.width() <= columns.max(Width::LEAST), "{columns} columns, takes {}: {line}", line.width());
        }
        assert!(columns < COLUMNS || screen.lines().count() <= LINES, "at {columns} columns:\n{screen}");
        // A word wider than the screen is broken in two.
        if usual.split_whitespace().all(|word| word.width() < Width::LEAST / 2) {
            assert_eq!(numbers(&screen), numbers(&usual), "at {columns} columns:\n{screen}\n{usual}");
        }
    }
}

#[test]
fn every_known_record_fits_at_every_width() {
    for text in [RECORD, RUNTIMES, SHOWN] {
        let mut record = document(text).expect("it is a record");
        // One of a section as if it were of a check: then hardly anything was checked.
        record.command = "check".to_owned();
        let record = judged(record);
        assert!(record.content.has_first_screen());
        assert_fits(&record, (40..=200).step_by(4));
    }
}

#[test]
fn without_a_terminal_it_has_80_columns() {
    let text = strip_str(&page(&record(), Shown::default(), Width::default())).to_string();
    assert_eq!(text, screen_at(&record(), COLUMNS));
    assert_golden("first-screen.txt", &text);
    assert_golden("first-screen-60.txt", &screen_at(&record(), 60));
    assert_golden("first-screen.ansi.txt", &page(&record(), Shown::default(), Width::default()).replace('\x1b', "␛"));
}

#[test]
fn no_warning_vanishes() {
    let mut record = record();
    let kinds = ["a", "b", "c", "d", "e"].map(|id| {
        Kind::warning(
            id,
            chronoscope_harness::finding::Meaning {
                about: "it is odd",
                evidence: "it",
                mend: chronoscope_harness::finding::NO_ACTION,
            },
        )
    });
    record.findings.extend(kinds.map(|kind| Finding::new(kind, "seen").advice("mend it")));
    let classed: Vec<_> = record.findings.iter().map(|finding| (class_of(finding), finding)).collect();
    let host = host(&Facts::from(&record), false, &classed);
    let reasons = host.reasons.len();
    record.content.judgement.as_mut().unwrap().host = Some(host);
    assert!(reasons >= 5);
    let screen = screen_at(&record, COLUMNS);
    assert_eq!(screen.lines().filter(|line| line.starts_with("!  ")).count(), 5, "{screen}");
    assert!(screen.contains("!  a: seen → mend it"), "{screen}");
    assert!(screen.contains(&format!("!  {} more warnings: --full", reasons - 4)), "{screen}");
}

#[test]
fn what_was_not_measured_is_no_tick() {
    let mut root: Value = serde_json::from_str(RECORD).unwrap();
    (root["findings"], root["interrupted"]) = (value!([]), value!(true));
    let content = &mut root["content"];
    (content["parts"], content["judgement"]) = (value!([]), value!(null));
    (content["sections"]["clocks"]["report"], content["sections"]["reads"]["report"]) = (value!({}), value!([]));
    content["sections"]["causality"]["report"] =
        value!({ "pairs": [], "pairs_possible": 0, "litmus": [], "reason_unavailable": "one CPU is allowed" });
    root["machine"]["tsc"]["class"] = value!(null);
    let record = judged(document(&root.to_string()).unwrap());
    let screen = screen_at(&record, COLUMNS);
    assert!(!screen.contains('✔') && screen.contains("interrupted"), "{screen}");
    assert_eq!(record.content.judgement.as_ref().unwrap().host.as_ref().unwrap().state, HostState::Unknown);
}

#[test]
fn a_failed_part_takes_the_ok() {
    let mut record = record();
    for part in &mut record.content.parts {
        part.outcome = Outcome::Failed;
    }
    let record = judged(record);
    let host = record.content.judgement.as_ref().unwrap().host.as_ref().unwrap();
    assert!(host.state != HostState::Ok && !host.complete, "{host:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_mutated_record_fits(
        mutations in prop::collection::vec((any::<Index>(), mutation()), 1..16),
        of_shown: bool,
        keeps_screen: bool,
        columns in 40_usize..200,
    ) {
        let root = serde_json::from_str(if of_shown { SHOWN } else { RECORD }).unwrap();
        // Half of them hit the screen itself.
        let chosen = |found: Vec<String>| {
            let is_of_screen = |pointer: &&String| pointer.starts_with("/content/judgement/");
            let of_screen: Vec<String> = found.iter().filter(is_of_screen).cloned().collect();
            if keeps_screen && !of_screen.is_empty() { of_screen } else { found }
        };
        let root: Value = mutated_in(root, &mutations, chosen, |text| document(text).is_ok());
        let mut record = document(&root.to_string()).unwrap();
        if !keeps_screen {
            record = judged(record);
        }
        for columns in [COLUMNS, columns] {
            let screen = page(&record, CHECK, Width::of_columns(columns));
            let text = strip_str(&screen).to_string();
            prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        }
        if record.content.has_first_screen() {
            assert_fits(&record, [columns]);
        }
    }
}
