//! One way to read the time, with the loops that it is measured in compiled for it.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::kind_of_work::Work;

/// Reads between two looks at whether to stop.
const CHUNK: u64 = 256;

/// What a read returns, and so what it may be compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Counter ticks, to be converted later.
    Ticks,
    /// Nanoseconds, at the resolution of the counter.
    Nanoseconds,
    /// Time as of some moment ago: a kernel tick or a last update.
    Coarse,
}

/// A named read in all the loops that time it.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) unit: Unit,
    pub(crate) is_ours: bool,
    loops: Box<dyn Loops>,
}

/// The loops around one read. The call to a loop is virtual, the read inside it is not.
trait Loops: Sync {
    fn reads(&self, count: u64);
    fn reads_until(&self, stop: &AtomicBool) -> u64;
    fn work(&self, work: &mut Work, turns: u64);
}

struct Read<F>(F);

impl<T, F: Fn() -> T + Sync> Loops for Read<F> {
    #[inline(never)]
    fn reads(&self, count: u64) {
        for _ in 0..count {
            black_box((self.0)());
        }
    }

    #[inline(never)]
    fn reads_until(&self, stop: &AtomicBool) -> u64 {
        let mut count = 0;
        while !stop.load(Relaxed) {
            self.reads(CHUNK);
            count += CHUNK;
        }
        count
    }

    fn work(&self, work: &mut Work, turns: u64) {
        work.turns(turns, || {
            black_box((self.0)());
        });
    }
}

impl Subject {
    pub(crate) fn ours<T>(name: &'static str, unit: Unit, read: impl Fn() -> T + Sync + 'static) -> Self {
        Self { name, unit, is_ours: true, loops: Box::new(Read(read)) }
    }

    pub(crate) fn peer<T>(name: &'static str, unit: Unit, read: impl Fn() -> T + Sync + 'static) -> Self {
        Self { name, unit, is_ours: false, loops: Box::new(Read(read)) }
    }

    /// Reads `count` times, back to back.
    pub(crate) fn reads(&self, count: u64) {
        self.loops.reads(count);
    }

    /// Reads until told to stop, and says how often.
    pub(crate) fn reads_until(&self, stop: &AtomicBool) -> u64 {
        self.loops.reads_until(stop)
    }

    /// Reads once in each turn of `work`.
    pub(crate) fn work(&self, work: &mut Work, turns: u64) {
        self.loops.work(work, turns);
    }
}
