//! The history as users have it: one file, several processes, and whatever kills them.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::time::Duration;

use assert_cmd::Command;
use serde_json::Value;

const RECORD: &str = include_str!("fixtures/record.json");

/// The program with a history of its own. It finds no runtimes, which are a third of a check's time.
fn chronoscope(history: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    command
        .env_remove("COLUMNS")
        .env_remove("CHRONOSCOPE_NO_HISTORY")
        .env("CHRONOSCOPE_HISTORY", history)
        .env("PATH", "");
    command
}

fn printed(command: &mut Command) -> String {
    let output = command.assert().success().get_output().clone();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refused(history: &Path, arguments: &[&str]) -> String {
    let output = chronoscope(history).args(arguments).assert().code(2).get_output().clone();
    assert!(output.stdout.is_empty(), "a refusal prints nothing on standard output");
    String::from_utf8(output.stderr).unwrap()
}

/// A record of a run that began this many minutes after midnight, changed by `change`.
fn saved(folder: &Path, minute: usize, change: impl Fn(&mut Value)) -> PathBuf {
    let mut record: Value = serde_json::from_str(RECORD).unwrap();
    record["started_at"] =
        format!("2026-11-{:02}T{:02}:{:02}:00Z", 1 + minute / 1440, minute / 60 % 24, minute % 60).into();
    change(&mut record);
    let file = folder.join(format!("{minute}.json"));
    fs::write(&file, record.to_string()).unwrap();
    file
}

/// A history with this many checks of one machine, a minute apart.
fn of(folder: &Path, checks: usize) -> PathBuf {
    let history = folder.join("history.db");
    let files: Vec<PathBuf> = (0..checks).map(|minute| saved(folder, minute, |_| ())).collect();
    printed(chronoscope(&history).args(["history", "import"]).args(files));
    history
}

fn listed(history: &Path) -> Vec<Value> {
    let list = printed(chronoscope(history).args(["history", "list", "--all", "--format", "json"]));
    serde_json::from_str::<Value>(&list).unwrap()["runs"].as_array().unwrap().clone()
}

fn starts(runs: &[Value]) -> BTreeSet<String> {
    runs.iter().map(|run| run["started_at"].as_str().unwrap().to_owned()).collect()
}

/// Twice the time of every read.
fn slower(record: &mut Value) {
    for clock in record["content"]["sections"]["clocks"]["report"]["clocks"].as_array_mut().unwrap() {
        for end in ["estimate", "low", "high"] {
            if let Some(value) = clock["latency_ns"][end].as_f64() {
                clock["latency_ns"][end] = (2.0 * value).into();
            }
        }
    }
}

fn importing(history: &Path, files: &[PathBuf]) -> Child {
    let mut command = Process::new(env!("CARGO_BIN_EXE_chronoscope"));
    command.env("CHRONOSCOPE_HISTORY", history).args(["history", "import"]).args(files);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn two_processes_writing_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let history = folder.path().join("history.db");
    let halves = [0, 1].map(|half| (0..12).map(|i| saved(folder.path(), 2 * i + half, |_| ())).collect::<Vec<_>>());
    let writers = halves.map(|files| importing(&history, &files));
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let runs = listed(&history);
    assert_eq!((runs.len(), starts(&runs).len()), (24, 24));
}

/// Kills a process that saves, at moments spread over all that it does; what it said is kept must be there, and whole.
#[test]
fn a_kill_at_any_moment_loses_nothing_that_was_saved() {
    const KILLS: usize = 100;
    let folder = tempfile::tempdir().unwrap();
    let history = folder.path().join("history.db");
    let files: Vec<PathBuf> = (0..5).map(|minute| saved(folder.path(), minute, |_| ())).collect();
    let (mut kept, mut cut_short) = (0, 0);
    for round in 0..KILLS {
        // A history from the beginning, in turn with one that is there.
        if round % 4 == 0 {
            for left in ["history.db", "history.db-journal"] {
                let _ = fs::remove_file(folder.path().join(left));
            }
            kept = 0;
        }
        let mut child = importing(&history, &files);
        std::thread::sleep(Duration::from_micros(900 * (round as u64 * 37 % KILLS as u64)));
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap().lines().count();
        cut_short += usize::from(said < files.len());
        kept = kept.max(said);
        if round % 4 == 3 {
            let runs = listed(&history);
            assert!(runs.len() >= kept, "{round}: {kept}, {}", runs.len());
            let ids: Vec<String> = runs.iter().map(|run| run["id"].to_string()).collect();
            for id in ids.iter().take(1) {
                printed(chronoscope(&history).args(["history", "show", id, "--format", "json"]));
            }
            printed(chronoscope(&history).args(["history", "import"]).args(&files));
            assert_eq!(starts(&listed(&history)).len(), files.len());
        }
    }
    assert!(cut_short > KILLS / 10, "{cut_short} of {KILLS}");
}

#[test]
fn a_corrupt_newer_or_foreign_file_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let good = fs::read(of(folder.path(), 2)).unwrap();
    let import = saved(folder.path(), 7, |_| ());
    let (mut newer, mut foreign) = (good.clone(), good.clone());
    newer[63] = 200;
    foreign[68..72].fill(0);
    for (bytes, why) in [
        (&b"{\"schema_version\": 2}"[..], "SQLite"),
        (&newer, "newer"),
        (&foreign, "another program"),
        (&good[..good.len() / 3], "damaged"),
    ] {
        let other = tempfile::tempdir().unwrap();
        let file = other.path().join("history.db");
        fs::write(&file, bytes).unwrap();
        let said = refused(&file, &["history", "import", import.to_str().unwrap()]);
        assert!(said.contains(why) && said.contains("move"), "{said}");
        if why != "damaged" {
            let said = refused(&file, &["history", "list"]);
            assert!(said.contains(why), "{said}");
        }
        assert_eq!(fs::read(&file).unwrap(), bytes, "{why}");
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 1, "{why}");
    }
}

