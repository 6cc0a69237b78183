//! The CPUs that this process may use, and threads bound to one of them.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use chronoscope_harness::{Start, pin};

use crate::Failure;

/// Their numbers, lowest first; at least one.
pub fn allowed() -> Result<Vec<u32>, Failure> {
    let cpus = Start::of_this_process().allowed_cpus().to_vec();
    if cpus.is_empty() { Err(Failure::run("the system does not say which CPUs may be used")) } else { Ok(cpus) }
}

/// Binds the calling thread, and those that it will start, to `cpu`.
pub fn bind(cpu: u32) -> Result<(), Failure> {
    pin(&[cpu]).map_err(|why| Failure::run(format!("a thread cannot be bound to CPU {cpu}: {why}")))
}

/// Does `work` with a thread that never sleeps on each of `cpus`.
pub fn beside_hogs<T>(cpus: &[u32], work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let hog = |cpu: u32| {
            bind(cpu)?;
            let mut turns = 0_u64;
            while !stop.load(Relaxed) {
                turns = black_box(turns.wrapping_mul(3) + 1);
            }
            Ok(())
        };
        let hogs: Vec<_> = cpus.iter().map(|cpu| scope.spawn(move || hog(*cpu))).collect();
        let done = work();
        stop.store(true, Relaxed);
        let ended =
            |hog: thread::ScopedJoinHandle<'_, _>| hog.join().unwrap_or_else(|_| Err(Failure::run("a hog panicked")));
        hogs.into_iter().try_for_each(ended)?;
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_thread_may_use_its_cpu_alone() {
        let last = *allowed().unwrap().last().unwrap();
        let on = thread::spawn(move || bind(last).and_then(|()| allowed())).join().unwrap();
        assert_eq!(on, Ok(vec![last]));
    }

    #[test]
    fn hogs_end_with_the_work() {
        let cpus = allowed().unwrap();
        assert_eq!(beside_hogs(&cpus, || Ok(7)), Ok(7));
        assert!(beside_hogs(&cpus, || Err::<(), _>(Failure::run("no"))).is_err());
    }
}
