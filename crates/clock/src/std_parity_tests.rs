//! One text of code, compiled against the standard library's `Instant` and against this crate's: to move, change the import.

use core::fmt::Debug;
use core::hash::Hash;
use core::ops::{Add, AddAssign, Sub, SubAssign};
use core::panic::{RefUnwindSafe, UnwindSafe};
use std::collections::{BTreeSet, HashSet};
use std::format;

fn has_the_traits<T>()
where
    T: Copy + Clone + Debug + Eq + Ord + Hash + Send + Sync + Unpin + UnwindSafe + RefUnwindSafe + 'static,
    T: Add<core::time::Duration, Output = T> + AddAssign<core::time::Duration>,
    T: Sub<core::time::Duration, Output = T> + SubAssign<core::time::Duration> + Sub<T, Output = core::time::Duration>,
{
}

macro_rules! program {
    ($name:ident, $($import:tt)*) => {
        mod $name {
            use super::*;
            use core::time::Duration;
            $($import)*

            /// A token bucket, as anybody would write it.
            struct Bucket {
                full_at: Instant,
                interval: Duration,
                burst: u32,
            }

            impl Bucket {
                fn new(interval: Duration, burst: u32) -> Self {
                    Self { full_at: Instant::now(), interval, burst }
                }

                fn take_at(&mut self, now: Instant) -> Result<(), Duration> {
                    let full_at = self.full_at.max(now) + self.interval;
                    let ahead = full_at.saturating_duration_since(now);
                    match ahead.checked_sub(self.interval * self.burst) {
                        Some(wait) if !wait.is_zero() => Err(wait),
                        _ => {
                            self.full_at = full_at;
                            Ok(())
                        }
                    }
                }
            }

            #[test]
            fn the_standard_librarys_interface_is_there() {
                has_the_traits::<Instant>();
                let start: Instant = Instant::now();
                let step = Duration::from_millis(3);
                let later = start + step;

                // By value, by reference and as a path.
                let held = &later;
                let _: [Duration; 4] = [later.elapsed(), held.elapsed(), Instant::elapsed(&later), (*held).elapsed()];
                assert_eq!([held].into_iter().map(Instant::elapsed).count(), 1);

                assert_eq!(later.duration_since(start), step);
                assert_eq!(held.duration_since(start), step);
                assert_eq!(Instant::duration_since(&later, start), step);
                assert_eq!(start.duration_since(later), Duration::ZERO);
                assert_eq!(later.checked_duration_since(start), Some(step));
                assert_eq!(Instant::checked_duration_since(&start, later), None);
                assert_eq!(Instant::saturating_duration_since(&start, later), Duration::ZERO);
                assert_eq!(Instant::checked_add(&start, step), Some(later));
                assert_eq!(Instant::checked_sub(&later, step), Some(start));
                assert_eq!(start.checked_add(Duration::MAX), None);
                assert_eq!(start.checked_sub(Duration::MAX), None);

                let mut moved = start;
                moved += step;
                assert_eq!((moved, moved - start, later - step, start - later), (later, step, start, Duration::ZERO));
                moved -= step;
                assert_eq!(moved, start);
                assert!(start < later && start.max(later) == later && format!("{start:?}").starts_with("Instant"));
                assert_eq!([later, start, later].into_iter().collect::<BTreeSet<_>>().len(), 2);
                assert_eq!([later, start, later].into_iter().collect::<HashSet<_>>().len(), 2);
            }

            #[test]
            fn a_token_bucket_moves_by_its_import() {
                let mut bucket = Bucket::new(Duration::from_millis(10), 3);
                let now = Instant::now() + Duration::from_secs(1);
                assert!((0..3).all(|_| bucket.take_at(now).is_ok()));
                assert_eq!(bucket.take_at(now), Err(Duration::from_millis(10)));
                assert!(bucket.take_at(now + Duration::from_millis(10)).is_ok());
            }

            /// However young the machine. On Windows the standard library has no times before its zero.
            #[cfg(unix)]
            #[test]
            fn long_ago_is_a_time_like_any_other() {
                let (now, years) = (Instant::now(), Duration::from_secs(10 * 365 * 86_400));
                let long_ago = now - years;
                assert!(long_ago < now && long_ago.elapsed() >= years);
                assert_eq!((long_ago + years, now - long_ago, long_ago - now), (now, years, Duration::ZERO));
            }
        }
    };
}

program!(on_std, use std::time::Instant;);
program!(on_ours, use crate::Instant;);
