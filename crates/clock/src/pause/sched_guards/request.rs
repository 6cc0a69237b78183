/// What a guard asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "std"), allow(dead_code))] // nobody keeps it there
pub(super) enum Request {
    /// Of so many nanoseconds.
    TimerSlack(u64),
    /// Of so many nanoseconds.
    TimeSlice(u64),
    RealTime,
}
