use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::conversation::{Hear, Terms, attend};
use super::failure::WorkerFailure;
use super::protocol::{COORDINATOR, VARIABLE};
use crate::os;
use crate::process::ChildProcess;

/// The longest request in bytes: systems limit one string of a process's environment.
const LONGEST_REQUEST: usize = os::LONGEST_VARIABLE - VARIABLE.len() - 1;
/// The environment variable used only for padding.
const PADDING: &str = "CHRONOSCOPE_PADDING";

/// Starts worker processes.
///
/// # Examples
/// ```
/// use chronoscope_harness::worker::Launcher;
///
/// let launcher = Launcher::this_program().unwrap();
/// assert!(!launcher.program().as_os_str().is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Launcher {
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl Launcher {
    /// Uses the running program for workers, without arguments; it must call [`serve_if_asked`](super::serve_if_asked).
    ///
    /// # Errors
    /// If the program's file cannot be found: on Linux without /proc, and with no path in the arguments or from the kernel.
    pub fn this_program() -> Result<Self, WorkerFailure> {
        os::this_program().map(Self::of).map_err(WorkerFailure::NotStarted)
    }

    /// Uses `program` for workers, without arguments.
    pub fn of(program: PathBuf) -> Self {
        Self { program, arguments: Vec::new() }
    }

    /// The same with the arguments of this process.
    #[must_use]
    pub fn restarting(&self) -> Self {
        Self { arguments: std::env::args_os().skip(1).collect(), ..self.clone() }
    }

    /// The file that workers execute.
    pub fn program(&self) -> &Path {
        &self.program
    }
}

/// Has a request answered by a worker.
///
/// # Examples
/// A stand-in for worker processes, in a test of what becomes of their answers:
/// ```
/// use std::time::Duration;
///
/// use chronoscope_harness::worker::{Hear, Launch, Limit, Terms, WorkerFailure};
///
/// struct Mumbles;
///
/// impl Launch for Mumbles {
///     fn converse(&self, _: &str, hearer: &mut dyn Hear, _: Terms<'_>) -> Result<(), WorkerFailure> {
///         hearer.line("hm").map(drop).map_err(WorkerFailure::ProtocolError)
///     }
/// }
///
/// struct Deaf;
///
/// impl Hear for Deaf {
///     fn line(&mut self, _: &str) -> Result<bool, String> {
///         Ok(false)
///     }
///
///     fn is_complete(&self) -> bool {
///         true
///     }
/// }
///
/// let terms = Terms { limit: Limit::Whole(Duration::from_secs(1)), padding: 0, cancelled: &|| false };
/// assert_eq!(Mumbles.converse("{}", &mut Deaf, terms), Ok(()));
/// ```
pub trait Launch {
    /// Sends `request`, a JSON text, and hands every line of the answer to `hearer` as it comes.
    ///
    /// # Errors
    /// Whatever prevented a complete answer.
    fn converse(&self, request: &str, hearer: &mut dyn Hear, terms: Terms<'_>) -> Result<(), WorkerFailure>;
}

/// A new process answers.
///
/// # Guarantees
/// When this returns, the worker and everything it started have ended.
impl Launch for Launcher {
    fn converse(&self, request: &str, hearer: &mut dyn Hear, terms: Terms<'_>) -> Result<(), WorkerFailure> {
        if (terms.cancelled)() {
            return Err(WorkerFailure::Cancelled);
        }
        if request.len() > LONGEST_REQUEST {
            let bytes = request.len();
            let reason = format!("the request takes {bytes} bytes of {LONGEST_REQUEST}: sweep fewer values at a time");
            return Err(WorkerFailure::NotStarted(reason));
        }
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .env(VARIABLE, request)
            .env(COORDINATOR, std::process::id().to_string())
            .env(PADDING, "x".repeat(terms.padding as usize))
            .stdin(Stdio::null());
        // It leads its own process group: Ctrl-C reaches only the coordinator, which then ends the worker and keeps the
        // results.
        let mut worker =
            ChildProcess::start(&mut command).map_err(|error| WorkerFailure::NotStarted(error.to_string()))?;
        attend(&mut worker, hearer, terms)
    }
}

#[cfg(test)]
mod tests;
