//! Child processes whose output is read as it arrives; each ends together with everything it started.

mod complaint;
mod run_to_end;

pub use complaint::telling;
pub use run_to_end::{Ended, NotEnded, run_to_end};

use std::io::ErrorKind;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use crate::os::{self, Group, Pipe};

/// Stop reading standard output while this much is still unconsumed, in bytes.
const MOST_OUTPUT: usize = 16 << 20;
/// No more than this of standard error is kept, in bytes: its end.
const MOST_COMPLAINT: usize = 4096;

/// What becomes readable when something other than output needs attention: a descriptor. On Windows a handle, and there is none.
pub type Events<'a> = os::Events<'a>;

/// A process whose standard output and error are read. Dropping the value kills the process and everything it started.
pub struct ChildProcess {
    group: Option<Group>,
    child: Child,
    stdout: Listener<ChildStdout>,
    stderr: Listener<ChildStderr>,
}

impl ChildProcess {
    /// Starts `command` in its own process group: Ctrl-C reaches only the coordinator, and everything the process
    /// starts can be ended with it.
    pub fn start(command: &mut Command) -> std::io::Result<Self> {
        os::lead_group(command);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let pipes = child.stdout.take().zip(child.stderr.take());
        let pipes = pipes.ok_or_else(|| std::io::Error::other("its pipes are missing"));
        match Group::of(&child).and_then(|group| Ok((group, pipes?))) {
            Ok((group, (stdout, stderr))) => {
                let (stdout, stderr) = (Listener::new(stdout), Listener::new(stderr));
                Ok(Self { group: Some(group), child, stdout, stderr })
            }
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// Waits until there is output, the process has closed it, `events` is readable (which is returned), or `at_most` has
    /// passed.
    pub fn wait(&self, at_most: Duration, events: Option<Events<'_>>) -> bool {
        os::wait(&self.stdout.pipe, &self.child, at_most, events)
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
        self.stdout.bytes.len() - self.stdout.taken > MOST_OUTPUT
    }

    /// The telling end of what it has written to standard error, in one line.
    pub fn complaint(&self) -> String {
        telling(&String::from_utf8_lossy(&self.stderr.bytes))
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        // Whatever it left running ends too; first, while the process's number is still its own.
        drop(self.group.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `SIGSEGV`, or the signal's number if it has no name. On Windows the exception: `STATUS_ACCESS_VIOLATION`.
pub fn signal_name(signal: i32) -> String {
    os::signal_name(signal)
}

/// Data received through a pipe.
struct Listener<R> {
    pipe: Pipe<R>,
    open: bool,
    bytes: Vec<u8>,
    /// Everything before this index has been taken.
    taken: usize,
    /// No line ending between the two.
    searched: usize,
}

impl<R: os::Readable> Listener<R> {
    fn new(pipe: R) -> Self {
        let (pipe, open) = Pipe::new(pipe);
        Self { pipe, open, bytes: Vec::new(), taken: 0, searched: 0 }
    }

    /// Reads what there is, without waiting. Of more than `most` bytes the first are dropped if it is `spilling`, else the rest
    /// is left in the pipe.
    fn look(&mut self, most: usize, spilling: bool) {
        let mut room = [0; 1 << 16];
        // Once here, not for each line: what is taken may be a small part of much.
        self.bytes.drain(..self.taken);
        self.searched -= self.taken;
        self.taken = 0;
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
        let line = String::from_utf8_lossy(&self.bytes[self.taken..end]).into_owned();
        self.taken = end + 1;
        self.searched = self.taken;
        Some(line)
    }

    /// Everything left.
    fn rest(&mut self) -> String {
        let rest = String::from_utf8_lossy(&self.bytes[self.taken..]).into_owned();
        (self.bytes, self.taken, self.searched) = (Vec::new(), 0, 0);
        rest
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use nix::unistd::Pid;

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
        assert_eq!(status.code(), Some(4));
    }

    /// Each line once took as long as all that followed it.
    #[test]
    fn many_lines_are_taken_one_by_one() {
        let mut process = shell("seq 1 500000; printf end");
        let mut lines = 0_u32;
        let mut take = |process: &mut ChildProcess| {
            while let Some(line) = process.line() {
                lines += 1;
                assert_eq!(line, lines.to_string());
            }
        };
        while process.look().unwrap().is_none() {
            take(&mut process);
        }
        take(&mut process);
        assert_eq!((lines, process.rest().as_str()), (500_000, "end"));
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
        assert_eq!(signal_name(11), "SIGSEGV");
        assert_eq!(signal_name(99), "signal 99");
    }
}
