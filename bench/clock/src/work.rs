//! Work for a read to stand in, loads that miss the cache: what a read costs there is what a program pays.

use std::hint::black_box;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use chronoscope_harness::Bencher;

/// Words of the table, a power of two: 32 MiB, which no cache of a core holds.
const TABLE_WORDS: u64 = 1 << 22;
/// An odd number without pattern: multiples of it, by their upper bits, visit a table in no order a CPU would foresee.
const SCATTER: u64 = 0x9E37_79B9_7F4A_7C15;
/// Turns that are one operation of a study, so that what a turn needs is in the registers of a loop of its own.
pub const TURNS: u32 = 256;

/// Measures operations of [`TURNS`] turns each: two loads from a table much larger than the cache, which do not wait for
/// those of other turns, and `read`.
pub fn measure(bencher: &mut Bencher<'_>, read: impl Fn()) {
    /// One for the process: a table for each case would be more than the caches that cores share. Written once, so that every
    /// page is there.
    static TABLE: LazyLock<Vec<u64>> = LazyLock::new(|| (0..TABLE_WORDS).collect());
    /// Each operation goes on where the last one stopped, and so finds nothing in the cache.
    static PLACE: AtomicU64 = AtomicU64::new(0);

    let table = &TABLE[..];
    bencher.iter(|| missing_loads(table, PLACE.fetch_add(TURNS.into(), Relaxed), &read));
}

#[inline(never)]
fn missing_loads(table: &[u64], place: u64, read: impl Fn()) {
    let shift = 64 - table.len().ilog2();
    let load = |number: u64| table[(number.wrapping_mul(SCATTER) >> shift) as usize];
    let mut sum = 0_u64;
    for turn in place..place + u64::from(TURNS) {
        sum = sum.wrapping_add(load(2 * turn) ^ load(2 * turn + 1));
        read();
    }
    black_box(sum);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn each_turn_reads_once() {
        let reads = Cell::new(0);
        missing_loads(&[1; 1 << 10], 300, || reads.set(reads.get() + 1));
        assert_eq!(reads.get(), TURNS);
    }
}
