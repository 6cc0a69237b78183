use std::io::{Read, Write};
use std::process::ExitCode;

use nix::sys::prctl;
use nix::sys::signal::Signal;

use super::ARGUMENT;

/// If started as a worker, serves one request and tells the program to exit; otherwise does nothing.
///
/// A program that starts workers calls this first in `main`, before it reads a clock, starts a thread or parses its
/// arguments. `answer` maps the text of the request to that of the answer.
///
/// # Examples
/// ```
/// // At the head of main:
/// if let Some(code) = chronoscope_harness::worker::serve_if_asked(|request| Ok(request.to_uppercase())) {
///     std::process::exit(if code == std::process::ExitCode::SUCCESS { 0 } else { 1 });
/// }
/// ```
pub fn serve_if_asked(answer: impl FnOnce(&str) -> Result<String, String>) -> Option<ExitCode> {
    let asked = std::env::args_os().nth(1).is_some_and(|argument| argument == ARGUMENT);
    asked.then(|| match serve(answer) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            // The coordinator puts this in the record.
            let _ = writeln!(std::io::stderr(), "{reason}");
            ExitCode::FAILURE
        }
    })
}

fn serve(answer: impl FnOnce(&str) -> Result<String, String>) -> Result<(), String> {
    // If the coordinator is killed, nobody reads the answer.
    let _ = prctl::set_pdeathsig(Signal::SIGKILL);
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| format!("cannot read the request: {error}"))?;
    let answer = answer(&text)?;
    std::io::stdout().write_all(answer.as_bytes()).map_err(|error| format!("cannot write the answer: {error}"))
}
