//! Every page at every width: no line is wider than the page, and a narrow page has the numbers of a wide one.
//!
//! `UPDATE_GOLDEN=1 cargo test -p chronoscope --lib` rewrites the golden files; review the difference before
//! committing.

use std::collections::BTreeMap;

use crate::command::page::{Shown, page};
use crate::json::document;
use crate::screen::{View, terminal, terminal_at};
use anstream::adapter::strip_str;
use chronoscope_harness::record::study::{Against, AgainstCell, Difference, Estimate, Leading, StudyRecord};
use chronoscope_render::Width;
use chronoscope_render::study::{self, Detail};
use chronoscope_render::text::{Column, Text};
use proptest::prelude::*;
use proptest::sample::Index;
use unicode_width::UnicodeWidthStr;

use super::golden_file::assert_golden;
use super::mutation::{mutated, mutation};

const RECORD: &str = include_str!("../../tests/fixtures/record.json");
const RUNTIMES: &str = include_str!("../../tests/fixtures/runtimes.json");
const STUDY: &str = include_str!("../../tests/fixtures/study.json");
const PACE: &str = include_str!("../../tests/fixtures/pace.json");

/// A study against another build, whose cells differ in backoff and threads, or in neither.
fn against(places: [(u64, u32); 2]) -> StudyRecord {
    let around = |estimate: f64| Estimate { estimate, low: estimate * 0.98, high: estimate * 1.02, confidence: 0.9995 };
    let cell = |(backoff_tokens, threads): (u64, u32)| AgainstCell {
        case: "sequentially consistent".to_owned(),
        role: Some("producer".to_owned()),
        parameters: BTreeMap::from([("size".to_owned(), "4096".to_owned())]),
        backoff_tokens,
        threads,
        leads: Leading::Mean,
        this_ns: Some(around(1_616.0)),
        this_below_ns: None,
        other_ns: None,
        other_below_ns: Some(0.32),
        difference_ns: Some(around(382.0)),
        ratio: None,
        verdict: Difference::Slower,
        has_states: false,
        pairs: 0,
    };
    let mut record = study::parse(STUDY).expect("the fixture is a study");
    record.content.against = Some(Against {
        other: "a-revision-with-a-name-as-long-as-that-of-a-branch-for-a-ticket".to_owned(),
        margin_pct: 1.0,
        floor_pct: Some(3.2),
        confidence: 0.999,
        warnings: vec!["6 pairs of processes are too few for a verdict".to_owned()],
        cells: places.map(cell).to_vec(),
        only_this: vec!["acquire, 16 tokens, 2 threads".to_owned()],
        only_other: Vec::new(),
        failures: Vec::new(),
        processes: Vec::new(),
        conclusion: None,
    });
    record
}

/// Every page rendered by this crate, by name.
fn pages(columns: usize) -> Vec<(String, String)> {
    let width = Width::of_columns(columns);
    let mut pages = Vec::new();
    for (name, text) in [("record", RECORD), ("runtimes", RUNTIMES)] {
        let record = document(text).unwrap();
        pages.extend(View::all().map(|view| (format!("{name}, {view:?}"), terminal_at(&record, view, width))));
    }
    let record = study::parse(STUDY).expect("the fixture is a study");
    for detail in [Detail::Usual, Detail::Full] {
        pages.push((format!("study, {detail:?}"), study::terminal(&record, detail, width)));
    }
    pages.push(("surroundings of a study".to_owned(), study::surroundings(&record, width)));
    let run = document(PACE).expect("the fixture is a run of a pacer");
    pages.push(("pace".to_owned(), page(&run, Shown::default(), width)));
    for (name, places) in [("swept", [(0, 1), (1_048_576, 64)]), ("alike", [(0, 64); 2])] {
        pages.push((format!("against, {name}"), study::terminal(&against(places), Detail::Usual, width)));
    }
    pages.into_iter().map(|(name, page)| (name, strip_str(&page).to_string())).collect()
}

/// The numbers on a page with their counts; a page in parts may name rows more than once.
fn numbers(page: &str) -> BTreeMap<String, usize> {
    let mut numbers = BTreeMap::new();
    // A chart has as many ticks as fit.
    let is_chart = |line: &&str| line.contains(['│', '└']) || line.trim_start().starts_with("tokens 0");
    let words = page.lines().filter(|line| !is_chart(line)).flat_map(|line| line.split([' ', '(', ')', ',', ';', ':']));
    // The name of a file may be wider than a page.
    let words = words.filter(|word| !word.starts_with('/'));
    for word in words.filter(|word| word.contains(|c: char| c.is_ascii_digit())) {
        *numbers.entry(word.trim_end_matches('.').to_owned()).or_default() += 1;
    }
    numbers
}

