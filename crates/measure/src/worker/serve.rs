use std::io::{Read, Write};
use std::process::ExitCode;

use chronoscope_clock::os::{CounterAccess, set_counter_access};
use nix::sys::prctl;
use nix::sys::signal::Signal;

use super::ARGUMENT;
use crate::runtime::become_if_asked;
use crate::task::{Request, perform};

/// Serves one request and tells the program to exit, if it was started as a worker; becomes the probe of a language
/// runtime, if it was started for that; else does nothing.
///
/// A program that runs a [`Plan`](crate::plan::Plan) calls this first in `main`, before it reads a clock, starts a
/// thread or looks at its arguments.
///
/// # Examples
/// ```
/// // At the head of main:
/// if let Some(code) = chronoscope_measure::worker::serve_if_asked() {
///     std::process::exit(if code == std::process::ExitCode::SUCCESS { 0 } else { 1 });
/// }
/// ```
pub fn serve_if_asked() -> Option<ExitCode> {
    if let Some(reason) = become_if_asked(std::env::args_os().skip(1)) {
        let _ = writeln!(std::io::stderr(), "{reason}");
        return Some(ExitCode::FAILURE);
    }
    let asked = std::env::args_os().nth(1).is_some_and(|argument| argument == ARGUMENT);
    asked.then(|| match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            // The coordinator puts this into the record.
            let _ = writeln!(std::io::stderr(), "{reason}");
            ExitCode::FAILURE
        }
    })
}

fn serve() -> Result<(), String> {
    // Should the coordinator be killed, nobody would read the answer.
    let _ = prctl::set_pdeathsig(Signal::SIGKILL);
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| format!("the request could not be read: {error}"))?;
    let request: Request = serde_json::from_str(&text).map_err(|error| format!("the request is garbled: {error}"))?;
    if request.counter_faults {
        set_counter_access(CounterAccess::Faults).map_err(|unavailable| unavailable.to_string())?;
    }
    let answer = serde_json::to_string(&perform(&request)).map_err(|error| error.to_string())?;
    std::io::stdout().write_all(answer.as_bytes()).map_err(|error| format!("the answer could not be written: {error}"))
}