#[test]
fn a_check_is_kept_and_compared_with_the_last() {
    let folder = tempfile::tempdir().unwrap();
    let history = folder.path().join("below").join("history.db");
    let check = ["check", "--duration", "2s", "--quiet"];
    let first = printed(chronoscope(&history).args(check));
    assert!(!first.contains("SINCE"), "{first}");
    let second = printed(chronoscope(&history).args(check));
    let since = second.lines().find(|line| line.starts_with("SINCE ")).expect("it is compared");
    let (when, what) = since.split_once(": ").expect("when, and what changed");
    assert!(when.contains(|c: char| c.is_ascii_digit()) && what != "nothing to compare", "{since}");
    let third = printed(chronoscope(&history).args(check).arg("--no-history"));
    assert!(!third.contains("SINCE"), "{third}");
    printed(chronoscope(&history).args(check).env("CHRONOSCOPE_NO_HISTORY", "1"));
    assert_eq!(listed(&history).len(), 2);
    let shown = printed(chronoscope(&history).args(["history", "show", "2"]));
    assert_eq!(shown, second);
    let json = printed(chronoscope(&history).args(["history", "show", "--format", "json", "2"]));
    assert!(json.starts_with('{'));
    let gate = printed(chronoscope(&history).args(["history", "compare", "1", "2", "--full", "--format", "json"]));
    assert!(gate.starts_with('{'));
    let compared = printed(chronoscope(&history).args(["history", "compare"]));
    assert!(compared.contains("COMPARED"), "{compared}");
}

#[test]
fn a_history_that_cannot_be_written_harms_no_check() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history.db");
    fs::write(&file, "a letter").unwrap();
    for history in [file.clone(), PathBuf::from("/proc/no/history.db")] {
        let output = chronoscope(&history)
            .args(["check", "--duration", "2s", "--quiet"])
            .assert()
            .success()
            .get_output()
            .clone();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("warning") && said.lines().count() == 1, "{said}");
        assert!(String::from_utf8(output.stdout).unwrap().starts_with("chronoscope "));
    }
    assert_eq!(fs::read(&file).unwrap(), b"a letter");
}

#[test]
fn an_empty_history_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let history = folder.path().join("history.db");
    let list = printed(chronoscope(&history).args(["history", "list"]));
    assert!(list.contains("empty"), "{list}");
    assert_eq!(listed(&history).len(), 0);
    for arguments in [&["compare"][..], &["trend", "CLOCK_MONOTONIC"], &["export", "--format", "csv"]] {
        let said = refused(&history, &[&["history"], arguments].concat());
        assert!(said.contains("empty"), "{said}");
    }
    refused(&history, &["history", "show", "1"]);
    assert_eq!(printed(chronoscope(&history).args(["history", "prune", "--keep", "3"])), "0 runs removed\n");
    assert!(!history.exists(), "reading makes no file");
}

#[test]
fn wrong_words_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let history = of(folder.path(), 1);
    for (arguments, why) in [
        (&["show", "-1"][..], "it is negative"),
        (&["show", "x"], "not a whole number"),
        (&["prune"], "--keep"),
        (&["prune", "--keep", "0"], "out of range"),
        (&["prune", "--older-than", "long"], "not a time"),
        (&["compare", "1"], "2"),
        (&["compare", "1", "9"], "has no run 9"),
        (&["compare"], "fewer than two complete checks"),
        (&["trend", "sundial"], "choose from"),
        (&["trend", "CLOCK_MONOTONIC", "--machine", "nowhere"], "has no run of nowhere"),
        (&["export"], "--format"),
        (&["import", "/no/such/file"], "cannot be kept"),
    ] {
        let said = refused(&history, &[&["history"], arguments].concat());
        assert!(said.contains(why), "{arguments:?}: {said}");
    }
}

