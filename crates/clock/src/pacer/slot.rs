use core::time::Duration;

use crate::Instant;

/// An event of a schedule whose turn has come.
///
/// # Units
/// Instants on the timescale of [`Clock`](crate::Clock).
///
/// # Guarantees
/// `started` is not before `intended`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "an event that is not started is one that was omitted"]
#[non_exhaustive]
pub struct Slot {
    /// Its number in the schedule, from 0; events left out count.
    pub number: u64,
    /// When it should start.
    pub intended: Instant,
    /// When it could start.
    pub started: Instant,
    /// Why that was later.
    pub late: Late,
    /// Events left out since the last one.
    pub skipped: u64,
    /// How far the schedule has moved in total.
    pub slipped: Duration,
}

/// How late an event started, and who caused it.
///
/// An event that is late because of an earlier one is charged to whatever made that one late: `by_caller` is how late it
/// would have been had nobody else caused delay, `by_machine` what the machine adds. The three parts add up to `total`
/// exactly.
///
/// # Examples
/// ```
/// use chronoscope_clock::pacer::{Behind, Pace, Pacer};
///
/// let mut pacer = Pacer::new(Pace::per_second(2_000)?.schedule().take(5), Behind::CatchUp);
/// while let Some(slot) = pacer.next_slot() {
///     let late = slot.late;
///     assert_eq!(late.total, late.by_caller + late.by_machine + late.by_pacer);
/// }
/// # Ok::<(), chronoscope_clock::pacer::ImpossiblePace>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Late {
    /// From the intended to the actual start.
    pub total: Duration,
    /// Earlier events were held for longer than their time, by the caller's work or an interruption of it. Wall time
    /// cannot tell the two apart; [`Pacer::worked`](super::Pacer::worked) can.
    pub by_caller: Duration,
    /// The CPU was taken away while it was to be kept.
    pub by_machine: Duration,
    /// The rest: sleeps that ended late, and the pacer's own steps; with [`Timetable::due`](super::Timetable::due), the
    /// caller's waits.
    pub by_pacer: Duration,
}

/// How long an event took.
///
/// # Examples
/// ```
/// use chronoscope_clock::pacer::{Behind, Pace, Pacer};
/// use std::time::Duration;
///
/// let mut pacer = Pacer::new(Pace::per_second(1_000)?.schedule().take(3), Behind::CatchUp);
/// while let Some(slot) = pacer.next_slot() {
///     // The work.
///     let times = pacer.finish(&slot);
///     assert_eq!(times.response, times.service + slot.late.total);
/// }
/// # Ok::<(), chronoscope_clock::pacer::ImpossiblePace>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Times {
    /// From the intended start to the end: what its user sees.
    pub response: Duration,
    /// From the actual start to the end: what the system took.
    pub service: Duration,
}

impl Slot {
    /// Its times, had it ended at `ended`.
    #[must_use]
    pub const fn times(&self, ended: Instant) -> Times {
        Times {
            response: ended.saturating_duration_since(self.intended),
            service: ended.saturating_duration_since(self.started),
        }
    }
}
