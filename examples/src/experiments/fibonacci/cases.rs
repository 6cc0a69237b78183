//! The ways to time a call.

pub(super) const TIMED_OUTSIDE: &str = "next, timed in batches";
pub(super) const TIMED_ALONE: &str = "next, each call stamped";
/// Another operation that never settles.
pub(super) const IN_DECIMAL: &str = "next in decimal, timed in batches";
/// Calls per batch: enough for the clock from the first batch.
pub(super) const CALLS: u64 = 100;
