//! What Linux and macOS have in common.

use std::fs::{File, symlink_metadata};
use std::io::{Read, Result};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus};
use std::time::Duration;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::sys::utsname::uname;
use nix::unistd::Pid;

use super::System;
use crate::rest;

/// Between two looks at what does not say when it changes.
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

/// A descriptor that becomes readable when something other than output needs attention.
pub(crate) type Events<'a> = BorrowedFd<'a>;

pub(crate) fn parent_id() -> Option<u32> {
    Some(std::os::unix::process::parent_id())
}

pub(crate) fn system() -> Option<System> {
    let uts = uname().ok()?;
    let text = |part: &std::ffi::OsStr| part.to_string_lossy().into_owned();
    Some(System {
        name: text(uts.sysname()),
        release: text(uts.release()),
        architecture: text(uts.machine()),
        hostname: text(uts.nodename()),
    })
}

/// The signal that ended a process.
pub(crate) fn signal_of(status: ExitStatus) -> Option<i32> {
    status.signal()
}

pub(crate) fn signal_name(signal: i32) -> String {
    Signal::try_from(signal).map_or_else(|_| format!("signal {signal}"), |name| name.to_string())
}

/// Makes the process lead its own process group. On macOS it goes on if the coordinator is killed.
pub(crate) fn lead_group(command: &mut Command) {
    command.process_group(0);
}

/// A process and everything it started. Dropping the value kills them.
pub(crate) struct Group(Pid);

impl Group {
    pub(crate) fn of(child: &Child) -> Result<Self> {
        Ok(Self(Pid::from_raw(child.id().cast_signed())))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Also ends whatever it left running. An empty group needs nothing.
        let _ = killpg(self.0, Signal::SIGKILL);
    }
}

/// The end of a pipe that is read.
pub(crate) trait Readable: Read + AsFd {}

impl<R: Read + AsFd> Readable for R {}

/// A pipe that is read without waiting: a read fails with `WouldBlock` if there is nothing yet.
pub(crate) struct Pipe<R>(R);

impl<R: Readable> Pipe<R> {
    /// Whether it could be set up so; if not, it must not be read.
    pub(crate) fn new(pipe: R) -> (Self, bool) {
        super::imp::enlarge(&pipe);
        let is_set = fcntl(&pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).is_ok();
        (Self(pipe), is_set)
    }

    pub(crate) fn read(&mut self, room: &mut [u8]) -> Result<usize> {
        self.0.read(room)
    }
}

/// Waits until there is output, the process has closed it, `events` is readable (which is returned), or `at_most` has passed.
pub(crate) fn wait(output: &Pipe<ChildStdout>, _child: &Child, at_most: Duration, events: Option<Events<'_>>) -> bool {
    let mut ready = vec![PollFd::new(output.0.as_fd(), PollFlags::POLLIN)];
    ready.extend(events.map(|events| PollFd::new(events, PollFlags::POLLIN)));
    if poll(&mut ready, PollTimeout::try_from(at_most).unwrap_or(PollTimeout::ZERO)).is_err() {
        // A signal, or a sandbox that refuses it; then events are not seen, and output is looked for again and again.
        rest(at_most.min(BETWEEN_LOOKS));
    }
    let found = |at: usize| ready.get(at).and_then(PollFd::revents).unwrap_or(PollFlags::empty());
    let has_event = found(1).contains(PollFlags::POLLIN);
    if !has_event && !found(0).is_empty() && !found(0).contains(PollFlags::POLLIN) {
        // It has closed its output but not yet exited.
        rest(BETWEEN_LOOKS);
    }
    has_event
}

/// Opens a file for reading: no link is followed, and no pipe waited for.
pub(crate) fn open_as_it_is(path: &Path) -> Result<File> {
    File::options().read(true).custom_flags((OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits()).open(path)
}

/// Whether `file` is what `path` names.
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    let numbers = |file: std::fs::Metadata| (file.dev(), file.ino());
    let there = symlink_metadata(path).map(numbers);
    there.is_ok_and(|there| file.metadata().is_ok_and(|file| numbers(file) == there))
}

/// Whether `file` is a plain file under one name, and its owner that of `own`.
pub(crate) fn is_alone_and_of_owner(file: &File, own: &File) -> bool {
    let found = file.metadata().ok().zip(own.metadata().ok());
    found.is_some_and(|(file, own)| file.is_file() && file.nlink() == 1 && file.uid() == own.uid())
}
