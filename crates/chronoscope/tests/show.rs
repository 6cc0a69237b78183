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

/// Runs the command, and asserts that `show` prints the page and the document that it left, and writes its page for browsers, to
/// the byte. Gives the page and the document.
fn assert_shown_again(arguments: &[&str]) -> (String, Value) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("saved.json");
    let [written, again] = ["written.html", "again.html"].map(|name| folder.path().join(name));
    let run = chronoscope().args(arguments).arg("--output").arg(&file).arg("--html").arg(&written).output().unwrap();
    let printed = String::from_utf8(run.stdout).unwrap();
    assert!(!printed.is_empty(), "{arguments:?} printed nothing: {}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(shown(&file, &["--html", again.to_str().unwrap()]), printed, "{arguments:?}");
    let page = browser_page(&written);
    assert!(page == browser_page(&again), "{arguments:?} wrote another page than `show` does");
    let saved = std::fs::read_to_string(&file).unwrap();
    assert_eq!(shown(&file, &["--format", "json"]), saved, "{arguments:?}");
    (printed, serde_json::from_str(&saved).unwrap())
}

/// A page for browsers: one file that asks for nothing.
fn browser_page(file: &Path) -> String {
    let page = std::fs::read_to_string(file).unwrap();
    assert!(page.to_ascii_lowercase().starts_with("<!doctype html>"), "{page:.100}");
    assert!(page.contains("default-src 'none'") && page.trim_end().ends_with("</html>"));
    for asks in ["<link", "<img", "<iframe", "<object", "<base", "@import", "url(", " src="] {
        assert!(!page.contains(asks), "{asks}");
    }
    let targets = page.split("href=\"").skip(1);
    targets.for_each(|target| assert!(target.starts_with('#'), "{target:.60}"));
    page
}

#[test]
fn a_check_is_shown_again() {
    let (_, record) = assert_shown_again(&["check", "--quick", "--no-history"]);
    assert_eq!(record["command"], "check");
}

#[test]
fn a_part_of_a_check_is_shown_as_that_part() {
    assert_shown_again(&["reads", "--duration", "2s"]);
    assert_shown_again(&["pause", "--length", "1us", "--duration", "2s"]);
    assert_shown_again(&["hiccups", "--for", "200ms"]);
}

#[test]
fn what_is_concluded_from_documents_is_shown_again() {
    let check = fixture("record.json");
    let check = check.to_str().unwrap();
    assert_shown_again(&["gate", "--document", check, "--require", "vdso"]);
    assert_shown_again(&["advise", "--interval", "1us", check]);
    assert_shown_again(&["advise", "--symptom", "time goes backwards", check]);
    assert_shown_again(&["compare", check, check]);
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
    for command in ["contention", "thread-release", "selftest"] {
        let (_, record) = assert_shown_again(&[command, "--duration", "1s"]);
        assert_eq!(record["command"], command);
    }
    for name in ["volatile", "backoff", "omission", "fibonacci", "cold", "timers"] {
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
fn every_saved_document_becomes_a_page_for_browsers() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let to_page = ["--html", page.to_str().unwrap()];
    let listed = |folder: &str| std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
    let files = ["tests/fixtures", "tests/fixtures/zen4", "../../docs/shown"].map(listed).into_iter().flatten();
    let documents = files.map(|file| file.unwrap().path()).filter(|file| file.extension() == Some("json".as_ref()));
    let mut tried = 0;
    for file in documents {
        assert_eq!(shown(&file, &to_page), shown(&file, &[]), "{}", file.display());
        browser_page(&page);
        std::fs::remove_file(&page).unwrap();
        tried += 1;
    }
    assert!(tried > 15, "{tried} documents");
}

#[test]
fn a_page_replaces_nothing_that_is_read_or_written_besides() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (check, history, html) = (at("check.json"), at("history.db"), at("page.html"));
    std::fs::copy(fixture("record.json"), &check).unwrap();
    std::fs::write(&history, "kept").unwrap();
    std::fs::write(at("rules.toml"), "require = ['vdso']\n").unwrap();
    let before = std::fs::read(&check).unwrap();
    let missing = at("missing/page.html");
    for (arguments, why) in [
        (&["show", &check, "--html", &check][..], "the document"),
        (&["show", &check, "--html", &history], "the history"),
        (&["show", &check, "--html", &missing], "cannot write the page"),
        (&["compare", &check, &check, "--html", &check], "a document"),
        (&["advise", "--interval", "1us", &check, "--html", &check], "the document"),
        (&["gate", "--document", &check, "--require", "vdso", "--html", &check], "the document"),
        (&["gate", &at("rules.toml"), "--document", &check, "--html", &at("rules.toml")], "the rules"),
        (&["gate", "--document", &check, "--require", "vdso", "--junit", &html, "--html", &html], "--html"),
        (&["advise", "--list", "--html", &html], "the list"),
        // Before anything is measured.
        (&["check", "--output", &html, "--html", &html], "--output"),
        (&["check", "--html", &missing], "cannot write the page"),
        (&["check", "--output", &history], "the history"),
        (&["reads", "--html", folder.path().to_str().unwrap()], "is a folder"),
        (&["hiccups", "--log", &html, "--html", &html], "--log"),
        (&["hiccups", "--log", &html, "--output", &html], "--log"),
        (&["pace", "--rate", "1k", "--output", &html, "--html", &html], "--output"),
        (&["scaling", "--output", &html, "--html", &html], "--output"),
        (&["selftest", "--output", &html, "--html", &html], "--output"),
        (&["history", "list", "--html", &history], "the history"),
        (&["card", &check, "--output", &missing], "cannot write the card"),
        (&["card", &check, "--output", folder.path().to_str().unwrap()], "is a folder; name a file"),
        (&["gallery", folder.path().to_str().unwrap(), "--html", &missing], "cannot write the page"),
        (&["gallery", folder.path().to_str().unwrap(), "--html", folder.path().to_str().unwrap()], "is a folder"),
        (&["card", &check, "--output", &check], "the document"),
        (&["card", &check, "--output", &history], "the history"),
        (&["gallery", folder.path().to_str().unwrap(), "--html", &check], "a document"),
        (&["gallery", folder.path().to_str().unwrap(), "--html", &history], "the history"),
    ] {
        let run = chronoscope().env("CHRONOSCOPE_HISTORY", &history).args(arguments).output().unwrap();
        let told = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.code() == Some(2) && run.stdout.is_empty() && told.contains(why), "{arguments:?}: {told}");
        assert!(!Path::new(&html).exists());
    }
    assert_eq!((std::fs::read(&check).unwrap(), std::fs::read(&history).unwrap()), (before, b"kept".to_vec()));
}

