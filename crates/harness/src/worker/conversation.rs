use std::process::ExitStatus;
use std::time::{Duration, Instant};

use super::failure::WorkerFailure;
use crate::os;
use crate::process::{ChildProcess, Events};
use crate::rest;

/// How often a waiting coordinator checks whether the run was stopped. Rare, since every check disturbs the worker.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How often it reads the output of a worker that writes while it measures: reading each line at once would take its CPU.
const LISTEN_EVERY: Duration = Duration::from_millis(25);

/// Takes in what a worker says.
pub trait Hear {
    /// Takes in one line of output, without its ending. Whether it was a message: whatever else a worker prints is no sign that it
    /// gets on.
    ///
    /// # Errors
    /// If it violates the protocol; the conversation ends.
    fn line(&mut self, line: &str) -> Result<bool, String>;

    /// Whether the worker has said everything.
    fn is_complete(&self) -> bool;

    /// What becomes readable when something other than output needs attention.
    fn events(&self) -> Option<Events<'_>> {
        None
    }

    /// It is readable; all output written before has been taken in.
    fn event(&mut self) {}

    /// What the hearer itself has cost the worker so far: its limit is later by that.
    fn delay(&self) -> Duration {
        Duration::ZERO
    }
}

/// What a worker has time for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Everything, from its start to its end.
    Whole(Duration),
    /// Each message, of a worker that writes them while it measures.
    Each(Duration),
}

/// How a worker is started, how long it may take, and who may stop it.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// How long.
    pub limit: Limit,
    /// Bytes in the worker's environment that serve no other purpose: they move its stack.
    pub padding: u32,
    /// Whether the user stops the run; asked often.
    pub cancelled: &'a dyn Fn() -> bool,
}

/// Hands what `process` writes to `hearer`, until it has ended.
///
/// # Errors
/// Whatever prevented a complete answer. What was heard before stays with `hearer`.
pub fn attend(
    process: &mut ChildProcess,
    hearer: &mut (impl Hear + ?Sized),
    terms: Terms<'_>,
) -> Result<(), WorkerFailure> {
    let mut since = Instant::now();
    loop {
        let has_event = match terms.limit {
            Limit::Whole(_) => process.wait(LOOK_EVERY, hearer.events()),
            Limit::Each(_) => {
                rest(LISTEN_EVERY);
                false
            }
        };
        let status = process.look().map_err(|error| WorkerFailure::ProtocolError(error.to_string()))?;
        while let Some(line) = process.line() {
            let is_message = hearer.line(&line).map_err(WorkerFailure::ProtocolError)?;
            if let (true, Limit::Each(_)) = (is_message, terms.limit) {
                since = Instant::now();
            }
        }
        if has_event {
            hearer.event();
        }
        if let Some(status) = status {
            return ended(process, status, hearer.is_complete());
        }
        if process.is_overfull() {
            return Err(WorkerFailure::ProtocolError("it is longer than 16 MiB".to_owned()));
        }
        if (terms.cancelled)() {
            return Err(WorkerFailure::Cancelled);
        }
        let (Limit::Whole(limit) | Limit::Each(limit)) = terms.limit;
        if since.elapsed() > limit + hearer.delay() {
            return Err(WorkerFailure::TimedOut { limit, complaint: process.complaint() });
        }
    }
}

/// How a worker that exited did.
fn ended(process: &mut ChildProcess, status: ExitStatus, is_complete: bool) -> Result<(), WorkerFailure> {
    let complaint = process.complaint();
    match os::signal_of(status) {
        Some(signal) => Err(WorkerFailure::Killed { signal, complaint }),
        None if !status.success() => Err(WorkerFailure::Ended { code: status.code(), complaint }),
        // What C's stdio holds back until the process exits comes behind a whole answer, often without a line ending.
        None if is_complete => Ok(()),
        None if !process.rest().trim().is_empty() => {
            Err(WorkerFailure::ProtocolError("it ends in the middle of a line".to_owned()))
        }
        None => Err(WorkerFailure::Ended { code: status.code(), complaint }),
    }
}
