use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::ChildProcess;

/// How often a command that is silent is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A command that has ended.
pub struct Ended {
    /// How.
    pub status: ExitStatus,
    /// Its standard output.
    pub output: String,
    /// The telling end of its standard error, in one line.
    pub complaint: String,
}

/// Why a command did not come to its end.
#[derive(Debug)]
pub enum NotEnded {
    /// It could not be started, or not be followed.
    Error(std::io::Error),
    /// It took longer than allowed, and was killed.
    TimedOut,
    /// It was no longer wanted, and was killed.
    Cancelled,
}

/// Runs `command` to its end, without input. It is killed, with everything it started, after `limit`, if there is one, or once it
/// is `cancelled`.
///
/// # Errors
/// If it did not come to its end; how it ended is no error.
pub fn run_to_end(
    command: &mut Command,
    limit: Option<Duration>,
    cancelled: &dyn Fn() -> bool,
) -> Result<Ended, NotEnded> {
    let mut process = ChildProcess::start(command.stdin(Stdio::null())).map_err(NotEnded::Error)?;
    let began = Instant::now();
    loop {
        process.wait(LOOK_EVERY, None);
        if let Some(status) = process.look().map_err(NotEnded::Error)? {
            let (output, complaint) = (process.rest(), process.complaint());
            return Ok(Ended { status, output, complaint });
        }
        if process.is_overfull() {
            return Err(NotEnded::Error(std::io::Error::other("it prints without end")));
        }
        if cancelled() {
            return Err(NotEnded::Cancelled);
        }
        if limit.is_some_and(|limit| began.elapsed() > limit) {
            return Err(NotEnded::TimedOut);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Option<Duration>, cancelled: bool) -> Result<Ended, NotEnded> {
        run_to_end(Command::new("sh").args(["-c", script]), limit, &|| cancelled)
    }

    #[test]
    fn what_it_says_and_how_it_ends_are_told() {
        let ended = shell("echo one; echo two; echo three >&2; exit 4", None, false).unwrap();
        assert_eq!((ended.output.as_str(), ended.complaint.as_str()), ("one\ntwo\n", "three"));
        assert_eq!(ended.status.code(), Some(4));
    }

    #[test]
    fn what_does_not_end_is_ended() {
        assert!(matches!(shell("sleep 1000", Some(Duration::from_millis(1)), false), Err(NotEnded::TimedOut)));
        assert!(matches!(shell("sleep 1000", None, true), Err(NotEnded::Cancelled)));
        assert!(matches!(shell("yes", None, false), Err(NotEnded::Error(_))));
        let missing = run_to_end(&mut Command::new("/no/such/program"), None, &|| false);
        assert!(matches!(missing, Err(NotEnded::Error(error)) if error.kind() == std::io::ErrorKind::NotFound));
    }
}
