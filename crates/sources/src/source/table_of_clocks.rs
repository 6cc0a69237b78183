//! The table of clocks: a row per source, with everything known before it is read.
//!
//! To add a clock of the system: its variant and its number in chronoscope-clock (`os/clock.rs`, `os/linux/mod.rs`), its row
//! here. The systems that lack it report it unavailable; those that have it under another name name it in `own_names.rs`.

use core::fmt;
use core::time::Duration;

use super::id::{Guarantee, SourceId, Unit};
use super::own_names::here;
use super::source_facts::{Family, SourceFacts};
use crate::arch;
use crate::os::OsClock;

impl SourceId {
    /// All sources, in report order.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.id)
    }

    /// Its row in the table of clocks.
    #[must_use]
    pub const fn facts(self) -> &'static SourceFacts {
        SourceFacts::of(self)
    }

    /// The source called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        ROWS.iter().find(|row| row.name == name).map(|row| row.id)
    }

    /// Its name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// Whether it reads the CPU's counter directly.
    #[must_use]
    pub const fn is_counter(self) -> bool {
        matches!(self.facts().family, Family::Counter)
    }
}

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl SourceFacts {
    /// The row of `id`.
    pub(super) const fn of(id: SourceId) -> &'static Self {
        &ROWS[place(id)]
    }
}

/// What the rows of a family have in common.
const COUNTER: SourceFacts = SourceFacts {
    id: SourceId::CounterOrdered,
    name: "",
    family: Family::Counter,
    unit: Unit::CounterTicks,
    is_ordered: true,
    is_causal: true,
    step_back_below: None,
    is_shared_timeline: true,
    is_settable: false,
    traps_under_hypervisor: false,
    declared_step: None,
    times_intervals: false,
    advice: "",
};
const SYSTEM: SourceFacts = SourceFacts { family: Family::System, unit: Unit::Nanoseconds, ..COUNTER };
const LIBRARY: SourceFacts =
    SourceFacts { family: Family::Library, declared_step: Some(Duration::from_nanos(1)), ..SYSTEM };

const ORDERED_COUNTER: &str = "ticks, to be scaled by its frequency";
const CPU_TIME: &str = "CPU time, not elapsed time, by a system call";

/// In report order.
pub(super) const ROWS: &[SourceFacts] = &[
    SourceFacts {
        id: SourceId::CounterUnordered,
        name: arch::NAME_UNORDERED,
        is_ordered: false,
        is_causal: false,
        advice: "not ordered: it may be read before the work it times is done",
        ..COUNTER
    },
    SourceFacts {
        id: SourceId::CounterOrdered,
        name: arch::NAME_ORDERED,
        times_intervals: true,
        advice: ORDERED_COUNTER,
        ..COUNTER
    },
    SourceFacts {
        id: SourceId::CounterWithProcessorId,
        name: arch::NAME_WITH_PROCESSOR_ID,
        times_intervals: true,
        advice: ORDERED_COUNTER,
        ..COUNTER
    },
    SourceFacts {
        id: SourceId::CounterSerialised,
        name: arch::NAME_SERIALISED,
        traps_under_hypervisor: true,
        advice: "the fence does the same at a fraction of the cost",
        ..COUNTER
    },
    here(SourceFacts {
        id: SourceId::Os(OsClock::Monotonic),
        name: "CLOCK_MONOTONIC",
        times_intervals: true,
        advice: "nanoseconds, {causal}, slewed by NTP, portable",
        ..SYSTEM
    }),
    here(SourceFacts {
        id: SourceId::Os(OsClock::MonotonicRaw),
        name: "CLOCK_MONOTONIC_RAW",
        advice: "as CLOCK_MONOTONIC, but NTP does not correct its rate",
        ..SYSTEM
    }),
    here(SourceFacts {
        id: SourceId::Os(OsClock::MonotonicCoarse),
        name: "CLOCK_MONOTONIC_COARSE",
        advice: "the time of the last timer tick",
        ..SYSTEM
    }),
    here(SourceFacts {
        id: SourceId::Os(OsClock::Realtime),
        name: "CLOCK_REALTIME",
        is_settable: true,
        advice: "a wall clock: it can be set while an interval runs",
        ..SYSTEM
    }),
    here(SourceFacts {
        id: SourceId::Os(OsClock::RealtimeCoarse),
        name: "CLOCK_REALTIME_COARSE",
        is_settable: true,
        advice: "the wall clock at the last timer tick: for timestamps that need no more",
        ..SYSTEM
    }),
    here(SourceFacts {
        id: SourceId::Os(OsClock::Tai),
        name: "CLOCK_TAI",
        is_settable: true,
        advice: "the wall clock without leap seconds, where the kernel is told how many there were: it can be set while an interval runs",
        ..SYSTEM
    }),
    here(SourceFacts {
        id: SourceId::Os(OsClock::Boottime),
        name: "CLOCK_BOOTTIME",
        advice: "as CLOCK_MONOTONIC, and it counts suspend: for timeouts, not for timing",
        ..SYSTEM
    }),
    here(SourceFacts {
        id: SourceId::Os(OsClock::ProcessCpuTime),
        name: "CLOCK_PROCESS_CPUTIME_ID",
        is_shared_timeline: false,
        advice: CPU_TIME,
        ..SYSTEM
    }),
    here(SourceFacts {
        id: SourceId::Os(OsClock::ThreadCpuTime),
        name: "CLOCK_THREAD_CPUTIME_ID",
        is_shared_timeline: false,
        advice: CPU_TIME,
        ..SYSTEM
    }),
    SourceFacts {
        id: SourceId::MonotonicSystemCall,
        name: "syscall CLOCK_MONOTONIC",
        advice: "the C library reads the same clock at less cost or the same",
        ..SYSTEM
    },
    SourceFacts {
        id: SourceId::Clock(Guarantee::Unordered),
        name: "Unordered",
        is_ordered: false,
        is_causal: false,
        advice: "not ordered: it may be read before the work it times is done; a cheap timestamp in nanoseconds",
        ..LIBRARY
    },
    SourceFacts {
        id: SourceId::Clock(Guarantee::Ordered),
        name: "Clock::now",
        times_intervals: true,
        advice: "nanoseconds of CLOCK_MONOTONIC, {causal}; from the library chronoscope-clock",
        ..LIBRARY
    },
    SourceFacts {
        id: SourceId::Clock(Guarantee::Granular),
        name: "Granular 1 µs",
        is_ordered: false,
        declared_step: Some(Guarantee::GRANULARITY),
        advice: "it moves in steps: for timestamps that threads compare, without the cost of a fence",
        ..LIBRARY
    },
];

