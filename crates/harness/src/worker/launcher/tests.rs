//! Real child processes, each a shell that executes its request.

use std::cell::Cell;
use std::thread;
use std::time::Duration;

use super::*;
use crate::worker::Limit;

fn shell() -> Launcher {
    Launcher::of(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/worker/launcher/obedient.sh"))
}

/// What a worker says; complete with the line `end`.
#[derive(Default)]
struct ChildLines(Vec<String>);

impl Hear for ChildLines {
    fn line(&mut self, line: &str) -> Result<bool, String> {
        if line == "gibberish" {
            return Err("expected value".to_owned());
        }
        self.0.push(line.to_owned());
        Ok(line != "printed")
    }

    fn is_complete(&self) -> bool {
        self.0.last().is_some_and(|line| line == "end")
    }
}

/// Enough for a shell to start.
const SHORT: Duration = Duration::from_secs(3);
const LONG: Duration = Duration::from_secs(60);

fn asked_within(request: &str, limit: Limit, cancelled: &dyn Fn() -> bool) -> (Vec<String>, Result<(), WorkerFailure>) {
    let mut heard = ChildLines::default();
    let ended = shell().converse(request, &mut heard, Terms { limit, padding: 0, cancelled });
    (heard.0, ended)
}

fn asked(request: &str) -> Result<Vec<String>, WorkerFailure> {
    let (heard, ended) = asked_within(request, Limit::Whole(LONG), &|| false);
    ended.map(|()| heard)
}

/// A hearer that holds its worker up.
struct Slow(ChildLines, Duration);

impl Hear for Slow {
    fn line(&mut self, line: &str) -> Result<bool, String> {
        self.0.line(line)
    }

    fn is_complete(&self) -> bool {
        self.0.is_complete()
    }

    fn delay(&self) -> Duration {
        self.1
    }
}

#[test]
fn the_limit_is_later_by_what_the_hearer_costs() {
    let limit = Limit::Whole(Duration::from_millis(200));
    let ended = |delay| {
        let mut heard = Slow(ChildLines::default(), delay);
        shell().converse("sleep 1; echo end", &mut heard, Terms { limit, padding: 0, cancelled: &|| false })
    };
    assert!(matches!(ended(Duration::ZERO), Err(WorkerFailure::TimedOut { .. })));
    assert_eq!(ended(LONG), Ok(()));
}

/// Asks for `request`, which may name a file `$ids` to write the ids of processes into, until it has written `count` of
/// them; then cancels, or has it time out. How it ended, and the processes.
fn broken_off(request: &str, count: usize, by_cancelling: bool) -> (WorkerFailure, Vec<u32>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ids");
    let ids = || -> Vec<u32> {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        text.lines().filter_map(|line| line.parse().ok()).collect()
    };
    let request = format!("ids='{}'; {request}", path.display());
    let cancelled = || by_cancelling && ids().len() >= count;
    let failure =
        asked_within(&request, Limit::Whole(if by_cancelling { LONG } else { SHORT }), &cancelled).1.unwrap_err();
    let ids = ids();
    assert_eq!(ids.len(), count, "{failure}");
    (failure, ids)
}

/// Waits until `process` is gone, or is a zombie waiting for init.
fn assert_ends(process: u32) {
    let is_alive = || match std::fs::read_to_string(format!("/proc/{process}/stat")) {
        Ok(stat) => !stat.contains(") Z ") && !stat.contains(") X "),
        Err(_) => false,
    };
    // Generous, since the machine may be busy: a signalled process needs a moment, any other stays forever.
    for _ in 0..2_000 {
        if !is_alive() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("process {process} was left behind");
}

#[test]
fn each_conversation_has_its_end() {
    let error = |reason: &str| Err(WorkerFailure::ProtocolError(reason.to_owned()));
    let ended = |code, complaint: &str| Err(WorkerFailure::Ended { code: Some(code), complaint: complaint.to_owned() });
    for (request, wanted) in [
        ("printf 'a b'; sleep 0.1; echo c; echo d >&2; echo end", Ok(vec!["a bc", "end"])),
        ("echo end; printf 'of a buffer, flushed last'", Ok(vec!["end"])),
        ("yes | tr -d '\\n'", error("it is longer than 16 MiB")),
        ("echo gibberish; sleep 1000", error("expected value")),
        ("echo one; printf more", error("it ends in the middle of a line")),
        // Not everything was said.
        ("exit 0", ended(0, "")),
        ("echo one", ended(0, "")),
        ("echo the sundial is in the shade >&2; exit 3", ended(3, "the sundial is in the shade")),
        // A whole answer before the failure is none.
        ("echo end; exit 3", ended(3, "")),
        ("echo end; kill -11 $$", Err(killed(11))),
        ("echo end; kill -31 $$", Err(killed(31))),
    ] {
        assert_eq!(asked(request), wanted.map(|lines| lines.into_iter().map(str::to_owned).collect()), "{request}");
    }
}

#[test]
fn a_long_line_comes_whole_whatever_is_complained_meanwhile() {
    let request = "yes complaint | head -c 3000000 >&2; head -c 10000000 /dev/zero | tr '\\0' x; echo; echo end";
    let heard = asked(request).unwrap();
    assert_eq!(heard[0].len(), 10_000_000);
    assert!(heard[0].bytes().all(|byte| byte == b'x'));
}

#[test]
fn what_was_heard_before_a_death_is_kept() {
    let (heard, ended) = asked_within("echo one; kill -9 $$", Limit::Whole(LONG), &|| false);
    assert_eq!((heard, ended), (vec!["one".to_owned()], Err(killed(9))));
}

#[test]
fn a_complaint_without_end_is_told_in_part() {
    let WorkerFailure::Ended { code, complaint } = asked("yes no | head -c 1000000 >&2; exit 1").unwrap_err() else {
        panic!("it ended by itself")
    };
    assert_eq!(code, Some(1));
    assert!(complaint.starts_with('…') && complaint.chars().count() <= 200, "{complaint}");
}

fn killed(signal: i32) -> WorkerFailure {
    WorkerFailure::Killed { signal, complaint: String::new() }
}

#[test]
fn a_worker_that_is_broken_off_ends_with_all_that_it_started() {
    let timed_out = WorkerFailure::TimedOut { limit: SHORT, complaint: String::new() };
    for (by_cancelling, wanted) in [(false, timed_out), (true, WorkerFailure::Cancelled)] {
        let request = "echo $$ >> $ids; sleep 1000 & echo $! >> $ids; wait";
        let (failure, ids) = broken_off(request, 2, by_cancelling);
        assert_eq!(failure, wanted);
        ids.into_iter().for_each(assert_ends);
    }
}

#[test]
fn a_worker_that_goes_on_may_take_longer_than_each_of_its_messages() {
    let said = "for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.5; done; echo end";
    let (heard, ended) = asked_within(said, Limit::Each(SHORT), &|| false);
    assert_eq!((heard.len(), ended), (9, Ok(())));
    for said in ["echo 1; sleep 1000", "echo 1; while sleep 0.5; do echo printed; done"] {
        let (heard, ended) = asked_within(said, Limit::Each(SHORT), &|| false);
        assert_eq!(ended, Err(WorkerFailure::TimedOut { limit: SHORT, complaint: String::new() }), "{heard:?}");
    }
}

fn missing() -> Launcher {
    Launcher::of(PathBuf::from("/nonexistent/program"))
}

#[test]
fn a_stopped_run_starts_no_process() {
    let looks = Cell::new(0);
    let cancelled = || {
        looks.set(looks.get() + 1);
        true
    };
    let terms = Terms { limit: Limit::Whole(LONG), padding: 0, cancelled: &cancelled };
    assert_eq!(missing().converse("", &mut ChildLines::default(), terms), Err(WorkerFailure::Cancelled));
    assert_eq!(looks.get(), 1);
}

#[test]
fn a_program_that_cannot_be_started_is_told() {
    let terms = Terms { limit: Limit::Whole(LONG), padding: 0, cancelled: &|| false };
    let failure = missing().converse("", &mut ChildLines::default(), terms).unwrap_err();
    assert!(matches!(&failure, WorkerFailure::NotStarted(_)), "{failure}");
    assert!(failure.is_for_want_of_a_process());
}
