use core::sync::atomic::{AtomicI64, Ordering};

use crate::Instant;

/// An [`Instant`] that threads share.
///
/// # Ordering
/// As stated by each call's argument, like the standard library's atomics.
///
/// # Examples
/// ```
/// use chronoscope_clock::{AtomicInstant, Clock};
/// use core::sync::atomic::Ordering::{Acquire, Release};
///
/// let last_seen = AtomicInstant::new(Clock::or_system().now());
/// last_seen.store(Clock::or_system().now(), Release);
/// // Whoever was shown an instant never reads an earlier one.
/// assert!(Clock::or_system().now() >= last_seen.load(Acquire));
/// ```
#[derive(Debug)]
pub struct AtomicInstant(AtomicI64);

impl AtomicInstant {
    /// Holds `instant`.
    #[must_use]
    pub const fn new(instant: Instant) -> Self {
        Self(AtomicI64::new(instant.as_nanos()))
    }

    /// The instant held.
    #[must_use]
    #[inline(always)]
    pub fn load(&self, ordering: Ordering) -> Instant {
        Instant::from_nanos(self.0.load(ordering))
    }

    /// Replaces the instant.
    #[inline(always)]
    pub fn store(&self, instant: Instant, ordering: Ordering) {
        self.0.store(instant.as_nanos(), ordering);
    }

    /// Replaces the instant, and returns the old one.
    pub fn swap(&self, instant: Instant, ordering: Ordering) -> Instant {
        Instant::from_nanos(self.0.swap(instant.as_nanos(), ordering))
    }

    /// Keeps the later of `instant` and its own, and returns the old one.
    pub fn fetch_max(&self, instant: Instant, ordering: Ordering) -> Instant {
        Instant::from_nanos(self.0.fetch_max(instant.as_nanos(), ordering))
    }

    /// Keeps the earlier of `instant` and its own, and returns the old one.
    pub fn fetch_min(&self, instant: Instant, ordering: Ordering) -> Instant {
        Instant::from_nanos(self.0.fetch_min(instant.as_nanos(), ordering))
    }

    /// Replaces `current` by `new`.
    ///
    /// # Errors
    /// The instant held, if it is not `current`.
    pub fn compare_exchange(
        &self,
        current: Instant,
        new: Instant,
        success: Ordering,
        failure: Ordering,
    ) -> Result<Instant, Instant> {
        self.0
            .compare_exchange(current.as_nanos(), new.as_nanos(), success, failure)
            .map(Instant::from_nanos)
            .map_err(Instant::from_nanos)
    }

    /// The instant held, by value.
    #[must_use]
    pub fn into_inner(self) -> Instant {
        Instant::from_nanos(self.0.into_inner())
    }
}

impl From<Instant> for AtomicInstant {
    fn from(instant: Instant) -> Self {
        Self::new(instant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Ordering::SeqCst;

    #[test]
    fn the_later_and_the_earlier_win() {
        let held = AtomicInstant::from(Instant::from_nanos(5));
        assert_eq!(held.fetch_max(Instant::from_nanos(3), SeqCst), Instant::from_nanos(5));
        assert_eq!(held.fetch_max(Instant::from_nanos(9), SeqCst), Instant::from_nanos(5));
        assert_eq!(held.fetch_min(Instant::from_nanos(2), SeqCst), Instant::from_nanos(9));
        assert_eq!(
            held.fetch_min(Instant::from_nanos(-1), SeqCst),
            Instant::from_nanos(2),
            "a time before boot is earlier"
        );
        assert_eq!(held.fetch_max(Instant::ZERO, SeqCst), Instant::from_nanos(-1));
        assert_eq!(held.swap(Instant::ZERO, SeqCst), Instant::ZERO);
        assert_eq!(held.compare_exchange(Instant::from_nanos(1), Instant::ZERO, SeqCst, SeqCst), Err(Instant::ZERO));
        assert_eq!(held.into_inner(), Instant::ZERO);
    }
}
