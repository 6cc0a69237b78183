use core::{ptr, slice};

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
    let mut next = program as usize;
    loop {
        let start = beginning_before(next);
        // SAFETY: see `beginning_before`; what lies between are the string and its NUL.
        let string = unsafe { slice::from_raw_parts(ptr::with_exposed_provenance::<u8>(start), next - 1 - start) };
        if !string.contains(&b'=') {
            return false;
        }
        if string == variable {
            return true;
        }
        next = start;
    }
}

/// Where the string begins that ends right before `next`.
fn beginning_before(next: usize) -> usize {
    // SAFETY: all from the main thread's stack up to the program's name is mapped, and zeroes or the pointers of arguments, which
    // have zeroes, lie below the strings.
    let byte = |at: usize| unsafe { ptr::with_exposed_provenance::<u8>(at).read() };
    // SAFETY: as above; it is aligned, so in one page.
    let word = |at: usize| unsafe { ptr::with_exposed_provenance::<u64>(at).read() };
    let has_zero = |word: u64| word.wrapping_sub(0x0101_0101_0101_0101) & !word & 0x8080_8080_8080_8080 != 0;
    let mut start = next - 1; // its NUL
    while start % 8 != 0 && byte(start - 1) != 0 {
        start -= 1;
    }
    while start % 8 == 0 && !has_zero(word(start - 8)) {
        start -= 8;
    }
    while byte(start - 1) != 0 {
        start -= 1;
    }
    start
}
