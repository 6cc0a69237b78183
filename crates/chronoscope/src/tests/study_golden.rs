//! The text, the page and the JSON of one handmade study.
//!
//! `UPDATE_GOLDEN=1 cargo test -p chronoscope --lib` rewrites the golden files; review the difference before
//! committing.

use super::golden_file::assert_golden;
use crate::document::as_study;
use crate::json::document;
use anstream::adapter::strip_str;
use chronoscope_harness::record::study::{Difference, StudyRecord};
use chronoscope_render::Width;
use chronoscope_render::study::{Detail, html, json, parse, surroundings, terminal};
use unicode_width::UnicodeWidthStr;

const FIXTURE: &str = include_str!("../../tests/fixtures/study.json");
const PACE: &str = include_str!("../../tests/fixtures/pace.json");
const CHECK: &str = include_str!("../../tests/fixtures/record.json");

fn record() -> StudyRecord {
    parse(FIXTURE).expect("the fixture is a study")
}

fn plain(record: &StudyRecord, detail: Detail) -> String {
    strip_str(&terminal(record, detail, Width::default())).to_string()
}

/// The fixture with every backoff from 0 to 40: the points between are copies of the one before.
fn long() -> StudyRecord {
    let mut record = record();
    for comparison in &mut record.content.study.comparisons {
        let known = comparison.points.clone();
        let at = |tokens| known.iter().rfind(|point| point.backoff_tokens <= tokens).expect("the first is 0");
        comparison.points = (0..=40).map(|tokens| at(tokens).clone()).collect();
        for (tokens, point) in (0..).zip(&mut comparison.points) {
            point.backoff_tokens = tokens;
        }
    }
    record
}

#[test]
fn usual() {
    assert_golden("study.txt", &plain(&record(), Detail::Usual));
}

#[test]
fn styles() {
    assert_golden("study.ansi.txt", &terminal(&record(), Detail::Usual, Width::default()).replace('\x1b', "␛"));
}

#[test]
fn page() {
    assert_golden("study.html", &html(&record()));
}

#[test]
fn a_long_sweep_is_thinned_unless_all_is_asked_for() {
    let record = long();
    let full = plain(&record, Detail::Full);
    let start = full.find("seq_cst against relaxed, 1 thread\n").unwrap();
    assert_eq!(full[start..].lines().skip(2).take_while(|line| line.contains('×')).count(), 41);
    let usual = plain(&record, Detail::Usual);
    assert!(usual.contains("of 41") && !full.contains("of 41"), "{usual}");
    assert_eq!(html(&record).matches("×</td>").count(), 4 * 41);
}

#[test]
fn no_line_is_wider_than_the_page() {
    for record in [record(), long()] {
        for detail in [Detail::Usual, Detail::Full] {
            for line in plain(&record, detail).lines() {
                assert!(line.width() <= 118, "{} columns: {line}", line.width());
            }
        }
    }
}

#[test]
fn what_is_not_resolved_is_never_a_cost() {
    let mut record = record();
    record.content.study.cells.clear();
    for comparison in &mut record.content.study.comparisons {
        comparison.model = None;
        for point in &mut comparison.points {
            point.verdict = Difference::Unresolved;
            (point.difference_ns.estimate, point.difference_ns.low, point.difference_ns.high) = (-3.75, -9.0, 1.5);
        }
    }
    for text in [plain(&record, Detail::Full), html(&record)] {
        assert!(text.replace('\u{a0}', " ").contains("-9.00 to +1.50 ns"), "{text}");
        assert!(!text.contains("-3.75") && !text.contains("-3.8"), "{text}");
    }
}

