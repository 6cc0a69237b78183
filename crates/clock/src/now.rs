use crate::{FakeClock, FakeView, Instant, Reading, TickSource};

/// A clock that tells the time. Code that is generic over this trait can be given a [`FakeClock`] by its tests.
///
/// Statically dispatched, with no thread-local and no branch: with a real clock, the call is the read itself.
///
/// # Guarantees
/// Those of the type: [`Clock`](crate::Clock) is as monotonic and causal as `CLOCK_MONOTONIC`,
/// [`Unordered`](crate::Unordered) is not causal, [`Granular`](crate::Granular) is causal and quantised.
///
/// # Examples
/// ```
/// use chronoscope_clock::{FakeClock, Instant, Now};
/// use core::time::Duration;
///
/// struct Lease<C> {
///     clock: C,
///     ends: Instant,
/// }
/// impl<C: Now> Lease<C> {
///     fn is_over(&self) -> bool {
///         self.clock.now() >= self.ends
///     }
/// }
/// let clock = FakeClock::new();
/// let lease = Lease { clock: &clock, ends: Instant::ZERO + Duration::from_secs(60) };
/// assert!(!lease.is_over());
/// clock.advance(Duration::from_secs(60));
/// assert!(lease.is_over());
/// ```
pub trait Now {
    /// The time now.
    fn now(&self) -> Instant;

    /// The time now and the bound of its error, from one read. Unless an implementation says otherwise, the clock is
    /// its own reference and counts nanoseconds: [`Reading::exact`].
    fn reading(&self) -> Reading {
        Reading::exact(self.now())
    }
}

impl<C: Now> Now for &C {
    #[inline(always)]
    fn now(&self) -> Instant {
        (**self).now()
    }

    fn reading(&self) -> Reading {
        (**self).reading()
    }
}

impl Now for FakeClock {
    fn now(&self) -> Instant {
        Instant::from_nanos(self.read())
    }
}

impl Now for FakeView<'_> {
    fn now(&self) -> Instant {
        Instant::from_nanos(self.read())
    }
}
