use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use chronoscope_harness::rest;

use super::report::ProgramReport;
use crate::plan::PlanError;
use crate::program_path;

/// Time for a program to end once it is asked to.
const GRACE: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(5);

/// Checks that the program of `command` is there.
///
/// # Errors
/// If it is not.
pub fn check(command: &[String]) -> Result<(), PlanError> {
    let Some(program) = command.first() else { return Ok(()) };
    found(program).map(drop).map_err(PlanError::new)
}

fn found(program: &str) -> Result<PathBuf, String> {
    let why = match program.contains(std::path::is_separator) {
        true => "there is no such program, or it may not be executed",
        false => "it is in no absolute directory of PATH, or may not be executed",
    };
    program_path::program(program).ok_or_else(|| not_started(program, why))
}

fn not_started(program: &str, why: &str) -> String {
    format!("could not start {program}: {why}; name an executable program")
}

/// A program of the user that runs while threads watch.
pub struct Program {
    child: Child,
}

impl Program {
    /// Starts it. Its output goes to standard error: standard output is the report's.
    ///
    /// # Errors
    /// Why it could not be started.
    pub fn start(command: &[String]) -> Result<Option<Self>, String> {
        let Some((program, arguments)) = command.split_first() else { return Ok(None) };
        let mut command = Command::new(found(program)?);
        // It does not outlive this program, even if that is killed.
        #[cfg(target_os = "linux")]
        chronoscope_sources::os::kill_with_parent(&mut command);
        let started = command.args(arguments).stdout(Stdio::from(std::io::stderr())).spawn();
        let child = started.map_err(|error| not_started(program, &error.to_string()))?;
        Ok(Some(Self { child }))
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits until it has ended, but not for longer.
    fn wait(&mut self, longest: Duration) {
        let until = Instant::now() + longest;
        while !self.has_ended() && Instant::now() < until {
            rest(LOOK);
        }
    }

    /// How it ended; asks it to, if it still runs, and kills it if it does not. `interrupted`: a terminal has told it to end already, and
    /// many programs take a second request as one to hurry.
    pub fn finish(self, interrupted: bool) -> ProgramReport {
        self.finish_within(GRACE, interrupted)
    }

    fn finish_within(mut self, grace: Duration, interrupted: bool) -> ProgramReport {
        if interrupted {
            self.wait(grace);
        }
        let stopped = !self.has_ended();
        if stopped {
            ask_to_end(&self.child);
            self.wait(grace);
        }
        let killed = !self.has_ended();
        if killed {
            let _ = self.child.kill();
        }
        let status = self.child.wait().ok();
        ProgramReport {
            exit_code: status.and_then(|status| status.code()),
            signal: status.and_then(signal_of),
            stopped,
            killed,
        }
    }
}

/// It makes no difference if it has ended meanwhile: it is not waited for yet, so its number is its own.
#[cfg(unix)]
fn ask_to_end(child: &Child) {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    let _ = kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGTERM);
}

/// Windows has no request that every program understands: it is waited for, then killed.
#[cfg(not(unix))]
fn ask_to_end(_child: &Child) {}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_status: ExitStatus) -> Option<i32> {
    None
}

/// As one would type it.
pub fn quoted(command: &[String]) -> String {
    let is_plain =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_./=:,+@%".contains(c));
    let quote = |word: &String| match is_plain(word) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    command.iter().map(quote).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(of: &[&str]) -> Vec<String> {
        of.iter().map(|word| (*word).to_owned()).collect()
    }

    fn started(of: &[&str]) -> Program {
        Program::start(&words(of)).unwrap().unwrap()
    }

    #[test]
    fn a_program_that_ends_by_itself_tells_its_exit_code() {
        let mut program = started(&["sh", "-c", "exit 3"]);
        while !program.has_ended() {
            rest(LOOK);
        }
        let found = program.finish(false);
        assert_eq!((found.exit_code, found.signal, found.stopped, found.killed), (Some(3), None, false, false));
    }

    #[test]
    fn a_program_that_still_runs_is_asked_to_end() {
        let found = started(&["sleep", "600"]).finish(false);
        assert_eq!((found.exit_code, found.signal, found.stopped, found.killed), (None, Some(15), true, false));
    }

    #[test]
    fn a_program_that_ends_at_an_interrupt_is_not_asked_again() {
        let found = started(&["sh", "-c", "sleep 0.05; exit 7"]).finish(true);
        assert_eq!((found.exit_code, found.stopped, found.killed), (Some(7), false, false));
    }

    #[test]
    fn a_program_that_does_not_end_is_killed() {
        let folder = tempfile::tempdir().unwrap();
        let ready = folder.path().join("ready");
        let script = format!("trap '' TERM; : > {}; while :; do sleep 1; done", ready.display());
        let program = started(&["sh", "-c", &script]);
        while !ready.exists() {
            rest(LOOK);
        }
        let found = program.finish_within(Duration::from_millis(20), false);
        assert_eq!((found.exit_code, found.signal, found.stopped, found.killed), (None, Some(9), true, true));
    }

    #[test]
    fn a_program_that_is_not_there_is_refused_with_its_name() {
        let refused = check(&words(&["/nonexistent/program"])).unwrap_err().to_string();
        assert!(refused.contains("/nonexistent/program"), "{refused}");
        assert_eq!(check(&[]), Ok(()));
        assert!(Program::start(&words(&["/nonexistent/program"])).is_err());
    }

    #[test]
    fn words_are_quoted_as_one_would_type_them() {
        assert_eq!(quoted(&words(&["make", "-j2", "a b", "it's", ""])), r"make -j2 'a b' 'it'\''s' ''");
    }
}
