/// What a guard asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "std"), allow(dead_code))] // nobody keeps it there
pub(super) enum GuardRequest {
    /// In nanoseconds.
    TimerSlack(u64),
    /// In nanoseconds.
    TimeSlice(u64),
    RealTime,
}