#[test]
fn no_line_is_wider_than_the_page() {
    for columns in [60, 72, 80, 100, 118, 140] {
        for (name, page) in pages(columns) {
            for line in page.lines() {
                assert!(line.width() <= columns, "{name} at {columns} columns takes {}: {line}", line.width());
            }
        }
    }
}

#[test]
fn a_narrow_page_has_every_number_of_a_wide_one() {
    let wide = pages(118);
    for columns in [60, 80, 100] {
        for ((name, wide), (_, narrow)) in wide.iter().zip(pages(columns)) {
            let narrow_numbers = numbers(&narrow);
            for (number, times) in numbers(wide) {
                let found = narrow_numbers.get(&number).copied().unwrap_or_default();
                assert!(found >= times, "{name} at {columns} columns has {number} {found} of {times} times:\n{narrow}");
            }
        }
    }
}

#[test]
fn a_narrow_page_cuts_nothing() {
    for columns in [60, 80, 100] {
        for (name, page) in pages(columns) {
            // An ellipsis between two numbers is a range, and a study has those.
            let is_cut =
                page.lines().any(|line| line.split(' ').any(|word| word.ends_with('…') && word.len() > '…'.len_utf8()));
            assert!(!is_cut, "{name} at {columns} columns:\n{page}");
        }
    }
}

#[test]
fn the_usual_page_has_118_columns_and_sentences_never_have_more() {
    let record = document(RECORD).unwrap();
    for view in View::all() {
        let usual = terminal(&record, view);
        assert_eq!(usual, terminal_at(&record, view, Width::default()));
        assert_eq!(usual, terminal_at(&record, view, Width::of_columns(118)));
    }
    // Of a wider terminal the table of clocks takes what it needs for two spaces between columns, and nothing else does.
    let wide = strip_str(&terminal_at(&record, View::CHECK, Width::of_columns(500))).to_string();
    let start = wide.lines().position(|line| line.starts_with("clock  ")).unwrap();
    let rows = record.content.clocks().clocks.len();
    for (i, line) in wide.lines().enumerate() {
        let is_of_table = (start..=start + rows).contains(&i);
        assert!(line.width() <= if is_of_table { 120 } else { 118 }, "{line}");
    }
    assert_eq!(wide.lines().nth(start).map(UnicodeWidthStr::width), Some(120));
}

#[test]
fn a_check_at_80_columns() {
    let record = document(RECORD).unwrap();
    let page = strip_str(&terminal_at(&record, View::CHECK, Width::of_columns(80))).to_string();
    assert_golden("check-80.txt", &page);
}

#[test]
fn a_study_at_80_columns() {
    let record = study::parse(STUDY).expect("the fixture is a study");
    let page = strip_str(&study::terminal(&record, Detail::Usual, Width::of_columns(80))).to_string();
    assert_golden("study-80.txt", &page);
}

#[test]
fn pages_of_other_programs_fit_too() {
    let mut text = Text::with_width(Width::of_columns(72));
    text.section("A TITLE THAT IS SO LONG THAT IT WOULD NOT FIT ON ONE LINE OF A TERMINAL OF SEVENTY-TWO COLUMNS");
    let columns = [
        Column::left("clock"),
        Column::right("threads").naming(),
        Column::right("time per operation"),
        Column::right("interval").tied(),
        Column::right("time per operation, oversubscribed"),
        Column::right("interval").tied(),
        Column::left("verdict"),
    ];
    let row = ["CLOCK_MONOTONIC", "64", "21.7 ns", "21.5–21.9 ns", "1.31 µs", "1.28–1.40 µs", "slower"];
    text.table(&columns, [row.map(str::to_owned).to_vec()]);
    let page = strip_str(&text.finish()).to_string();
    assert!(page.lines().all(|line| line.width() <= 72), "{page}");
    for cell in row {
        assert!(page.contains(cell), "{cell}:\n{page}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_width_panics(columns in 0_usize..200) {
        for (name, page) in pages(columns) {
            for line in page.lines() {
                prop_assert!(line.width() <= columns.max(Width::LEAST), "{name} at {columns}: {line}");
            }
        }
    }

    #[test]
    fn no_record_panics_at_any_width(
        mutations in prop::collection::vec((any::<Index>(), mutation()), 1..12),
        of_runtimes: bool,
        columns in 20_usize..200,
    ) {
        let root = serde_json::from_str(if of_runtimes { RUNTIMES } else { RECORD }).unwrap();
        let root = mutated(root, &mutations, |text| document(text).is_ok());
        let record = document(&root.to_string()).unwrap();
        for view in View::all() {
            prop_assert!(!terminal_at(&record, view, Width::of_columns(columns)).is_empty());
        }
    }
}
