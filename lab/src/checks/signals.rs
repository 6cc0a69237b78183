//! A timer's signal whose handler reads the clock, also inside other reads.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, compiler_fence};
use std::time::Duration;

use crate::reader::{Both, Read, Reader, bracketed};
use crate::row::Row;
use crate::size::Size;
use crate::sys;
use crate::tally::Tally;

pub const HANDLER: &str = "signals";
pub const INTERRUPTED: &str = "signals, the interrupted thread";
const PERIOD: Duration = Duration::from_micros(100);
const COUNT: [u64; 3] = [1_000, 30_000, 500_000];

/// What each kind of reading in the handler came to: readings, those outside, the furthest in nanoseconds, and steps back. Nothing
/// but atomics, as a handler needs.
static SEEN: [[AtomicU64; 4]; 2] = [const { [const { AtomicU64::new(0) }; 4] }; 2];
static LATEST_NS: AtomicU64 = AtomicU64::new(0);
static READING: AtomicBool = AtomicBool::new(false);
static INSIDE: AtomicU64 = AtomicU64::new(0);

extern "C" fn on_signal(_: libc::c_int) {
    INSIDE.fetch_add(u64::from(READING.load(Ordering::Relaxed)), Ordering::Relaxed);
    for (read, seen) in Read::ALL.into_iter().zip(&SEEN) {
        let bracket = bracketed(read);
        let [readings, outside, worst_ns, backward] = seen;
        readings.fetch_add(1, Ordering::Relaxed);
        outside.fetch_add(u64::from(bracket.beyond_ns() > 0), Ordering::Relaxed);
        worst_ns.fetch_max(bracket.beyond_ns(), Ordering::Relaxed);
        let latest_ns = LATEST_NS.fetch_max(bracket.reading_ns, Ordering::Relaxed);
        backward.fetch_add(u64::from(bracket.reading_ns < latest_ns), Ordering::Relaxed);
    }
}

/// Reads on one thread, which takes all signals, until enough have come.
pub fn run(size: Size, print: &mut dyn FnMut(Row)) -> io::Result<()> {
    let count = size.of(COUNT);
    let mut interrupted = Reader::default();
    let timer = sys::start_timer(PERIOD, on_signal)?;
    while SEEN[0][0].load(Ordering::Relaxed) < count {
        for read in Read::ALL {
            READING.store(true, Ordering::Relaxed);
            compiler_fence(Ordering::SeqCst);
            let bracket = bracketed(read);
            compiler_fence(Ordering::SeqCst);
            READING.store(false, Ordering::Relaxed);
            interrupted.add(read, bracket);
        }
    }
    drop(timer);
    let mut handler = Both::default();
    for (read, seen) in Read::ALL.into_iter().zip(&SEEN) {
        let [readings, outside, worst_ns, backward] = seen.each_ref().map(|count| count.load(Ordering::Relaxed));
        *handler.of_mut(read) = Tally { readings, outside, worst_ns, backward, ..Tally::default() };
    }
    let inside_share = INSIDE.load(Ordering::Relaxed) as f64 / count as f64;
    print(Row::new(HANDLER, handler, count).note("inside_share", inside_share));
    print(Row::new(INTERRUPTED, interrupted.both, count));
    Ok(())
}
