use core::ffi::CStr;
use core::ptr;

/// Whether the environment with which the process was started holds `variable`, `NAME=value`. Never in a process that runs with more
/// rights than its caller.
///
/// Read from the memory in which the kernel put it, so that no `setenv` of another thread is raced. The name of the program ends that
/// memory, before it lie the variables, and before them the arguments: the search ends at the first string that is no variable.
///
/// # Sources
/// `bprm_execve` and `copy_strings` in fs/exec.c of Linux; getauxval(3): AT_EXECFN, AT_SECURE.
pub(super) fn at_start_has(variable: &[u8]) -> bool {
    // SAFETY: takes a number.
    let (program, is_secure) = unsafe { (libc::getauxval(libc::AT_EXECFN), libc::getauxval(libc::AT_SECURE) != 0) };
    if program == 0 || is_secure {
        return false;
    }
    // Where the string before that at `next` begins.
    let before = |next: usize| {
        let mut start = next - 1; // its NUL
        // SAFETY: all from the main thread's stack up to the program's name is mapped, and zeroes or the pointers of arguments,
        // which have zeroes, lie below the strings.
        while unsafe { *ptr::with_exposed_provenance::<u8>(start - 1) } != 0 {
            start -= 1;
        }
        start
    };
    let mut next = program as usize;
    loop {
        next = before(next);
        // SAFETY: as above; it ends with a NUL.
        let string = unsafe { CStr::from_ptr(ptr::with_exposed_provenance(next)) }.to_bytes();
        if !string.contains(&b'=') {
            return false;
        }
        if string == variable {
            return true;
        }
    }
}