#[test]
fn a_trend_marks_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    let history = of(folder.path(), 4);
    let change = |record: &mut Value| {
        record["machine"]["clocksource"]["current"] = "hpet".into();
        slower(record);
    };
    let file = saved(folder.path(), 4000, change);
    printed(chronoscope(&history).args(["history", "import"]).arg(file));
    let trend = printed(chronoscope(&history).args(["history", "trend", "clock_monotonic"]));
    assert_eq!(printed(chronoscope(&history).args(["history", "trend", "monotonic"])), trend, "as gate calls it");
    assert!(trend.contains("CLOCK_MONOTONIC") && trend.contains("hpet") && trend.contains('┊'), "{trend}");
    let page = folder.path().join("trend.html");
    printed(chronoscope(&history).args(["history", "trend", "CLOCK_MONOTONIC", "--html"]).arg(&page));
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains(">clocksource</text>") && page.contains("→ hpet."), "{page}");
    let json =
        printed(chronoscope(&history).args(["history", "trend", "CLOCK_MONOTONIC", "--last", "2", "--format", "json"]));
    let trend: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((trend["runs"].as_array().unwrap().len(), trend["changes"][0]["after"].as_str()), (2, Some("hpet")));
}

#[test]
fn list_trend_and_runs_are_pages_for_browsers() {
    let folder = tempfile::tempdir().unwrap();
    let history = of(folder.path(), 3);
    let file = folder.path().join("page.html");
    let page = |arguments: &[&str]| {
        let without = printed(chronoscope(&history).arg("history").args(arguments));
        let with = printed(chronoscope(&history).arg("history").args(arguments).arg("--html").arg(&file));
        assert_eq!(with, without, "{arguments:?}");
        let page = fs::read_to_string(&file).unwrap();
        fs::remove_file(&file).unwrap();
        assert!(page.to_ascii_lowercase().starts_with("<!doctype html>") && page.contains("default-src 'none'"));
        page
    };
    let list = page(&["list"]);
    assert!(list.contains("history.db") && list.matches("<tr").count() == 4, "{list}");
    assert!(
        !list.contains(folder.path().to_str().unwrap()) && list.contains(" UTC") && !list.contains("today"),
        "{list}"
    );
    let trend = page(&["trend", "CLOCK_MONOTONIC"]);
    assert!(trend.contains("What a read cost in 3 runs") && trend.matches("<circle").count() == 3, "{trend}");
    assert!(page(&["show", "1"]).contains("<section id=\"latency\""));
    let none = folder.path().join("none.db");
    printed(chronoscope(&none).args(["history", "list", "--html"]).arg(&file));
    assert!(fs::read_to_string(&file).unwrap().contains("is empty: "));
}

#[test]
fn exports_are_whole_and_well_formed() {
    let folder = tempfile::tempdir().unwrap();
    let history = of(folder.path(), 3);
    let csv = printed(chronoscope(&history).args(["history", "export", "--format", "csv"]));
    let mut table = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<csv::StringRecord> = table.records().collect::<Result<_, _>>().unwrap();
    let latency = |row: &&csv::StringRecord| &row[8] == "latency_ns" && &row[9] == "CLOCK_MONOTONIC";
    assert_eq!(rows.iter().filter(latency).count(), 3);
    assert!(rows.iter().all(|row| row[10].parse::<f64>().is_ok_and(|value| value > 0.0)));
    let metrics = printed(chronoscope(&history).args(["history", "export", "--format", "openmetrics"]));
    assert!(metrics.ends_with("# EOF\n") && metrics.contains("# TYPE chronoscope_latency_seconds gauge\n"));
    let mut families = Vec::new();
    for line in metrics.lines() {
        if let Some(family) = line.strip_prefix("# TYPE ") {
            families.push(family.split(' ').next().unwrap());
        } else if !line.starts_with('#') {
            let (name, rest) = line.split_once('{').unwrap();
            assert_eq!(Some(&name), families.last());
            let (_, numbers) = rest.rsplit_once("} ").unwrap();
            assert!(numbers.split(' ').all(|number| number.parse::<f64>().is_ok()), "{line}");
        }
    }
    assert_eq!(families.iter().collect::<BTreeSet<_>>().len(), families.len(), "each family once");
}

