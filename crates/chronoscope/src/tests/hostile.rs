//! Anything that still parses is rendered without a panic and without a character that could control the terminal.

use crate::answers::compare::{self, Source};
use crate::answers::gate::junit::junit;
use crate::answers::gate::rule::gate;
use crate::answers::gate::rules_file::rules;
use crate::command::page::{Shown, browser_page, page};
use crate::document::{Content, Record};
use crate::json::{document, json};
use crate::kinds;
use crate::screen::{View, terminal};
use crate::sections::pace::rules::RULES;
use anstream::adapter::strip_str;
use chronoscope_harness::rule::conclude;
use chronoscope_render::Width;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json as value};

use super::golden_file::assert_golden;
use super::mutation::{mutated, mutation, replace_strings};
use super::own_markup::assert_own_markup;

const FIXTURE: &str = include_str!("../../tests/fixtures/record.json");
const RUNTIMES: &str = include_str!("../../tests/fixtures/runtimes.json");
const PACE: &str = include_str!("../../tests/fixtures/pace.json");

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
    let page = browser_page(record, Shown::default());
    assert_own_markup(&page);
    assert!(!page.contains("NaN%") && !page.contains("inf%"), "a place that is no number");
}

/// Every rule can be judged, kept, shown and written as XML.
fn assert_judged(mut record: Record) {
    let forbidden: Vec<String> = kinds::all().map(|kind| format!("'{}'", kind.id)).collect();
    let text = format!(
        "require = ['vdso', 'causal', 'monotonic', 'invariant_tsc', 'ntp', 'clocksource=tsc']\nmax-skew = '1us'\n\
         max-ntp-error = '1ms'\nmax-lost = '1%'\nmax-latency.monotonic = '40ns'\nmax-granularity.monotonic = '1us'\n\
         strict = true\nforbid = [{}]\n",
        forbidden.join(", ")
    );
    let judged = gate(&record, &rules(&text).unwrap());
    let xml = junit(&record, &judged).unwrap();
    let tree = roxmltree::Document::parse(&xml).unwrap();
    assert_eq!(tree.descendants().filter(|node| node.has_tag_name("testcase")).count(), judged.rules.len());
    record.content.gate = Some(judged);
    let page = strip_str(&page(&record, Shown::default(), Width::default())).to_string();
    assert!(page.contains("GATE") && page.chars().all(|c| c == '\n' || !c.is_control()), "{page}");
    assert_own_markup(&browser_page(&record, Shown::default()));
    assert_eq!(document(&json(&record).unwrap()).unwrap(), record);
}

/// The comparison of a document with itself.
fn assert_comparison_harmless(record: &Record) {
    let source = || Source { name: "evil\x1b[31m".to_owned(), record: record.clone() };
    let comparison = compare::compare(&source(), &[source()], &[]);
    let page = compare::view::page(&comparison, true, Width::default()).finish();
    let text = strip_str(&page).to_string();
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text}");
    let content = Content { comparison: Some(comparison), ..Content::default() };
    let compared = Record::new("compare", record.tool.clone(), record.machine.clone(), content);
    assert_own_markup(&browser_page(&compared, Shown { full: true, ..Shown::default() }));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_records(of_runtimes: bool, mutations in prop::collection::vec((any::<Index>(), mutation()), 1..12)) {
        let root = serde_json::from_str(if of_runtimes { RUNTIMES } else { FIXTURE }).unwrap();
        let root = mutated(root, &mutations, |text| match document(text) {
            Ok(_) => true,
            Err(error) => {
                assert!(error.is_field() || error.is_schema_version() || error.is_not_a_record(), "{error}");
                false
            }
        });
        let record = document(&root.to_string()).unwrap();
        assert_harmless(&record);
        assert_judged(record.clone());
        assert_comparison_harmless(&record);
        prop_assert_eq!(&document(&json(&record).unwrap()).unwrap(), &record);
    }

    #[test]
    fn mutated_paces(mutations in prop::collection::vec((any::<Index>(), mutation()), 1..12)) {
        let root: Value = serde_json::from_str(PACE).unwrap();
        let root = mutated(root, &mutations, |text| document(text).is_ok());
        let mut record = document(&root.to_string()).unwrap();
        // What the document concludes, and what this build would.
        for _ in 0..2 {
            let text = strip_str(&page(&record, Shown::default(), Width::default())).to_string();
            prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "a control character: {text}");
            assert_own_markup(&browser_page(&record, Shown::default()));
            record.findings = record.content.pace.as_ref().map(|pace| conclude(RULES, pace)).unwrap_or_default();
        }
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
        record.content.sections.reads.report[place].p50_ns = value;
        for bin in &mut record.content.sections.reads.report[place].histogram.bins {
            bin.from_ns = value;
        }
        if let Some(latency) = record.content.sections.clocks.report.clocks[place].latency_ns.as_mut() {
            latency.per_read.confidence = value;
            latency.per_read.low = value;
        }
    }
    record.content.sections.causality.report.pairs[0].offset_ns = f64::NAN;
    assert_harmless(&record);
    assert!(json(&record).unwrap_err().is_not_writable());
}

#[test]
fn nothing_measured() {
    let mut root: Value = serde_json::from_str(FIXTURE).unwrap();
    (root["findings"], root["interrupted"]) = (value!([]), value!(true));
    let content = &mut root["content"];
    (content["parts"], content["judgement"]) = (value!([]), value!(null));
    let sections = &mut content["sections"];
    (sections["clocks"]["report"], sections["reads"]["report"]) = (value!({}), value!([]));
    sections["causality"]["report"] =
        value!({ "pairs": [], "pairs_possible": 0, "litmus": [], "reason_unavailable": "one CPU is allowed" });
    let record = document(&root.to_string()).unwrap();
    assert_harmless(&record);
    let record = crate::rules::judged(record);
    assert_golden("check-of-nothing.txt", &strip_str(&terminal(&record, View::CHECK)).to_string());
}

#[test]
fn a_record_cannot_write_escapes() {
    let mut record = document(FIXTURE).unwrap();
    record.machine.hostname = Some("evil\x1b[31m\nhost".to_owned());
    assert!(terminal(&record, View::CHECK).contains("evil␛[31m␊host"));
}

/// Every string of a record that may be any, replaced by one that would be markup.
#[test]
fn a_record_cannot_write_markup() {
    const EVIL: &str = "<evil onload='x' a=\"b\">&amp;`\u{202e}\x1b[31m</evil>";
    for fixture in [FIXTURE, RUNTIMES, PACE] {
        let mut root: Value = serde_json::from_str(fixture).unwrap();
        let replaced = replace_strings(&mut root, EVIL, |text| document(text).is_ok());
        let record = document(&root.to_string()).unwrap();
        let page = browser_page(&record, Shown::default());
        assert_own_markup(&page);
        assert!(replaced > 10 && page.contains("&lt;evil"), "{replaced}");
        assert!(!page.contains("<evil") && !page.contains('\u{202e}'));
    }
}
