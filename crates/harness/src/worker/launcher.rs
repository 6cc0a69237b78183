use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::ARGUMENT;
use super::failure::WorkerFailure;
use crate::process::ChildProcess;

/// How often a waiting coordinator checks whether the run was stopped. Rare, since every check disturbs the worker.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Time allowed beyond a worker's budget, for start-up, pilots and the answer.
const GRACE_MS: u64 = 3000;
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
}

impl Launcher {
    /// Uses the running program for workers; it must call [`serve_if_asked`](super::serve_if_asked).
    ///
    /// # Errors
    /// If the program's file cannot be found: without /proc, and with no path in the arguments or from the kernel.
    pub fn this_program() -> Result<Self, WorkerFailure> {
        // The link names the very file being executed, even if it has been replaced on disk.
        let itself = Path::new("/proc/self/exe");
        if itself.exists() {
            return Ok(Self { program: itself.to_owned() });
        }
        // The path used at start, relative to the working directory at the time; empty where the kernel does not
        // provide it.
        let program = PathBuf::from(OsStr::from_bytes(rustix::param::linux_execfn().to_bytes()));
        if program.exists() {
            return Ok(Self { program });
        }
        Err(WorkerFailure::NotStarted("cannot find the program's own file: /proc is not mounted".to_owned()))
    }

    /// The file that workers execute.
    pub fn program(&self) -> &Path {
        &self.program
    }
}

/// Gets a request answered; both are text.
///
/// # Examples
/// A stand-in for worker processes, in a test of what becomes of their answers:
/// ```
/// use chronoscope_harness::worker::{Launch, WorkerFailure};
///
/// struct Hangs;
///
/// impl Launch for Hangs {
///     fn call(&self, _: &str, budget_ms: u64, _: &dyn Fn() -> bool) -> Result<String, WorkerFailure> {
///         Err(WorkerFailure::TimedOut { limit_ms: budget_ms })
///     }
/// }
///
/// assert_eq!(Hangs.call("{}", 5, &|| false), Err(WorkerFailure::TimedOut { limit_ms: 5 }));
/// ```
pub trait Launch {
    /// Sends `request`, with a budget of `budget_ms`, and waits for the answer until `cancelled` returns true.
    ///
    /// # Errors
    /// Whatever prevented the answer.
    fn call(&self, request: &str, budget_ms: u64, cancelled: &dyn Fn() -> bool) -> Result<String, WorkerFailure>;
}

/// A new process answers.
///
/// # Guarantees
/// When this returns, the worker and everything it started have ended.
impl Launch for Launcher {
    fn call(&self, request: &str, budget_ms: u64, cancelled: &dyn Fn() -> bool) -> Result<String, WorkerFailure> {
        if cancelled() {
            return Err(WorkerFailure::Cancelled);
        }
        let mut command = Command::new(&self.program);
        // It leads its own process group: Ctrl-C reaches only the coordinator, which then ends the worker and keeps the
        // results.
        let mut worker = ChildProcess::start(command.arg(ARGUMENT).stdin(Stdio::piped()))
            .and_then(|mut worker| worker.send(request.to_owned()).map(|()| worker))
            .map_err(|error| WorkerFailure::NotStarted(error.to_string()))?;
        let limit_ms = budget_ms.saturating_mul(2).saturating_add(GRACE_MS);
        let began = Instant::now();
        let status = loop {
            worker.wait(LOOK_EVERY);
            match worker.look() {
                Ok(Some(status)) => break status,
                Ok(None) if cancelled() => return Err(WorkerFailure::Cancelled),
                Ok(None) if began.elapsed().as_millis() > u128::from(limit_ms) => {
                    return Err(WorkerFailure::TimedOut { limit_ms });
                }
                Ok(None) if !worker.is_overfull() => {}
                Ok(None) => return Err(WorkerFailure::ProtocolError("it is longer than 256 MiB".to_owned())),
                Err(error) => return Err(WorkerFailure::ProtocolError(error.to_string())),
            }
        };
        let answer = worker.rest();
        match status.signal() {
            Some(signal) => Err(WorkerFailure::Killed(signal)),
            None if status.success() && !answer.is_empty() => Ok(answer),
            None => Err(WorkerFailure::Ended { code: status.code(), complaint: worker.complaint() }),
        }
    }
}

#[cfg(test)]
mod tests;
