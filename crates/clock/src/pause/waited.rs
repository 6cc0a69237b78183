use core::time::Duration;

use crate::Instant;

/// The outcome of a wait.
///
/// # Units
/// Times on the timescale of [`Clock`](crate::Clock).
///
/// # Guarantees
/// Unless cancelled, a wait is never early: `ended` is a clock reading at the deadline or later.
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
    /// The first clock reading at the deadline or later; the last one if cancelled.
    pub ended: Instant,
    /// From the deadline to `ended`.
    pub late: Duration,
    /// Time for which the CPU was given away.
    pub slept: Duration,
    /// Time for which the CPU was kept.
    pub spun: Duration,
    /// How often the CPU was given away. Each signal that interrupts a sleep adds one.
    pub sleeps: u32,
    /// How often it could not be: the system refused, as in a sandbox, or returned at once. After a few in a row the rest
    /// of the wait is spun.
    pub failed_sleeps: u32,
    /// The longest time between two readings while spinning: well above a microsecond if the machine took the CPU.
    pub largest_gap: Duration,
    /// The time between the last two readings, around the deadline. Zero if the deadline had passed before spinning
    /// began.
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
