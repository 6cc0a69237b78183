//! Anything that still parses as a study is rendered without a panic, without a character that could control the
//! terminal, and without markup of its own.

use anstream::adapter::strip_str;
use chronoscope_harness::record::study::{Estimate, StudyRecord};
use chronoscope_render::Width;
use chronoscope_render::study::{Detail, html, json, parse, surroundings, terminal};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json as value};

use super::golden_file::assert_golden;
use super::mutation::{mutated, mutation};
use super::own_markup::assert_own_markup;

const FIXTURE: &str = include_str!("../../tests/fixtures/study.json");
fn assert_harmless(record: &StudyRecord) {
    for detail in [Detail::Usual, Detail::Full] {
        let styled = terminal(record, detail, Width::default());
        // The rest, between the escapes that set a style, must be plain text.
        for piece in styled.split('\x1b').skip(1) {
            let sequence = piece.split('m').next().unwrap_or_default();
            let known = sequence.strip_prefix('[').is_some_and(|codes| codes.bytes().all(|b| b.is_ascii_digit()));
            assert!(known, "an escape that sets no style: {sequence:?}");
        }
        let text = strip_str(&styled).to_string();
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "a control character in the {detail:?} view");
    }
    let page = html(record);
    assert_own_markup(&page);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_studies(mutations in prop::collection::vec((any::<Index>(), mutation()), 1..12)) {
        let root = serde_json::from_str(FIXTURE).unwrap();
        let root = mutated(root, &mutations, |text| match parse(text) {
            Ok(_) => true,
            Err(error) => {
                assert!(error.is_field() || error.is_schema_version() || error.is_not_a_record(), "{error}");
                false
            }
        });
        let record = parse(&root.to_string()).unwrap();
        assert_harmless(&record);
        prop_assert_eq!(&parse(&json(&record).unwrap()).unwrap(), &record);
    }

    #[test]
    fn any_numbers(
        numbers in prop::collection::vec(
            prop_oneof![any::<f64>(), Just(f64::NAN), Just(f64::INFINITY), Just(0.0), -1e3..1e3_f64, Just(1e300), Just(-1e300)],
            40,
        ),
        tokens in prop::collection::vec(any::<u64>(), 10),
    ) {
        let mut numbers = numbers.iter().copied().cycle();
        let mut tokens = tokens.iter().copied().cycle();
        let mut record = parse(FIXTURE).unwrap();
        let mut next = || numbers.next().unwrap_or_default();
        let mut estimate = |old: Estimate| Estimate { estimate: next(), low: next(), high: next(), ..old };
        for cell in &mut record.content.study.cells {
            cell.time_ns = cell.time_ns.map(&mut estimate);
            cell.throughput_per_s = cell.throughput_per_s.map(&mut estimate);
            cell.backoff_tokens = tokens.next().unwrap_or_default();
        }
        for comparison in &mut record.content.study.comparisons {
            for point in &mut comparison.points {
                point.difference_ns = estimate(point.difference_ns);
                point.ratio = estimate(point.ratio);
                point.backoff_tokens = tokens.next().unwrap_or_default();
            }
        }
        assert_harmless(&record);
    }
}

#[test]
fn names_stay_text() {
    let evil = "<script>alert(1)</script>\" onload='x' \x1b[31m\n\u{202e}&amp;]]>";
    let text = FIXTURE
        .replace("\"seq_cst\"", &value!(evil).to_string())
        .replace("\"publish\"", &value!(evil).to_string())
        .replace("\"4096\"", &value!(evil).to_string());
    let record = parse(&text).unwrap();
    assert_harmless(&record);
    let page = html(&record);
    // Attributes stand between double quotes.
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload='x' ␛[31m"));
    assert!(page.contains("\u{fffd}&amp;amp;]]&gt;"));
    assert_eq!(page.matches("<script").count(), 1);
}

#[test]
fn numbers_that_are_not_finite() {
    let mut record = parse(FIXTURE).unwrap();
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for cell in &mut record.content.study.cells {
            if let Some(time) = &mut cell.time_ns {
                (time.estimate, time.low) = (value, value);
            }
            if let Some(latencies) = &mut cell.latencies {
                latencies.ns.max = value;
                latencies.ns.histogram.bins[0].from_ns = value;
            }
        }
        record.content.study.comparisons[0].points[0].difference_ns.low = value;
        if let Some(model) = &mut record.content.study.comparisons[0].model {
            model.exposed_ns.high = value;
            model.hidden_past_tokens = model.hidden_past_tokens.map(|old| Estimate { estimate: value, ..old });
        }
        assert_harmless(&record);
        assert!(json(&record).unwrap_err().is_not_writable());
    }
}

#[test]
fn nothing_measured() {
    let mut root: Value = serde_json::from_str(FIXTURE).unwrap();
    root["findings"] = value!([]);
    let study = &mut root["content"]["study"];
    for list in ["cells", "comparisons", "conclusions", "failures", "processes"] {
        study[list] = value!([]);
    }
    for field in ["clock", "empty_loop_ns", "tokens", "interference_probe", "control"] {
        study[field] = Value::Null;
    }
    root["interrupted"] = value!(true);
    let record = parse(&root.to_string()).unwrap();
    assert_harmless(&record);
    let pages = [terminal(&record, Detail::Usual, Width::default()), surroundings(&record, Width::default())];
    assert_golden("study-of-nothing.txt", &strip_str(&pages.concat()).to_string());
}

#[test]
fn more_comparisons_than_a_page_can_draw() {
    let mut record = parse(FIXTURE).unwrap();
    let first = record.study().comparisons[0].clone();
    let comparisons = &mut record.content.study.comparisons;
    *comparisons =
        (0..100).map(|threads| chronoscope_harness::record::study::Comparison { threads, ..first.clone() }).collect();
    comparisons.iter_mut().step_by(2).for_each(|comparison| comparison.parameters.extend([("n".into(), "1".into())]));
    comparisons.iter_mut().for_each(|comparison| comparison.case.push_str(&comparison.threads.to_string()));
    assert_harmless(&record);
    let page = html(&record);
    // And the distribution of single operations.
    assert_eq!(page.matches("<div class=\"plot\">").count(), 60 + 1);
    assert!(page.contains("more charts are not drawn"));
}

#[test]
fn more_iterations_than_can_be_counted() {
    let mut record = parse(FIXTURE).unwrap();
    let interference_probe = record.content.study.interference_probe.as_mut().unwrap();
    (interference_probe.iterations, interference_probe.iterations_quiet) = (u64::MAX, u64::MAX);
    assert_harmless(&record);
}
