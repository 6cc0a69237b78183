use core::fmt;
use core::ops::{Add, AddAssign, Sub, SubAssign};
use core::time::Duration;

use crate::nanos;

/// A moment on the timescale of `CLOCK_MONOTONIC`.
///
/// # Units
/// Whole nanoseconds from the zero of `CLOCK_MONOTONIC`, on Linux boot, suspend not counted; negative before it. For other
/// systems see [`OsClock::Monotonic`](crate::os::OsClock). The range is 292 years either way.
///
/// # Guarantees
/// Arithmetic is exact, and so is conversion to and from [`std::time::Instant`] if both count the same clock. How two
/// instants compare depends on the reads they came from: see [`Clock`](crate::Clock), [`Unordered`](crate::Unordered),
/// [`Granular`](crate::Granular).
///
/// Has all methods and operators of [`std::time::Instant`] under the same names: to move a program, change its import.
/// Times before boot are instants too: `Instant::now() - Duration::from_secs(30 * 86_400)` works on a machine just
/// started. One thing differs: on Unix the standard library's range is 292 *billion* years, so a deadline in a thousand
/// years, meant as "never", works with it and panics here: write `saturating_add`, or keep an `Option<Instant>`.
///
/// Serialised (feature `serde`) it is `{boot, ns}` with its [`BootId`](crate::BootId). An instant of another boot or time
/// namespace is refused, and so is a bare number. Where the system does not tell its boot (neither Linux nor macOS), both
/// directions fail: to vouch for the boot yourself, serialise [`as_nanos`](Self::as_nanos) and use
/// [`from_nanos`](Self::from_nanos).
///
/// # Panics
/// `+` and `-` with a [`Duration`] panic outside that range; the `checked_` and `saturating_` forms do not. The
/// difference of two instants never panics: see [`Sub`](#impl-Sub-for-Instant).
///
/// # Examples
/// ```
/// use chronoscope_clock::Instant;
/// use core::time::Duration;
///
/// let start = Instant::now();
/// let deadline = start + Duration::from_millis(5);
/// assert!(start < deadline);
/// assert_eq!(deadline - start, Duration::from_millis(5));
/// assert_eq!(start.checked_duration_since(deadline), None);
/// let a_month_ago = start - Duration::from_secs(30 * 86_400); // before boot, perhaps
/// assert_eq!(start - a_month_ago, Duration::from_secs(30 * 86_400));
/// assert_eq!(Instant::from_nanos(-1_500_000_000).to_string(), "-1.500000000 s");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant {
    ns: i64,
}

impl Instant {
    /// The zero of the timescale.
    pub const ZERO: Self = Self { ns: 0 };

    /// The instant `ns` nanoseconds after the timescale's zero (negative: before it): for times from a record, a test or
    /// another clock.
    #[must_use]
    #[inline(always)]
    pub const fn from_nanos(ns: i64) -> Self {
        Self { ns }
    }

    /// Nanoseconds since the timescale's zero; negative before it.
    #[must_use]
    #[inline(always)]
    pub const fn as_nanos(self) -> i64 {
        self.ns
    }

    /// The instant in a word of an atomic, a [`TickSource`](crate::TickSource) or the kernel, which count on from zero.
    #[inline(always)]
    pub(crate) const fn from_bits(ns: u64) -> Self {
        Self { ns: ns as i64 }
    }

    /// As [`as_nanos`](Self::as_nanos), in a word of an atomic or a [`TickSource`](crate::TickSource).
    #[inline(always)]
    pub(crate) const fn to_bits(self) -> u64 {
        self.ns as u64
    }

    /// The time from `earlier` to this. None if `earlier` is later.
    #[must_use]
    pub const fn checked_duration_since(&self, earlier: Self) -> Option<Duration> {
        if self.ns >= earlier.ns { Some(Duration::from_nanos(self.ns.abs_diff(earlier.ns))) } else { None }
    }

    /// The time from `earlier` to this; zero if `earlier` is later, as in the standard library. To see a backward step
    /// use [`signed_nanos_since`](Self::signed_nanos_since).
    #[must_use]
    pub const fn duration_since(&self, earlier: Self) -> Duration {
        self.saturating_duration_since(earlier)
    }

    /// The time from `earlier` to this; zero if `earlier` is later. To see a backward step use
    /// [`signed_nanos_since`](Self::signed_nanos_since) or [`checked_duration_since`](Self::checked_duration_since).
    #[must_use]
    pub const fn saturating_duration_since(&self, earlier: Self) -> Duration {
        match self.checked_duration_since(earlier) {
            Some(duration) => duration,
            None => Duration::ZERO,
        }
    }

    /// The time from `earlier` to this in nanoseconds, negative if `earlier` is later; saturates at 292 years.
    #[must_use]
    pub const fn signed_nanos_since(self, earlier: Self) -> i64 {
        self.ns.saturating_sub(earlier.ns)
    }

    /// This plus `duration`. None if that is more than 292 years after the zero.
    #[must_use]
    pub const fn checked_add(&self, duration: Duration) -> Option<Self> {
        let Some(ns) = nanos::checked(duration) else { return None };
        match self.ns.checked_add_unsigned(ns) {
            Some(ns) => Some(Self { ns }),
            None => None,
        }
    }

    /// This minus `duration`. None if that is more than 292 years before the zero.
    #[must_use]
    pub const fn checked_sub(&self, duration: Duration) -> Option<Self> {
        let Some(ns) = nanos::checked(duration) else { return None };
        match self.ns.checked_sub_unsigned(ns) {
            Some(ns) => Some(Self { ns }),
            None => None,
        }
    }

