//! Every read that is compared: the bare counter, the system's clocks, other libraries, and ours.

use std::hint::black_box;
use std::time::Duration;

use bench_common::Failure;
use chronoscope_clock::{Clock, Granular, Now, Stopwatch};
use chronoscope_harness::Bencher;
use chronoscope_sources::arch::{Counter, NAME_ORDERED, NAME_UNORDERED, NAME_WITH_PROCESSOR_ID, WithProcessorId};

use crate::monotonic::{monotonic_ns, read_ns};
use crate::{clock_bound, work};

pub const RDTSC: &str = NAME_UNORDERED;
pub const RDTSCP: &str = NAME_WITH_PROCESSOR_ID;
pub const STD: &str = "std Instant::now";
pub const UNORDERED: &str = "our Unordered";
pub const NOW: &str = "our Clock::now";
pub const READING: &str = "our Clock::reading";
/// A read that does nothing: the work alone.
pub const NOTHING: &str = "nothing";

static GRANULAR_OF_1_US: Granular = Granular::new(Duration::from_micros(1));
static GRANULAR_OF_100_NS: Granular = Granular::new(Duration::from_nanos(100));
static GRANULAR_OF_0_NS: Granular = Granular::new(Duration::ZERO);

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

/// A loop around one read. The call to it is virtual, the read inside it is not.
pub(crate) type Loop = Box<dyn Fn(&mut Bencher<'_>) + Send + Sync>;

/// A named read in all the loops that time it.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) unit: Unit,
    /// The first letters of the studies that it is in.
    studies: &'static str,
    pub(crate) reads: Loop,
    /// A read in each turn of [`work`].
    pub(crate) works: Loop,
}

impl Subject {
    fn new<T>(
        name: &'static str,
        studies: &'static str,
        unit: Unit,
        read: impl Fn() -> T + Clone + Send + Sync + 'static,
    ) -> Self {
        let in_work = read.clone();
        let works = move |bencher: &mut Bencher<'_>| work::measure(bencher, || drop(black_box(in_work())));
        // The timed loop owns the read, as a program's own loop would.
        let reads = move |bencher: &mut Bencher<'_>| bencher.iter(read.clone());
        Self { name, unit, studies, reads: Box::new(reads), works: Box::new(works) }
    }
}

/// Those of the study that begins with `letter`; what this CPU lacks is left out.
pub(crate) fn of(letter: char) -> Result<Vec<Subject>, Failure> {
    Ok(all()?.into_iter().filter(|subject| subject.studies.contains(letter)).collect())
}

fn all() -> Result<Vec<Subject>, Failure> {
    use Unit::{Coarse, Nanoseconds, Ticks};

    let counter = Counter::new().map_err(|why| Failure::run(format!("the counter cannot be read: {why}")))?;
    let rdtscp = WithProcessorId::new().ok();
    let clock = Clock::or_system();
    let unordered = clock.unordered();
    let quanta = quanta::Clock::new();
    let (raw, recent) = (quanta.clone(), quanta.clone());
    quanta::set_recent(quanta.now());
    coarsetime::Instant::update();
    let _ = GRANULAR_OF_1_US.now();
    let (minstant, fastant) = (minstant::Instant::now(), fastant::Instant::now());
    let coarse = read_ns::<{ libc::CLOCK_MONOTONIC_COARSE }>;
    let stopwatch = Stopwatch::start();
    let cheap_stopwatch = Stopwatch::start_on(unordered);
    let restarted = move || {
        let mut stopwatch = stopwatch;
        stopwatch.restart();
        stopwatch.started()
    };
    let subjects = [
        Some(Subject::new(NOTHING, "w", Coarse, || 0_u64)),
        Some(Subject::new(RDTSC, "lwt", Ticks, move || counter.unordered())),
        rdtscp.map(|rdtscp| Subject::new(RDTSCP, "lw", Ticks, move || rdtscp.read())),
        Some(Subject::new(NAME_ORDERED, "lwt", Ticks, move || counter.ordered())),
        Some(Subject::new(STD, "lwt", Nanoseconds, std::time::Instant::now)),
        Some(Subject::new("clock_gettime MONOTONIC", "lw", Nanoseconds, monotonic_ns)),
        Some(Subject::new("clocksource precise now", "l", Nanoseconds, clocksource::precise::Instant::now)),
        Some(Subject::new("quanta Clock::now", "lw", Nanoseconds, move || quanta.now())),
        Some(Subject::new("quanta Instant::now", "lwt", Nanoseconds, quanta::Instant::now)),
        Some(Subject::new("quanta Clock::raw", "l", Ticks, move || raw.raw())),
        Some(Subject::new("minstant Instant::now", "lwt", Ticks, minstant::Instant::now)),
        Some(Subject::new("minstant elapsed", "l", Nanoseconds, move || minstant.elapsed())),
        Some(Subject::new("fastant Instant::now", "lw", Ticks, fastant::Instant::now)),
        Some(Subject::new("fastant elapsed", "l", Nanoseconds, move || fastant.elapsed())),
        clock_bound::now().map(|_| Subject::new("ClockBound now", "lw", Nanoseconds, clock_bound::now)),
        Some(Subject::new("clock_gettime MONOTONIC_COARSE", "l", Coarse, coarse)),
        Some(Subject::new("coarsetime now", "lwt", Coarse, coarsetime::Instant::now)),
        Some(Subject::new("coarsetime recent", "l", Coarse, coarsetime::Instant::recent)),
        Some(Subject::new("quanta Clock::recent", "l", Coarse, move || recent.recent())),
        Some(Subject::new("our ticks", "l", Ticks, move || clock.ticks())),
        Some(Subject::new(UNORDERED, "lwt", Nanoseconds, move || unordered.now())),
        Some(Subject::new("our Granular 1 µs", "lwt", Nanoseconds, || GRANULAR_OF_1_US.now())),
        Some(Subject::new("our Granular 100 ns", "t", Nanoseconds, || GRANULAR_OF_100_NS.now())),
        Some(Subject::new("our Granular 0 ns", "t", Nanoseconds, || GRANULAR_OF_0_NS.now())),
        Some(Subject::new(NOW, "lwt", Nanoseconds, move || clock.now())),
        Some(Subject::new(READING, "lwt", Nanoseconds, move || clock.reading())),
        Some(Subject::new("our Unordered's reading", "l", Nanoseconds, move || unordered.reading())),
        Some(Subject::new("our Stopwatch::start", "l", Nanoseconds, || Stopwatch::start().started())),
        Some(Subject::new("our Stopwatch::restart", "l", Nanoseconds, restarted)),
        Some(Subject::new("our Stopwatch::elapsed", "lw", Nanoseconds, move || stopwatch.elapsed())),
        Some(Subject::new("our Stopwatch::elapsed, Unordered", "l", Nanoseconds, move || cheap_stopwatch.elapsed())),
        Some(Subject::new("our recent", "lw", Coarse, || GRANULAR_OF_1_US.recent())),
    ];
    Ok(subjects.into_iter().flatten().collect())
}
