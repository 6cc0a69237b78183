//! What a peer says of a fault, by its own exit code and its own words.

use std::io::{self, BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use serde::{Deserialize, Serialize};

use crate::peer::Peer;

/// The fault of a machine that has none.
pub const NO_FAULT: &str = "no fault";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub fault: String,
    pub command: String,
    pub outcome: Outcome,
    /// The line that decided, or why there is none.
    pub line: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Detected,
    NothingSeen,
    CouldNotRun,
}

/// Where a guest has the peers; `NAME.missing` says why it lacks one.
const FOLDER: &str = "/peers";
const LIMIT_S: u32 = 40;
/// `KSFT_FAIL`, and what fio exits with.
const FAILED: i32 = 1;

impl Outcome {
    pub fn words(self) -> &'static str {
        match self {
            Self::Detected => "detected",
            Self::NothingSeen => "nothing seen",
            Self::CouldNotRun => "could not run",
        }
    }
}

impl Answer {
    /// Runs the peer, started by `under`, if that is not empty.
    pub fn get(fault: &str, command: &str, under: &[String]) -> Self {
        let (outcome, line) =
            ask(Path::new(FOLDER), command, under).unwrap_or_else(|error| (Outcome::CouldNotRun, error.to_string()));
        Self { fault: fault.to_owned(), command: command.to_owned(), outcome, line }
    }
}

fn ask(folder: &Path, command: &str, under: &[String]) -> io::Result<(Outcome, String)> {
    let peer = Peer::of(command).ok_or_else(|| io::Error::other(format!("no peer is called {command}")))?;
    let program = folder.join(peer.name);
    if !program.exists() {
        return Ok((Outcome::CouldNotRun, why_missing(&program)));
    }
    // The shell's own would be a process between us and the peer, and its exit code not the peer's.
    let mut child = Command::new("/bin/busybox")
        .args(["timeout", "-s", "KILL", &LIMIT_S.to_string()])
        .args(under)
        .arg(&program)
        .args(command.split_whitespace().skip(1))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let output = child.stdout.take().ok_or_else(|| io::Error::other("it has no output"))?;
    // fio prints three lines for each of up to 200 000 mismatches, so nothing but what decides is kept.
    let deciding = read(peer, BufReader::new(output));
    let status = child.wait()?;
    Ok(decide(status, deciding?))
}

fn why_missing(program: &Path) -> String {
    let why = std::fs::read_to_string(program.with_extension("missing"));
    why.map_or_else(|_| "this machine has no such program".to_owned(), |why| why.trim().to_owned())
}

/// The first line that says [`Outcome::Detected`], and the first that says [`Outcome::NothingSeen`].
fn read(peer: &Peer, output: impl BufRead) -> io::Result<[Option<String>; 2]> {
    let mut deciding = [None, None];
    for line in output.split(b'\n') {
        let line = String::from_utf8_lossy(&line?).trim().to_owned();
        if let Some(outcome) = peer.says(&line) {
            deciding[outcome as usize].get_or_insert(line);
        }
    }
    Ok(deciding)
}

/// Exit code and words must agree: a peer that crashes, or that skips its test, has not said that all is well.
fn decide(status: ExitStatus, deciding: [Option<String>; 2]) -> (Outcome, String) {
    match (status.code(), deciding) {
        (Some(FAILED), [Some(line), _]) => (Outcome::Detected, line),
        (Some(0), [None, Some(line)]) => (Outcome::NothingSeen, line),
        (Some(code), _) => (Outcome::CouldNotRun, format!("exit code {code} without a verdict")),
        (None, _) => (Outcome::CouldNotRun, format!("ended by signal {}", status.signal().unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peer::PEERS;

    #[test]
    fn exit_code_and_words_must_agree() {
        let passed = "TAP version 13\n1..1\nok 1 CLOCK_MONOTONIC  \n# Totals: pass:1\n";
        let failed = "TAP version 13\n# Delta: 4012 ns\nnot ok 1 CLOCK_MONOTONIC  \n";
        let skipped = "TAP version 13\n1..1\nok 1 # SKIP UNKNOWN_CLOCKID  \n";
        for (raw_status, output, wanted, line) in [
            (0, passed, Outcome::NothingSeen, "ok 1 CLOCK_MONOTONIC"),
            (1 << 8, failed, Outcome::Detected, "not ok 1 CLOCK_MONOTONIC"),
            (0, failed, Outcome::CouldNotRun, "exit code 0 without a verdict"),
            (1 << 8, passed, Outcome::CouldNotRun, "exit code 1 without a verdict"),
            (0, skipped, Outcome::CouldNotRun, "exit code 0 without a verdict"),
            (4 << 8, skipped, Outcome::CouldNotRun, "exit code 4 without a verdict"),
            (0, "", Outcome::CouldNotRun, "exit code 0 without a verdict"),
            (11, passed, Outcome::CouldNotRun, "ended by signal 11"),
            (9, failed, Outcome::CouldNotRun, "ended by signal 9"),
            // An alarm outweighs what passed before it.
            (1 << 8, "ok 1 CLOCK_REALTIME\nnot ok 2 CLOCK_MONOTONIC\n", Outcome::Detected, "not ok 2 CLOCK_MONOTONIC"),
        ] {
            let found = decide(ExitStatus::from_raw(raw_status), read(&PEERS[0], output.as_bytes()).unwrap());
            assert_eq!(found, (wanted, line.to_owned()), "{raw_status} {output:?}");
        }
    }

    #[test]
    fn a_peer_that_is_missing_says_why() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let (outcome, line) = ask(&folder, "fio --cpuclock-test", &[]).unwrap();
        assert_eq!((outcome, line.as_str()), (Outcome::CouldNotRun, "this machine has no such program"));
        assert!(ask(&folder, "clockperf", &[]).is_err());
    }
}
