//! The CPUs that this process may use, and threads bound to one of them.

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

use crate::failure::Failure;

/// Their numbers, lowest first; at least one.
pub fn allowed() -> Result<Vec<usize>, Failure> {
    let set = sched_getaffinity(Pid::from_raw(0))
        .map_err(|error| Failure::because(format!("the system does not say which CPUs may be used: {error}")))?;
    let cpus: Vec<usize> = (0..CpuSet::count()).filter(|cpu| set.is_set(*cpu).unwrap_or(false)).collect();
    if cpus.is_empty() { Err(Failure::because("the system says that no CPU may be used")) } else { Ok(cpus) }
}

/// Binds the calling thread to `cpu`.
pub fn bind(cpu: usize) -> Result<(), Failure> {
    let refused = |error: nix::Error| Failure::because(format!("a thread cannot be bound to CPU {cpu}: {error}"));
    let mut set = CpuSet::new();
    set.set(cpu).map_err(refused)?;
    sched_setaffinity(Pid::from_raw(0), &set).map_err(refused)
}

/// Numbers of threads to try on `cpus` CPUs: powers of two, and all.
pub fn thread_counts(cpus: usize) -> Vec<usize> {
    let powers = std::iter::successors(Some(1), |threads| Some(threads * 2));
    powers.take_while(|threads| *threads < cpus).chain([cpus]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_doubled_up_to_all_cpus() {
        assert_eq!(thread_counts(1), [1]);
        assert_eq!(thread_counts(2), [1, 2]);
        assert_eq!(thread_counts(6), [1, 2, 4, 6]);
    }

    #[test]
    fn a_bound_thread_may_use_its_cpu_alone() {
        let last = *allowed().unwrap().last().unwrap();
        let on = std::thread::spawn(move || bind(last).and_then(|()| allowed())).join().unwrap();
        assert_eq!(on, Ok(vec![last]));
    }
}
