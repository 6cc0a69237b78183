use std::path::PathBuf;

use chronoscope_render::Width;
use chronoscope_render::page::Page;
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

use super::super::report::CpuUnavailable;
use super::{HiccupWay, HiccupsReport, LogReport, ProgramReport, document, log, program, well};
use crate::document::Record;
use crate::screen::{View, findings, terminal};
use crate::tests::golden_file::assert_same;

fn page(report: &HiccupsReport, columns: usize) -> String {
    page_of(&document(report.clone()), columns)
}

fn page_of(record: &Record, columns: usize) -> String {
    let mut page = Page::with_width(Width::of_columns(columns));
    super::super::view::show(&mut page, record);
    findings::concerning(&mut page, record, "hiccups");
    anstream::adapter::strip_str(&page.finish()).to_string()
}

fn assert_golden(name: &str, text: &str) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/sections/hiccups/tests/golden");
    assert_same(&folder.join(name), text);
}

/// A busy machine, on which one CPU could not be watched, a program was killed, and the disk was full.
fn ill() -> HiccupsReport {
    let mut report = well();
    for row in &mut report.cpus {
        match row.way {
            HiccupWay::Spin => row.figures.share_over_10_us = 0.031,
            HiccupWay::Sleep => row.figures.share_over_1_ms = 0.024,
        }
        row.figures.late_ns.max = 12_300_000.0;
    }
    let reason = "sched_setaffinity to CPU 2 failed: Invalid argument".to_owned();
    report.unavailable = vec![CpuUnavailable { cpu: 2, reason }];
    report.program = Some(ProgramReport { exit_code: None, signal: Some(9), stopped: true, killed: true });
    report.log = Some(LogReport { reason_ended: Some("No space left on device".to_owned()), ..log() });
    report
}

#[test]
fn pages_are_as_they_were_read() {
    assert_golden("well.txt", &page(&HiccupsReport { program: Some(program()), log: Some(log()), ..well() }, 118));
    assert_golden("ill.txt", &page(&ill(), 118));
    assert_golden("ill-narrow.txt", &page(&ill(), 60));
}

#[test]
fn what_was_not_seen_has_a_reason() {
    let text = terminal(&crate::rules::tests::blank(), View::named("hiccups"));
    assert!(text.contains("plan"), "{text}");
    assert!(page(&HiccupsReport::default(), 118).contains("ended"));
}

proptest! {
    /// Names from elsewhere, at any width: no control character passes, and no line is too wide.
    #[test]
    fn hostile_names_stay_harmless(text in any::<String>(), columns in 60..200_usize) {
        let mut report = ill();
        report.program = Some(program());
        report.log = Some(LogReport { file: text.clone(), reason_ended: Some(text.clone()), ..log() });
        report.unavailable = vec![CpuUnavailable { cpu: 7, reason: text.clone() }];
        report.reason_unpinned = Some(text.clone());
        let mut record = document(report);
        record.content.sections.hiccups.plan.command = vec![text];
        let shown = page_of(&record, columns);
        prop_assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
        for line in shown.lines().filter(|line| line.is_ascii()) {
            prop_assert!(line.width() <= columns, "{line}");
        }
    }
}
