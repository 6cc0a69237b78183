use std::io::{Write, stderr, stdout};
use std::process::ExitCode;

use serde::{Deserialize, Serialize};

use super::protocol::{COORDINATOR, Identity, VARIABLE, check, line};
use crate::os;

/// The task of a study's worker, which [`Study`](crate::Study) serves.
pub(crate) const STUDY: &str = "study";

/// What every request begins with.
#[derive(Deserialize)]
pub(crate) struct Head {
    protocol: u32,
    task: String,
    /// The study, if it is for one.
    pub(crate) study: Option<String>,
}

/// The messages that every worker has.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Frame {
    Identity(Identity),
    End,
}

/// If started as a worker for anything but a study, serves one request and tells the program to exit; otherwise does nothing.
///
/// A program that starts workers calls this first in `main`, before it reads a clock, starts a thread or parses its
/// arguments. `answer` maps the text of the request to that of a message.
///
/// # Examples
/// ```
/// // At the head of main:
/// if let Some(code) = chronoscope_harness::worker::serve_if_asked(|request| Ok(request.to_owned())) {
///     std::process::exit(if code == std::process::ExitCode::SUCCESS { 0 } else { 1 });
/// }
/// ```
pub fn serve_if_asked(answer: impl FnOnce(&str) -> Result<String, String>) -> Option<ExitCode> {
    let request = request()?;
    let head = serde_json::from_str::<Head>(&request);
    if head.as_ref().is_ok_and(|head| head.task == STUDY) {
        return None;
    }
    let is_served = serve(|| {
        check(head.map_err(|error| format!("cannot parse the request: {error}"))?.protocol)?;
        send(&answer(&request)?)?;
        say(&Frame::End)
    });
    Some(if is_served { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Whether this process was started as a worker.
pub fn is_worker() -> bool {
    request().is_some()
}

/// The text of this process's request. None if it is no worker.
pub(crate) fn request() -> Option<String> {
    let coordinator = std::env::var(COORDINATOR).ok()?;
    if coordinator != os::parent_id()?.to_string() {
        return None;
    }
    std::env::var_os(VARIABLE).map(|request| request.to_string_lossy().into_owned())
}

/// Answers the request of this process. False if that failed; the reason is on its standard error then.
pub(crate) fn serve(answer: impl FnOnce() -> Result<(), String>) -> bool {
    let served = say(&Frame::Identity(Identity::of_this_process())).and_then(|()| answer());
    if let Err(reason) = &served {
        // The coordinator puts this in the record.
        let _ = writeln!(stderr(), "{reason}");
    }
    served.is_ok()
}

/// Sends a message. A coordinator that listens rarely is not woken by it.
pub(crate) fn say(message: &impl Serialize) -> Result<(), String> {
    send(&serde_json::to_string(message).map_err(|error| error.to_string())?)
}

fn send(message: &str) -> Result<(), String> {
    let mut stdout = stdout().lock();
    let sent = stdout.write_all(line(message).as_bytes()).and_then(|()| stdout.flush());
    sent.map_err(|error| format!("cannot write the answer: {error}"))
}
