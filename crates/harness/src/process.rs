//! Child processes whose output is read as it arrives; each ends together with everything it started.

mod complaint;

pub use complaint::telling;

use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// Buffer for output written between two reads, in bytes.
const PIPE_BYTES: i32 = 1 << 20;
/// Stop reading standard output while this much is still unconsumed, in bytes.
const MOST_OUTPUT: usize = 256 << 20;
/// No more than this of standard error is kept, in bytes: its end.
const MOST_COMPLAINT: usize = 4096;

/// A process whose standard output and error are read. Dropping the value kills the process and everything it started.
pub struct ChildProcess {
    child: Child,
    stdout: Listener<ChildStdout>,
    stderr: Listener<ChildStderr>,
}

impl ChildProcess {
    /// Starts `command` in its own process group: Ctrl-C reaches only the coordinator, and everything the process
    /// starts can be ended with it.
    pub fn start(command: &mut Command) -> std::io::Result<Self> {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn()?;
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            let _ = child.kill();
            let _ = child.wait();
            return Err(std::io::Error::other("its pipes are missing"));
        };
        let (stdout, stderr) = (Listener::new(stdout), Listener::new(stderr));
        Ok(Self { child, stdout, stderr })
    }

    /// Writes `text` to its standard input, if piped, then closes it, on a separate thread: a process may read late.
    pub fn send(&mut self, text: String) -> std::io::Result<()> {
        let Some(mut stdin) = self.child.stdin.take() else { return Ok(()) };
        // A process that dies at once breaks the pipe; its exit status is more informative than this error.
        thread::Builder::new().spawn(move || drop(stdin.write_all(text.as_bytes()))).map(drop)
    }

    /// Waits until there is output, the process has closed it, or `at_most` has passed.
    pub fn wait(&self, at_most: Duration) {
        let mut ready = [PollFd::new(self.output(), PollFlags::POLLIN)];
        let _ = poll(&mut ready, PollTimeout::try_from(at_most).unwrap_or(PollTimeout::ZERO));
        if ready[0].revents().is_some_and(|events| !events.is_empty() && !events.contains(PollFlags::POLLIN)) {
            // It has closed its output but not yet exited.
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Reads available output without waiting. Returns None while the process runs, its status once it has exited. Its
    /// last output remains available through [`line`](Self::line) and [`rest`](Self::rest).
    pub fn look(&mut self) -> std::io::Result<Option<ExitStatus>> {
        // Get the status first: after exit, the last output is still in the pipe.
        let status = self.child.try_wait()?;
        self.stdout.look(MOST_OUTPUT, false);
        self.stderr.look(MOST_COMPLAINT, true);
        Ok(status)
    }

    /// The next complete line of its output, without the line ending.
    pub fn line(&mut self) -> Option<String> {
        self.stdout.line()
    }

    /// Its output after the last complete line that was taken.
    pub fn rest(&mut self) -> String {
        self.stdout.rest()
    }

    /// Whether reading has stopped because too much output is unconsumed.
    pub fn is_overfull(&self) -> bool {
        self.stdout.bytes.len() > MOST_OUTPUT
    }

    /// Its standard output, for polling.
    pub fn output(&self) -> BorrowedFd<'_> {
        self.stdout.pipe.as_fd()
    }

    /// How it ended, in words, with its standard error.
    pub fn death(&self, status: ExitStatus) -> String {
        let how = match (status.signal(), status.code()) {
            (Some(signal), _) => format!("the process was killed by {}", signal_name(signal)),
            (None, Some(code)) => format!("the process exited early with code {code}"),
            (None, None) => "the process exited early".to_owned(),
        };
        let complaint = self.complaint();
        if complaint.is_empty() { how } else { format!("{how}: {complaint}") }
    }

    /// The telling end of what it has written to standard error, in one line.
    pub fn complaint(&self) -> String {
        telling(&String::from_utf8_lossy(&self.stderr.bytes))
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        // Also ends whatever it left running. An empty group needs nothing.
        let _ = killpg(Pid::from_raw(self.child.id() as i32), Signal::SIGKILL);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `SIGSEGV`, or the signal's number if it has no name.
pub fn signal_name(signal: i32) -> String {
    Signal::try_from(signal).map_or_else(|_| format!("signal {signal}"), |name| name.to_string())
}

/// Data received through a pipe.
struct Listener<R> {
    pipe: R,
    open: bool,
    bytes: Vec<u8>,
    /// No line ending before this index.
    searched: usize,
}

impl<R: Read + AsFd> Listener<R> {
    fn new(pipe: R) -> Self {
        // A smaller pipe makes the process wait, a blocking one the coordinator; neither affects a result.
        let _ = fcntl(&pipe, FcntlArg::F_SETPIPE_SZ(PIPE_BYTES));
        let open = fcntl(&pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).is_ok();
        Self { pipe, open, bytes: Vec::new(), searched: 0 }
    }

    /// Reads what there is, without waiting. Of more than `most` bytes the first are dropped if it is `spilling`, else the rest
    /// is left in the pipe.
    fn look(&mut self, most: usize, spilling: bool) {
        let mut room = [0; 1 << 16];
        while self.open && (spilling || self.bytes.len() <= most) {
            match self.pipe.read(&mut room) {
                Ok(0) => self.open = false,
                Ok(count) => self.bytes.extend_from_slice(&room[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.open = false,
            }
            if spilling {
                self.bytes.drain(..self.bytes.len().saturating_sub(most));
            }
        }
    }

    /// The next complete line, without its ending.
    fn line(&mut self) -> Option<String> {
        let end = self.bytes[self.searched..].iter().position(|byte| *byte == b'\n');
        let Some(end) = end.map(|end| self.searched + end) else {
            self.searched = self.bytes.len();
            return None;
        };
        let line: Vec<u8> = self.bytes.drain(..=end).collect();
        self.searched = 0;
        Some(String::from_utf8_lossy(&line[..end]).into_owned())
    }

    /// Everything left.
    fn rest(&mut self) -> String {
        self.searched = 0;
        String::from_utf8_lossy(&std::mem::take(&mut self.bytes)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(process: &mut ChildProcess) -> ExitStatus {
        loop {
            if let Some(status) = process.look().unwrap() {
                return status;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn shell(script: &str) -> ChildProcess {
        ChildProcess::start(Command::new("sh").args(["-c", script]).stdin(Stdio::null())).unwrap()
    }

    #[test]
    fn lines_and_complaints_are_kept_apart() {
        let mut process = shell("echo one; echo two >&2; printf three; exit 4");
        let status = ended(&mut process);
        assert_eq!((process.line().as_deref(), process.line()), (Some("one"), None));
        assert_eq!((process.rest().as_str(), process.complaint().as_str()), ("three", "two"));
        assert_eq!(process.death(status), "the process exited early with code 4: two");
    }

    #[test]
    fn what_it_started_ends_with_it() {
        let mut process = shell("sleep 1000 & echo $!; wait");
        let child = loop {
            process.look().unwrap();
            if let Some(line) = process.line() {
                break Pid::from_raw(line.parse().unwrap());
            }
        };
        drop(process);
        // The group has been signalled; init takes a moment to reap it.
        while nix::sys::signal::kill(child, None).is_ok() {
            let state = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
            if state.contains(") Z ") || state.is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn a_signal_is_named() {
        let mut process = shell("kill -SEGV $$");
        let status = ended(&mut process);
        assert_eq!(process.death(status), "the process was killed by SIGSEGV");
    }
}
