//! Programs that this one starts and waits for. None outlives it, however it ends.

use std::ffi::OsStr;
use std::io;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::stop::Stop;
use crate::sys;

const POLL: Duration = Duration::from_millis(50);
/// A program that ignores SIGTERM is killed so much later.
const GRACE_S: u64 = 5;

/// A program that starts others, such as a script: they end with it, and all of them after `limit_s` seconds, if any.
///
/// Only a process itself can be bound to its parent's life, not those that it starts. `timeout` leads them as a group and
/// passes SIGTERM on, also the one that it gets when this program is killed; only in the instant in which it forks the program
/// can it not.
pub fn tree(program: impl AsRef<OsStr>, limit_s: Option<u64>) -> Command {
    let mut command = Command::new("timeout");
    // No limit is 0 to `timeout`.
    command.arg(format!("--kill-after={GRACE_S}")).arg(limit_s.unwrap_or(0).to_string()).arg(program);
    sys::end_with_parent(&mut command, Signal::SIGTERM);
    command
}

/// Runs what `tree` gave and collects its output. None: `stop` ended it.
pub fn output(command: &mut Command, stop: &Stop) -> io::Result<Option<Output>> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let group = Pid::from_raw(child.id() as i32);
    let waiting = thread::spawn(move || child.wait_with_output());
    while !waiting.is_finished() {
        if stop.cause().is_some() {
            // `timeout` passes it on, and kills what ignores it. A tree that has just ended needs no signal.
            let _ = kill(group, Signal::SIGTERM);
            let _ = waiting.join();
            return Ok(None);
        }
        thread::sleep(POLL);
    }
    waiting.join().expect("waiting does not panic").map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::path::Path;
    use std::time::Instant;

    /// In the environment of the process that is killed: what it starts.
    const PARENT_OF: &str = "LAB_TEST_PARENT_OF";
    const WITHIN: Duration = Duration::from_secs(30);

    /// Does nothing unless the test below starts it in a process of its own: starts a program and waits.
    #[test]
    #[ignore = "the process that the next test kills"]
    fn a_parent() {
        let what = std::env::var(PARENT_OF).expect("only the next test starts this one");
        let (mut command, script) = if what == "tree" {
            // It must wait for the script already: while it forks, it cannot pass a signal on.
            let waits = "until grep -q '^State:.S' /proc/$PPID/status; do :; done";
            (tree("sh", None), format!("{waits}; sleep 1000 & echo \"pid $!\"; echo \"pid $$\"; wait"))
        } else {
            let mut command = Command::new("sh");
            sys::end_with_parent(&mut command, Signal::SIGKILL);
            (command, "echo \"pid $$\"; exec sleep 1000".to_owned())
        };
        command.args(["-c", &script]).status().unwrap();
    }

    /// Starts that parent, kills it as soon as `count` processes have named themselves, and gives their numbers.
    fn children_of_a_killed_parent(what: &str, count: usize) -> Vec<String> {
        let mut parent = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child::tests::a_parent", "--ignored", "--nocapture"])
            .env(PARENT_OF, what)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(parent.stdout.take().unwrap()).lines().map_while(Result::ok);
        let pids = lines.filter_map(|line| Some(line.split_once("pid ")?.1.to_owned())).take(count).collect();
        parent.kill().unwrap();
        parent.wait().unwrap();
        pids
    }

    /// Whether it runs; what has ended and was not yet waited for does not.
    fn runs(pid: &str) -> bool {
        let status = std::fs::read_to_string(Path::new("/proc").join(pid).join("status")).unwrap_or_default();
        status.lines().any(|line| line.starts_with("State:") && !line.contains('Z'))
    }

    #[test]
    fn nothing_outlives_a_parent_that_is_killed() {
        for (what, count) in [("program", 1), ("tree", 2)] {
            let pids = children_of_a_killed_parent(what, count);
            assert_eq!(pids.len(), count, "{what}");
            let began = Instant::now();
            while pids.iter().any(|pid| runs(pid)) {
                assert!(began.elapsed() < WITHIN, "{what}: {pids:?}");
                thread::sleep(POLL);
            }
        }
    }

    #[test]
    fn a_stop_ends_a_script_and_what_it_started() {
        let stop = Stop::default();
        let marker = std::env::temp_dir().join(format!("lab-child-{}", std::process::id()));
        let script = format!("sleep 1000 & echo $! >'{}'; wait", marker.display());
        let done = thread::scope(|scope| {
            let running = scope.spawn(|| output(tree("sh", None).args(["-c", &script]), &stop));
            while std::fs::read_to_string(&marker).map_or(true, |text| !text.ends_with('\n')) {
                thread::sleep(POLL);
            }
            stop.interrupt();
            running.join().unwrap()
        });
        assert!(done.unwrap().is_none());
        let pid = std::fs::read_to_string(&marker).unwrap();
        std::fs::remove_file(marker).unwrap();
        let began = Instant::now();
        while runs(pid.trim()) {
            assert!(began.elapsed() < WITHIN, "{pid} still runs");
            thread::sleep(POLL);
        }
    }

    #[test]
    fn both_outputs_are_collected_whole() {
        let script = "head -c 300000 /dev/zero; head -c 200000 /dev/zero >&2; exit 3";
        let mut command = tree("sh", Some(60));
        let done = output(command.args(["-c", script]).stderr(Stdio::piped()), &Stop::default()).unwrap().unwrap();
        assert_eq!((done.status.code(), done.stdout.len(), done.stderr.len()), (Some(3), 300_000, 200_000));
    }
}
