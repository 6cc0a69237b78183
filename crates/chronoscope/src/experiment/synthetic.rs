//! Code shared by tests of pages.

use chronoscope_harness::record::study::StudyRecord;
use chronoscope_render::Width;
use unicode_width::UnicodeWidthStr;

/// A record of four planned processes without measurements.
pub fn record() -> StudyRecord {
    let mut record = chronoscope_render::study::parse(include_str!("../../tests/fixtures/study.json")).unwrap();
    record.content.study.plan.processes = 4;
    (record.content.study.interference_probe, record.content.study.control) = (None, None);
    record.content.study.cells.clear();
    record.content.study.comparisons.clear();
    record.content.study.processes.clear();
    record.findings.clear();
    record
}

/// Fails if a page exceeds the requested width, or a narrow page lacks a number of the usual one.
pub fn assert_fits(page: impl Fn(Width) -> String) {
    let plain = |columns| anstream::adapter::strip_str(&page(Width::of_columns(columns))).to_string();
    let is_drawing = |line: &&str| line.contains(['│', '└', '┤', '░']) || line.starts_with("threads  1");
    let numbers = |text: &str| -> Vec<String> {
        let words =
            text.lines().filter(|line| !is_drawing(line)).flat_map(|line| line.split([' ', '(', ')', ',', ':']));
        words.filter(|word| word.contains(|c: char| c.is_ascii_digit())).map(str::to_owned).collect()
    };
    let usual = numbers(&plain(Width::USUAL));
    for columns in [60, 72, 80, 100, 118] {
        let text = plain(columns);
        for line in text.lines() {
            assert!(line.width() <= columns, "{columns} columns, not {}: {line}", line.width());
        }
        let found = numbers(&text);
        for number in &usual {
            assert!(found.contains(number), "{number} is not there at {columns} columns:\n{text}");
        }
    }
}
