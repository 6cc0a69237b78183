//! Advice from saved documents, as a user asks for it.

use std::path::PathBuf;

use assert_cmd::Command;
use serde_json::Value;

fn chronoscope(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    command.args(arguments).env_remove("COLUMNS");
    command
}

fn path(below_root: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(below_root).to_str().unwrap().to_owned()
}

fn printed(arguments: &[&str]) -> String {
    let output = chronoscope(arguments).assert().success().get_output().clone();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The advice in the document that `--format json` prints.
fn advice(arguments: &[&str]) -> Value {
    let text = printed(&[arguments, &["--format", "json"]].concat());
    serde_json::from_str::<Value>(&text).unwrap()["content"]["advice"].clone()
}

#[test]
fn an_interval_is_answered_from_a_document() {
    let check = path("docs/shown/check.json");
    let asked = ["advise", "--interval", "50ns", "--threads", "8", "--error", "1%", &check];
    let advice = advice(&asked);
    assert_eq!(advice["interval"]["choose"], "backoff_model");
    let methods = advice["interval"]["methods"].as_array().unwrap();
    let names: Vec<&str> = methods.iter().map(|method| method["method"].as_str().unwrap()).collect();
    assert_eq!(names, ["direct", "batch", "repetitions", "backoff_model"]);
}

#[test]
fn what_a_document_cannot_obey_is_refused() {
    let check = path("docs/shown/check.json");
    for measuring in [&["--cpus", "0"][..], &["--quick"], &["--thorough"], &["--duration", "8s"]] {
        let asked = [&["advise", "--interval", "50ns", &check][..], measuring].concat();
        let output = chronoscope(&asked).assert().code(2).get_output().clone();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(measuring[0]) && message.contains("cannot be used with"), "{message}");
    }
}

#[test]
fn a_symptom_is_answered_from_a_document() {
    let check = path("docs/shown/check.json");
    let asked = ["advise", &check, "--symptom", "sleep(1) takes 1.1 ms"];
    let advice = advice(&asked);
    assert_eq!(advice["symptom"]["found"], serde_json::json!(["sleep_held_by_slack"]));
    assert_eq!(
        advice["symptom"]["absent"],
        serde_json::json!(["timer_slack_inherited", "yield_costs_a_slice", "cpu_quota"])
    );
    assert!(printed(&asked).contains("[sleep_held_by_slack]"));
}

#[test]
fn what_was_answered_is_saved_and_shown_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("advice.json");
    let saved = file.to_str().unwrap();
    let record = path("crates/chronoscope/tests/fixtures/record.json");
    let page = printed(&["advise", "--interval", "50ns", &record, "--output", saved]);
    assert_eq!(printed(&["show", saved]), page);
    assert_eq!(printed(&["show", saved, "--view", "clocks"]), printed(&["show", &record, "--view", "clocks"]));
    // Another answer replaces it.
    let other = printed(&["advise", "--symptom", "one core is ahead", saved]);
    assert!(other.contains("ahead") && !other.contains("50.0"), "{other}");
}

#[test]
fn the_list_is_printed_on_request() {
    let index = printed(&["advise", "--list"]);
    assert_eq!(printed(&["advise", "--symptom"]), index);
    let rows: Value = serde_json::from_str(&printed(&["advise", "--list", "--format", "json"])).unwrap();
    for row in rows["symptoms"].as_array().unwrap() {
        assert!(index.contains(row["symptom"].as_str().unwrap()), "{row}");
    }
}

#[test]
fn words_of_no_row_get_the_list_and_a_refusal() {
    for words in ["banana", "", "\u{1b}[2J"] {
        let output = chronoscope(&["advise", "--symptom", words]).assert().code(2).get_output().clone();
        let (page, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(page.contains("SYMPTOMS"), "{page}{error}");
        assert!(!error.contains('\u{1b}'), "{error:?}");
    }
    let check = path("docs/shown/check.json");
    let output = chronoscope(&["advise", "--symptom", &check]).assert().code(2).get_output().clone();
    assert!(String::from_utf8_lossy(&output.stderr).contains("file"));
}

/// Measures what the answer takes, and keeps it.
#[test]
fn without_a_document_what_is_needed_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("advice.json");
    let saved = file.to_str().unwrap();
    let symptom = ["advise", "--symptom", "sleep(1) takes 1.1 ms", "--duration", "2s", "--quiet", "--output", saved];
    let page = printed(&symptom);
    assert_eq!(printed(&["show", saved]), page);
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(document["command"], "advise");
    let parts = document["content"]["parts"].as_array().unwrap();
    assert_eq!(parts.iter().map(|part| part["part"].as_str().unwrap()).collect::<Vec<_>>(), ["pauses"]);
}
