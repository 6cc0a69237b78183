use core::time::Duration;

/// What becomes of events whose time has passed before their turn.
///
/// There is no right choice, so the caller makes it. [`Slot`](super::Slot) reports what was late, left out or moved.
///
/// # Examples
/// ```
/// use chronoscope_clock::pacer::{Behind, Pace, Pacer};
///
/// let load_test = Pacer::new(Pace::per_second(10_000)?.schedule(), Behind::CatchUp);
/// # let _ = load_test;
/// # Ok::<(), chronoscope_clock::pacer::ImpossiblePace>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Behind {
    /// They come back to back until the schedule is met again. No event is lost, and the long-run rate holds: for load
    /// generators, whose users would not have waited either. After an hour of sleep a laptop sends an hour's events in one
    /// burst; [`CatchUpWithin`](Self::CatchUpWithin) limits that.
    CatchUp,
    /// The same for events late by at most this; later ones are left out and counted, except the schedule's last.
    CatchUpWithin(Duration),
    /// Events superseded by another that is due are left out and counted: for displays and polls, where only the latest matters.
    /// The times of those that remain are too good to be true.
    Skip,
    /// The schedule moves by the delay, and reports the total: for events that must keep a distance. Rate and times are then those
    /// of a slower schedule.
    Slip,
}
