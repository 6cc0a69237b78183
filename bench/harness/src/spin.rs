//! Operations that last as long as they are told to.

use std::cell::Cell;

use chronoscope_clock::Clock;
use chronoscope_harness::Bencher;

/// Reads in a row that say how far apart two of them are.
const READS: u32 = 1_000;

/// Waits for `length_ns` again and again, against a schedule: operation i of a batch ends at the read of the clock that is
/// nearest to the batch's beginning + i · `length_ns`. What one operation is late the next one is shorter, so that a batch
/// is exact up to half the distance of two reads, however short the operation.
///
/// A batch with inputs is what tells the operation that a batch begins: its inputs are made before it.
pub(crate) fn spin(bencher: &mut Bencher<'_>, length_ns: u64) {
    let clock = Clock::or_system();
    let read_ns = read_ns(clock);
    let begins = Cell::new(false);
    let mut end_ns = 0;
    bencher.iter_batched(
        || begins.set(true),
        |()| {
            if begins.replace(false) {
                // The operation began a read before this one returned; and half of one earlier lies the nearest.
                end_ns = clock.now().as_nanos().saturating_sub(read_ns + read_ns / 2);
            }
            end_ns += length_ns;
            while clock.now().as_nanos() < end_ns {}
        },
    );
}

/// How far apart two reads in a row are.
fn read_ns(clock: Clock) -> u64 {
    let first = clock.now().as_nanos();
    let last = (0..READS).fold(first, |_, _| clock.now().as_nanos());
    last.saturating_sub(first) / u64::from(READS)
}
