use core::time::Duration;

/// What becomes of events whose time has passed before their turn came.
///
/// There is no right choice, so the caller makes it. Whichever it is, [`Slot`](super::Slot) says what was late, left out or
/// moved.
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
pub enum Behind {
    /// They come at once, one after the other, until the schedule is kept again. No event is lost, and the rate holds in the
    /// long run: for generators of load, whose users would not have waited either. However long the stall was: a laptop that
    /// slept for an hour is sent an hour's events in one burst. [`CatchUpWithin`](Self::CatchUpWithin) puts a limit to that.
    CatchUp,
    /// The same for events that are late by no more than this; those that are later are left out and counted. The schedule's
    /// last event is never left out.
    CatchUpWithin(Duration),
    /// Those after which another one is due already are left out and counted. For displays and polls, of which only the last
    /// matters. Times taken of the others are then too good to be true.
    Skip,
    /// The schedule moves by the delay, and says by how much in all. For what must keep a distance. Rate and times are then
    /// those of a slower schedule.
    Slip,
}
