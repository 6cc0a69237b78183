//! CPUs that this process may use, and threads bound to one of them.

use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

/// Binds the calling thread to `cpu`.
pub(crate) fn bind(cpu: usize) -> Result<(), String> {
    let refused = |error: nix::Error| format!("a thread cannot be bound to CPU {cpu}: {error}");
    let mut set = CpuSet::new();
    set.set(cpu).map_err(refused)?;
    sched_setaffinity(Pid::from_raw(0), &set).map_err(refused)
}
