//! Holds the system calls of a probe that ask for the time, so that they can be counted.

use std::fmt::Display;
use std::os::fd::{AsFd, OwnedFd};
use std::process::Command;
use std::sync::mpsc::channel;
use std::thread;

use chronoscope_harness::process::{ChildProcess, Events};
use chronoscope_sources::SourceId;
use chronoscope_sources::calls::{self, Call};

/// Where calls are held.
pub struct Listener(OwnedFd);

impl Listener {
    /// Readable if a call is pending.
    pub fn events(&self) -> Events<'_> {
        self.0.as_fd()
    }

    /// The pending call, as a programmer writes it, which continues. None if its caller has died in the meantime.
    pub fn next(&self) -> Option<String> {
        let call = calls::next(self.0.as_fd()).ok()?;
        let _ = calls::release(self.0.as_fd(), &call);
        Some(named(&call))
    }
}

/// Starts `command`, whose calls are held, and has it attended.
///
/// # Errors
/// Why they cannot be held here; no process has then been started.
pub fn held<T>(
    mut command: Command,
    attend: impl FnOnce(&Listener, std::io::Result<ChildProcess>) -> T,
) -> Result<T, String> {
    thread::scope(|scope| {
        let (tell, told) = channel();
        let (keep, kept) = channel::<()>();
        // The filter applies to the thread that installs it, and to everything that thread starts.
        let starter = move || {
            let numbers: Vec<u32> = CALLS.iter().map(|(number, _)| *number as u32).collect();
            let held = calls::hold(&numbers);
            let _ = tell.send(held.map(|listener| (Listener(listener), ChildProcess::start(&mut command))));
            // The process ends with the thread that started it, so this thread must not end earlier.
            let _ = kept.recv();
        };
        let refused = |error: &dyn Display| format!("seccomp cannot hold system calls here: {error}");
        thread::Builder::new().spawn_scoped(scope, starter).map_err(|error| refused(&error))?;
        let held = told.recv().map_err(|error| refused(&error))?;
        let (listener, started) = held.map_err(|error| refused(&error))?;
        let attended = attend(&listener, started);
        drop(keep);
        Ok(attended)
    })
}

/// System calls that query the time.
const CALLS: &[(i64, &str)] = &[
    (libc::SYS_clock_gettime, "clock_gettime"),
    (libc::SYS_gettimeofday, "gettimeofday"),
    (libc::SYS_times, "times"),
    (libc::SYS_getrusage, "getrusage"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_time, "time"),
];

/// The request, as a programmer writes it.
fn named(call: &Call) -> String {
    let name = CALLS.iter().find(|(number, _)| *number == i64::from(call.number)).map_or("?", |(_, name)| name);
    if i64::from(call.number) != libc::SYS_clock_gettime {
        return name.to_owned();
    }
    let clock = match call.clock() {
        Some(clock) => SourceId::Os(clock).name(),
        None if (call.first_argument as i32) < 0 => "the CPU time of one process or thread",
        None => "another clock",
    };
    format!("{name}({clock})")
}
