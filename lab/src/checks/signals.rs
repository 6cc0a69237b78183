//! A timer's signal whose handler reads the clock, also inside other reads.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, compiler_fence};
use std::time::Duration;

use crate::bracket::Bracket;
use crate::reader::{Both, Read, Reader, bracketed};
use crate::row::Row;
use crate::size::Size;
use crate::sys;

/// What the handler read.
pub const HANDLER: &str = "signals";
/// What the interrupted thread read.
pub const INTERRUPTED: &str = "signals, the interrupted thread";
const PERIOD: Duration = Duration::from_micros(100);
/// Signals that must have come.
const COUNT: [u64; 3] = [1_000, 30_000, 500_000];

/// One kind of reading in the handler: nothing but atomics, as it needs.
struct Seen {
    readings: AtomicU64,
    outside: AtomicU64,
    worst_ns: AtomicU64,
    backward: AtomicU64,
}

impl Seen {
    fn add(&self, bracket: Bracket, latest_ns: &AtomicU64) {
        let beyond_ns = bracket.beyond_ns();
        self.readings.fetch_add(1, Ordering::Relaxed);
        self.outside.fetch_add(u64::from(beyond_ns > 0), Ordering::Relaxed);
        self.worst_ns.fetch_max(beyond_ns, Ordering::Relaxed);
        let latest_ns = latest_ns.fetch_max(bracket.reading_ns, Ordering::Relaxed);
        self.backward.fetch_add(u64::from(bracket.reading_ns < latest_ns), Ordering::Relaxed);
    }
}

static SEEN: [Seen; 2] = [const {
    Seen {
        readings: AtomicU64::new(0),
        outside: AtomicU64::new(0),
        worst_ns: AtomicU64::new(0),
        backward: AtomicU64::new(0),
    }
}; 2];
static LATEST_NS: AtomicU64 = AtomicU64::new(0);
static READING: AtomicBool = AtomicBool::new(false);
static INSIDE: AtomicU64 = AtomicU64::new(0);

extern "C" fn on_signal(_: libc::c_int) {
    INSIDE.fetch_add(u64::from(READING.load(Ordering::Relaxed)), Ordering::Relaxed);
    for (read, seen) in Read::ALL.into_iter().zip(&SEEN) {
        seen.add(bracketed(read), &LATEST_NS);
    }
}

/// Reads on one thread, which takes all signals, until enough have come.
pub fn run(size: Size, print: &mut dyn FnMut(Row)) -> io::Result<()> {
    let count = size.of(COUNT);
    let mut interrupted = Reader::default();
    sys::start_timer(PERIOD, on_signal)?;
    while SEEN[0].readings.load(Ordering::Relaxed) < count {
        for read in Read::ALL {
            READING.store(true, Ordering::Relaxed);
            compiler_fence(Ordering::SeqCst);
            let bracket = bracketed(read);
            compiler_fence(Ordering::SeqCst);
            READING.store(false, Ordering::Relaxed);
            interrupted.add(read, bracket);
        }
    }
    sys::stop_timer()?;
    let mut handler = Both::default();
    for (read, seen) in Read::ALL.into_iter().zip(&SEEN) {
        let tally = handler.of_mut(read);
        tally.readings = seen.readings.load(Ordering::Relaxed);
        tally.outside = seen.outside.load(Ordering::Relaxed);
        tally.worst_ns = seen.worst_ns.load(Ordering::Relaxed);
        tally.backward = seen.backward.load(Ordering::Relaxed);
    }
    let inside_share = INSIDE.load(Ordering::Relaxed) as f64 / count as f64;
    print(Row::new(HANDLER, handler, count).note("inside_share", inside_share));
    print(Row::new(INTERRUPTED, interrupted.seen(), count));
    Ok(())
}