const SYSTEM_CALL: usize = 4 + OsClock::ALL.len();

/// The place of its row.
const fn place(id: SourceId) -> usize {
    match id {
        SourceId::CounterUnordered => 0,
        SourceId::CounterOrdered => 1,
        SourceId::CounterWithProcessorId => 2,
        SourceId::CounterSerialised => 3,
        SourceId::Os(clock) => 4 + clock as usize,
        SourceId::MonotonicSystemCall => SYSTEM_CALL,
        SourceId::Clock(guarantee) => SYSTEM_CALL + 1 + guarantee as usize,
    }
}

// A row that is missing or misplaced does not build.
const _: () = {
    assert!(ROWS.len() == SYSTEM_CALL + 1 + Guarantee::ALL.len(), "a row per source");
    let mut at = 0;
    while at < ROWS.len() {
        assert!(place(ROWS[at].id) == at, "the rows follow the order of the ids");
        at += 1;
    }
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_answers_every_question_and_none_contradicts_itself() {
        for row in ROWS {
            let name = row.name;
            assert!(!name.is_empty() && !row.advice.is_empty(), "{:?}", row.id);
            assert_eq!(SourceFacts::of(row.id), row, "{name}");
            assert_eq!(row.unit == Unit::CounterTicks, row.family == Family::Counter, "{name}");
            assert_eq!(row.family == Family::Library, row.id.guarantee().is_some(), "{name}");
            assert_eq!(row.family == Family::System, row.id.os_clock().is_some(), "{name}");
            assert_eq!(row.family == Family::Library, row.declared_step.is_some(), "{name}");
            let is_bounded = row.step_back_below.is_some();
            assert!(row.is_causal || !row.is_ordered || is_bounded, "{name}: an ordered read is causal, or nearly");
            assert!(!row.is_causal || row.step_back_below.is_none(), "{name}: a causal read never goes back");
            let is_fit = row.is_ordered && row.is_shared_timeline && !row.is_settable;
            assert!(is_fit || !row.times_intervals, "{name} times no interval");
            assert!(row.times_intervals || !row.advice.contains('{'), "{name}: nothing is filled in");
        }
    }

    #[test]
    fn names_are_unique_and_resolve() {
        for row in ROWS {
            assert_eq!(ROWS.iter().filter(|other| other.name == row.name).count(), 1, "{}", row.name);
            assert_eq!(SourceId::from_name(row.name), Some(row.id));
        }
        assert_eq!(SourceId::from_name("sundial"), None);
    }
}
