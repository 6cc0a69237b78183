//! Stops a process at chosen system calls, so that they can be counted. An observing process needs no privilege, and
//! nothing is traced. For chronoscope's table of language runtimes.
//!
//! # Platform
//! Linux 5.5 or later on x86-64 and aarch64; elsewhere [`hold`] fails.
//!
//! # Sources
//! seccomp_unotify(2).
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use chronoscope_clock::raw::{OsClock, id};

/// A system call that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    id: u64,
    /// The number of the system call.
    pub number: u32,
    /// Its first argument.
    pub first_argument: u64,
}

impl Call {
    /// The clock it asks for, if it is a `clock_gettime` of a clock in the table.
    ///
    /// # Examples
    /// See [`next`].
    #[must_use]
    pub fn clock(&self) -> Option<OsClock> {
        let is_asked_for = |clock: &OsClock| id(*clock) == self.first_argument as libc::clockid_t;
        OsClock::ALL.into_iter().filter(|_| i64::from(self.number) == libc::SYS_clock_gettime).find(is_asked_for)
    }
}

/// AUDIT_ARCH of linux/audit.h: a system call of another architecture has other numbers, and is let through.
#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xC000_00B7;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ARCHITECTURE: u32 = 0;

/// Offsets in `struct seccomp_data`.
const NUMBER_AT: u32 = 0;
const ARCHITECTURE_AT: u32 = 4;

const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const JUMP_IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

const fn instruction(code: u16, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
    libc::sock_filter { code, jt, jf, k }
}

/// Allows everything but `numbers`, which wait for a listener.
fn program(numbers: &[u32]) -> Vec<libc::sock_filter> {
    let count = numbers.len() as u8;
    let mut program = vec![
        instruction(LOAD, ARCHITECTURE_AT, 0, 0),
        // Another architecture: over everything but the last but one.
        instruction(JUMP_IF_EQUAL, ARCHITECTURE, 0, count + 1),
        instruction(LOAD, NUMBER_AT, 0, 0),
    ];
    let tests = numbers.iter().enumerate();
    program.extend(tests.map(|(at, number)| instruction(JUMP_IF_EQUAL, *number, count - at as u8, 0)));
    program.push(instruction(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0));
    program.push(instruction(RETURN, libc::SECCOMP_RET_USER_NOTIF, 0, 0));
    program
}

/// Makes the system calls `numbers` of this thread, and of all it starts from now on, wait for the returned listener.
/// Irrevocable; it also gives up gaining privileges by `execve`, as the kernel demands. If every copy of the listener is
/// closed, held calls fail with `ENOSYS`.
///
/// # Errors
/// The kernel's: too old, a sandbox, another listener.
///
/// # Examples
/// ```
/// use chronoscope_sources::calls;
///
/// let thread = std::thread::spawn(|| calls::hold(&[]).is_ok());
/// let _may_be_forbidden_here = thread.join();
/// ```
pub fn hold(numbers: &[u32]) -> io::Result<OwnedFd> {
    if ARCHITECTURE == 0 || numbers.len() > 64 {
        return Err(io::Error::from(io::ErrorKind::Unsupported));
    }
    let mut filter = program(numbers);
    let description = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: takes numbers alone; without it an unprivileged process may not install a filter.
    if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the description points to `filter`, which lives through the call and has `len` instructions; the kernel copies
    // and checks them.
    let listener = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const description,
        )
    };
    if listener < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a successful call returns a new descriptor that nobody else owns.
    Ok(unsafe { OwnedFd::from_raw_fd(listener as i32) })
}

/// Waits for the next held call.
///
/// # Errors
/// `ENOENT` if the call's thread has ended meanwhile, `EINTR`, and others of ioctl(2).
///
/// # Examples
/// ```no_run
/// use chronoscope_sources::calls;
/// use std::os::fd::AsFd;
///
/// let listener = calls::hold(&[228])?;
/// let call = calls::next(listener.as_fd())?;
/// println!("{:?}", call.clock());
/// calls::release(listener.as_fd(), &call)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn next(listener: BorrowedFd<'_>) -> io::Result<Call> {
    // SAFETY: a structure of numbers, for which all zeroes is a value; the kernel demands zeroes.
    let mut held: libc::seccomp_notif = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills `held`, which has the size that the request's number states.
    match unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut held) } {
        0 => Ok(Call { id: held.id, number: held.data.nr as u32, first_argument: held.data.args[0] }),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Lets `call` proceed.
///
/// # Errors
/// `ENOENT` if its thread has ended meanwhile, and others of ioctl(2).
///
/// # Examples
/// See [`next`].
pub fn release(listener: BorrowedFd<'_>, call: &Call) -> io::Result<()> {
    let mut answer = libc::seccomp_notif_resp {
        id: call.id,
        val: 0,
        error: 0,
        flags: libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32,
    };
    // SAFETY: `answer` is whole, and the kernel only reads it.
    match unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut answer) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the filter returns for a call, by a small interpreter of the four instructions that it uses.
    fn verdict(program: &[libc::sock_filter], architecture: u32, number: u32) -> u32 {
        let (mut at, mut accumulator) = (0, 0);
        loop {
            let step = program[at];
            at += 1;
            match step.code {
                LOAD => accumulator = if step.k == NUMBER_AT { number } else { architecture },
                JUMP_IF_EQUAL => at += usize::from(if accumulator == step.k { step.jt } else { step.jf }),
                _ => return step.k,
            }
        }
    }

    #[test]
    fn the_named_calls_alone_are_held() {
        let numbers = [228, 96, 201];
        let program = program(&numbers);
        for number in 0..500 {
            let wanted = if numbers.contains(&number) { libc::SECCOMP_RET_USER_NOTIF } else { libc::SECCOMP_RET_ALLOW };
            assert_eq!(verdict(&program, ARCHITECTURE, number), wanted, "{number}");
        }
    }

    #[test]
    fn calls_of_another_architecture_go_through() {
        let program = program(&[228]);
        assert_eq!(verdict(&program, 0x4000_0003, 228), libc::SECCOMP_RET_ALLOW);
    }
}
