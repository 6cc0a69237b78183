use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{assert_eq, eprintln, panic};

use super::check::{Checked, reads_counter};
use super::fresh::SKIPPED;
use crate::Clock;

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// All was well.
    Well,
    WithCode(i32),
    BySignal(i32),
}

const WRONG: i32 = 1;
const PANICKED: i32 = 2;
const NO_COUNTER: i32 = 3;

/// A child process.
pub(super) struct Child(libc::pid_t);

impl Child {
    /// Forks a child that runs `body` and exits.
    pub(super) fn running(body: impl FnOnce() -> Checked) -> Self {
        Self::forked().unwrap_or_else(|| {
            end(match catch_unwind(AssertUnwindSafe(body)) {
                Ok(Ok(())) => 0,
                Ok(Err(wrong)) => {
                    eprintln!("in a child: {wrong:?}");
                    WRONG
                }
                Err(_) => PANICKED,
            })
        })
    }

    /// Forks a child; None in the child.
    pub(super) fn forked() -> Option<Self> {
        // SAFETY: takes nothing. The child is a copy with this thread alone.
        match unsafe { libc::fork() } {
            0 => None,
            -1 => panic!("no fork: {}", std::io::Error::last_os_error()),
            child => Some(Self(child)),
        }
    }

    pub(super) fn send(&self, signal: i32) {
        // SAFETY: takes numbers; the child is not reaped before this value goes.
        assert_eq!(unsafe { libc::kill(self.0, signal) }, 0);
    }

    /// Waits until it has been stopped by a signal.
    pub(super) fn wait_for_stop(&self) {
        let status = self.wait(libc::WUNTRACED);
        assert!(libc::WIFSTOPPED(status), "the child has ended: {status:#x}");
    }

    pub(super) fn end(self) -> Ended {
        let status = self.wait(0);
        match libc::WIFEXITED(status) {
            true if libc::WEXITSTATUS(status) == 0 => Ended::Well,
            true => Ended::WithCode(libc::WEXITSTATUS(status)),
            false => Ended::BySignal(libc::WTERMSIG(status)),
        }
    }

    fn wait(&self, options: i32) -> i32 {
        let mut status = 0;
        loop {
            // SAFETY: the kernel writes one int to `status`.
            match unsafe { libc::waitpid(self.0, &mut status, options) } {
                -1 if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
                -1 => panic!("no child to wait for: {}", std::io::Error::last_os_error()),
                _ => return status,
            }
        }
    }
}

/// Ends this process here and now, by one system call.
pub(super) fn end(code: i32) -> ! {
    // SAFETY: takes a number and does not return; nothing of the parent's is torn down.
    unsafe { libc::_exit(code) }
}

/// Lets this process open no more files.
pub(super) fn forbid_files() {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel reads `none`.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &none) }, 0);
}

/// Runs `body` in a child.
pub(super) fn in_child(body: impl FnOnce() -> Checked) -> Ended {
    Child::running(body).end()
}

/// Runs `body` in a child, where it must hold.
#[track_caller]
pub(super) fn holds_in_child(body: impl FnOnce() -> Checked) {
    assert_eq!(in_child(body), Ended::Well);
}

/// Whether this machine has no counter that the clock could read; then it says so. Asked in a child, so that the caller
/// has not read yet.
pub(super) fn is_skipped_without_counter() -> bool {
    let ended = in_child(|| {
        if reads_counter() {
            return Ok(());
        }
        eprintln!("{SKIPPED}{}", Clock::trusted().map_or_else(|distrust| std::format!("{distrust}"), |_| "".into()));
        end(NO_COUNTER)
    });
    match ended {
        Ended::Well => false,
        Ended::WithCode(NO_COUNTER) => true,
        ended => panic!("{ended:?}"),
    }
}
