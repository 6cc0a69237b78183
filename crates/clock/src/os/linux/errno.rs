/// Restores `errno` when dropped to its value at creation: reading the time must not change it.
pub(super) struct ErrnoGuard(libc::c_int);

impl ErrnoGuard {
    pub(super) fn new() -> Self {
        // SAFETY: the C library's own variable of this thread, which is valid while the thread runs.
        Self(unsafe { *place() })
    }
}

impl Drop for ErrnoGuard {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { *place() = self.0 };
    }
}

/// Whether this thread's last failed call failed for this reason.
pub(super) fn is(reason: libc::c_int) -> bool {
    // SAFETY: as above.
    unsafe { *place() == reason }
}

fn place() -> *mut libc::c_int {
    // SAFETY: takes nothing and returns the address of this thread's variable.
    unsafe { libc::__errno_location() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errno_is_as_it_was() {
        let code = || std::io::Error::last_os_error().raw_os_error();
        // SAFETY: closes nothing: there is no such descriptor.
        unsafe { libc::close(-1) };
        let before = code();
        {
            let _errno = ErrnoGuard::new();
            // SAFETY: a path that does not exist.
            unsafe { libc::open(c"/nowhere/at/all".as_ptr(), libc::O_RDONLY) };
            assert_ne!(code(), before);
        }
        assert_eq!(code(), before);
    }
}
