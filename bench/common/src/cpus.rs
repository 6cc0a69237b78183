//! The CPUs that this process may use, and threads bound to one of them.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use chronoscope_harness::{Start, pin};

use crate::Failure;

/// The longest that a hog runs: if it is real-time, nobody on its CPU gets to stop it.
const LONGEST: Duration = Duration::from_secs(600);
/// Turns of its loop between looks at its clock.
const TURNS: u32 = 10_000;

/// Their numbers, lowest first; at least one.
pub fn allowed() -> Result<Vec<u32>, Failure> {
    let cpus = Start::of_this_process().allowed_cpus().to_vec();
    if cpus.is_empty() { Err(Failure::run("the system does not say which CPUs may be used")) } else { Ok(cpus) }
}

/// Does `work` on a thread for each of `cpus`, bound to it as those that it starts. All are waited for, also if one has failed.
pub fn on_each<T: Send>(cpus: &[u32], work: impl Fn(u32) -> Result<T, Failure> + Sync) -> Result<Vec<T>, Failure> {
    let bound = |cpu: u32| {
        pin(&[cpu]).map_err(|why| Failure::run(format!("a thread cannot be bound to CPU {cpu}: {why}")))?;
        work(cpu)
    };
    thread::scope(|scope| {
        let bound = &bound;
        let threads: Vec<_> = cpus.iter().map(|cpu| scope.spawn(move || bound(*cpu))).collect();
        let panicked = |_| Err(Failure::run("a bound thread panicked"));
        let done: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect();
        done.into_iter().collect()
    })
}

/// Does `work` with a thread that never sleeps on each of `cpus`.
pub fn beside_hogs<T>(cpus: &[u32], work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let stop = AtomicBool::new(false);
    let hog = |_| {
        let (began, mut turns) = (Instant::now(), 0_u64);
        while began.elapsed() < LONGEST {
            for _ in 0..TURNS {
                if stop.load(Relaxed) {
                    return Ok(());
                }
                turns = black_box(turns.wrapping_mul(3) + 1);
            }
        }
        Err(Failure::run("a hog ended before the work that it was to disturb"))
    };
    thread::scope(|scope| {
        let hogs = scope.spawn(|| on_each(cpus, hog));
        let done = work();
        stop.store(true, Relaxed);
        hogs.join().unwrap_or_else(|_| Err(Failure::run("a hog panicked")))?;
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_thread_may_use_its_cpu_alone() {
        let last = *allowed().unwrap().last().unwrap();
        assert_eq!(on_each(&[last], |_| allowed()), Ok(vec![vec![last]]));
    }

    #[test]
    fn hogs_end_with_the_work() {
        let cpus = allowed().unwrap();
        assert_eq!(beside_hogs(&cpus, || Ok(7)), Ok(7));
        assert!(beside_hogs(&cpus, || Err::<(), _>(Failure::run("no"))).is_err());
    }
}
