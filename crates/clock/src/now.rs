use crate::{Instant, Reading};

/// A clock. Code generic over this trait can be given a [`FakeClock`](crate::FakeClock) by its tests.
///
/// Statically dispatched, with no thread-local and no branch: the call is the read itself. Where a type parameter is in
/// the way, `&dyn Now`, `Box<dyn Now>` and `Arc<dyn Now + Send + Sync>` are clocks too, at the cost of an indirect call
/// per read.
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
///
/// A clock chosen at run time, and shared by threads:
/// ```
/// # #[cfg(feature = "std")] {
/// use chronoscope_clock::{Clock, Granular, Now};
/// use std::{sync::Arc, time::Duration};
///
/// let is_busy = std::env::args().count() > 8;
/// let clock: Arc<dyn Now + Send + Sync> =
///     if is_busy { Arc::new(Granular::new(Duration::from_micros(1))) } else { Arc::new(Clock::or_system()) };
/// let elsewhere = Arc::clone(&clock);
/// let shown = std::thread::spawn(move || elsewhere.now()).join().unwrap();
/// assert!(clock.now() >= shown);
/// # }
/// ```
pub trait Now {
    /// The time now.
    fn now(&self) -> Instant;

    /// The time now and its error bound, from one read. By default the clock is its own reference and counts nanoseconds:
    /// [`Reading::exact`].
    fn reading(&self) -> Reading {
        Reading::exact(self.now())
    }
}
