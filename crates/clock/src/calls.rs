//! Holds the system calls of a process until a listener lets them go on, by which they can be counted.
//!
//! What is held can be looked at by a process that may do nothing else to it: no privilege is needed and nothing is traced.
//! Meant for chronoscope's own table of language runtimes. Needs the feature `calls`.
//!
//! # Platform
//! Linux 5.5 or later on x86-64 and aarch64; elsewhere [`hold`] fails.
//!
//! # Sources
//! seccomp_unotify(2).

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use crate::os::calls as imp;

/// A system call that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    pub(crate) id: u64,
    /// The number of the system call.
    pub number: u32,
    /// Its first argument.
    pub first_argument: u64,
}

/// Lets the system calls `numbers` of this thread, and of all that it starts from now on, wait for the listener that is
/// returned. Cannot be taken back. It also gives up gaining privileges by `execve`, as the kernel demands.
///
/// If every copy of the listener is closed, held calls fail with `ENOSYS`.
///
/// # Errors
/// The kernel's: too old, a sandbox that forbids it, another listener already there.
///
/// # Examples
/// ```
/// use chronoscope_clock::calls;
///
/// let thread = std::thread::spawn(|| calls::hold(&[]).is_ok());
/// let _may_be_forbidden_here = thread.join();
/// ```
pub fn hold(numbers: &[u32]) -> io::Result<OwnedFd> {
    imp::hold(numbers)
}

/// The next call that waits; waits for one itself.
///
/// # Errors
/// `ENOENT` where the caller of the call was ended meanwhile, `EINTR`, and others of ioctl(2).
///
/// # Examples
/// ```no_run
/// use chronoscope_clock::calls;
/// use std::os::fd::AsFd;
///
/// let listener = calls::hold(&[228])?;
/// let call = calls::next(listener.as_fd())?;
/// calls::release(listener.as_fd(), &call)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn next(listener: BorrowedFd<'_>) -> io::Result<Call> {
    imp::next(listener)
}

/// Lets `call` go on as if nothing had been.
///
/// # Errors
/// `ENOENT` where its caller was ended meanwhile, and others of ioctl(2).
///
/// # Examples
/// See [`next`].
pub fn release(listener: BorrowedFd<'_>, call: &Call) -> io::Result<()> {
    imp::release(listener, call)
}
