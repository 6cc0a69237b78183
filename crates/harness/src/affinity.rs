//! Which CPUs a thread may run on.

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

const THIS_THREAD: Pid = Pid::from_raw(0);

/// The CPUs that the calling thread may run on, in ascending order.
///
/// # Errors
/// The kernel's reason, in words.
pub(crate) fn allowed() -> Result<Vec<u32>, String> {
    let set = sched_getaffinity(THIS_THREAD).map_err(|error| format!("sched_getaffinity failed: {}", error.desc()))?;
    Ok((0..CpuSet::count()).filter(|cpu| set.is_set(*cpu).unwrap_or(false)).map(|cpu| cpu as u32).collect())
}

/// Restricts the calling thread, and the threads it will start, to `cpus`.
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
    let mut set = CpuSet::new();
    for cpu in cpus {
        set.set(*cpu as usize)
            .map_err(|_| format!("CPU {cpu} is beyond the {} this build can name", CpuSet::count()))?;
    }
    sched_setaffinity(THIS_THREAD, &set).map_err(|error| {
        let cpus: Vec<String> = cpus.iter().map(u32::to_string).collect();
        format!("sched_setaffinity to CPU {} failed: {}", cpus.join(","), error.desc())
    })
}
