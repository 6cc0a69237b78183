//! Anything that still parses is rendered without a panic and without a character that could control the terminal.

use crate::answers::compare::{self, Source};
use crate::document::Record;
use crate::json::{document, json};
use crate::view::{View, terminal};
use anstream::adapter::strip_str;
use chronoscope_render::Width;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json as value};

use super::mutation::{apply, mutation, pointers};

const FIXTURE: &str = include_str!("../../tests/fixtures/record.json");
const RUNTIMES: &str = include_str!("../../tests/fixtures/runtimes.json");

fn assert_harmless(record: &Record) {
    for view in View::all() {
        let styled = terminal(record, view);
        // The rest, between the escapes that set a style, must be plain text.
        for piece in styled.split('\x1b').skip(1) {
            let sequence = piece.split('m').next().unwrap_or_default();
            let known = sequence.strip_prefix('[').is_some_and(|codes| codes.bytes().all(|b| b.is_ascii_digit()));
            assert!(known, "an escape that sets no style: {sequence:?}");
        }
        let text = strip_str(&styled).to_string();
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "a control character in the {view:?} view");
    }
}

/// The comparison of a document with itself.
fn assert_comparison_harmless(record: &Record) {
    let source = || Source { name: "evil\x1b[31m".to_owned(), record: record.clone() };
    let page = compare::view::page(&compare::compare(&source(), &[source()], &[]), true, Width::default());
    let text = strip_str(&page).to_string();
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_records(of_runtimes: bool, mutations in prop::collection::vec((any::<Index>(), mutation()), 1..12)) {
        let mut root: Value = serde_json::from_str(if of_runtimes { RUNTIMES } else { FIXTURE }).unwrap();
        for (place, mutation) in &mutations {
            let mut found = Vec::new();
            pointers(&root, "", &mut found);
            let before = root.clone();
            apply(&mut root, place.get::<String>(&found), mutation);
            if let Err(error) = document(&root.to_string()) {
                prop_assert!(error.is_field() || error.is_schema_version() || error.is_not_a_record(), "{error}");
                root = before;
            }
        }
        let record = document(&root.to_string()).unwrap();
        assert_harmless(&record);
        assert_comparison_harmless(&record);
        prop_assert_eq!(&document(&json(&record).unwrap()).unwrap(), &record);
    }

    #[test]
    fn any_text(text in ".{0,300}") {
        let _ = document(&text);
    }
}

#[test]
fn numbers_that_are_not_finite() {
    let mut record = document(FIXTURE).unwrap();
    for (place, value) in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].into_iter().enumerate() {
        record.reads[place].p50_ns = value;
        record.causality.litmus[place].rate_upper_95 = value;
        for bin in &mut record.reads.report[place].histogram.bins {
            bin.from_ns = value;
        }
        if let Some(latency) = record.clocks[place].latency_ns.as_mut() {
            latency.confidence = value;
            latency.low = value;
        }
    }
    record.causality.pairs[0].offset_ns = f64::NAN;
    assert_harmless(&record);
    assert!(json(&record).unwrap_err().is_not_writable());
}

#[test]
fn nothing_measured() {
    let mut root: Value = serde_json::from_str(FIXTURE).unwrap();
    (root["findings"], root["interrupted"]) = (value!([]), value!(true));
    let content = &mut root["content"];
    (content["parts"], content["verdict"]) = (value!([]), value!({}));
    let sections = &mut content["sections"];
    (sections["clocks"]["report"], sections["reads"]["report"]) = (value!({}), value!([]));
    sections["causality"]["report"] =
        value!({ "pairs": [], "pairs_possible": 0, "litmus": [], "reason_unavailable": "one CPU is allowed" });
    let record = document(&root.to_string()).unwrap();
    assert_harmless(&record);
    let text = strip_str(&terminal(&record, View::CHECK)).to_string();
    assert!(text.contains("interrupted: "));
    assert!(text.contains("causal across cores: not tested: one CPU is allowed"));
    assert!(text.contains("monotonic: not tested: it was not part of the plan"));
}

#[test]
fn a_record_cannot_write_escapes() {
    let mut record = document(FIXTURE).unwrap();
    record.machine.hostname = Some("evil\x1b[31m\nhost".to_owned());
    assert!(terminal(&record, View::CHECK).contains("evil␛[31m␊host"));
}

#[test]
fn errors_name_the_place() {
    let syntax = document("{\n  \"schema_version\": 2,\n}").unwrap_err();
    assert!(syntax.is_syntax());
    assert!(syntax.to_string().contains("line 3 column"), "{syntax}");

    let version = document(&FIXTURE.replacen("\"schema_version\": 2", "\"schema_version\": 7", 1)).unwrap_err();
    let newer = "the record has schema_version 7; this build reads 2: a newer chronoscope wrote it and can show it";
    assert_eq!(version.to_string(), newer);

    let field = document(&FIXTURE.replacen("\"elapsed_ms\": 12345", "\"elapsed_ms\": \"long\"", 1)).unwrap_err();
    assert!(field.is_field());
    assert!(field.to_string().starts_with("the record's field `elapsed_ms` is wrong: invalid type: string"), "{field}");
    assert!(field.to_string().contains("at line "), "{field}");
}
