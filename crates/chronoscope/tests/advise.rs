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

fn refused(arguments: &[&str]) -> String {
    let output = chronoscope(arguments).assert().code(2).get_output().clone();
    assert!(output.stdout.is_empty(), "a refusal prints nothing on standard output");
    String::from_utf8(output.stderr).unwrap()
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
    let page = printed(&asked);
    assert!(page.contains("asked        an interval of 50.0 ns to 1 % on 8 threads"), "{page}");
    assert!(page.contains("backoff model") && page.contains("8 threads share 2 CPUs"), "{page}");
    assert!(page.contains("EVIDENCE") && page.contains("cost of a read"), "{page}");
    let advice = advice(&asked);
    assert_eq!(advice["interval"]["choose"], "backoff_model");
    let methods = advice["interval"]["methods"].as_array().unwrap();
    let names: Vec<&str> = methods.iter().map(|method| method["method"].as_str().unwrap()).collect();
    assert_eq!(names, ["direct", "batch", "repetitions", "backoff_model"]);
    let direct = printed(&["advise", "--interval", "10us", "--error", "1", &check]);
    assert!(direct.contains("✔ yes: one pair of reads of"), "{direct}");
}

#[test]
fn a_symptom_is_answered_from_a_document() {
    let check = path("docs/shown/check.json");
    let asked = ["advise", &check, "--symptom", "sleep(1) takes 1.1 ms"];
    let advice = advice(&asked);
    assert_eq!(advice["symptom"]["found"], serde_json::json!(["sleep_held_by_slack"]));
    assert_eq!(advice["symptom"]["absent"], serde_json::json!(["yield_costs_a_slice", "cpu_quota"]));
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
    assert!(other.contains("one core is ahead") && !other.contains("an interval of"), "{other}");
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
        assert!(page.contains("SYMPTOMS") && error.contains("no symptom of the list has words of"), "{page}{error}");
        assert!(!error.contains('\u{1b}'), "{error:?}");
    }
    let check = path("docs/shown/check.json");
    let output = chronoscope(&["advise", "--symptom", &check]).assert().code(2).get_output().clone();
    assert!(String::from_utf8_lossy(&output.stderr).contains("that is a file"));
}

#[test]
fn a_mistaken_question_is_refused_with_what_there_is() {
    let check = path("docs/shown/check.json");
    let said = refused(&["advise", "--interval", "50ns", "--clock", "foo", &check]);
    assert!(said.contains("there is no clock foo in this document; it has rdtsc"), "{said}");
    let said = refused(&["advise", "--interval", "50ns", "--clock", "foo"]);
    assert!(said.contains("there is no clock foo; there are: rdtsc"), "{said}");
    let said = refused(&["advise", "--interval", "2ms", "--every", "1ms", &check]);
    assert!(said.contains("shorter than --interval"), "{said}");
    let output = chronoscope(&["advise", "--symptom", "banana", &check]).assert().code(2).get_output().clone();
    assert!(String::from_utf8_lossy(&output.stdout).contains("SYMPTOMS"), "the list comes with the refusal");
}

#[test]
fn a_document_that_cannot_answer_is_refused_with_what_measures_it() {
    let (sync, check) = (path("docs/shown/sync.json"), path("docs/shown/check.json"));
    let said = refused(&["advise", "--interval", "50ns", &sync]);
    assert!(said.contains("sync.json cannot answer: it has no clocks; `chronoscope check --output FILE`"), "{said}");
    let said = refused(&["advise", "--interval", "50ns", "--runtime", "mono", &check]);
    assert!(said.contains("chronoscope runtimes --only mono --output FILE"), "{said}");
    let hiccups = path("docs/shown/hiccups.json");
    let said = refused(&["advise", "--symptom", "hosts disagree", &hiccups]);
    assert!(said.contains("chronoscope sync --output FILE"), "{said}");
    assert!(refused(&["advise", "--interval", "50ns", "/no/such/file"]).contains("cannot answer"));
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    assert!(refused(&["advise", "--interval", "50ns", manifest]).contains("cannot answer"));
}

#[test]
fn absurd_questions_are_refused_before_anything_is_measured() {
    let interval = |more: &[&str]| refused(&[&["advise", "--interval", "50ns"], more].concat());
    assert!(refused(&["advise"]).contains("--interval"));
    assert!(refused(&["advise", "--interval", "0s"]).contains("1 ns to 24 h"));
    assert!(refused(&["advise", "--interval", "25h"]).contains("1 ns to 24 h"));
    assert!(refused(&["advise", "--interval=-1us"]).contains("negative"));
    assert!(refused(&["advise", "--interval", "soon"]).contains("not a time"));
    assert!(interval(&["--error", "0"]).contains("0.001% to 50%"));
    assert!(interval(&["--error", "51%"]).contains("0.001% to 50%"));
    assert!(interval(&["--error", "NaN"]).contains("0.001% to 50%"));
    assert!(interval(&["--error", "-1%"]).contains("negative"));
    assert!(interval(&["--threads", "0"]).contains("1 to 1024"));
    assert!(interval(&["--threads", "1025"]).contains("1 to 1024"));
    assert!(interval(&["--threads", "two"]).contains("1 to 1024"));
    assert!(interval(&["--runtime", "cobol"]).contains("expected one of java"));
    assert!(interval(&["--symptom", "slow"]).contains("--symptom"));
    assert!(interval(&["--every", "0s"]).contains("1 ns to 24 h"));
    assert!(refused(&["advise", "--list", "--threads", "2"]).contains("--list"));
    assert!(refused(&["advise", "--symptom", "slow", "--error", "2%"]).contains("--error"));
    assert!(refused(&["advise", "--symptom", "one core is ahead", "--cpus", "60000"]).contains("60000"));
    assert!(interval(&["--output", "/no/such/folder/advice.json"]).contains("choose a file"));
}

/// Measures what the answer takes, and keeps it.
#[test]
fn without_a_document_what_is_needed_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("advice.json");
    let saved = file.to_str().unwrap();
    let symptom = ["advise", "--symptom", "sleep(1) takes 1.1 ms", "--duration", "2s", "--quiet", "--output", saved];
    let page = printed(&symptom);
    assert!(page.contains("taken for"), "{page}");
    assert_eq!(printed(&["show", saved]), page);
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(document["command"], "advise");
    let parts = document["content"]["parts"].as_array().unwrap();
    assert_eq!(parts.iter().map(|part| part["part"].as_str().unwrap()).collect::<Vec<_>>(), ["pauses"]);
}
