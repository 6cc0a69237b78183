//! Threads that read, one bound to each CPU.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use crate::plant::Plant;
use crate::reader::{Both, Reader};
use crate::sys;

pub fn cpus() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

#[derive(Clone, Copy, Debug)]
pub enum Until<'a> {
    /// Until this many readings of either kind were taken by all of them together.
    Readings(u64),
    Told(&'a Told),
}

/// Says so, and how often readers have read before.
#[derive(Debug, Default)]
pub struct Told {
    over: AtomicBool,
    turns: AtomicU64,
}

impl Told {
    pub fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    pub fn turns(&self) -> u64 {
        self.turns.load(Ordering::Relaxed)
    }
}

/// Has a reader on every CPU read, while `meanwhile` does what it does, told by the flag that it gets whether all readers
/// are done. Gives what the readers saw, and what `meanwhile` came to.
pub fn read_on_every_cpu<T>(
    until: Until<'_>,
    plant: Option<Plant>,
    meanwhile: impl FnOnce(&AtomicBool) -> io::Result<T>,
) -> io::Result<(Both, T)> {
    let cpus = cpus();
    let each = match until {
        Until::Readings(count) => Until::Readings(count.div_ceil(cpus as u64)),
        told => told,
    };
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let all = scope.spawn(|| {
            let readers: Vec<_> = (0..cpus).map(|cpu| scope.spawn(move || read(cpu, each, plant))).collect();
            let seen: Vec<_> = readers.into_iter().map(|reader| reader.join().expect("a reader panicked")).collect();
            done.store(true, Ordering::Relaxed);
            let mut both = Both::default();
            seen.into_iter().try_for_each(|seen| seen.map(|seen| both.merge(seen))).map(|()| both)
        });
        let came_to = meanwhile(&done);
        if let (Err(_), Until::Told(told)) = (&came_to, until) {
            told.end();
        }
        let both = all.join().expect("a reader panicked")?;
        Ok((both, came_to?))
    })
}

pub fn read(cpu: usize, until: Until<'_>, plant: Option<Plant>) -> io::Result<Both> {
    sys::pin(cpu)?;
    let mut reader = Reader::new(plant);
    match until {
        Until::Readings(count) => (0..count).for_each(|_| reader.turn()),
        Until::Told(told) => {
            while !told.over.load(Ordering::Relaxed) {
                told.turns.fetch_add(1, Ordering::Relaxed);
                reader.turn();
            }
        }
    }
    Ok(reader.both)
}
