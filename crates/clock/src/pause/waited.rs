use core::time::Duration;

use crate::Instant;

/// What became of a wait.
///
/// # Units
/// Times on the timescale of [`Clock`](crate::Clock).
///
/// # Guarantees
/// A wait that was not cancelled is never early: `ended` is a reading of the clock, and not before the deadline.
///
/// # Examples
/// ```
/// use chronoscope_clock::pause;
/// use std::time::Duration;
///
/// let waited = pause::spin(Duration::from_micros(5));
/// assert_eq!(waited.slept, Duration::ZERO);
/// println!("over by {:?}, of which one gap took {:?}", waited.late, waited.largest_gap);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waited {
    /// The clock's first reading at the deadline or after it; of a cancelled wait, its last one.
    pub ended: Instant,
    /// From the deadline to `ended`.
    pub late: Duration,
    /// Time for which the CPU was given away, until it was given back.
    pub slept: Duration,
    /// Time for which the CPU was kept.
    pub spun: Duration,
    /// How often the CPU was given away. Each signal that interrupts a sleep makes it one more.
    pub sleeps: u32,
    /// How often the CPU could not be given away: the system refused, as a sandbox does, or gave it back at once. After a few of
    /// them in a row the rest of the wait is spun.
    pub failed_sleeps: u32,
    /// The longest time between two readings while the CPU was kept: well above a microsecond where the machine took it.
    pub largest_gap: Duration,
    /// The time between the last two of them, between which the deadline passed. Nothing where it had passed before the CPU
    /// was kept: a sleep ended late, or there was nothing to wait for.
    pub last_gap: Duration,
    /// Whether it was cancelled before its deadline.
    pub cancelled: bool,
}

impl Waited {
    /// No wait at all, until `ended`.
    pub(crate) const fn nothing(ended: Instant) -> Self {
        Self {
            ended,
            late: Duration::ZERO,
            slept: Duration::ZERO,
            spun: Duration::ZERO,
            sleeps: 0,
            failed_sleeps: 0,
            largest_gap: Duration::ZERO,
            last_gap: Duration::ZERO,
            cancelled: false,
        }
    }
}
