use std::ffi::{CStr, c_char};
use std::ptr::with_exposed_provenance;

/// The path by which this program was executed, relative to the working directory at the time. None where the kernel does not
/// provide it.
///
/// # Platform
/// Linux.
///
/// # Sources
/// `AT_EXECFN` in getauxval(3).
///
/// # Examples
/// ```
/// let path = chronoscope_sources::os::executed_path();
/// assert!(path.is_none_or(|path| !path.is_empty()));
/// ```
pub fn executed_path() -> Option<&'static CStr> {
    // Rustix has it too, but every benchmark would compile that for this function alone.
    // SAFETY: it reads what the kernel gave the process, and takes every number.
    let path: *const c_char = with_exposed_provenance(unsafe { libc::getauxval(libc::AT_EXECFN) } as usize);
    // SAFETY: unless it is null, this is the address of a string that ends with a zero and stays for the life of the process.
    (!path.is_null()).then(|| unsafe { CStr::from_ptr(path) })
}
