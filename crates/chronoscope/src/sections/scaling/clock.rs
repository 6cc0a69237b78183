use std::hint::black_box;
use std::time::{Duration, Instant};

use chronoscope_clock::{Granular, TickSource, Unordered};
use chronoscope_harness::Study;
use chronoscope_sources::{Guarantee, SourceId, SourceVisitor};

use crate::clock_id::ClockId;
use crate::engine::read_case::{self, Read};

/// The case without a clock: only the work between reads.
pub const NOTHING: &str = "nothing";
/// Granularities of the causal clock in addition to the one in [`SourceId`]. With 0 every read writes the shared word.
const GRANULARITIES_NS: [u64; 2] = [0, 100];
/// Reads per probe, and the number of probes, of which the fastest counts.
const PROBE: (u32, u32) = (64, 5);
/// A clock whose value has not changed for so long does not run; its change is then expected after as many nanoseconds.
const FROZEN_AFTER: Duration = Duration::from_secs(1);
const FROZEN_NS: f64 = 1e9;
/// Minimum expected time of a read; used where the probing clock is coarse.
const FASTEST_READ_NS: f64 = 1.0;

/// One way to read the time, under its name in reports.
#[derive(Clone, Debug, PartialEq)]
pub struct ScaledClock {
    pub name: String,
    /// Approximate time of a read here: it determines which clocks are measured together.
    pub read_ns: f64,
    /// Approximate time until the value changes.
    pub tick_ns: f64,
    kind: ReadBy,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ReadBy {
    Source(SourceId),
    /// The causal clock with its own shared word and this granularity.
    Granular(u64),
}

impl ReadBy {
    /// Whether a read executes an instruction that a process may be forbidden.
    fn reads_counter(self) -> bool {
        match self {
            Self::Source(id) => id.is_counter() || id.guarantee().is_some(),
            Self::Granular(_) => true,
        }
    }
}

impl ScaledClock {
    /// Every clock that can be read here; if the counter may not be read, those that do not need it.
    pub fn all(counter_is_allowed: bool) -> Vec<Self> {
        let sources = SourceId::all().filter(|id| id.availability().is_ok());
        let sources = sources.map(|id| (id.name().to_owned(), ReadBy::Source(id)));
        let granular = GRANULARITIES_NS.map(|ns| (ClockId::granular(ns).to_string(), ReadBy::Granular(ns)));
        let clocks = sources.chain(granular);
        let allowed = clocks.filter(|(_, kind)| counter_is_allowed || !kind.reads_counter());
        allowed.map(|(name, kind)| Self { name, kind, read_ns: FASTEST_READ_NS, tick_ns: FASTEST_READ_NS }).collect()
    }

    /// Whether it is this source.
    pub fn is(&self, id: SourceId) -> bool {
        self.kind == ReadBy::Source(id)
    }

    /// The same with its approximate times here.
    pub fn probed(self) -> Self {
        let found = match self.kind {
            ReadBy::Source(id) => id.visit(Probe).ok(),
            // The same as that of the underlying clock.
            ReadBy::Granular(_) => SourceId::Clock(Guarantee::Unordered).visit(Probe).ok(),
        };
        let (read_ns, tick_ns) = found.unwrap_or((self.read_ns, self.tick_ns));
        Self { read_ns, tick_ns, ..self }
    }

    /// The name of the case that reads it until its value changes.
    pub fn ticks(&self) -> String {
        ticks_of(&self.name)
    }

    /// Adds the case `name`, which reads it in this way. The threads of a cell share one clock.
    pub fn add_case(&self, study: Study, name: String, read: Read) -> Study {
        match self.kind {
            ReadBy::Source(id) => read_case::added(study, name, &id.into(), read),
            ReadBy::Granular(ns) => {
                let granularity = Duration::from_nanos(ns);
                let make = move |_: &_| Granular::over(Unordered::or_system(), granularity);
                study.case_shared(name, make, move |b, clock| read.iterate(b, clock))
            }
        }
    }
}

/// The name of the case that reads `clock` until its value changes.
pub fn ticks_of(clock: &str) -> String {
    format!("ticks of {clock}")
}

/// The clock's first value other than `last`; None if none came while it was read for a second.
fn soon(clock: &impl TickSource, last: u64) -> Option<u64> {
    let began = Instant::now();
    loop {
        let changed = (0..PROBE.0).map(|_| clock.read()).find(|now| *now != last);
        if changed.is_some() || began.elapsed() > FROZEN_AFTER {
            return changed;
        }
    }
}

/// Approximate times of a read and of a change of the value.
struct Probe;

impl SourceVisitor for Probe {
    type Output = (f64, f64);

    fn visit<S: TickSource + Copy + Send + Sync + 'static>(self, source: S) -> (f64, f64) {
        let (reads, probes) = PROBE;
        let per_read = |began: Instant| began.elapsed().as_nanos() as f64 / f64::from(reads);
        let read_ns = (0..probes).map(|_| {
            let began = Instant::now();
            for _ in 0..reads {
                black_box(source.read());
            }
            per_read(began)
        });
        let read_ns = read_ns.fold(f64::INFINITY, f64::min).max(FASTEST_READ_NS);
        // From one change to the next, so that only whole steps are observed.
        let tick_ns = soon(&source, source.read()).and_then(|first| {
            let began = Instant::now();
            soon(&source, first).map(|_| began.elapsed().as_nanos() as f64)
        });
        (read_ns, tick_ns.unwrap_or(FROZEN_NS).max(read_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clock_has_its_two_cases() {
        let clocks = ScaledClock::all(true);
        let study = clocks.iter().fold(Study::new("scaling"), |study, clock| {
            let study = clock.add_case(study, clock.name.clone(), Read::InARow);
            clock.add_case(study, clock.ticks(), Read::UntilChange)
        });
        let cells = study.cells();
        assert_eq!(cells.len(), 2 * clocks.len());
        for clock in clocks {
            assert!(cells.contains(&clock.name.to_string()), "{}", clock.name);
            assert!(cells.contains(&clock.ticks()), "{}", clock.name);
            let clock = clock.probed();
            assert!(clock.read_ns >= FASTEST_READ_NS && clock.tick_ns >= clock.read_ns, "{clock:?}");
        }
    }

    #[test]
    fn without_the_counter_the_system_calls_are_left() {
        let names: Vec<String> = ScaledClock::all(false).into_iter().map(|clock| clock.name).collect();
        assert!(names.iter().any(|name| name == "syscall CLOCK_MONOTONIC"), "{names:?}");
        assert!(!names.iter().any(|name| name.contains("tsc") || name.contains("Granular")), "{names:?}");
    }
}
