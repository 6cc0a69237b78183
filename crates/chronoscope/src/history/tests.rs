use std::fs;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use rusqlite::Connection;
use tempfile::TempDir;

use super::trend::{binned, changes, form, labels, ticks};
use super::*;
use crate::document::Record;
use crate::json::document;
use crate::machine::processor;
use crate::sections::clocks::figures::LATENCY;

const RECORD: &str = include_str!("../../tests/fixtures/record.json");

/// The record as if it had begun this many seconds later.
fn record(seconds: i64) -> Record {
    let mut record = document(RECORD).unwrap();
    record.started_at = jiff::Timestamp::from_second(1_790_000_000 + seconds).unwrap().to_string();
    record
}

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("below").join("history.db");
    (folder, file)
}

/// A history with a check per second.
fn of(seconds: std::ops::Range<i64>) -> (TempDir, History) {
    let (folder, file) = folder();
    let mut history = History::to_write(file).unwrap();
    for second in seconds {
        history.save(&record(second)).unwrap();
    }
    (folder, history)
}

#[test]
fn what_is_kept_is_found_again() {
    let (_folder, mut history) = of(0..3);
    let runs = history.runs(&Scope::default()).unwrap();
    assert_eq!(runs.iter().map(|run| run.id).collect::<Vec<_>>(), [3, 2, 1], "the latest first");
    assert_eq!(history.document(2).unwrap(), Some(record(1)));
    assert_eq!(history.document(9).unwrap(), None);
    assert!(runs[0].figure.is_some_and(|latency| latency.has_interval()));
    assert_eq!(history.run(2).unwrap().map(|run| run.started_s), Some(1_790_000_001));
    let most = Scope { most: Some(1), ..Scope::default() };
    assert_eq!(history.runs(&most).unwrap().len(), 1);
    let elsewhere = Scope { machine: Some("elsewhere".to_owned()), ..Scope::default() };
    assert!(history.runs(&elsewhere).unwrap().is_empty());
}

#[test]
#[cfg(unix)]
fn only_its_owner_may_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, history) = of(0..1);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(history.file()), mode(history.file().parent().unwrap())), (0o600, 0o700));
}

#[test]
fn a_run_is_kept_once() {
    let (_folder, mut history) = of(0..2);
    assert_eq!(history.save(&record(1)).unwrap(), Saved::Already(2));
    assert_eq!(history.save(&record(5)).unwrap(), Saved::As(3));
    assert_eq!(history.runs(&Scope::default()).unwrap().len(), 3);
}

#[test]
fn the_last_check_is_of_the_same_machine_and_complete() {
    let (_folder, mut history) = of(0..1);
    let name = record(0).machine.hostname.clone().unwrap();
    let mut interrupted = record(10);
    interrupted.interrupted = true;
    let mut section = record(11);
    section.command = "clocks".to_owned();
    let mut elsewhere = record(12);
    elsewhere.machine.hostname = Some("elsewhere".to_owned());
    for other in [interrupted, section, elsewhere] {
        history.save(&other).unwrap();
    }
    let now = 1_790_000_100;
    assert_eq!(history.last_check(&name, now).unwrap().map(|run| run.id), Some(1));
    assert_eq!(history.last_check("elsewhere", now).unwrap().map(|run| run.id), Some(4));
    assert_eq!(history.last_check("nowhere", now).unwrap(), None);
    assert_eq!(history.last_check(&name, 0).unwrap(), None);
}

#[test]
fn earlier_runs_are_of_the_same_conditions() {
    let (_folder, mut history) = of(0..4);
    let mut other = record(4);
    other.machine.kernel.release = "0.1".to_owned();
    history.save(&other).unwrap();
    history.save(&record(5)).unwrap();
    let base = history.run(6).unwrap().unwrap();
    let earlier = history.earlier(&base, &[1]).unwrap();
    assert_eq!(earlier.len(), 3);
    assert!(earlier[0].iter().any(|figure| figure.kind == LATENCY));
    let first = history.run(1).unwrap().unwrap();
    assert!(history.earlier(&first, &[]).unwrap().is_empty());
}

