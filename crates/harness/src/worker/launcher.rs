use std::ffi::OsStr;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::ARGUMENT;
use super::failure::WorkerFailure;

/// How often a waiting coordinator looks whether the run was stopped. Rare, since every look disturbs the worker.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// What a worker may take beyond its budget, for being started, for its pilots and for its answer.
const GRACE_MS: u64 = 3000;
/// An answer that is longer is not read, in bytes.
const MOST_ANSWER: u64 = 256 << 20;
/// No more than this of what a worker complains about is kept, in bytes.
const MOST_COMPLAINT: u64 = 4096;

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
    /// Workers are the running program, which must call [`serve_if_asked`](super::serve_if_asked).
    ///
    /// # Errors
    /// Where the program cannot be found again: without /proc, and with no path in the arguments or from the kernel.
    pub fn this_program() -> Result<Self, WorkerFailure> {
        // The link names the very file that runs, also when it has been replaced on disk.
        let itself = Path::new("/proc/self/exe");
        if itself.exists() {
            return Ok(Self { program: itself.to_owned() });
        }
        // As it was started, relative to the working directory of then; empty where the kernel does not say.
        let program = PathBuf::from(OsStr::from_bytes(rustix::param::linux_execfn().to_bytes()));
        if program.exists() {
            return Ok(Self { program });
        }
        Err(WorkerFailure::NotStarted("the program's own file cannot be found again: /proc is not mounted".to_owned()))
    }

    /// The file that workers run.
    pub fn program(&self) -> &Path {
        &self.program
    }
}

/// Has a request answered, both of them text.
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
    /// Has `request` answered, which may take `budget_ms`, and waits for the answer while `cancelled` says no.
    ///
    /// # Errors
    /// Whatever kept the answer away.
    fn call(&self, request: &str, budget_ms: u64, cancelled: &dyn Fn() -> bool) -> Result<String, WorkerFailure>;
}

/// A new process answers.
///
/// # Guarantees
/// A worker that gave no answer is ended with all that it started.
impl Launch for Launcher {
    fn call(&self, request: &str, budget_ms: u64, cancelled: &dyn Fn() -> bool) -> Result<String, WorkerFailure> {
        if cancelled() {
            return Err(WorkerFailure::Cancelled);
        }
        let mut child = Command::new(&self.program)
            .arg(ARGUMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C is for the coordinator, which then ends the worker and keeps what was measured.
            .process_group(0)
            .spawn()
            .map_err(|error| WorkerFailure::NotStarted(error.to_string()))?;
        let limit_ms = budget_ms.saturating_mul(2).saturating_add(GRACE_MS);
        let answer = exchange(&mut child, request, limit_ms, cancelled);
        if answer.is_err() {
            // With whatever it started, which is of its group.
            let _ = killpg(Pid::from_raw(child.id() as i32), Signal::SIGKILL);
        }
        let status = child.wait();
        let (said, complaint) = answer?;
        let status = status.map_err(|error| WorkerFailure::Garbled(error.to_string()))?;
        if let Some(signal) = status.signal() {
            return Err(WorkerFailure::Killed(signal));
        }
        if !status.success() || said.is_empty() {
            return Err(WorkerFailure::Ended { code: status.code(), complaint: complaint.trim().to_owned() });
        }
        Ok(said)
    }
}

/// Hands the request over and collects what the child writes to its standard output and error.
fn exchange(
    child: &mut Child,
    request: &str,
    limit_ms: u64,
    cancelled: &dyn Fn() -> bool,
) -> Result<(String, String), WorkerFailure> {
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(WorkerFailure::NotStarted("its pipes are missing".to_owned()));
    };
    let request = request.to_owned();
    let (sender, receiver) = channel();
    let complain = sender.clone();
    // Each pipe has a thread: a child may read late and write in any order.
    let attend = |what: Box<dyn FnOnce() + Send>| {
        let thread = thread::Builder::new().spawn(what);
        thread.map(drop).map_err(|error| WorkerFailure::NotStarted(format!("no thread to listen to it: {error}")))
    };
    attend(Box::new(move || {
        // A child that dies at once breaks the pipe; its status tells more than this error would.
        let _ = stdin.write_all(request.as_bytes());
    }))?;
    attend(Box::new(move || drop(sender.send((true, head(&mut { stdout }, MOST_ANSWER + 1))))))?;
    attend(Box::new(move || {
        let mut stderr = stderr;
        let _ = complain.send((false, head(&mut stderr, MOST_COMPLAINT)));
        // A child that goes on complaining need not wait for anyone to listen.
        let _ = std::io::copy(&mut stderr, &mut std::io::sink());
    }))?;
    let (mut answer, mut complaint) = (None, None);
    let mut waited = Duration::ZERO;
    while answer.is_none() || complaint.is_none() {
        match receiver.recv_timeout(LOOK_EVERY) {
            Ok((true, text)) if text.len() as u64 > MOST_ANSWER => {
                return Err(WorkerFailure::Garbled(format!("it is longer than {} MiB", MOST_ANSWER >> 20)));
            }
            Ok((true, text)) => answer = Some(text),
            Ok((false, text)) => complaint = Some(text),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                waited += LOOK_EVERY;
                if cancelled() {
                    return Err(WorkerFailure::Cancelled);
                }
                if waited.as_millis() > u128::from(limit_ms) {
                    return Err(WorkerFailure::TimedOut { limit_ms });
                }
            }
        }
    }
    let text = |bytes: Option<Vec<u8>>| String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
    Ok((text(answer), text(complaint)))
}

/// What comes through `pipe` until its end, but no more than `most` bytes.
fn head(pipe: &mut impl Read, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = pipe.take(most).read_to_end(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests;
