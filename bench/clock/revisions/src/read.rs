//! One read in the loops that time it.

use std::hint::black_box;

use chronoscope_clock::work::shift;

/// Copies of each loop, 16 bytes apart in their cache line.
pub(crate) const COPIES: usize = 4;

/// A named read.
pub struct Read {
    pub(crate) name: &'static str,
    loops: [Box<dyn Fn(u64)>; COPIES],
}

impl Read {
    /// The name must be the same in both revisions, and `read` is compiled into each copy of the loop.
    pub fn new<T>(name: &'static str, read: impl Fn() -> T + Copy + 'static) -> Self {
        let loops: [Box<dyn Fn(u64)>; COPIES] = [
            Box::new(move |count| repeat::<0, T>(count, read)),
            Box::new(move |count| repeat::<1, T>(count, read)),
            Box::new(move |count| repeat::<2, T>(count, read)),
            Box::new(move |count| repeat::<3, T>(count, read)),
        ];
        Self { name, loops }
    }

    /// Reads `count` times, back to back, in the loop with the number `copy`, counted round.
    pub(crate) fn repeat(&self, copy: usize, count: u64) {
        self.loops[copy % COPIES](count);
    }
}

#[inline(never)]
fn repeat<const COPY: usize, T>(count: u64, read: impl Fn() -> T) {
    shift::<COPY>();
    for _ in 0..count {
        black_box(read());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn every_copy_reads_as_often_as_asked() {
        let reads: &'static Cell<u64> = Box::leak(Box::default());
        let read = Read::new("test", || reads.set(reads.get() + 1));
        (0..=COPIES).for_each(|copy| read.repeat(copy, 3));
        assert_eq!(reads.get(), 3 * (COPIES as u64 + 1));
    }
}