/// A disk without room: no file may be longer than 2 kB.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_what_is_printed_and_tells_all_that_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let [json, html] = ["saved.json", "page.html"].map(|name| folder.path().join(name));
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ && ulimit -f 4 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_chronoscope")])
        .args(["reads", "--duration", "2s", "--quiet", "--format", "json", "--output"])
        .arg(&json)
        .arg("--html")
        .arg(&html)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("could not write the record") && told.contains("could not write the page"), "{told}");
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed["command"], "reads");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no part of a file is left");
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_told_by_whoever_writes_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (check, drawn) = (at("check.json"), at("drawn"));
    std::fs::copy(fixture("record.json"), &check).unwrap();
    for (arguments, what) in [
        (&["card", &check, "--output", &drawn][..], "the card"),
        (&["gallery", folder.path().to_str().unwrap(), "--html", &drawn], "the page"),
        (&["show", &check, "--html", &drawn], "the page"),
    ] {
        let run = Command::new("sh")
            .args(["-c", "trap '' XFSZ && ulimit -f 4 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_chronoscope")])
            .args(arguments)
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(1), "{arguments:?}: {told}");
        assert!(told.contains(&format!("could not write {what} to {drawn}: ")), "{arguments:?}: {told}");
        assert!(!told.contains("--format"), "no picture is had in that way: {told}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no part of a file is left");
    }
}

/// The folder of one file changes while the run is on.
#[cfg(unix)]
#[test]
fn a_destination_that_is_lost_takes_no_other_along() {
    for (lost, other) in [("page.html", "saved.json"), ("saved.json", "page.html")] {
        let folder = tempfile::tempdir().unwrap();
        let [lost, other, json, html] = [lost, other, "saved.json", "page.html"].map(|name| folder.path().join(name));
        let output = chronoscope()
            .args(["hiccups", "--quiet", "--format", "json", "--output"])
            .arg(&json)
            .arg("--html")
            .arg(&html)
            .args(["--", "mkdir"])
            .arg(&lost)
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && told.contains("could not write the "), "{told}");
        let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(printed["command"], "hiccups");
        match other == html {
            true => assert!(browser_page(&other).contains("hiccups")),
            false => assert_eq!(std::fs::read(&other).unwrap(), output.stdout),
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_loses_no_page() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    command.arg("show").arg(fixture("record.json")).arg("--html").arg(&page).stdout(full);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    browser_page(&page);
}

#[test]
fn one_figure_alone_is_a_page_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let only = |id| ["--html", page.to_str().unwrap(), "--only", id];
    let check = fixture("record.json");
    assert_eq!(shown(&check, &only("latency")), shown(&check, &[]));
    let alone = browser_page(&page);
    assert_eq!(alone.matches("<section ").count(), 1);
    assert!(alone.contains("<section id=\"latency\"") && alone.contains("<svg") && alone.contains("<details>"));
    std::fs::remove_file(&page).unwrap();
    let told = refused(&check, &only("latancy"));
    assert!(told.contains("latancy") && told.contains("choose from ruler, latency, "), "{told}");
    let told = refused(&fixture("study.json"), &only("latency"));
    assert!(told.contains("choose from comparisons, times, "), "{told}");
    let told = refused(&fixture("../../../../docs/shown/gate.json"), &only("latency"));
    assert!(told.contains("leave out --only"), "{told}");
    let told = refused(&check, &["--only", "latency"]);
    assert!(told.contains("--html <FILE>"), "{told}");
    assert!(!page.exists());
}
