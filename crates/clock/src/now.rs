use crate::{FakeClock, FakeView, Instant, TickSource, Uncertainty};

/// A clock that says what time it is: what code should ask for, so that its tests can give it a [`FakeClock`].
///
/// Static dispatch, no thread-local and no branch: with a real clock the call is the read itself.
///
/// # Guarantees
/// Those of the type: [`Clock`](crate::Clock) is monotonic and causal, [`Unordered`](crate::Unordered) is not causal,
/// [`Granular`](crate::Granular) is causal and quantised.
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
/// clock.advance(60_000_000_000);
/// assert!(lease.is_over());
/// ```
pub trait Now {
    /// The time now.
    fn now(&self) -> Instant;

    /// What the clock can say about the error of its readings; an exact clock unless it says otherwise.
    fn uncertainty(&self) -> Uncertainty {
        Uncertainty::EXACT
    }
}

impl<C: Now> Now for &C {
    #[inline(always)]
    fn now(&self) -> Instant {
        (**self).now()
    }

    fn uncertainty(&self) -> Uncertainty {
        (**self).uncertainty()
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
