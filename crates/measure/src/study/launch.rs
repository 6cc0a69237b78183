//! Starts worker processes of a study and hears what they say.

use std::io::{ErrorKind, Read};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::protocol::{PADDING, Request, Said, VARIABLE, heard};
use crate::worker::Launcher;

/// How often the coordinator looks at what a worker said: rarely, since every look disturbs it.
const LOOK_EVERY: Duration = Duration::from_millis(25);
/// Room for what a worker says between two looks, in bytes.
const PIPE_BYTES: i32 = 1 << 20;
/// A visit that takes longer than this, and than twice the process's whole time, never ends.
const LONGEST_VISIT: Duration = Duration::from_secs(10);
/// No more than this of what a worker complains about is kept, in bytes.
const MOST_COMPLAINT: usize = 4096;

/// How a worker process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It did everything.
    Done,
    /// The user stopped the run.
    Cancelled,
    /// It died or was ended, for this reason.
    Died(String),
}

/// Runs one worker process to its end; `hear` is told everything that it says.
///
/// # Errors
/// Why no process could be started.
pub(super) fn run(
    launcher: &Launcher,
    request: &Request,
    padding: u32,
    cancelled: &dyn Fn() -> bool,
    hear: &mut dyn FnMut(Said),
) -> Result<End, String> {
    let text = serde_json::to_string(request).map_err(|error| error.to_string())?;
    let mut child = Command::new(launcher.program())
        .args(std::env::args_os().skip(1))
        .env(VARIABLE, text)
        .env(PADDING, "x".repeat(padding as usize))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Ctrl-C is for the coordinator; and whatever a case starts can be ended with it.
        .process_group(0)
        .spawn()
        .map_err(|error| format!("no worker process could be started: {error}"))?;
    let end = attend(&mut child, request, cancelled, hear);
    // Whatever it left running, too. Without such a group there is nothing to end.
    let _ = killpg(Pid::from_raw(child.id() as i32), Signal::SIGKILL);
    let _ = child.kill();
    let _ = child.wait();
    Ok(end)
}

fn attend(child: &mut Child, request: &Request, cancelled: &dyn Fn() -> bool, hear: &mut dyn FnMut(Said)) -> End {
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return End::Died("its pipes are missing".to_owned());
    };
    let mut said = Listener::new(stdout);
    let mut complained = Listener::new(stderr);
    let longest = LONGEST_VISIT.max(Duration::from_millis(request.budget_ms.saturating_mul(2)));
    let mut last_word = Instant::now();
    let mut done = false;
    let mut complaint = String::new();
    loop {
        let status = child.try_wait();
        // After it ended, what it said last is still in the pipe.
        said.look();
        complained.look();
        while let Some(line) = said.line() {
            let Some(word) = heard(&line) else { continue };
            last_word = Instant::now();
            done |= matches!(word, Said::End { .. });
            hear(word);
        }
        while let Some(line) = complained.line() {
            if complaint.len() < MOST_COMPLAINT {
                complaint.push_str(&line);
            }
        }
        match status {
            Ok(Some(_)) if done => return End::Done,
            Ok(Some(status)) => return End::Died(died(status, &complaint)),
            Ok(None) => {}
            Err(error) => return End::Died(error.to_string()),
        }
        if cancelled() {
            return End::Cancelled;
        }
        if last_word.elapsed() > longest {
            return End::Died(format!(
                "it did not come to an end within {} s; an operation that takes so long needs --duration {} or more",
                longest.as_secs(),
                humantime::format_duration(longest * request.plan.forks)
            ));
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

fn died(status: ExitStatus, complaint: &str) -> String {
    let how = match (status.signal(), status.code()) {
        (Some(signal), _) => match Signal::try_from(signal) {
            Ok(name) => format!("the process was ended by {name}"),
            Err(_) => format!("the process was ended by signal {signal}"),
        },
        (None, Some(code)) => format!("the process ended with code {code} before it was done"),
        (None, None) => "the process ended before it was done".to_owned(),
    };
    let complaint = complaint.trim();
    if complaint.is_empty() { how } else { format!("{how}: {complaint}") }
}

/// What comes through a pipe, in lines.
struct Listener<R> {
    pipe: R,
    open: bool,
    heard: Vec<u8>,
}

impl<R: Read + AsFd> Listener<R> {
    fn new(pipe: R) -> Self {
        // A smaller pipe would make the worker wait, one that blocks the coordinator; neither spoils a result.
        let _ = fcntl(&pipe, FcntlArg::F_SETPIPE_SZ(PIPE_BYTES));
        let open = fcntl(&pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).is_ok();
        Self { pipe, open, heard: Vec::new() }
    }

    /// Takes what there is, without waiting.
    fn look(&mut self) {
        let mut room = [0; 1 << 16];
        while self.open {
            match self.pipe.read(&mut room) {
                Ok(0) => self.open = false,
                Ok(count) => self.heard.extend_from_slice(&room[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.open = false,
            }
        }
    }

    /// The next whole line.
    fn line(&mut self) -> Option<String> {
        let end = self.heard.iter().position(|byte| *byte == b'\n')?;
        let line: Vec<u8> = self.heard.drain(..=end).collect();
        Some(String::from_utf8_lossy(&line).into_owned())
    }
}
