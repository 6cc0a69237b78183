//! Processes that are heard line by line, and ended with all that they started.

use std::io::{ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// Room for what a process says between two looks, in bytes.
const PIPE_BYTES: i32 = 1 << 20;
/// No more than this of what a process complains about is kept, in bytes.
const MOST_COMPLAINT: usize = 4096;
/// A line that is longer is not waited for, in bytes.
const LONGEST_LINE: usize = 1 << 26;

/// A process whose standard output and error are heard. It ends with this value, and with it all that it started.
pub struct Heard {
    child: Child,
    said: Listener<ChildStdout>,
    complained: Listener<ChildStderr>,
    complaint: String,
}

impl Heard {
    /// Starts `command` in a process group of its own: Ctrl-C is for the coordinator; and whatever it starts can be ended
    /// with it.
    pub fn start(command: &mut Command) -> std::io::Result<Self> {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn()?;
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            let _ = child.kill();
            let _ = child.wait();
            return Err(std::io::Error::other("its pipes are missing"));
        };
        let (said, complained) = (Listener::new(stdout), Listener::new(stderr));
        Ok(Self { child, said, complained, complaint: String::new() })
    }

    /// Takes what it said until now, without waiting. None while it runs; its status once it ended. What it said last can
    /// be had by [`line`](Self::line) after that.
    pub fn look(&mut self) -> std::io::Result<Option<ExitStatus>> {
        // First the status: after it ended, what it said last is still in the pipe.
        let status = self.child.try_wait()?;
        self.said.look();
        self.complained.look();
        while let Some(line) = self.complained.line() {
            self.complain(&line);
        }
        if status.is_some() {
            let rest = self.complained.rest();
            self.complain(&rest);
        }
        Ok(status)
    }

    /// The next whole line that it said, without its end.
    pub fn line(&mut self) -> Option<String> {
        self.said.line()
    }

    /// What it said behind its last whole line.
    pub fn rest(&mut self) -> String {
        self.said.rest()
    }

    /// Its standard output, to be waited for.
    pub fn output(&self) -> BorrowedFd<'_> {
        self.said.pipe.as_fd()
    }

    /// How it ended, in words, with what it complained about.
    pub fn death(&self, status: ExitStatus) -> String {
        let how = match (status.signal(), status.code()) {
            (Some(signal), _) => match Signal::try_from(signal) {
                Ok(name) => format!("the process was ended by {name}"),
                Err(_) => format!("the process was ended by signal {signal}"),
            },
            (None, Some(code)) => format!("the process ended with code {code} before it was done"),
            (None, None) => "the process ended before it was done".to_owned(),
        };
        let complaint = self.complaint();
        if complaint.is_empty() { how } else { format!("{how}: {complaint}") }
    }

    /// What it complained about until now.
    pub fn complaint(&self) -> &str {
        self.complaint.trim()
    }

    fn complain(&mut self, line: &str) {
        if self.complaint.len() < MOST_COMPLAINT && !line.is_empty() {
            self.complaint.push_str(line);
            self.complaint.push('\n');
        }
    }
}

impl Drop for Heard {
    fn drop(&mut self) {
        // Whatever it left running, too. Without such a group there is nothing to end.
        let _ = killpg(Pid::from_raw(self.child.id() as i32), Signal::SIGKILL);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What comes through a pipe, in lines.
struct Listener<R> {
    pipe: R,
    open: bool,
    heard: Vec<u8>,
    /// Up to here there is no end of a line.
    searched: usize,
}

impl<R: Read + AsFd> Listener<R> {
    fn new(pipe: R) -> Self {
        // A smaller pipe would make the process wait, one that blocks the coordinator; neither spoils a result.
        let _ = fcntl(&pipe, FcntlArg::F_SETPIPE_SZ(PIPE_BYTES));
        let open = fcntl(&pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).is_ok();
        Self { pipe, open, heard: Vec::new(), searched: 0 }
    }

    /// Takes what there is, without waiting.
    fn look(&mut self) {
        let mut room = [0; 1 << 16];
        while self.open {
            match self.pipe.read(&mut room) {
                Ok(0) => self.open = false,
                Ok(count) => self.heard.extend_from_slice(&room[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.open = false,
            }
            self.open &= self.heard.len() <= LONGEST_LINE;
        }
    }

    /// The next whole line, without its end.
    fn line(&mut self) -> Option<String> {
        let end = self.heard[self.searched..].iter().position(|byte| *byte == b'\n');
        let Some(end) = end.map(|end| self.searched + end) else {
            self.searched = self.heard.len();
            return None;
        };
        let line: Vec<u8> = self.heard.drain(..=end).collect();
        self.searched = 0;
        Some(String::from_utf8_lossy(&line[..end]).into_owned())
    }

    /// What stands behind the last whole line.
    fn rest(&mut self) -> String {
        self.searched = 0;
        String::from_utf8_lossy(&std::mem::take(&mut self.heard)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn ended(heard: &mut Heard) -> ExitStatus {
        loop {
            if let Some(status) = heard.look().unwrap() {
                return status;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn shell(script: &str) -> Heard {
        Heard::start(Command::new("sh").args(["-c", script]).stdin(Stdio::null())).unwrap()
    }

    #[test]
    fn lines_and_complaints_are_kept_apart() {
        let mut heard = shell("echo one; echo two >&2; printf three; exit 4");
        let status = ended(&mut heard);
        assert_eq!((heard.line().as_deref(), heard.line()), (Some("one"), None));
        assert_eq!((heard.rest().as_str(), heard.complaint()), ("three", "two"));
        assert_eq!(heard.death(status), "the process ended with code 4 before it was done: two");
    }

    #[test]
    fn what_it_started_ends_with_it() {
        let mut heard = shell("sleep 1000 & echo $!; wait");
        let child = loop {
            heard.look().unwrap();
            if let Some(line) = heard.line() {
                break Pid::from_raw(line.parse().unwrap());
            }
        };
        drop(heard);
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
        let mut heard = shell("kill -SEGV $$");
        let status = ended(&mut heard);
        assert_eq!(heard.death(status), "the process was ended by SIGSEGV");
    }
}
