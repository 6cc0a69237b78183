//! Real child processes, each a shell that executes its request.

use std::cell::Cell;
use std::thread;

use super::*;

fn script(name: &str) -> Launcher {
    Launcher { program: Path::new(env!("CARGO_MANIFEST_DIR")).join("src/worker/launcher").join(name) }
}

fn shell() -> Launcher {
    script("obedient.sh")
}

fn asked(request: &str) -> Result<String, WorkerFailure> {
    shell().call(request, 60_000, &|| false)
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
    let failure = shell().call(&request, 0, &|| by_cancelling && ids().len() >= count).unwrap_err();
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
fn an_answer_may_come_in_pieces() {
    assert_eq!(asked("printf 'a b'; sleep 0.1; printf c; printf d >&2; exit 0").as_deref(), Ok("a bc"));
}

#[test]
fn a_long_answer_comes_whole_whatever_is_complained_meanwhile() {
    let answer = asked("yes complaint | head -c 3000000 >&2; head -c 20000000 /dev/zero | tr '\\0' x").unwrap();
    assert_eq!(answer.len(), 20_000_000);
    assert!(answer.bytes().all(|byte| byte == b'x'));
}

#[test]
fn an_answer_without_end_is_not_collected() {
    let failure = asked("yes").unwrap_err();
    assert_eq!(failure, WorkerFailure::ProtocolError("it is longer than 256 MiB".to_owned()));
}

#[test]
fn a_death_with_a_word_on_standard_error_is_told_with_it() {
    let complaint = "the sundial is in the shade".to_owned();
    let failure = asked("echo the sundial is in the shade >&2; exit 3").unwrap_err();
    assert_eq!(failure, WorkerFailure::Ended { code: Some(3), complaint });
    // Output before the failure is not an answer.
    let failure = asked("echo 42; exit 3").unwrap_err();
    assert_eq!(failure, WorkerFailure::Ended { code: Some(3), complaint: String::new() });
}

#[test]
fn a_worker_that_says_nothing_gave_no_answer() {
    assert_eq!(asked("exit 0").unwrap_err(), WorkerFailure::Ended { code: Some(0), complaint: String::new() });
}

#[test]
fn a_complaint_without_end_is_told_in_part() {
    let WorkerFailure::Ended { code, complaint } = asked("yes no | head -c 1000000 >&2; exit 1").unwrap_err() else {
        panic!("it ended by itself")
    };
    assert_eq!(code, Some(1));
    assert!(complaint.starts_with("… / no / no") && complaint.chars().count() <= 200, "{complaint}");
}

#[test]
fn a_signal_is_told() {
    for signal in [11, 4, 31] {
        assert_eq!(asked(&format!("echo 42; kill -{signal} $$")).unwrap_err(), WorkerFailure::Killed(signal));
    }
}

#[test]
fn a_worker_that_hangs_is_ended_with_all_that_it_started() {
    let (failure, ids) = broken_off("echo $$ >> $ids; sleep 1000 & echo $! >> $ids; wait", 2, false);
    assert_eq!(failure, WorkerFailure::TimedOut { limit_ms: GRACE_MS });
    ids.into_iter().for_each(assert_ends);
}

#[test]
fn a_run_that_is_stopped_ends_its_worker_with_all_that_it_started() {
    let (failure, ids) = broken_off("echo $$ >> $ids; sleep 1000 & echo $! >> $ids; wait", 2, true);
    assert_eq!(failure, WorkerFailure::Cancelled);
    ids.into_iter().for_each(assert_ends);
}

#[test]
fn a_worker_that_does_not_listen_does_not_hold_up_the_coordinator() {
    // More than a pipe holds, to a program that reads nothing.
    let failure = script("deaf.sh").call(&"x".repeat(1 << 20), 0, &|| false).unwrap_err();
    assert_eq!(failure, WorkerFailure::TimedOut { limit_ms: GRACE_MS });
}

#[test]
fn a_stopped_run_starts_no_process() {
    let looks = Cell::new(0);
    let cancelled = || {
        looks.set(looks.get() + 1);
        true
    };
    let missing = Launcher { program: PathBuf::from("/nonexistent/program") };
    assert_eq!(missing.call("", 1, &cancelled).unwrap_err(), WorkerFailure::Cancelled);
    assert_eq!(looks.get(), 1);
}

#[test]
fn a_program_that_cannot_be_started_is_told() {
    let missing = Launcher { program: PathBuf::from("/nonexistent/program") };
    let failure = missing.call("", 1, &|| false).unwrap_err();
    assert!(matches!(&failure, WorkerFailure::NotStarted(reason) if reason.contains("No such file")), "{failure}");
    assert!(failure.is_for_want_of_a_process());
}