#[test]
fn a_series_has_its_runs_by_time() {
    let (_folder, mut history) = of(0..5);
    let series = history.series().unwrap();
    let is_it = |one: &&Series| one.kind == LATENCY && one.subject == "CLOCK_MONOTONIC";
    let clock = series.iter().find(is_it).unwrap();
    let runs = history.of_series(clock.id, &Scope::default()).unwrap();
    assert_eq!(runs.iter().map(|run| run.id).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    let latest = history.of_series(clock.id, &Scope { most: Some(2), ..Scope::default() }).unwrap();
    assert_eq!(latest.iter().map(|run| run.id).collect::<Vec<_>>(), [4, 5]);
    assert!(runs.iter().all(|run| run.figure.is_some()));
}

#[test]
fn pruning_keeps_the_latest_and_takes_their_figures_along() {
    let (_folder, mut history) = of(0..6);
    let removed = |removed| Pruned { removed, reason_not_shrunk: None };
    assert_eq!(history.prune(Some(4), None).unwrap(), removed(2));
    assert_eq!(history.prune(None, Some(1_790_000_003)).unwrap(), removed(1));
    assert_eq!(history.prune(None, Some(0)).unwrap(), removed(0));
    let ids: Vec<i64> = history.runs(&Scope::default()).unwrap().iter().map(|run| run.id).collect();
    assert_eq!(ids, [6, 5, 4]);
    assert_eq!(history.document(1).unwrap(), None);
    assert_eq!(history.save(&record(50)).unwrap(), Saved::As(7), "a number is never used twice");
    let file = history.file().to_owned();
    drop(history);
    let orphans = "SELECT count(*) FROM figure WHERE run NOT IN (SELECT id FROM run)";
    let left: i64 = Connection::open(file).unwrap().query_row(orphans, [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
}

#[test]
fn no_file_is_an_empty_history_and_stays_none() {
    let (_folder, file) = folder();
    let mut history = History::to_read(file.clone()).unwrap();
    assert!(history.runs(&Scope::default()).unwrap().is_empty() && history.series().unwrap().is_empty());
    assert!(!file.exists(), "reading makes no file");
    assert!(history.save(&record(0)).is_err(), "nor does it write");
}

/// A file is refused in both ways, and is the same to the byte afterwards.
fn assert_refused(bytes: &[u8], why: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history.db");
    fs::write(&file, bytes).unwrap();
    for opened in [History::to_read(file.clone()), History::to_write(file.clone())] {
        let error = opened.expect_err(why).to_string();
        assert!(error.contains(why) && error.contains("CHRONOSCOPE_HISTORY"), "{error}");
    }
    assert_eq!(fs::read(&file).unwrap(), bytes, "{why}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left next to it");
}

fn bytes_of(history: History) -> Vec<u8> {
    let file = history.file().to_owned();
    drop(history);
    fs::read(file).unwrap()
}

#[test]
fn what_is_no_history_is_refused_and_left_alone() {
    let (_folder, history) = of(0..1);
    let good = bytes_of(history);
    assert_refused(b"a letter", "not an SQLite database");
    assert_refused(&[0; 4096], "not an SQLite database");
    assert_refused(&good[..50], "not an SQLite database");
    let foreign = tempfile::NamedTempFile::new().unwrap();
    Connection::open(foreign.path()).unwrap().execute_batch("CREATE TABLE a (x);").unwrap();
    assert_refused(&fs::read(foreign.path()).unwrap(), "a database of another program");
    let mut newer = good.clone();
    newer[63] = 2;
    assert_refused(&newer, "of format 2, and this build knows 1 to 1: a newer chronoscope wrote it");
}

#[test]
#[cfg(unix)]
fn a_pipe_is_refused_rather_than_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.db");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("every Unix has it");
    assert!(made.success());
    for opened in [History::to_read(pipe.clone()), History::to_write(pipe)] {
        assert!(opened.unwrap_err().to_string().contains("regular"));
    }
}

#[test]
fn a_damaged_history_is_not_written_to() {
    let (_folder, history) = of(0..3);
    let good = bytes_of(history);
    let page = 4096;
    let mut refused = 0;
    for place in (page..good.len() - page).step_by(3 * page) {
        let mut damaged = good.clone();
        damaged[place..place + 16].fill(0x5a);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("history.db");
        fs::write(&file, &damaged).unwrap();
        if let Err(error) = History::to_write(file.clone()) {
            assert!(error.to_string().contains("damaged"), "{error}");
            refused += 1;
        } else {
            // Within a document, where SQLite keeps no checksum, or where nothing is: no reader panics.
            let mut history = History::to_read(file.clone()).unwrap();
            (1..=3).for_each(|id| drop(history.document(id)));
        }
        assert_eq!(fs::read(&file).unwrap(), damaged, "{place}");
    }
    assert!(refused > 3, "{refused}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history.db");
    fs::write(&file, &good[..good.len() / 2]).unwrap();
    let error = History::to_write(file.clone()).unwrap_err().to_string();
    assert!(error.contains("damaged"), "{error}");
    assert_eq!(fs::read(&file).unwrap().len(), good.len() / 2);
}

#[test]
fn a_record_without_a_time_is_refused() {
    let (_folder, mut history) = of(0..1);
    let mut timeless = record(0);
    timeless.started_at = "soon".to_owned();
    assert!(history.save(&timeless).unwrap_err().to_string().contains("soon"));
}

#[test]
fn changes_are_marked_where_they_begin() {
    let (_folder, mut history) = of(0..2);
    let mut other = record(10);
    other.machine.clocksource.current = Some("hpet".to_owned());
    other.machine.kernel.release = "9.9".to_owned();
    history.save(&other).unwrap();
    let mut runs = history.runs(&Scope::default()).unwrap();
    runs.reverse();
    let found = changes(&runs);
    assert_eq!(found.iter().map(|one| (one.run, one.what)).collect::<Vec<_>>(), [(3, "clocksource"), (3, "kernel")]);
    assert_eq!(found[0].after, "hpet");
    assert!(changes(&runs[..1]).is_empty() && changes(&[]).is_empty());
}

#[test]
fn a_machine_moved_to_another_host_is_marked_first() {
    let (_folder, mut history) = of(0..1);
    let mut moved = record(10);
    moved.machine.kernel.release = "9.9".to_owned();
    let cpu = &mut moved.machine.cpu;
    cpu.microarchitecture = Some("Zen 9".to_owned());
    cpu.model = Some(cpu.model.unwrap_or_default() + 1);
    let name = processor::name(cpu);
    history.save(&moved).unwrap();
    let mut runs = history.runs(&Scope::default()).unwrap();
    runs.reverse();
    let found = changes(&runs);
    assert_eq!(found.iter().map(|one| one.what).collect::<Vec<_>>(), ["CPU", "kernel"]);
    assert!(found[0].after == name && name.ends_with("(Zen 9)"), "{found:?}");
}

#[test]
fn a_day_or_a_month_is_written_where_it_begins() {
    let at = |moment: &str| moment.parse::<jiff::Timestamp>().unwrap().as_second() as f64;
    let told = |from: &str, to: &str| {
        let (from, to) = (at(from), at(to));
        let found = ticks(from, to, form(to - from), 3);
        assert!(found.iter().all(|tick| (from..=to).contains(tick)), "{found:?}");
        let written = |tick: &f64| jiff::Timestamp::from_second(*tick as i64).unwrap().to_string();
        found.iter().map(written).collect::<Vec<_>>()
    };
    assert_eq!(
        told("2026-11-25T18:07:00Z", "2026-11-28T02:00:00Z"),
        ["2026-11-26T00:00:00Z", "2026-11-27T00:00:00Z", "2026-11-28T00:00:00Z"]
    );
    assert_eq!(told("2026-11-25T00:00:00Z", "2026-11-27T00:00:00Z")[0], "2026-11-25T00:00:00Z");
    assert_eq!(
        told("2025-11-02T18:00:00Z", "2026-11-28T02:00:00Z"),
        ["2025-12-01T00:00:00Z", "2026-04-01T00:00:00Z", "2026-08-01T00:00:00Z"]
    );
    assert_eq!(told("2026-11-25T18:07:00Z", "2026-11-25T20:07:00Z")[1], "2026-11-25T19:07:00Z");
    assert!(ticks(-1e300, 1e300, form(2e300), 3).len() <= 3, "no calendar has these");
}

#[test]
fn many_runs_become_few_spans() {
    let (_folder, mut history) = of(0..1);
    let one = history.runs(&Scope::default()).unwrap().remove(0);
    let runs: Vec<Run> = (0..1_000).map(|i| Run { started_s: one.started_s + 60 * i, ..one.clone() }).collect();
    let spans = binned(&runs, 90);
    assert_eq!(spans.len(), 90);
    assert!(spans.windows(2).all(|pair| pair[0].0 < pair[1].0));
    assert_eq!(binned(&runs[..3], 90).len(), 3);
    assert!(binned(&[], 90).is_empty());
    let moments: Vec<f64> = spans.iter().map(|(at, _)| *at).collect();
    assert!((2..=6).contains(&labels(&moments, &TimeZone::UTC).len()));
    assert_eq!(labels(&moments[..1], &TimeZone::UTC).len(), 1);
    assert!(labels(&[], &TimeZone::UTC).is_empty());
}