#[test]
fn documents_are_compared_and_a_regression_fails_the_gate() {
    let folder = tempfile::tempdir().unwrap();
    let (base, same, slow) =
        (saved(folder.path(), 0, |_| ()), saved(folder.path(), 1, |_| ()), saved(folder.path(), 2, slower));
    let compare = |files: &[&PathBuf], more: &[&str]| {
        let mut command = chronoscope(&folder.path().join("none.db"));
        command.arg("compare").args(files).args(more);
        command
    };
    let page = printed(&mut compare(&[&base, &slow], &[]));
    assert!(page.contains("CLOCK_MONOTONIC") && page.contains("regression") && page.contains("2.000×"), "{page}");
    compare(&[&base, &slow], &["--fail-on", "regression"]).assert().code(1);
    compare(&[&base, &slow], &["--fail-on", "regression=150%"]).assert().success();
    compare(&[&base, &slow], &["--fail-on", "regression=0%"]).assert().code(2);
    compare(&[&base, &slow], &["--fail-on", "regression=99%"]).assert().code(1);
    compare(&[&base, &same], &["--fail-on", "regression"]).assert().success();
    compare(&[&slow, &base], &["--fail-on", "regression"]).assert().success();
    let json = printed(&mut compare(&[&base, &same, &slow], &["--format", "json"]));
    let document: Value = serde_json::from_str(&json).unwrap();
    let schema: Value = serde_json::from_str(include_str!("../schema/chronoscope.v2.schema.json")).unwrap();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&document));
    assert_eq!(document["content"]["comparison"]["runs"].as_array().unwrap().len(), 2);
    let file = folder.path().join("compared.json");
    fs::write(&file, &json).unwrap();
    let shown = printed(chronoscope(Path::new("")).arg("show").arg(&file));
    assert_eq!(shown, printed(&mut compare(&[&base, &same, &slow], &[])));
    let said = refused(Path::new(""), &["compare", file.to_str().unwrap(), base.to_str().unwrap()]);
    assert!(said.contains("compared.json"), "{said}");
}

#[test]
fn a_saved_document_is_said_to_be_kept_once_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let history = folder.path().join("history.db");
    let files: Vec<PathBuf> = (0..3).map(|minute| saved(folder.path(), minute, |_| ())).collect();
    let mut child = importing(&history, &files);
    let lines: Vec<String> = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok).collect();
    assert!(child.wait().unwrap().success());
    assert!(lines.len() == 3, "{lines:?}");
    let again = printed(chronoscope(&history).args(["history", "import"]).args(&files));
    assert!(again.contains("already"), "{again}");
}

#[test]
fn a_file_that_is_no_document_keeps_no_other_out() {
    let folder = tempfile::tempdir().unwrap();
    let history = folder.path().join("history.db");
    let wrong = folder.path().join("wrong.json");
    fs::write(&wrong, "{}").unwrap();
    let (first, last) = (saved(folder.path(), 1, |_| ()), saved(folder.path(), 2, |_| ()));
    let undated = saved(folder.path(), 3, |record| record["started_at"] = "soon".into());
    let import = || {
        let mut command = chronoscope(&history);
        command.args(["history", "import", "--format", "json"]).args([&first, &wrong, &undated, &last]);
        let output = command.assert().code(2).get_output().clone();
        (serde_json::from_slice::<Value>(&output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (kept, said) = import();
    let ids = |kept: &Value| kept["runs"].as_array().unwrap().iter().map(|run| run["id"].as_i64()).collect::<Vec<_>>();
    assert_eq!((ids(&kept), kept["refused"].as_array().unwrap().len()), (vec![Some(1), Some(2)], 2));
    assert!(["wrong.json", "3.json", "started_at"].iter().all(|word| said.contains(word)), "{said}");
    let (again, _) = import();
    assert!(again["runs"].as_array().unwrap().iter().all(|run| run["already"] == true), "{again}");
    assert_eq!(listed(&history).len(), 2);
}

#[test]
fn what_was_removed_is_said_to_machines_too() {
    let folder = tempfile::tempdir().unwrap();
    let history = of(folder.path(), 3);
    let said = printed(chronoscope(&history).args(["history", "prune", "--keep", "1", "--format", "json"]));
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["removed"], &said["reason_not_shrunk"]), (&2.into(), &Value::Null));
    assert!(refused(&history, &["history", "prune", "--format", "json"]).contains("--keep"));
}

#[test]
fn an_export_of_a_machine_that_has_no_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let history = of(folder.path(), 1);
    let said = refused(&history, &["history", "export", "--format", "csv", "--machine", "nobody"]);
    assert!(said.contains("nobody"), "{said}");
}
