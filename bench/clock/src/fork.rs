//! Children that are forked, not started anew: they have this process's memory as it was, and one thread.
#![allow(unsafe_code)]

use std::io::{self, ErrorKind, Read};
use std::os::fd::AsRawFd;

use bench_common::Failure;

/// A child that takes longer has hung, and is ended by a signal.
const LONGEST_S: u32 = 10;
const WORD: usize = size_of::<u64>();

/// What a forked child answers; None if it ended without an answer.
///
/// Other threads may run: `work` must do nothing that is not safe in a signal handler, such as to allocate.
pub(crate) fn answer(work: impl FnOnce() -> [u64; 3]) -> Result<Option<[u64; 3]>, Failure> {
    let failed = |what: &str, error: io::Error| Failure::run(format!("{what}: {error}"));
    let (mut reader, writer) = io::pipe().map_err(|error| failed("no pipe to a forked child", error))?;
    // SAFETY: the child calls `work`, which keeps to what is safe in a signal handler, and functions that are.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: no pointers.
        unsafe { libc::alarm(LONGEST_S) };
        let words = work();
        // SAFETY: the words are the child's own and live across the call; a short or failed write is seen by the parent
        // as no answer. `_exit` runs nothing of this program's.
        unsafe {
            libc::write(writer.as_raw_fd(), words.as_ptr().cast(), size_of_val(&words));
            libc::_exit(0)
        }
    }
    if child < 0 {
        return Err(failed("no child can be forked", io::Error::last_os_error()));
    }
    drop(writer);
    let mut bytes = [0; 3 * WORD];
    let read = reader.read_exact(&mut bytes);
    // SAFETY: the child is this process's and nobody else waits for it; its status is not asked for.
    let waited = unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
    if waited != child {
        return Err(failed("a forked child was lost", io::Error::last_os_error()));
    }
    match read {
        Ok(()) => Ok(Some(std::array::from_fn(|at| {
            let mut word = [0; WORD];
            word.copy_from_slice(&bytes[at * WORD..][..WORD]);
            u64::from_ne_bytes(word)
        }))),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(failed("a forked child's answer cannot be read", error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_answers_for_itself() {
        let here = u64::from(std::process::id());
        // SAFETY: no pointers.
        let there = answer(|| [unsafe { libc::getppid() } as u64, 2, u64::MAX]).unwrap();
        assert_eq!(there, Some([here, 2, u64::MAX]));
    }

    #[test]
    fn a_child_that_dies_has_no_answer() {
        // SAFETY: `_exit` is safe in a child at any time.
        assert_eq!(answer(|| unsafe { libc::_exit(1) }), Ok(None));
    }
}
