//! The pages of advice: golden, of every width, and of any document that still parses.

use anstream::adapter::strip_str;
use chronoscope_harness::record::not_finite;
use chronoscope_probes::RuntimeKind;
use chronoscope_render::Width;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use super::golden_file::assert_golden;
use super::mutation::{mutated, mutation};
use crate::answers::advice::interval_advice::advise;
use crate::answers::advice::report::{Advice, IntervalQuestion};
use crate::answers::advice::symptoms::{SYMPTOMS, find, look_up};
use crate::command::page::{Shown, page};
use crate::document::Record;
use crate::json::{document, json};
use crate::screen::advice::symptoms_at;

const FIXTURE: &str = include_str!("../../tests/fixtures/record.json");
const RUNTIMES: &str = include_str!("../../tests/fixtures/runtimes.json");

fn question(interval_ns: f64, threads: u32) -> IntervalQuestion {
    IntervalQuestion { interval_ns, error_pct: 1.0, threads, clock: None, runtime: None, every_ns: None }
}

/// The record with each kind of advice in turn.
fn advised(record: &Record) -> Vec<Record> {
    let java = IntervalQuestion { runtime: Some(RuntimeKind::Java), every_ns: Some(1e6), ..question(500.0, 1) };
    let coarse = IntervalQuestion { clock: Some("CLOCK_PROCESS_CPUTIME_ID".to_owned()), ..question(1e4, 1) };
    let asked = [question(50.0, 1), question(5e6, 2), question(50.0, 8), java, coarse];
    let mut all: Vec<Advice> = asked.iter().map(|asked| Advice::Interval(advise(asked, record))).collect();
    all.extend(SYMPTOMS.iter().map(|row| Advice::Symptom(look_up(row, row.symptom, record))));
    let with = |advice| {
        let mut record = record.clone();
        record.content.advice = Some(advice);
        record
    };
    all.into_iter().map(with).collect()
}

fn plain(record: &Record, columns: usize) -> String {
    strip_str(&page(record, Shown::default(), Width::of_columns(columns))).to_string()
}

#[test]
fn pages_of_advice() {
    let record = document(FIXTURE).unwrap();
    let pages = advised(&record);
    assert_golden("advice-interval.txt", &plain(&pages[0], 80));
    assert_golden("advice-threads.txt", &plain(&pages[2], 80));
    let mut runtimes = document(RUNTIMES).unwrap();
    let (asked, width) = ("DateTime.Now has steps of 15 ms", Width::of_columns(80));
    let row = find(asked).expect("a row has such words");
    runtimes.content.advice = Some(Advice::Symptom(look_up(row, asked, &runtimes)));
    assert_golden("advice-symptom.txt", &plain(&runtimes, 80));
    assert_golden("advice-index.txt", &strip_str(&symptoms_at(width)).to_string());
}

#[test]
fn advice_fits_every_width_and_survives_the_round_trip() {
    for text in [FIXTURE, RUNTIMES] {
        let record = document(text).unwrap();
        for (place, advised) in advised(&record).into_iter().enumerate() {
            for columns in [60, 80, 118, 200] {
                for line in plain(&advised, columns).lines() {
                    assert!(line.width() <= columns, "{columns}: {line}");
                }
            }
            if place % 6 != 0 {
                continue;
            }
            let written = json(&advised).unwrap();
            assert_eq!(document(&written).unwrap(), advised);
        }
    }
}

#[test]
fn the_schema_has_advice() {
    let schema: Value = serde_json::from_str(crate::document::SCHEMA).expect("it is JSON");
    let validator = jsonschema::validator_for(&schema).expect("it is a schema");
    let record = document(FIXTURE).unwrap();
    for advised in advised(&record) {
        let value: Value = serde_json::from_str(&json(&advised).expect("it can be written")).expect("it is JSON");
        let faults: Vec<String> = validator.iter_errors(&value).map(|fault| fault.to_string()).collect();
        assert!(faults.is_empty(), "{faults:?}");
    }
}

/// A saved document with advice shows its advice, and its sections where they are asked for.
#[test]
fn what_the_advice_rests_on_can_be_shown_too() {
    let record = document(FIXTURE).unwrap();
    let advised = advised(&record).swap_remove(0);
    let shown = Shown { view: Some(crate::screen::View::named("clocks")), full: false };
    assert_eq!(page(&advised, shown, Width::default()), page(&record, shown, Width::default()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_document_is_advised_on(
        of_runtimes: bool,
        mutations in prop::collection::vec((any::<Index>(), mutation()), 1..12),
        columns in 20_usize..200,
        which: Index,
    ) {
        let root = serde_json::from_str(if of_runtimes { RUNTIMES } else { FIXTURE }).unwrap();
        let root = mutated(root, &mutations, |text| document(text).is_ok());
        let record = document(&root.to_string()).unwrap();
        let all = advised(&record);
        for advised in &all {
            let text = strip_str(&page(advised, Shown::default(), Width::of_columns(columns))).to_string();
            prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "a control character");
        }
        match json(which.get(&all)) {
            Ok(text) => prop_assert_eq!(&document(&text).unwrap(), which.get(&all)),
            // Numbers that overflowed.
            Err(_) => prop_assert!(!not_finite(which.get(&all)).is_empty()),
        }
    }
}