#[test]
fn nothing_is_named_that_is_the_same_everywhere() {
    let mut record = record();
    (record.content.study.plan.backoff_tokens, record.content.study.plan.threads) = (vec![0], vec![1]);
    record.content.study.cells.retain(|cell| cell.backoff_tokens == 0 && cell.threads == 1);
    record.content.study.comparisons.retain(|comparison| comparison.threads == 1);
    record.content.study.comparisons.iter_mut().for_each(|comparison| {
        comparison.points.truncate(1);
        comparison.model = None;
    });
    (record.content.study.failures, record.content.study.tokens) = (Vec::new(), None);
    record.content.study.conclusions = chronoscope_harness::study_conclusions::conclusions(&record);
    record.findings = chronoscope_harness::rule::conclude(chronoscope_harness::study_rules::RULES, &record);
    for page in [plain(&record, Detail::Usual), plain(&record, Detail::Full), html(&record)] {
        assert!(!["token", "thread", "backoff"].iter().any(|word| page.contains(word)), "{page}");
    }
    let usual = plain(&record, Detail::Usual);
    let rows = |name: &str| usual.lines().filter(|line| line.starts_with(name)).count();
    assert_eq!((rows("relaxed "), rows("seq_cst "), rows("empty ")), (1, 2, 1), "{usual}");
    assert!(!usual.contains("HARNESS") && !usual.contains("MACHINE"), "{usual}");
}

#[test]
fn the_confidence_is_the_one_attained() {
    let mut record = record();
    let cells = &mut record.content.study.cells;
    cells.iter_mut().filter_map(|cell| cell.time_ns.as_mut()).for_each(|time| time.confidence = 0.9375);
    let attained = format!("{} intervals", chronoscope_harness::quantity::confidence(0.9375));
    for page in [plain(&record, Detail::Usual), html(&record)] {
        assert!(page.replace('\u{a0}', " ").contains(&attained.replace('\u{a0}', " ")), "{page}");
    }
}

#[test]
fn surroundings_of_a_study() {
    assert_golden("study-surroundings.txt", &strip_str(&surroundings(&record(), Width::default())).to_string());
}

#[test]
fn the_page_needs_nothing_else() {
    let page = html(&record());
    for outside in ["http://", "https://", "src=", "<link", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("default-src 'none'") && page.contains("script-src 'sha256-"));
    assert_eq!(page.matches("<script").count(), 1);
    // Each plot says in words what it shows.
    let plots = page.matches("<div class=\"plot\">").count();
    assert_eq!(plots, 6);
    assert_eq!(page.matches("role=\"img\" aria-label=\"").count(), plots);
    assert!(page.contains("prefers-color-scheme:dark"));
}

#[test]
fn over_threads_there_is_a_chart_from_three_numbers_on() {
    let mut record = record();
    let charts = |record: &StudyRecord| html(record).matches("<svg ").count();
    let before = charts(&record);
    assert!(!plain(&record, Detail::Usual).contains("THREADS"));
    for threads in [4, 8] {
        let of = |cell: &&chronoscope_harness::record::study::Cell| cell.threads == 2 && cell.case == "seq_cst";
        let mut more: Vec<_> = record.study().cells.iter().filter(of).cloned().collect();
        more.iter_mut().for_each(|cell| cell.threads = threads);
        record.content.study.cells.extend(more);
    }
    assert!(charts(&record) > before && plain(&record, Detail::Usual).contains("THREADS"));
}

#[test]
fn json_round_trips() {
    let record = record();
    let text = json(&record).unwrap();
    let again = parse(&text).unwrap();
    assert_eq!(again, record);
    // The fixture itself is what is written: the format is sealed.
    assert_golden("../fixtures/study.json", &text);
}

#[test]
fn a_document_is_told_by_its_key() {
    assert_eq!(as_study(&document(FIXTURE).unwrap()), Some(record()));
    for text in [CHECK, PACE] {
        let read = document(text).unwrap();
        assert_eq!(as_study(&read), None);
        assert_eq!(document(&crate::json::json(&read).unwrap()).unwrap(), read);
        assert!(parse(text).is_err());
    }
}

#[test]
fn errors_name_the_place() {
    for read in [|text: &str| parse(text).unwrap_err(), |text: &str| document(text).unwrap_err()] {
        let newer = read(&FIXTURE.replacen("\"schema_version\": 2", "\"schema_version\": 3", 1));
        assert!(newer.is_schema_version());
        let wrong = read(&FIXTURE.replacen("\"verdict\": \"slower\"", "\"verdict\": \"sluggish\"", 1));
        assert!(wrong.is_field());
        assert!(wrong.to_string().contains("`content.study.comparisons[0].points[0].verdict`"), "{wrong}");
        assert!(wrong.to_string().contains("line"), "{wrong}");
        assert!(read("{").is_syntax() && read("[]").is_not_a_record() && read("{}").is_not_a_record());
    }
}
