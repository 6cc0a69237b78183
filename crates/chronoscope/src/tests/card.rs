//! The card of a check: well-formed, within its picture, and silent where the document is.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json as value};

use super::golden_file::assert_golden;
use super::mutation::{mutated, mutation};
use crate::document::Record;
use crate::json::document;
use crate::rules::judged;
use crate::screen::card::{Facts, card};
use chronoscope_harness::record::{Emulation, written};

const FIXTURE: &str = include_str!("../../tests/fixtures/record.json");
const SHOWN: &str = include_str!("../../../../docs/shown/check.json");
const STUDY: &str = include_str!("../../tests/fixtures/study.json");

fn record() -> Record {
    document(SHOWN).expect("it is a document")
}

fn drawn(record: &Record) -> String {
    card(record).expect("it is a check").finish()
}

/// The texts of a card, in order.
fn texts(svg: &str) -> Vec<String> {
    let tree = roxmltree::Document::parse(svg).expect("it is well-formed");
    let texts = tree.descendants().filter(|node| node.has_tag_name("text"));
    texts.map(|node| node.text().unwrap_or_default().to_owned()).collect()
}

/// That it is well-formed, has no elements but those of a card, and that every text is in a window within the picture.
fn assert_sound(svg: &str) {
    let tree = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    for node in tree.descendants().filter(roxmltree::Node::is_element) {
        let name = node.tag_name().name();
        let known = ["svg", "title", "style", "rect", "text", "line", "circle", "path"];
        assert!(known.contains(&name), "<{name}>: {svg}");
        assert!(!node.attributes().any(|it| it.name().starts_with("on") || it.name() == "href"), "{svg}");
        if name == "text" {
            let window = node.parent().expect("a text is in something");
            let at = |name: &str| window.attribute(name).and_then(|at| at.parse::<f64>().ok()).expect("it is a number");
            assert!(at("x") >= 0.0 && at("x") + at("width") <= 1200.0, "{node:?}");
            assert!(at("y") >= 0.0 && at("y") + at("height") <= 640.0, "{node:?}");
        }
    }
    assert!(svg.chars().all(|c| c == '\n' || !c.is_control()), "{svg}");
}

#[test]
fn a_card_and_its_facts() {
    let record = record();
    assert_sound(&drawn(&record));
    assert_golden("card.svg", &drawn(&record));
    assert_golden("card.json", &written(&Facts::of(&record).unwrap()).unwrap());
}

#[test]
fn the_facts_are_those_of_the_screen() {
    let record = record();
    let said = texts(&drawn(&record));
    for words in
        ["AMD EPYC (Zen 5)", "GOOD", "20.8 ns", "10.0 ns", "< 64.8 ns", "≥ 220 ns", "±1 % from 2.20 µs", "1.21 %"]
    {
        assert!(said.iter().any(|text| text == words), "{words}: {said:?}");
    }
}

#[test]
fn an_emulated_machine_says_so() {
    let mut record = record();
    record.machine.cpu.emulation =
        Emulation { is_emulated: Some(true), by: Some("QEMU".to_owned()), ..Emulation::default() };
    let said = texts(&drawn(&record));
    assert!(said.iter().any(|text| text == "EMULATED") && !said.iter().any(|text| text == "GOOD"), "{said:?}");
    assert!(said.iter().any(|text| text == "emulated by QEMU: no duration here is one of hardware"), "{said:?}");
    assert_eq!(Facts::of(&record).unwrap().emulated_by.as_deref(), Some("QEMU"));
}

#[test]
fn what_was_not_measured_is_not_known() {
    let mut root: Value = serde_json::from_str(SHOWN).unwrap();
    let content = &mut root["content"];
    content["parts"] = value!([]);
    for (section, report) in [
        ("clocks", value!({})),
        ("reads", value!([])),
        (
            "causality",
            value!({ "pairs": [], "pairs_possible": 0, "litmus": [], "reason_unavailable": "one CPU is allowed" }),
        ),
        ("pauses", value!(null)),
    ] {
        content["sections"][section]["report"] = report;
    }
    root["findings"] = value!([]);
    let record = judged(document(&root.to_string()).unwrap());
    let svg = drawn(&record);
    assert_sound(&svg);
    let said = texts(&svg);
    assert_eq!(said.iter().filter(|text| *text == "not known").count(), 3, "{said:?}");
    assert!(said.iter().any(|text| text == "UNKNOWN"), "{said:?}");
    // Neither a zero nor a tick.
    assert!(
        !said.iter().any(|text| text.starts_with("0 ") || text.contains('✔') || text.contains("sleep")),
        "{said:?}"
    );
    let facts = Facts::of(&record).unwrap();
    assert!(facts.clock.is_none() && facts.reads.is_empty() && facts.sleep.is_none() && facts.time_lost.is_none());
    assert_eq!((facts.cores.skew_below_ns, facts.cores.went_backwards), (None, None));
}

#[test]
fn what_went_wrong_is_said() {
    let mut root: Value = serde_json::from_str(SHOWN).unwrap();
    let judgement = &mut root["content"]["judgement"];
    judgement["skew"] = value!({ "outcome": "apart", "up_to_ns": 1200.0 });
    judgement["causality"]["across_cores"] =
        value!({ "outcome": "went_backwards", "violations": 3, "new_values": 9, "messages": 0 });
    let said = texts(&drawn(&document(&root.to_string()).unwrap()));
    for words in ["CPUs are apart", "up to 1.20 µs", "a clock went backwards"] {
        assert!(said.iter().any(|text| text == words), "{words}: {said:?}");
    }
}

#[test]
fn strings_of_the_record_stay_texts() {
    let mut record = record();
    let evil =
        |more: &str| format!("</text></svg><script>alert(1)</script>]]>&\"'\u{1b}[31m\u{202e}{}", more.repeat(200));
    record.machine.cpu.brand = Some(evil("漢"));
    record.machine.cpu.microarchitecture = None;
    record.machine.hypervisor.name = Some(evil("W"));
    record.machine.clocksource.current = Some(evil("\u{fffe}"));
    record.tool.version = evil("9");
    record.started_at = evil("x");
    let svg = drawn(&record);
    assert_sound(&svg);
    assert!(svg.len() < 12_000 && svg.contains("&lt;/text&gt;"), "{} bytes", svg.len());
}

#[test]
fn only_a_check_has_a_card() {
    let refused = card(&document(STUDY).unwrap()).unwrap_err();
    assert!(refused.contains("it is no check; `chronoscope study` wrote it"), "{refused}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_records(mutations in prop::collection::vec((any::<Index>(), mutation()), 1..12)) {
        let root = serde_json::from_str(FIXTURE).unwrap();
        let root = mutated(root, &mutations, |text| document(text).is_ok());
        if let Ok(record) = document(&root.to_string()) && let Ok(card) = card(&record) {
            assert_sound(&card.finish());
            let _ = written(&Facts::of(&record).unwrap());
        }
    }
}
