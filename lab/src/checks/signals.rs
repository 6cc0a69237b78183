//! A timer's signal whose handler reads the clock, also inside other reads.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, compiler_fence};
use std::time::{Duration, Instant};

use crate::bracket::Bracket;
use crate::reader::{Both, Read, bracketed};
use crate::row::Row;
use crate::size::Size;
use crate::sys;

/// What the handler read.
pub const HANDLER: &str = "signals";
/// What the interrupted thread read.
pub const INTERRUPTED: &str = "signals, the interrupted thread";
const PERIOD: Duration = Duration::from_micros(100);
/// So many signals must have come between the judge's two readings.
const SHARE_INSIDE: u64 = 20;

/// One kind of reading in the handler: nothing but atomics, as it needs.
struct Seen {
    readings: AtomicU64,
    outside: AtomicU64,
    worst_ns: AtomicU64,
    backward: AtomicU64,
}

impl Seen {
    const fn new() -> Self {
        Self {
            readings: AtomicU64::new(0),
            outside: AtomicU64::new(0),
            worst_ns: AtomicU64::new(0),
            backward: AtomicU64::new(0),
        }
    }

    fn add(&self, bracket: Bracket, latest_ns: &AtomicU64) {
        let beyond_ns = bracket.beyond_ns();
        self.readings.fetch_add(1, Ordering::Relaxed);
        self.outside.fetch_add(u64::from(beyond_ns > 0), Ordering::Relaxed);
        self.worst_ns.fetch_max(beyond_ns, Ordering::Relaxed);
        let latest_ns = latest_ns.fetch_max(bracket.reading_ns, Ordering::Relaxed);
        self.backward.fetch_add(u64::from(bracket.reading_ns < latest_ns), Ordering::Relaxed);
    }
}

static SEEN: [Seen; 2] = [Seen::new(), Seen::new()];
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
    let began = Instant::now();
    let mut interrupted = Both::default();
    let mut last = None;
    let mut latest_ns = 0;
    sys::start_timer(PERIOD, on_signal)?;
    while SEEN[0].readings.load(Ordering::Relaxed) < size.signals() {
        for read in Read::ALL {
            READING.store(true, Ordering::Relaxed);
            compiler_fence(Ordering::SeqCst);
            let bracket = bracketed(read);
            compiler_fence(Ordering::SeqCst);
            READING.store(false, Ordering::Relaxed);
            let tally = interrupted.of_mut(read);
            tally.add(bracket, latest_ns);
            if let Some(last) = last {
                tally.add_interval(last, bracket);
            }
            latest_ns = latest_ns.max(bracket.reading_ns);
            last = Some(bracket);
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
    let inside = INSIDE.load(Ordering::Relaxed);
    let took = began.elapsed();
    print(
        Row::new(HANDLER, handler, size.signals(), took)
            .note("inside_a_bracket", inside)
            .require(inside >= size.signals() / SHARE_INSIDE, format!("only {inside} signals came inside a bracket")),
    );
    print(Row::new(INTERRUPTED, interrupted, size.signals(), took));
    Ok(())
}
