//! The ways to time a call.

pub(super) const TIMED_OUTSIDE: &str = "next, timed in batches";
pub(super) const TIMED_ALONE: &str = "next, each call stamped";
/// Calls in a batch: together long enough for the clock from the first on.
pub(super) const CALLS: u64 = 100;
