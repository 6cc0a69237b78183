//! Whatever a run saves, `show` prints as the run did.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

fn chronoscope() -> Command {
    Command::new(env!("CARGO_BIN_EXE_chronoscope"))
}

fn shown(file: &Path, more: &[&str]) -> String {
    let output = chronoscope().arg("show").arg(file).args(more).assert().success().get_output().clone();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refused(file: &Path, more: &[&str]) -> String {
    let output = chronoscope().arg("show").arg(file).args(more).assert().code(2).get_output().clone();
    assert!(output.stdout.is_empty(), "a refusal prints nothing on standard output");
    String::from_utf8(output.stderr).unwrap()
}

/// Runs the command, and asserts that `show` prints both the page and the document that it left, to the byte. Gives the
/// page and the document.
fn assert_shown_again(arguments: &[&str]) -> (String, Value) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("saved.json");
    let run = chronoscope().args(arguments).args(["--quiet", "--output"]).arg(&file).output().unwrap();
    let printed = String::from_utf8(run.stdout).unwrap();
    assert!(!printed.is_empty(), "{arguments:?} printed nothing: {}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(shown(&file, &[]), printed, "{arguments:?}");
    let saved = std::fs::read_to_string(&file).unwrap();
    assert_eq!(shown(&file, &["--format", "json"]), saved, "{arguments:?}");
    (printed, serde_json::from_str(&saved).unwrap())
}

#[test]
fn a_part_of_a_check_is_shown_as_that_part() {
    assert_shown_again(&["reads", "--duration", "2s"]);
    assert_shown_again(&["pause", "--length", "1us", "--duration", "2s"]);
}

#[test]
fn a_pace_is_shown_again() {
    let (page, run) = assert_shown_again(&["pace", "--rate", "2k", "--for", "200ms"]);
    assert!(page.contains("lateness") && run["command"] == "pace", "{page}");
}

#[test]
fn scaling_is_shown_again_with_its_fronts() {
    let arguments = ["scaling", "--clock", "syscall CLOCK_MONOTONIC", "--threads", "1", "--duration", "5s"];
    let (page, record) = assert_shown_again(&arguments);
    assert!(page.contains("FRONTS") && record["command"] == "scaling", "{page}");
}

#[test]
fn experiments_are_shown_again_with_their_conclusions() {
    for name in ["volatile", "backoff", "omission", "fibonacci"] {
        let (page, record) = assert_shown_again(&["experiment", name, "--duration", "1s"]);
        assert!(page.contains("MODEL"), "{page}");
        assert_eq!(record["command"], format!("experiment {name}"));
    }
}

const STUDY: &str = include_str!("fixtures/study.json");
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

fn fixture(name: &str) -> std::path::PathBuf {
    Path::new(FIXTURES).join(name)
}

/// The study with such a command in it.
fn study_of(command: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("study.json");
    let mut study: Value = serde_json::from_str(STUDY).unwrap();
    study["command"] = command.into();
    std::fs::write(&file, study.to_string()).unwrap();
    (folder, file)
}

#[test]
fn a_study_is_shown_as_a_study() {
    let text = shown(&fixture("study.json"), &[]);
    assert!(text.contains("CONCLUSIONS") && !text.contains("MODEL"), "{text}");
}

#[test]
fn conclusions_that_this_build_does_not_know_are_not_dropped_in_silence() {
    let (_folder, file) = study_of("experiment perpetuum");
    let text = shown(&file, &[]);
    assert!(text.contains("CONCLUSIONS") && text.contains("perpetuum"), "{text}");
}

#[test]
fn all_of_an_experiment_is_its_page_and_the_study() {
    let text = shown(&fixture("zen4/omission.json"), &["--full"]);
    assert!(text.contains("MODEL") && text.contains("THREADS"), "{text}");
}

#[test]
fn a_record_without_a_view_is_shown_as_its_run_was() {
    let text = shown(&fixture("runtimes.json"), &[]);
    assert_eq!(text, shown(&fixture("runtimes.json"), &["--view", "runtimes"]));
    assert_ne!(text, shown(&fixture("runtimes.json"), &["--view", "check"]));
}

#[test]
fn a_check_is_shown_on_one_screen_or_in_full() {
    let first = shown(&fixture("record.json"), &[]);
    let full = shown(&fixture("record.json"), &["--full"]);
    assert_eq!(shown(&fixture("record.json"), &["--view", "check"]), first);
    assert!(first.lines().count() <= 24 && first.contains("HOST: ") && first.contains("--full"), "{first}");
    assert!(full.contains("VERDICT") && full.contains("DISTURBANCE") && !full.contains("HOST: "), "{full}");
}

#[test]
fn what_comes_through_a_pipe_is_shown() {
    for name in ["record.json", "study.json", "pace.json"] {
        let text = std::fs::read_to_string(fixture(name)).unwrap();
        let output = chronoscope().args(["show", "/dev/stdin"]).write_stdin(text).assert().success();
        assert_eq!(String::from_utf8_lossy(&output.get_output().stdout), shown(&fixture(name), &[]), "{name}");
    }
}

#[test]
fn what_is_no_document_is_refused_with_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.json");
    for (text, words) in [
        ("{\"version\": 1}", "it has no schema_version"),
        ("[]", "it is not an object"),
        ("{", "not JSON"),
        ("{\"schema_version\": 3}", "schema_version 3; this build reads 2"),
        ("{\"schema_version\": 2}", "missing field"),
        ("{\"schema_version\": 1}", "schema_version 1; this build reads 2"),
    ] {
        std::fs::write(&file, text).unwrap();
        let message = refused(&file, &[]);
        assert!(message.contains(words), "{text}: {message}");
    }
}

#[test]
fn a_saved_study_becomes_a_page_for_browsers() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let to_page = ["--html", page.to_str().unwrap()];
    let study = fixture("study.json");
    assert_eq!(shown(&study, &to_page), shown(&study, &[]));
    let page_text = std::fs::read_to_string(&page).unwrap();
    assert!(page_text.starts_with("<!doctype html>") && page_text.contains("<svg"));
    std::fs::remove_file(&page).unwrap();
    refused(&fixture("record.json"), &to_page);
    assert!(!page.exists());
}
