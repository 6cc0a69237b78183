//! Threads that read, one bound to each CPU.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::phases::Phases;
use crate::plant::Plant;
use crate::reader::{Both, Reader};
use crate::sys;

/// The CPUs of the machine.
pub fn cpus() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// How long readers read.
#[derive(Clone, Copy, Debug)]
pub enum Until<'a> {
    /// Until this many readings of either kind were taken by all of them together.
    Readings(u64),
    /// Until somebody says so.
    Told(&'a AtomicBool),
    /// Until all phases are over.
    Phases(&'a Phases),
}

/// Has a reader on every CPU read, while `meanwhile` does what it does, told by the flag that it gets whether all readers
/// are done. Gives what the readers saw, and what `meanwhile` came to.
pub fn read_on_every_cpu<T>(
    until: Until<'_>,
    plant: Option<Plant>,
    meanwhile: impl FnOnce(&AtomicBool) -> io::Result<T>,
) -> io::Result<(Both, T)> {
    let cpus = cpus();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let all = scope.spawn(|| {
            let readers: Vec<_> =
                (0..cpus).map(|cpu| scope.spawn(move || read(cpu, share(until, cpus), plant))).collect();
            let mut both = Both::default();
            let mut failure = None;
            for reader in readers {
                match reader.join().expect("a reader panicked") {
                    Ok(seen) => both.merge(seen),
                    Err(error) => failure = Some(error),
                }
            }
            done.store(true, Ordering::Relaxed);
            failure.map_or(Ok(both), Err)
        });
        let came_to = meanwhile(&done);
        match (&came_to, until) {
            (Err(_), Until::Told(flag)) => flag.store(true, Ordering::Relaxed),
            (Err(_), Until::Phases(phases)) => phases.end(),
            _ => {}
        }
        let both = all.join().expect("a reader panicked")?;
        Ok((both, came_to?))
    })
}

/// Reads on one CPU.
pub fn read(cpu: usize, until: Until<'_>, plant: Option<Plant>) -> io::Result<Both> {
    sys::pin(cpu)?;
    let mut reader = Reader::new(plant);
    match until {
        Until::Readings(count) => (0..count).for_each(|_| reader.turn()),
        Until::Told(flag) => {
            while !flag.load(Ordering::Relaxed) {
                reader.turn();
            }
        }
        Until::Phases(phases) => {
            while phases.count() {
                reader.turn();
            }
        }
    }
    Ok(reader.seen())
}

fn share(until: Until<'_>, cpus: usize) -> Until<'_> {
    match until {
        Until::Readings(count) => Until::Readings(count.div_ceil(cpus as u64)),
        told => told,
    }
}
