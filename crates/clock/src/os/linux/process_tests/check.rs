use core::hint::black_box;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::arch::Counter;
use crate::os::{monotonic_ns, read_by_system_call_ns};
use crate::{Clock, Granular, Now, RateSource, Stopwatch, TrustState};

/// What failed. Plain numbers: it is created in signal handlers.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code)] // shown
pub(super) struct Wrong {
    what: &'static str,
    numbers: [u64; 3],
}

pub(super) type Checked = Result<(), Wrong>;

pub(super) fn ensure(holds: bool, what: &'static str) -> Checked {
    ensure_of(holds, what, [0; 3])
}

pub(super) fn ensure_of(holds: bool, what: &'static str, numbers: [u64; 3]) -> Checked {
    if holds { Ok(()) } else { Err(Wrong { what, numbers }) }
}

/// A way to read the clock.
#[derive(Clone, Copy)]
pub(super) struct ReadKind {
    pub(super) name: &'static str,
    /// Reads in this way; the returned time was read during the call.
    pub(super) read: fn() -> u64,
    /// The result may be stale by less than this.
    stale_ns: u64,
    /// About how many reads it consists of.
    pub(super) reads: u32,
}

impl ReadKind {
    const fn of(name: &'static str, read: fn() -> u64) -> Self {
        Self { name, read, stale_ns: 0, reads: 1 }
    }
}

pub(super) const KINDS: [ReadKind; 15] = [
    ReadKind::of("ordered", || Clock::or_system().now().to_bits()),
    ReadKind::of("unordered", || {
        // It is bracketed by reads that need not wait for it, nor it for them.
        fence();
        Clock::or_system().unordered().now().to_bits()
    }),
    ReadKind {
        stale_ns: crate::granular::DEFAULT_GRANULARITY_NS,
        ..ReadKind::of("granular", || {
            fence();
            Granular::process().now().to_bits()
        })
    },
    ReadKind::of("fenced", || Clock::or_system().now_fenced().to_bits()),
    ReadKind::of("seconds apart", || Clock::or_system().monotonic().as_nanos() as u64),
    ReadKind::of("unordered, seconds apart", || {
        fence();
        Clock::or_system().unordered().monotonic().as_nanos() as u64
    }),
    ReadKind::of("realtime", || {
        black_box([Clock::or_system().realtime(), Clock::or_system().unordered().realtime()]);
        Clock::or_system().now().to_bits()
    }),
    ReadKind::of("unordered ticks", || {
        let ticks = Clock::or_system().unordered().ticks();
        black_box(Clock::or_system().duration_of(ticks.as_raw()));
        Clock::or_system().now().to_bits()
    }),
    ReadKind::of("reading", || Clock::or_system().reading().instant().to_bits()),
    ReadKind::of("unordered reading", || {
        fence();
        Clock::or_system().unordered().reading().instant().to_bits()
    }),
    ReadKind::of("ticks", || {
        black_box(Clock::or_system().ticks());
        Clock::or_system().now().to_bits()
    }),
    ReadKind::of("anchor", || Clock::or_system().anchor().reference_ns),
    ReadKind::of("trust", || {
        black_box(Clock::or_system().trust());
        Clock::or_system().now().to_bits()
    }),
    ReadKind::of("elapsed", || {
        let started = Clock::or_system().now();
        started.to_bits() + started.elapsed().as_nanos() as u64
    }),
    ReadKind {
        reads: 70,
        ..ReadKind::of("stopwatch", || {
            let stopwatch = Stopwatch::start();
            black_box(stopwatch.elapsed().is_ok_and(|elapsed| elapsed.duration() >= elapsed.at_least()));
            stopwatch.started().to_bits()
        })
    },
];

fn fence() {
    if let Some(counter) = Counter::assume() {
        counter.fence();
    }
}

impl ReadKind {
    /// Reads between two reads of the system's clock, and requires a time between them.
    pub(super) fn check_by(&self, system_ns: fn() -> u64) -> Checked {
        let before = system_ns();
        let shown = (self.read)();
        let after = system_ns();
        let earliest = before.saturating_sub(self.stale_ns);
        ensure_of((earliest..=after).contains(&shown), self.name, [before, shown, after])
    }

    pub(super) fn check(&self) -> Checked {
        self.check_by(monotonic_ns)
    }
}

/// Checks every kind of read that is cheap.
pub(super) fn check_reads() -> Checked {
    KINDS.iter().filter(|kind| kind.reads == 1).try_for_each(ReadKind::check)?;
    check_ticks()
}

/// Checks every kind of read, and the clock's state.
pub(super) fn check_every_kind() -> Checked {
    KINDS.iter().try_for_each(ReadKind::check)?;
    check_ticks()?;
    let trust = Clock::or_system().trust();
    let is_system = trust.rate_source == RateSource::SystemClock;
    ensure(is_system == (trust.state == TrustState::Fallback), "state and source agree")
}

/// The same in a process where the C library's call would fault.
pub(super) fn check_every_kind_by_system_call() -> Checked {
    KINDS.iter().try_for_each(|kind| kind.check_by(read_by_system_call_ns::<{ libc::CLOCK_MONOTONIC }>))
}

fn check_ticks() -> Checked {
    let clock = Clock::or_system();
    let (begin, ticks, end) = (clock.anchor(), clock.ticks().as_raw(), clock.anchor());
    let (earliest, latest) = (begin.ticks - begin.half_width_ticks, end.ticks + end.half_width_ticks);
    ensure_of((earliest..=latest).contains(&ticks), "ticks between anchors", [earliest, ticks, latest])
}

/// Whether the clock reads the counter in this process.
pub(super) fn reads_counter() -> bool {
    Clock::trusted().is_ok()
}

/// The first failure where it can only be recorded: in signal handlers and threads.
pub(super) struct FirstWrong {
    at: AtomicU64,
    numbers: [AtomicU64; 3],
}

impl FirstWrong {
    pub(super) const fn new() -> Self {
        Self { at: AtomicU64::new(0), numbers: [const { AtomicU64::new(0) }; 3] }
    }

    pub(super) fn note(&self, checked: Checked) {
        let Err(wrong) = checked else { return };
        let kind = KINDS.iter().position(|kind| kind.name == wrong.what).unwrap_or(KINDS.len());
        if self.at.compare_exchange(0, kind as u64 + 1, Relaxed, Relaxed).is_ok() {
            for (kept, number) in self.numbers.iter().zip(wrong.numbers) {
                kept.store(number, Relaxed);
            }
        }
    }

    pub(super) fn checked(&self) -> Checked {
        let numbers = [0, 1, 2].map(|at| self.numbers[at].load(Relaxed));
        match self.at.load(Relaxed) {
            0 => Ok(()),
            kind => Err(Wrong { what: KINDS.get(kind as usize - 1).map_or("other", |kind| kind.name), numbers }),
        }
    }
}
