//! Which CPUs a thread may run on.

use crate::os;

/// The CPUs that the calling thread may run on, in ascending order.
///
/// # Errors
/// The kernel's reason, in words.
pub(crate) fn allowed() -> Result<Vec<u32>, String> {
    os::allowed_cpus()
}

/// Why the system does not say on which CPUs the calling thread may run; None if it does.
///
/// # Examples
/// ```
/// assert!(chronoscope_harness::reason_unknown_cpus().is_none_or(|reason| !reason.is_empty()));
/// ```
pub fn reason_unknown_cpus() -> Option<String> {
    allowed().err()
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
