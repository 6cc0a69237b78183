//! `chronoscope hiccups` on this machine, however busy it is.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use hdrhistogram::serialization::interval_log::{IntervalLogHistogram, IntervalLogIterator, LogEntry};
use serde_json::Value;

fn chronoscope(arguments: &[&str]) -> assert_cmd::assert::Assert {
    assert_cmd::Command::new(env!("CARGO_BIN_EXE_chronoscope")).env_remove("COLUMNS").args(arguments).assert()
}

fn hiccups(arguments: &[&str]) -> assert_cmd::assert::Assert {
    chronoscope(&[&["hiccups", "--format", "json", "--quiet"], arguments].concat())
}

/// The document, which is all of standard output.
fn document(output: &[u8]) -> Value {
    let document: Value = serde_json::from_slice(output).expect("one document and nothing else");
    let schema: Value = serde_json::from_str(include_str!("../schema/chronoscope.v2.schema.json")).unwrap();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&document), "{document}");
    document
}

fn report(document: &Value) -> &Value {
    &document["content"]["sections"]["hiccups"]["report"]
}

fn intervals(log: &[u8]) -> Vec<IntervalLogHistogram<'_>> {
    let entries = IntervalLogIterator::new(log).map(|entry| entry.expect("the log is sound"));
    let intervals = entries.filter_map(|entry| match entry {
        LogEntry::Interval(interval) => Some(interval),
        LogEntry::StartTime(_) | LogEntry::BaseTime(_) => None,
    });
    intervals.collect()
}

#[test]
fn a_program_is_observed_to_its_end_and_logged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hiccups.hlog");
    let file = file.to_str().unwrap();
    let words = ["--for", "1h", "--log", file, "--", "sh", "-c", "echo hi; sleep 0.2; exit 3"];
    let output = hiccups(&words).success().get_output().clone();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "hi\n");
    let document = document(&output.stdout);
    let report = report(&document);
    assert_eq!(report["program"]["exit_code"], 3, "{report}");
    assert_eq!((&report["program"]["stopped"], &report["program"]["killed"]), (&false.into(), &false.into()));
    let rows = report["cpus"].as_array().unwrap();
    assert!(!rows.is_empty() && rows.iter().all(|row| row["way"] == "sleep"), "{report}");
    let log = fs::read(file).unwrap();
    let found = intervals(&log);
    assert_eq!(report["log"]["intervals"], found.len());
    assert_eq!(found.len(), rows.len(), "in less than a second one each");
    for (row, interval) in rows.iter().zip(&found) {
        let tag = row["cpu"].as_u64().map_or_else(|| "sleep".to_owned(), |cpu| format!("cpu{cpu}-sleep"));
        assert_eq!(interval.tag().map(|tag| tag.as_str().to_owned()), Some(tag));
        assert!((interval.max() - row["late_ns"]["max"].as_f64().unwrap() / 1e6).abs() < 0.001);
    }
}

#[test]
fn a_program_is_asked_to_end_when_the_time_is_over() {
    let output = hiccups(&["--for", "100ms", "--spin", "--", "sleep", "600"]).success().get_output().clone();
    let document = document(&output.stdout);
    let program = &report(&document)["program"];
    assert_eq!((&program["signal"], &program["stopped"]), (&15.into(), &true.into()), "{program}");
    assert!(report(&document)["all"].as_array().unwrap().iter().any(|all| all["way"] == "spin"), "{document}");
}

#[test]
fn without_a_program_every_cpu_is_watched_in_both_ways() {
    let output = hiccups(&["--for", "400ms"]).success().get_output().clone();
    let document = document(&output.stdout);
    let ways: Vec<&str> =
        report(&document)["all"].as_array().unwrap().iter().map(|all| all["way"].as_str().unwrap()).collect();
    assert_eq!(ways, ["spin", "sleep"], "{document}");
    assert_eq!(document["content"]["parts"][0]["outcome"], "done");
}

#[test]
fn what_was_saved_is_shown_as_it_was_printed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hiccups.json");
    let file = file.to_str().unwrap();
    let words = ["hiccups", "--for", "200ms", "--quiet", "--output", file];
    let printed = chronoscope(&words).success().get_output().stdout.clone();
    assert!(String::from_utf8_lossy(&printed).contains("HICCUPS: "));
    assert_eq!(chronoscope(&["show", file]).success().get_output().stdout, printed);
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

/// A run without an end, once its log has an interval.
fn running(log: &Path) -> Child {
    let child = Command::new(env!("CARGO_BIN_EXE_chronoscope"))
        .args(["hiccups", "--format", "json", "--quiet", "--log", log.to_str().unwrap(), "--", "sleep", "600"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    while !fs::read(log).is_ok_and(|bytes| !intervals(&bytes).is_empty()) {
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

#[test]
fn an_interrupt_ends_the_program_and_keeps_what_was_seen() {
    let folder = tempfile::tempdir().unwrap();
    let child = running(&folder.path().join("hiccups.hlog"));
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let document = document(&output.stdout);
    assert_eq!(document["interrupted"], true);
    assert_eq!(report(&document)["program"]["signal"], 15, "{document}");
    assert!(report(&document)["all"][0]["looks"].as_u64().unwrap() > 0);
}

#[test]
fn a_kill_leaves_a_log_that_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hiccups.hlog");
    // Without a program, which would be left behind.
    let mut child = Command::new(env!("CARGO_BIN_EXE_chronoscope"))
        .args(["hiccups", "--quiet", "--for", "1h", "--log", file.to_str().unwrap()])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while !fs::read(&file).is_ok_and(|bytes| !intervals(&bytes).is_empty()) {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let log = fs::read(&file).unwrap();
    assert!(log.ends_with(b"\n") && !intervals(&log).is_empty());
}