    /// This plus `duration`, at most the largest instant.
    #[must_use]
    pub const fn saturating_add(self, duration: Duration) -> Self {
        match self.checked_add(duration) {
            Some(sum) => sum,
            None => Self { ns: i64::MAX },
        }
    }

    /// This minus `duration`, at least the smallest instant.
    #[must_use]
    pub const fn saturating_sub(self, duration: Duration) -> Self {
        match self.checked_sub(duration) {
            Some(difference) => difference,
            None => Self { ns: i64::MIN },
        }
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Instant({self})")
    }
}

/// Seconds since the timescale's zero, with all nine digits: `1234.567890123 s`, `-0.500000000 s`.
impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, ns) = (if self.ns < 0 { "-" } else { "" }, self.ns.unsigned_abs());
        write!(f, "{sign}{}.{:09} s", ns / 1_000_000_000, ns % 1_000_000_000)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    #[track_caller]
    fn add(self, duration: Duration) -> Self {
        self.checked_add(duration).expect("an instant plus a duration must stay within 292 years of the clock's zero")
    }
}

impl AddAssign<Duration> for Instant {
    #[track_caller]
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl Sub<Duration> for Instant {
    type Output = Self;

    #[track_caller]
    fn sub(self, duration: Duration) -> Self {
        self.checked_sub(duration).expect("an instant minus a duration must stay within 292 years of the clock's zero")
    }
}

impl SubAssign<Duration> for Instant {
    #[track_caller]
    fn sub_assign(&mut self, duration: Duration) {
        *self = *self - duration;
    }
}

impl Sub for Instant {
    type Output = Duration;

    /// As [`saturating_duration_since`](Instant::saturating_duration_since), like the standard library's.
    fn sub(self, earlier: Self) -> Duration {
        self.saturating_duration_since(earlier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::string::ToString;

    #[test]
    fn what_does_not_fit_is_none_and_never_wraps() {
        let (first, last) = (Instant::from_nanos(i64::MIN), Instant::from_nanos(i64::MAX));
        let (one, all) = (Duration::from_nanos(1), Duration::from_nanos(u64::MAX));
        assert_eq!((last.checked_add(one), first.checked_sub(one)), (None, None));
        assert_eq!((first.checked_add(all), last.checked_sub(all)), (Some(last), Some(first)));
        assert_eq!((first.checked_add(all + one), last.checked_sub(all + one)), (None, None));
        assert_eq!((last.saturating_add(one), first.saturating_add(Duration::MAX)), (last, last));
        assert_eq!((first.saturating_sub(one), last.saturating_sub(Duration::MAX)), (first, first));
        assert_eq!((last - first, first - last), (all, Duration::ZERO));
        assert_eq!(first.checked_duration_since(last), None);
        assert_eq!((last.signed_nanos_since(first), first.signed_nanos_since(last)), (i64::MAX, i64::MIN));
    }

    #[test]
    fn a_month_ago_is_a_time_on_a_machine_just_started() {
        let (uptime, month) = (Duration::from_secs(60), Duration::from_secs(30 * 86_400));
        let now = Instant::ZERO + uptime;
        let before = now - month;
        assert!(before < Instant::ZERO && before < now);
        assert_eq!((now - before, before + month), (month, now));
        assert_eq!((now.checked_sub(month), now.saturating_sub(month)), (Some(before), before));
        assert_eq!(before.as_nanos(), -2_591_940_000_000_000);
    }

    #[test]
    fn a_panic_of_an_operator_names_the_callers_line() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let before = std::panic::take_hook();
        std::panic::set_hook(std::boxed::Box::new(move |info| {
            let _ = sender.send((std::thread::current().id(), info.location().map(|at| at.line())));
        }));
        let line = line!();
        let panicked = [
            std::panic::catch_unwind(|| Instant::from_nanos(i64::MIN) - Duration::from_nanos(1)),
            std::panic::catch_unwind(|| Instant::from_nanos(i64::MAX) + Duration::from_nanos(1)),
        ];
        std::panic::set_hook(before);
        assert!(panicked.iter().all(Result::is_err));
        let ours = receiver.try_iter().filter(|(thread, _)| *thread == std::thread::current().id());
        assert!(ours.map(|(_, at)| at).eq([Some(line + 2), Some(line + 3)]));
    }

    #[test]
    fn it_prints_seconds() {
        assert_eq!(std::format!("{:?}", Instant::from_nanos(1_000_000_007)), "Instant(1.000000007 s)");
        assert_eq!(Instant::from_nanos(1_234_567_890_123).to_string(), "1234.567890123 s");
        assert_eq!(Instant::ZERO.to_string(), "0.000000000 s");
        assert_eq!(Instant::from_nanos(-1).to_string(), "-0.000000001 s");
        assert_eq!(Instant::from_nanos(i64::MAX).to_string(), "9223372036.854775807 s");
        assert_eq!(Instant::from_nanos(i64::MIN).to_string(), "-9223372036.854775808 s");
    }

    proptest! {
        #[test]
        fn adding_and_taking_away_cancel(ns in i64::MIN..0, more in 0..i64::MAX as u64) {
            let (instant, duration) = (Instant::from_nanos(ns), Duration::from_nanos(more));
            prop_assert_eq!((instant + duration) - duration, instant);
            prop_assert_eq!((instant + duration) - instant, duration);
            prop_assert_eq!((instant + duration).checked_duration_since(instant), Some(duration));
            prop_assert_eq!(instant.signed_nanos_since(instant + duration), -(more as i64));
        }
    }
}
