//! Child processes whose output is read as it comes, and which end with all that they started.

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

/// Room for what a process writes between two looks, in bytes.
const PIPE_BYTES: i32 = 1 << 20;
/// Standard output is read no further once so much of it waits to be taken, in bytes.
const MOST_OUTPUT: usize = 256 << 20;
/// No more than this of standard error is kept, in bytes.
const MOST_COMPLAINT: usize = 4096;

/// A process whose standard output and error are read. When the value is dropped, the process is killed with all that it
/// started.
pub struct ChildProcess {
    child: Child,
    stdout: Listener<ChildStdout>,
    stderr: Listener<ChildStderr>,
}

impl ChildProcess {
    /// Starts `command` in a process group of its own: Ctrl-C is for the coordinator, and whatever the process starts can be
    /// ended with it.
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

    /// Writes `text` to its standard input, if that is a pipe, and closes it, in a thread: a process may read late.
    pub fn send(&mut self, text: String) -> std::io::Result<()> {
        let Some(mut stdin) = self.child.stdin.take() else { return Ok(()) };
        // A process that dies at once breaks the pipe; its status tells more than this error would.
        thread::Builder::new().spawn(move || drop(stdin.write_all(text.as_bytes()))).map(drop)
    }

    /// Waits until there is output, or the process closed it, or `at_most` has passed.
    pub fn wait(&self, at_most: Duration) {
        let mut ready = [PollFd::new(self.output(), PollFlags::POLLIN)];
        let _ = poll(&mut ready, PollTimeout::try_from(at_most).unwrap_or(PollTimeout::ZERO));
        if ready[0].revents().is_some_and(|events| !events.is_empty() && !events.contains(PollFlags::POLLIN)) {
            // It closed its output and has yet to end.
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Reads what it has written, without waiting. None while it runs; its status once it ended. What it wrote last can be
    /// had by [`line`](Self::line) and [`rest`](Self::rest) after that.
    pub fn look(&mut self) -> std::io::Result<Option<ExitStatus>> {
        // First the status: after it ended, what it wrote last is still in the pipe.
        let status = self.child.try_wait()?;
        self.stdout.look(MOST_OUTPUT, false);
        self.stderr.look(MOST_COMPLAINT, true);
        Ok(status)
    }

    /// The next whole line of its output, without its end.
    pub fn line(&mut self) -> Option<String> {
        self.stdout.line()
    }

    /// Its output behind the last whole line that was taken.
    pub fn rest(&mut self) -> String {
        self.stdout.rest()
    }

    /// Whether so much output waits to be taken that no more is read.
    pub fn is_overfull(&self) -> bool {
        self.stdout.bytes.len() > MOST_OUTPUT
    }

    /// Its standard output, to be waited for.
    pub fn output(&self) -> BorrowedFd<'_> {
        self.stdout.pipe.as_fd()
    }

    /// How it ended, in words, with what it wrote to standard error.
    pub fn death(&self, status: ExitStatus) -> String {
        let how = match (status.signal(), status.code()) {
            (Some(signal), _) => format!("the process was killed by {}", signal_name(signal)),
            (None, Some(code)) => format!("the process exited early with code {code}"),
            (None, None) => "the process exited early".to_owned(),
        };
        let complaint = self.complaint();
        if complaint.is_empty() { how } else { format!("{how}: {complaint}") }
    }

    /// The beginning of what it has written to standard error.
    pub fn complaint(&self) -> String {
        String::from_utf8_lossy(&self.stderr.bytes).trim().to_owned()
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        // Whatever it left running, too. Without such a group there is nothing to end.
        let _ = killpg(Pid::from_raw(self.child.id() as i32), Signal::SIGKILL);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `SIGSEGV`, or the number of a signal without a name.
pub fn signal_name(signal: i32) -> String {
    Signal::try_from(signal).map_or_else(|_| format!("signal {signal}"), |name| name.to_string())
}

/// What has come through a pipe.
struct Listener<R> {
    pipe: R,
    open: bool,
    bytes: Vec<u8>,
    /// Up to here there is no end of a line.
    searched: usize,
}

impl<R: Read + AsFd> Listener<R> {
    fn new(pipe: R) -> Self {
        // A smaller pipe would make the process wait, one that blocks the coordinator; neither spoils a result.
        let _ = fcntl(&pipe, FcntlArg::F_SETPIPE_SZ(PIPE_BYTES));
        let open = fcntl(&pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).is_ok();
        Self { pipe, open, bytes: Vec::new(), searched: 0 }
    }

    /// Reads what there is, without waiting. What exceeds `most` bytes is dropped if it is `spilling`, else left in the pipe.
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
                self.bytes.truncate(most);
            }
        }
    }

    /// The next whole line, without its end.
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

    /// All that is left.
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
        // The group has got its signal; init takes a moment to bury it.
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
