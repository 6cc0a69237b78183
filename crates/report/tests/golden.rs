//! The text of every view, and the JSON, of one record made by hand.
//!
//! `UPDATE_GOLDEN=1 cargo test -p chronoscope-report` writes the golden files anew; read the difference before it is
//! committed.

use std::fs;
use std::path::PathBuf;

use anstream::adapter::strip_str;
use chronoscope_report::{Record, View, json, parse, terminal};
use unicode_width::UnicodeWidthStr;

const FIXTURE: &str = include_str!("fixtures/record.json");

fn record() -> Record {
    parse(FIXTURE).expect("the fixture is a record")
}

/// What a run of `chronoscope runtimes` saw, in few figures.
const RUNTIMES: &str = include_str!("fixtures/runtimes.json");

fn record_of_runtimes() -> Record {
    parse(RUNTIMES).expect("the fixture is a record")
}

fn plain(record: &Record, view: View) -> String {
    strip_str(&terminal(record, view)).to_string()
}

fn assert_golden(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, text).expect("golden files can be written");
        return;
    }
    let golden = fs::read_to_string(&path).unwrap_or_default();
    assert!(golden == text, "{name} differs from what is rendered now:\n{text}");
}

#[test]
fn check() {
    let text = plain(&record(), View::Check);
    assert_golden("check.txt", &text);
    assert!(text.lines().count() <= 80, "{} lines", text.lines().count());
}

#[test]
fn clocks() {
    assert_golden("clocks.txt", &plain(&record(), View::Clocks));
}

#[test]
fn reads() {
    assert_golden("reads.txt", &plain(&record(), View::Reads));
}

#[test]
fn causality() {
    assert_golden("causality.txt", &plain(&record(), View::Causality));
}

#[test]
fn monotime() {
    assert_golden("monotime.txt", &plain(&record(), View::Monotime));
}

#[test]
fn latch() {
    assert_golden("latch.txt", &plain(&record(), View::Latch));
}

#[test]
fn runtimes() {
    assert_golden("runtimes.txt", &plain(&record_of_runtimes(), View::Runtimes));
    assert_golden("runtimes-in-check.txt", &plain(&record_of_runtimes(), View::Check));
    assert!(plain(&record(), View::Runtimes).contains("it was not part of the plan"));
}

#[test]
fn a_record_of_an_earlier_build_is_shown_too() {
    let mut fields: serde_json::Value = serde_json::from_str(FIXTURE).expect("the fixture is JSON");
    for added in ["library_clock", "reason_library_clock_unknown", "monotime", "latch", "runtimes"] {
        fields.as_object_mut().expect("it is an object").remove(added);
    }
    let of_the_plan = [
        "monotime_granularities_ns",
        "monotime_threads",
        "monotime_rounds",
        "latch_threads",
        "latch_clocks",
        "latch_rounds",
        "runtimes",
    ];
    for added in of_the_plan {
        fields["plan"].as_object_mut().expect("it is an object").remove(added);
    }
    for clock in fields["clocks"].as_array_mut().expect("it is an array") {
        clock.as_object_mut().expect("it is an object").remove("causal_by_design");
    }
    let record = parse(&fields.to_string()).expect("fields are only ever added");
    assert!(plain(&record, View::Check).contains("CLOCKS") && !plain(&record, View::Check).contains("library clock"));
    for view in [View::Monotime, View::Latch, View::Runtimes] {
        assert!(plain(&record, view).contains("it was not part of the plan"));
    }
}

#[test]
fn styles() {
    assert_golden("check.ansi.txt", &terminal(&record(), View::Check).replace('\x1b', "␛"));
}

#[test]
fn no_line_is_wider_than_the_page() {
    for view in View::ALL {
        for line in [record(), record_of_runtimes()]
            .iter()
            .flat_map(|record| plain(record, view).lines().map(str::to_owned).collect::<Vec<_>>())
        {
            assert!(line.width() <= 118, "{} columns: {line}", line.width());
        }
    }
}

#[test]
fn json_round_trips() {
    let record = record();
    let text = json(&record).expect("the fixture can be written");
    let again = parse(&text).expect("what was written can be read");
    assert_eq!(again, record);
    assert_eq!(json(&again).expect("it can be written again"), text);
    // The fixture itself is what is written: the format is sealed.
    assert_golden("../fixtures/record.json", &text);
    let runtimes = record_of_runtimes();
    let text = json(&runtimes).expect("the fixture can be written");
    assert_eq!(parse(&text).expect("what was written can be read"), runtimes);
    assert_golden("../fixtures/runtimes.json", &text);
}
