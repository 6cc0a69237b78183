//! Run under Wine, never on Windows.

use std::fs::File;
use std::io::{ErrorKind, Read, Result as IoResult};
use std::os::windows::io::{AsHandle, BorrowedHandle};
use std::os::windows::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus};
use std::time::{Duration, Instant};

use chronoscope_sources::os::host;

use super::System;
pub(crate) use super::not_linux::{clock_ticks_per_second, involuntary_switches, open_log, page_bytes, this_program};

/// The longest variable of a process's environment, in characters, of which each is a byte at least.
pub(crate) const LONGEST_VARIABLE: usize = 32_767 - 1;

/// How often a waiting coordinator looks for output: a pipe cannot be waited for together with a process.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// `CREATE_NEW_PROCESS_GROUP`: Ctrl-C reaches only the coordinator.
const NEW_PROCESS_GROUP: u32 = 0x200;

/// There is nothing but output to wait for: only Linux can hold system calls.
pub(crate) type Events<'a> = BorrowedHandle<'a>;

pub(crate) fn allowed_cpus() -> Result<Vec<u32>, String> {
    host::allowed_cpus().map_err(|error| format!("GetProcessAffinityMask failed: {error}"))
}

pub(crate) fn bind(cpus: &[u32]) -> Result<(), String> {
    host::bind(cpus).map_err(|error| {
        let cpus: Vec<String> = cpus.iter().map(u32::to_string).collect();
        format!("cannot bind to CPU {}: {error}", cpus.join(","))
    })
}

pub(crate) fn performance_counter_hz() -> Option<u64> {
    host::performance_frequency_hz()
}

pub(crate) fn parent_id() -> Option<u32> {
    host::parent_id()
}

pub(crate) fn system() -> Option<System> {
    Some(System {
        name: "Windows".to_owned(),
        release: host::version()?,
        architecture: std::env::consts::ARCH.to_owned(),
        hostname: std::env::var("COMPUTERNAME").unwrap_or_default(),
    })
}

/// The exception that ended a process: an exit code of the severity "error", as its number.
pub(crate) fn signal_of(status: ExitStatus) -> Option<i32> {
    status.code().filter(|code| code.cast_unsigned() >> 30 == 3)
}

/// # Sources
/// Microsoft, "NTSTATUS Values".
pub(crate) fn signal_name(signal: i32) -> String {
    let name = match signal.cast_unsigned() {
        0xC000_0005 => "STATUS_ACCESS_VIOLATION",
        0xC000_001D => "STATUS_ILLEGAL_INSTRUCTION",
        0xC000_0096 => "STATUS_PRIVILEGED_INSTRUCTION",
        0xC000_00FD => "STATUS_STACK_OVERFLOW",
        0xC000_0135 => "STATUS_DLL_NOT_FOUND",
        0xC000_013A => "STATUS_CONTROL_C_EXIT",
        0xC000_0409 => "STATUS_STACK_BUFFER_OVERRUN",
        other => return format!("exception {other:#010X}"),
    };
    name.to_owned()
}

pub(crate) fn lead_group(command: &mut Command) {
    command.creation_flags(NEW_PROCESS_GROUP);
}

/// A process and everything it started. Dropping the value kills them, and so does the end of the coordinator.
pub(crate) struct Group {
    _job: host::Job,
}

impl Group {
    pub(crate) fn of(child: &Child) -> IoResult<Self> {
        Ok(Self { _job: host::Job::of(child)? })
    }
}

/// The end of a pipe that is read.
pub(crate) trait Readable: Read + AsHandle {}

impl<R: Read + AsHandle> Readable for R {}

/// A pipe that is read without waiting: a read fails with `WouldBlock` if there is nothing yet.
pub(crate) struct Pipe<R>(R);

impl<R: Readable> Pipe<R> {
    /// Whether it could be set up so; if not, it must not be read.
    pub(crate) fn new(pipe: R) -> (Self, bool) {
        (Self(pipe), true)
    }

    pub(crate) fn read(&mut self, room: &mut [u8]) -> IoResult<usize> {
        match host::bytes_in(self.0.as_handle()) {
            Ok(0) => Err(ErrorKind::WouldBlock.into()),
            Ok(bytes) => {
                let most = room.len().min(bytes as usize);
                self.0.read(&mut room[..most])
            }
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(0),
            Err(error) => Err(error),
        }
    }
}

/// Waits until there is output, the process has ended, or `at_most` has passed. Never an event.
pub(crate) fn wait(output: &Pipe<ChildStdout>, child: &Child, at_most: Duration, _events: Option<Events<'_>>) -> bool {
    let until = Instant::now() + at_most;
    while host::bytes_in(output.0.as_handle()).is_ok_and(|bytes| bytes == 0) {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        if host::wait_for(child, left.min(LOOK_EVERY)) {
            return false;
        }
    }
    // A process that has closed its output has not ended yet.
    if host::bytes_in(output.0.as_handle()).is_err() {
        host::wait_for(child, at_most.min(LOOK_EVERY));
    }
    false
}

/// # Errors
/// Always: nothing tells whose a file is.
pub(crate) fn open_as_it_is(_path: &Path) -> IoResult<File> {
    Err(ErrorKind::Unsupported.into())
}

pub(crate) fn is_at(_file: &File, _path: &Path) -> bool {
    false
}

pub(crate) fn is_alone_and_of_owner(_file: &File, _own: &File) -> bool {
    false
}
