use std::ffi::OsStr;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::ARGUMENT;
use super::failure::{Kind, WorkerFailure};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// How often a waiting coordinator looks whether the run was stopped. Rare, since every look disturbs the worker.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// What a worker may take beyond its budget, for being started, for its pilots and for its answer.
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
        Err(WorkerFailure::new(Kind::NotStarted(
            "the program's own file cannot be found again: /proc is not mounted".to_owned(),
        )))
    }

    /// The file that workers run.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Has a new process do what `request` asks, which may take `budget_ms`, and waits for the answer while `cancelled` says
    /// no.
    ///
    /// # Errors
    /// Whatever kept the answer away. No process is left behind.
    pub fn call<A: DeserializeOwned>(
        &self,
        request: &impl Serialize,
        budget_ms: u64,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<A, WorkerFailure> {
        let not_started = |error: std::io::Error| WorkerFailure::new(Kind::NotStarted(error.to_string()));
        if cancelled() {
            return Err(WorkerFailure::new(Kind::Cancelled));
        }
        let text = serde_json::to_string(request).map_err(|error| not_started(error.into()))?;
        let mut child = Command::new(&self.program)
            .arg(ARGUMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C is for the coordinator, which then ends the worker and keeps what was measured.
            .process_group(0)
            .spawn()
            .map_err(not_started)?;
        let limit_ms = budget_ms.saturating_mul(2).saturating_add(GRACE_MS);
        let answer = exchange(&mut child, text, limit_ms, cancelled);
        if answer.is_err() {
            let _ = child.kill();
        }
        let status = child.wait();
        let (said, complaint) = answer.map_err(WorkerFailure::new)?;
        let status = status.map_err(|error| WorkerFailure::new(Kind::Garbled(error.to_string())))?;
        if let Some(signal) = status.signal() {
            return Err(WorkerFailure::new(Kind::Killed(signal)));
        }
        if !status.success() || said.is_empty() {
            return Err(WorkerFailure::new(Kind::Ended(status.code(), complaint.trim().to_owned())));
        }
        serde_json::from_str(&said).map_err(|error| WorkerFailure::new(Kind::Garbled(error.to_string())))
    }
}

/// Hands the request over and collects what the child writes to its standard output and error.
fn exchange(
    child: &mut Child,
    request: String,
    limit_ms: u64,
    cancelled: &dyn Fn() -> bool,
) -> Result<(String, String), Kind> {
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(Kind::NotStarted("its pipes are missing".to_owned()));
    };
    // A child that dies at once breaks the pipe; its status tells more than this error would.
    let _ = stdin.write_all(request.as_bytes());
    drop(stdin);
    let (sender, receiver) = channel();
    let complain = sender.clone();
    let read = |mut pipe: Box<dyn Read + Send>, sender: std::sync::mpsc::Sender<(bool, String)>, is_answer| {
        thread::Builder::new().spawn(move || {
            let mut text = Vec::new();
            let _ = pipe.read_to_end(&mut text);
            let _ = sender.send((is_answer, String::from_utf8_lossy(&text).into_owned()));
        })
    };
    let no_thread = |error: std::io::Error| Kind::NotStarted(format!("no thread to listen to it: {error}"));
    read(Box::new(stdout), sender, true).map_err(no_thread)?;
    read(Box::new(stderr), complain, false).map_err(no_thread)?;
    let (mut answer, mut complaint) = (None, None);
    let mut waited = Duration::ZERO;
    while answer.is_none() || complaint.is_none() {
        match receiver.recv_timeout(LOOK_EVERY) {
            Ok((true, text)) => answer = Some(text),
            Ok((false, text)) => complaint = Some(text),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                waited += LOOK_EVERY;
                if cancelled() {
                    return Err(Kind::Cancelled);
                }
                if waited.as_millis() > u128::from(limit_ms) {
                    return Err(Kind::TimedOut { limit_ms });
                }
            }
        }
    }
    Ok((answer.unwrap_or_default(), complaint.unwrap_or_default()))
}
