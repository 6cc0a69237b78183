use std::env;
use std::process::Command;
use std::string::String;
use std::{assert, eprintln};

/// Names the test that a process was started to run.
const ASKED: &str = "CHRONOSCOPE_CLOCK_PROCESS_TEST";

/// The prefix of the line that gives the reason for skipping a test.
pub(super) const SKIPPED: &str = "skipped: ";

/// Runs `body` in a process of its own that has one thread and has not read the clock yet: this program once more, asked
/// for the one test at `path`.
pub(super) fn in_fresh_process(path: &str, body: fn()) {
    in_fresh_process_with(path, None, body);
}

/// The same with one more variable in its environment.
pub(super) fn in_fresh_process_with(path: &str, variable: Option<(&str, &str)>, body: fn()) {
    let (_, name) = path.split_once("::").expect("a path below this crate");
    if env::var(ASKED).as_deref() == Ok(name) {
        return body();
    }
    let program = env::current_exe().expect("the path of this program");
    let output = Command::new(program)
        .args([name, "--exact", "--nocapture", "--test-threads=1"])
        .env(ASKED, name)
        .envs(variable)
        .output()
        .expect("this program, once more");
    let (told, complaints) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let has_passed = output.status.success() && told.contains("1 passed");
    assert!(has_passed, "{name}: {}\n{told}\n{complaints}", output.status);
    for line in complaints.lines().filter(|line| line.starts_with(SKIPPED)) {
        eprintln!("{name}: {line}");
    }
}
