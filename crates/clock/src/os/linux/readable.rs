/// Whether the word at `address` can be read without a fault.
///
/// One system call: the kernel copies a set of signals from there before it refuses the request, which changes nothing. A page of
/// a mapping need not be there: reading it then ends the process (SIGBUS).
///
/// # Sources
/// `SYSCALL_DEFINE4(rt_sigprocmask)` in kernel/signal.c of Linux; sigprocmask(2): EFAULT, EINVAL.
pub(super) fn is_readable(address: u64) -> bool {
    const NO_REQUEST: libc::c_int = -1;
    const SIZE_OF_SET: usize = 8;
    let none = core::ptr::null_mut::<u64>();
    // SAFETY: the kernel alone reads the address, and refuses one that it cannot read.
    let outcome = unsafe { libc::syscall(libc::SYS_rt_sigprocmask, NO_REQUEST, address, none, SIZE_OF_SET) };
    outcome == -1 && super::errno::is(libc::EINVAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that Miri does not know")]
    fn a_page_that_is_not_there_is_told_without_touching_it() {
        assert!(is_readable(core::ptr::from_ref(&SIZE).expose_provenance() as u64));
        assert!(!is_readable(0));
        static SIZE: u64 = 4096;
        // Mapped, but behind the end of its file: a look would end the process.
        // SAFETY: a new file in memory and a new mapping of it, both given back.
        unsafe {
            let memory = libc::memfd_create(c"empty".as_ptr(), 0);
            let behind = libc::mmap(core::ptr::null_mut(), 4096, libc::PROT_READ, libc::MAP_SHARED, memory, 0);
            assert_ne!(behind, libc::MAP_FAILED);
            assert!(!is_readable(behind.expose_provenance() as u64));
            libc::munmap(behind, 4096);
            libc::close(memory);
        }
    }
}
