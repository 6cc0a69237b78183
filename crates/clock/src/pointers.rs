//! What points to a clock is a clock, and what points to a timer is a timer.

#[cfg(feature = "std")]
use std::{boxed::Box, rc::Rc, sync::Arc};

use core::time::Duration;

use crate::pause::{Cancel, Internal, Sealed, TimeSlice, Timer};
use crate::{Instant, Now, Reading, Unavailable};

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<C: Now + ?Sized> Now for $pointer {
            #[inline(always)]
            fn now(&self) -> Instant {
                (**self).now()
            }

            fn reading(&self) -> Reading {
                (**self).reading()
            }
        }

        impl<C: Sealed + ?Sized> Sealed for $pointer {
            fn shorten_slices(&self, internal: Internal) -> Option<TimeSlice> {
                (**self).shorten_slices(internal)
            }

            fn preemptions(&self, internal: Internal) -> Option<u64> {
                (**self).preemptions(internal)
            }
        }

        impl<C: Timer + ?Sized> Timer for $pointer {
            fn sleep_until(&self, deadline: Instant, cancel: Option<&Cancel>) -> Result<(), Unavailable> {
                (**self).sleep_until(deadline, cancel)
            }

            #[inline(always)]
            fn glance(&self) -> Instant {
                (**self).glance()
            }

            fn cpu_time(&self) -> Option<Duration> {
                (**self).cpu_time()
            }

            fn is_real_time(&self) -> bool {
                (**self).is_real_time()
            }
        }
    )*};
}

forward!(&C);
#[cfg(feature = "std")]
forward!(Box<C>, Rc<C>, Arc<C>);

/// Does not compile unless both traits can be made into objects.
const _: (Option<&dyn Now>, Option<&dyn Timer>) = (None, None);

#[cfg(all(test, feature = "std"))]
mod tests {
    use core::time::Duration;

    use super::*;
    use crate::FakeClock;
    use crate::pause::{Pauser, Target};

    /// Generic over its clock, and held by its tests, by threads and behind objects.
    struct Lease<C> {
        clock: C,
        ends: Instant,
    }

    impl<C: Now> Lease<C> {
        fn is_over(&self) -> bool {
            self.clock.now() >= self.ends
        }
    }

    fn follows<C: Now>(fake: &FakeClock, clock: C) {
        let lease = Lease { clock, ends: Now::now(fake) + Duration::from_secs(1) };
        assert!(!lease.is_over());
        fake.advance(Duration::from_secs(1));
        assert!(lease.is_over());
        assert_eq!(lease.clock.reading(), Now::reading(fake));
    }

    #[test]
    fn every_pointer_to_a_clock_is_that_clock() {
        let shared = Arc::new(FakeClock::new());
        follows(&shared, &*shared);
        follows(&shared, Arc::clone(&shared));
        follows(&shared, Box::new(Arc::clone(&shared)));
        follows(&shared, Rc::new(Arc::clone(&shared)));
        follows(&shared, Arc::clone(&shared) as Arc<dyn Now + Send + Sync>);
        follows(&shared, Box::new(Arc::clone(&shared)) as Box<dyn Now + Send>);
        follows(&shared, &*shared as &dyn Now);
        let unsized_and_shared: Rc<dyn Now> = Rc::new(Arc::clone(&shared));
        follows(&shared, &unsized_and_shared);
    }

    #[test]
    fn a_reading_is_the_clocks_own_and_not_the_default() {
        struct Coarse;
        impl Now for Coarse {
            fn now(&self) -> Instant {
                Instant::from_nanos(1_000)
            }
            fn reading(&self) -> Reading {
                Reading::exact(self.now()).with_step(Duration::from_micros(1))
            }
        }
        let clock: Box<dyn Now> = Box::new(Coarse);
        assert_eq!(clock.reading().step(), Duration::from_micros(1));
    }

    #[test]
    #[cfg_attr(miri, ignore = "thousands of waits, and nothing in them is unsafe")]
    fn an_object_is_a_timer_to_wait_by() {
        let fake = Arc::new(FakeClock::new());
        fake.set_oversleep(Duration::from_micros(20));
        let timer: Box<dyn Timer + Send> = Box::new(Arc::clone(&fake));
        let mut pauser = Pauser::with_timer(timer, Target::default());
        let begin = Now::now(&*fake);
        let waited = pauser.pause(Duration::from_millis(1));
        assert!(waited.ended >= begin + Duration::from_millis(1) && waited.sleeps > 0);
        let glance = pauser.timer().glance();
        assert_eq!(glance, Now::now(&*fake));
        assert!(pauser.timer().glance() > glance);
    }

    #[test]
    fn threads_share_an_object() {
        let fake = Arc::new(FakeClock::starting_at(Instant::from_nanos(7)));
        let clock: Arc<dyn Now + Send + Sync> = fake;
        let other = Arc::clone(&clock);
        assert_eq!(std::thread::spawn(move || other.now()).join().unwrap(), clock.now());
    }
}
