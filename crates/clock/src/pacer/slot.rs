use core::time::Duration;

use crate::Instant;

/// One event of a schedule, whose turn it is.
///
/// # Units
/// Instants on the timescale of [`Clock`](crate::Clock).
///
/// # Guarantees
/// `started` is not before `intended`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "an event that is not started is one that was omitted"]
pub struct Slot {
    /// Its number in the schedule, counted from 0; those left out count.
    pub number: u64,
    /// When it should start.
    pub intended: Instant,
    /// When it could.
    pub started: Instant,
    /// Why that was later.
    pub late: Late,
    /// Events that were left out before this one, since the last.
    pub skipped: u64,
    /// By how much the schedule has moved in all.
    pub slipped: Duration,
}

/// How late an event started, and by whose doing.
///
/// An event that is late because an earlier one was counts as what made that one late, not as the caller's: `by_caller` is
/// how late it would have been with nobody else delaying anything, and `by_machine` what the machine adds to that. The three
/// parts add up to `total`, exactly.
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
pub struct Late {
    /// From the intended to the actual start.
    pub total: Duration,
    /// Events before were held for longer than their time: by the caller's work, or by an interruption of it. Wall time cannot
    /// tell the two apart; [`Pacer::worked`](super::Pacer::worked) can be told.
    pub by_caller: Duration,
    /// What the machine took while the CPU was kept: it ran something else.
    pub by_machine: Duration,
    /// The rest: sleeps that ended late, and the steps of the pacer itself. Where [`Timetable::due`](super::Timetable::due) is used,
    /// the waits are the caller's own.
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
pub struct Times {
    /// From its intended start to its end: what its user sees.
    pub response: Duration,
    /// From its actual start to its end: what the system took once it came to it.
    pub service: Duration,
}

impl Slot {
    /// What it took if it ended at `ended`.
    #[must_use]
    pub const fn times(&self, ended: Instant) -> Times {
        Times {
            response: ended.saturating_duration_since(self.intended),
            service: ended.saturating_duration_since(self.started),
        }
    }
}
