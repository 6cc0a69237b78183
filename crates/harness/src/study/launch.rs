//! Starts worker processes of a study and receives their messages.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::protocol::{Message, PADDING, Request, VARIABLE, parse};
use crate::process::ChildProcess;
use crate::quantity::length;
use crate::worker::Launcher;

/// How often the coordinator reads a worker's output: rarely, since every read disturbs it.
const LOOK_EVERY: Duration = Duration::from_millis(25);
/// A visit longer than this, and than twice the run's whole time, is considered hung.
const LONGEST_VISIT: Duration = Duration::from_secs(10);

/// How a worker process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It completed everything.
    Done,
    /// The user stopped the run.
    Cancelled,
    /// It died or was killed, for this reason.
    Died(String),
}

/// Runs one worker process to its end; `hear` receives every message.
///
/// # Errors
/// Why no process could be started.
pub(super) fn run(
    launcher: &Launcher,
    request: &Request,
    padding: u32,
    cancelled: &dyn Fn() -> bool,
    hear: &mut dyn FnMut(Message),
) -> Result<End, String> {
    let text = serde_json::to_string(request).map_err(|error| error.to_string())?;
    let mut command = Command::new(launcher.program());
    command
        .args(std::env::args_os().skip(1))
        .env(VARIABLE, text)
        .env(PADDING, "x".repeat(padding as usize))
        .stdin(Stdio::null());
    let mut process =
        ChildProcess::start(&mut command).map_err(|error| format!("could not start a worker process: {error}"))?;
    Ok(attend(&mut process, request, cancelled, hear))
}

fn attend(
    process: &mut ChildProcess,
    request: &Request,
    cancelled: &dyn Fn() -> bool,
    hear: &mut dyn FnMut(Message),
) -> End {
    let longest = LONGEST_VISIT.max(Duration::from_millis(request.plan.budget_ms.saturating_mul(2)));
    let mut last_word = Instant::now();
    let mut done = false;
    loop {
        let status = process.look();
        while let Some(line) = process.line() {
            let Some(word) = parse(&line) else { continue };
            last_word = Instant::now();
            done |= matches!(word, Message::End { .. });
            hear(word);
        }
        match status {
            Ok(Some(_)) if done => return End::Done,
            Ok(Some(status)) => return End::Died(process.death(status)),
            Ok(None) => {}
            Err(error) => return End::Died(error.to_string()),
        }
        if cancelled() {
            return End::Cancelled;
        }
        if last_word.elapsed() > longest {
            return End::Died(format!(
                "timed out after {}: it hangs, or one operation takes longer and needs --duration {}s or more",
                length(longest),
                longest.as_secs_f64().ceil()
            ));
        }
        std::thread::sleep(LOOK_EVERY);
    }
}
