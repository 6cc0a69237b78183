//! Operations that last as long as they are told to.

use std::cell::Cell;
use std::sync::LazyLock;
use std::time::Instant;

use chronoscope_harness::Bencher;

/// Reads in a row that say how far apart two of them are.
const READS: u32 = 1_000;

/// Waits for `length_ns` again and again, against a schedule: operation i of a batch ends at the read of the clock that is
/// nearest to the batch's beginning + i · `length_ns`. What one operation is late the next one is shorter, so that a batch
/// is exact up to half the distance of two reads, however short the operation.
///
/// The clock is that of the standard library: the truth is not the word of what is judged by it.
///
/// A batch with inputs is what tells the operation that a batch begins: its inputs are made before it.
pub(crate) fn spin(bencher: &mut Bencher<'_>, length_ns: u64) {
    let epoch = Instant::now();
    let now_ns = || epoch.elapsed().as_nanos() as u64;
    let read_ns = read_ns(now_ns);
    let begins = Cell::new(false);
    let mut end_ns = 0;
    bencher.iter_batched(
        || begins.set(true),
        |()| {
            if begins.replace(false) {
                // The operation began a read before this one returned; and half of one earlier lies the nearest.
                end_ns = now_ns().saturating_sub(read_ns + read_ns / 2);
            }
            end_ns += length_ns;
            while now_ns() < end_ns {}
        },
    );
}

/// By how much a spin may be off, in batches of so many: the distance of two reads of the clock.
pub(crate) fn off_ns(operations_per_batch: u64) -> f64 {
    static READ_NS: LazyLock<u64> = LazyLock::new(|| {
        let epoch = Instant::now();
        read_ns(|| epoch.elapsed().as_nanos() as u64)
    });
    *READ_NS as f64 / operations_per_batch.max(1) as f64
}

fn read_ns(now_ns: impl Fn() -> u64) -> u64 {
    let first = now_ns();
    let last = (0..READS).fold(first, |_, _| now_ns());
    last.saturating_sub(first) / u64::from(READS)
}
