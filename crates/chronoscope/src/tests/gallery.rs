//! The gallery: a row for each check, and a reason for every other file.

use crate::document::Record;
use crate::json::document;
use crate::screen::gallery::Gallery;
use chronoscope_harness::record::Emulation;
use chronoscope_render::browser::Listing;

const FIXTURE: &str = include_str!("../../tests/fixtures/record.json");
const SHOWN: &str = include_str!("../../../../docs/shown/check.json");
const ZEN4: &str = include_str!("../../tests/fixtures/zen4/check.json");
const STUDY: &str = include_str!("../../tests/fixtures/study.json");

fn record(text: &str) -> Record {
    document(text).expect("it is a document")
}

fn three() -> Gallery {
    let mut gallery = Gallery::default();
    for (name, text) in [("lab.json", FIXTURE), ("zen4.json", ZEN4), ("zen5.json", SHOWN)] {
        gallery.add(name, Ok(record(text)));
    }
    gallery
}

fn listing(gallery: Gallery) -> Listing {
    gallery.sheet().listing.expect("it has rows")
}

fn texts(listing: &Listing, row: usize) -> Vec<&str> {
    listing.rows[row].iter().map(|cell| cell.text.as_str()).collect()
}

#[test]
fn each_check_has_a_row_of_its_main_figures() {
    let listing = listing(three());
    let titles: Vec<&str> = listing.columns.iter().map(|column| column.title.as_str()).collect();
    assert_eq!(titles[..5], ["CPU", "in", "state", "one read", "step"]);
    let chosen: Vec<&str> = listing.columns.iter().filter(|it| it.is_choice).map(|it| it.title.as_str()).collect();
    assert_eq!(chosen, ["CPU", "in", "state", "clocksource"]);
    assert!(listing.rows.len() == 3 && listing.rows.iter().all(|row| row.len() == titles.len()));
    for told in ["state", "one read", "step", "CPUs agree to", "interval ±10 %", "time lost", "UNKNOWN"] {
        assert!(listing.how.to_lowercase().contains(&told.to_lowercase()), "{told}: {}", listing.how);
    }
    let zen5 = texts(&listing, 2);
    assert_eq!(zen5[..5], ["AMD EPYC (Zen 5)", "KVM", "GOOD", "20.8 ns", "10.0 ns"]);
    assert_eq!(zen5[5..], ["< 64.8 ns", "≥ 220 ns", "1.21 %", "tsc", "2", "2026-11-27 19:15 UTC", "zen5.json"]);
    // What is shown as a bound is sorted by it, and a step that a read hides by nothing.
    assert!(listing.rows[2][5].value.is_some_and(|below| (64.7..64.8).contains(&below)));
    assert_eq!((texts(&listing, 0)[4], listing.rows[0][4].value), ("≤ a read", None));
}

#[test]
fn the_answer_names_both_ends() {
    let said = three().sheet().lead;
    assert_eq!(
        said,
        "A read of `CLOCK_MONOTONIC` costs 20.8 ns on the fastest of these machines and 23.2 ns on the slowest."
    );
    let mut one = Gallery::default();
    one.add("a.json", Ok(record(SHOWN)));
    assert_eq!(one.sheet().lead, "A read of `CLOCK_MONOTONIC` costs 20.8 ns on every one of these machines.");
}

#[test]
fn an_emulated_machine_is_told_and_not_compared() {
    let mut gallery = three();
    let mut emulated = record(SHOWN);
    emulated.machine.cpu.emulation =
        Emulation { is_emulated: Some(true), by: Some("QEMU".to_owned()), ..Emulation::default() };
    for clock in &mut emulated.content.sections.clocks.report.clocks {
        clock.latency_ns.iter_mut().for_each(|latency| latency.per_read.estimate = 9e9);
    }
    gallery.add("tcg.json", Ok(emulated));
    let sheet = gallery.sheet();
    assert!(sheet.lead.contains("23.2 ns on the slowest"), "{}", sheet.lead);
    assert_eq!(sheet.warnings, ["1 machine is emulated: no duration there is one of hardware"]);
    let listing = sheet.listing.unwrap();
    assert_eq!(texts(&listing, 3)[1..3], ["QEMU", "EMULATED"]);
    assert!(three().sheet().warnings.is_empty());
}

#[test]
fn what_is_left_out_is_named_with_why() {
    let mut gallery = three();
    gallery.add("study.json", Ok(record(STUDY)));
    gallery.add("<b>.json", Err("it is longer than 16 MB".to_owned()));
    assert_eq!((gallery.shown(), gallery.left_out.len()), (3, 2));
    let page = gallery.sheet().finish();
    for words in [
        "2 files left out",
        "study.json: ",
        "it is no check",
        "&lt;b&gt;.json: ",
        "it is longer than 16 MB",
        "Made from 3 documents",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
}

#[test]
fn the_page_is_one_file_that_asks_for_nothing() {
    let mut evil = record(SHOWN);
    evil.machine.cpu.brand = Some("</td><script>alert(1)</script>\u{1b}[31m".to_owned());
    evil.machine.cpu.microarchitecture = None;
    evil.machine.clocksource.current = Some("\"><img src=x onerror=alert(1)>".to_owned());
    let mut gallery = three();
    gallery.add("evil\u{1b}.json", Ok(evil));
    let page = gallery.sheet().finish();
    assert!(page.contains("default-src 'none'") && page.contains("<table class=\"list\">"));
    assert_eq!(page.matches("<script>").count(), 1, "its own");
    assert!(!page.contains("<img") && !page.contains("http://") && !page.contains("https://"));
    assert!(page.chars().all(|c| c == '\n' || !c.is_control()));
}

#[test]
fn a_check_without_measurements_has_a_row_too() {
    let mut empty = record(SHOWN);
    empty.content.sections = Default::default();
    empty.content.judgement.as_mut().unwrap().noise = Default::default();
    let mut gallery = Gallery::default();
    gallery.add("empty.json", Ok(empty));
    let sheet = gallery.sheet();
    assert!(sheet.lead.is_empty(), "{}", sheet.lead);
    let listing = sheet.listing.unwrap();
    let row = texts(&listing, 0);
    assert_eq!([row[3], row[4], row[6], row[7]], ["not known"; 4]);
    assert!([3, 4, 6, 7].iter().all(|at: &usize| listing.rows[0][*at].value.is_none()));
}
