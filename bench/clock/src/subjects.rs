//! Every read that is compared: the bare counter, the system's clocks, other libraries, and ours.

use std::time::Duration;

use chronoscope_clock::{Clock, Granular};
use chronoscope_sources::arch::{self, Counter, WithProcessorId};

use crate::failure::Failure;
use crate::monotonic::{monotonic_ns, read_ns};
use crate::subject::{Subject, Unit};

pub(crate) const RDTSC: &str = arch::NAME_UNORDERED;
pub(crate) const RDTSCP: &str = arch::NAME_WITH_PROCESSOR_ID;
pub(crate) const RDTSC_ORDERED: &str = arch::NAME_ORDERED;
pub(crate) const STD: &str = "std Instant::now";
pub(crate) const MONOTONIC: &str = "clock_gettime MONOTONIC";
pub(crate) const MONOTONIC_COARSE: &str = "clock_gettime MONOTONIC_COARSE";
pub(crate) const CLOCKSOURCE: &str = "clocksource precise now";
pub(crate) const QUANTA_CLOCK: &str = "quanta Clock::now";
pub(crate) const QUANTA: &str = "quanta Instant::now";
pub(crate) const QUANTA_RAW: &str = "quanta Clock::raw";
pub(crate) const QUANTA_RECENT: &str = "quanta Clock::recent";
pub(crate) const MINSTANT: &str = "minstant Instant::now";
pub(crate) const MINSTANT_ELAPSED: &str = "minstant elapsed";
pub(crate) const FASTANT: &str = "fastant Instant::now";
pub(crate) const FASTANT_ELAPSED: &str = "fastant elapsed";
pub(crate) const COARSETIME: &str = "coarsetime now";
pub(crate) const COARSETIME_RECENT: &str = "coarsetime recent";
pub(crate) const TICKS: &str = "our ticks";
pub(crate) const UNORDERED: &str = "our Unordered";
pub(crate) const ORDERED: &str = "our Clock::now";
pub(crate) const GRANULAR: &str = "our Granular 1 µs";
pub(crate) const GRANULAR_100: &str = "our Granular 100 ns";
pub(crate) const GRANULAR_0: &str = "our Granular 0 ns";
pub(crate) const RECENT: &str = "our recent";
/// A read that does nothing: the work alone, or an empty loop.
pub(crate) const NOTHING: &str = "nothing";

static GRANULAR_OF_1_US: Granular = Granular::new(Duration::from_micros(1));
static GRANULAR_OF_100_NS: Granular = Granular::new(Duration::from_nanos(100));
static GRANULAR_OF_0_NS: Granular = Granular::new(Duration::ZERO);

/// The subjects called `names`, in that order; what this CPU lacks is left out.
pub(crate) fn named(names: &[&str]) -> Result<Vec<Subject>, Failure> {
    let mut all = all()?;
    Ok(names
        .iter()
        .filter_map(|name| Some(all.swap_remove(all.iter().position(|subject| subject.name == *name)?)))
        .collect())
}

fn all() -> Result<Vec<Subject>, Failure> {
    use Unit::{Coarse, Nanoseconds, Ticks};

    let counter = Counter::new().map_err(|why| Failure::because(format!("the counter cannot be read: {why}")))?;
    let clock = Clock::or_system();
    let unordered = clock.unordered();
    let quanta = quanta::Clock::new();
    let (raw, recent) = (quanta.clone(), quanta.clone());
    quanta::set_recent(quanta.now());
    coarsetime::Instant::update();
    let _ = GRANULAR_OF_1_US.now();
    let (minstant, fastant) = (minstant::Instant::now(), fastant::Instant::now());

    let mut subjects = vec![
        Subject::peer(NOTHING, Coarse, || 0_u64),
        Subject::peer(RDTSC, Ticks, move || counter.unordered()),
        Subject::peer(RDTSC_ORDERED, Ticks, move || counter.ordered()),
        Subject::peer(STD, Nanoseconds, std::time::Instant::now),
        Subject::peer(MONOTONIC, Nanoseconds, monotonic_ns),
        Subject::peer(CLOCKSOURCE, Nanoseconds, clocksource::precise::Instant::now),
        Subject::peer(QUANTA_CLOCK, Nanoseconds, move || quanta.now()),
        Subject::peer(QUANTA, Nanoseconds, quanta::Instant::now),
        Subject::peer(QUANTA_RAW, Ticks, move || raw.raw()),
        Subject::peer(QUANTA_RECENT, Coarse, move || recent.recent()),
        Subject::peer(MINSTANT, Ticks, minstant::Instant::now),
        Subject::peer(MINSTANT_ELAPSED, Nanoseconds, move || minstant.elapsed()),
        Subject::peer(FASTANT, Ticks, fastant::Instant::now),
        Subject::peer(FASTANT_ELAPSED, Nanoseconds, move || fastant.elapsed()),
        Subject::peer(MONOTONIC_COARSE, Coarse, read_ns::<{ libc::CLOCK_MONOTONIC_COARSE }>),
        Subject::peer(COARSETIME, Coarse, coarsetime::Instant::now),
        Subject::peer(COARSETIME_RECENT, Coarse, coarsetime::Instant::recent),
        Subject::ours(TICKS, Ticks, move || clock.ticks()),
        Subject::ours(UNORDERED, Nanoseconds, move || unordered.now()),
        Subject::ours(ORDERED, Nanoseconds, move || clock.now()),
        Subject::ours(GRANULAR, Nanoseconds, || GRANULAR_OF_1_US.now()),
        Subject::ours(GRANULAR_100, Nanoseconds, || GRANULAR_OF_100_NS.now()),
        Subject::ours(GRANULAR_0, Nanoseconds, || GRANULAR_OF_0_NS.now()),
        Subject::ours(RECENT, Coarse, || GRANULAR_OF_1_US.recent()),
    ];
    if let Ok(rdtscp) = WithProcessorId::new() {
        subjects.push(Subject::peer(RDTSCP, Ticks, move || rdtscp.read()));
    }
    Ok(subjects)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let all = all().unwrap();
        for subject in &all {
            assert_eq!(all.iter().filter(|other| other.name == subject.name).count(), 1, "{}", subject.name);
        }
    }

    #[test]
    fn subjects_come_in_the_order_asked_for() {
        let subjects = named(&[STD, "sundial", RDTSC]).unwrap();
        assert!(subjects.iter().map(|subject| subject.name).eq([STD, RDTSC]));
    }
}
