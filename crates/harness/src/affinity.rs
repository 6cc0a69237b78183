//! Which CPUs a thread may run on.

use crate::os;

/// The CPUs that the calling thread may run on, in ascending order.
///
/// # Errors
/// The kernel's reason, in words.
pub(crate) fn allowed() -> Result<Vec<u32>, String> {
    os::allowed_cpus()
}

/// Restricts the calling thread, and the threads it will start, to `cpus`.
///
/// # Platform
/// On Windows one CPU is the thread's alone, and several are those of the whole process. macOS binds no threads.
///
/// # Errors
/// The kernel's reason, in words.
///
/// # Examples
/// ```
/// let allowed = chronoscope_harness::Start::of_this_process().allowed_cpus().to_vec();
/// chronoscope_harness::pin(&allowed)?;
/// # Ok::<(), String>(())
/// ```
pub fn pin(cpus: &[u32]) -> Result<(), String> {
    os::bind(cpus)
}
