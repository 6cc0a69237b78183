//! Instants to and from those of the standard library.
//!
//! On Linux, macOS and Windows both count the same clock, so they differ by a constant: the standard library's instant at
//! this crate's zero. It hides that instant's value, but not its range: `checked_sub` succeeds exactly down to its
//! smallest value, so a binary search finds how far any instant is from that. Today's standard library counts signed
//! seconds on Unix, and none below zero on Windows. The result is used only if readings confirm it.

use core::time::Duration;
use std::sync::OnceLock;
use std::time::Instant as StdInstant;

use crate::{Instant, Unavailable, os};

/// Where the smallest value of the standard library's instants may lie before the zero of the clock.
const BELOW_ZERO: [Duration; 2] = [Duration::from_secs(1 << 63), Duration::ZERO];
/// Readings that must confirm a constant. Two clocks that differ by less than the closest of these would be taken for one.
const CONFIRMATIONS: u32 = 16;
/// Brackets of which the narrowest is taken where no constant can be found.
#[cfg(any(test, unix))]
const BRACKETS: u32 = 5;

/// Found by the first conversion, for the life of the process: both sides count the same clock, so nothing moves it. A
/// forked child and a restored checkpoint keep it: it is about numbers, not the machine.
static PROCESS: OnceLock<Bridge<StdInstant>> = OnceLock::new();

fn process() -> &'static Bridge<StdInstant> {
    PROCESS.get_or_init(|| match os::zero_of_std() {
        Some(zero) => Bridge { zero: Some(zero) },
        None => Bridge::find(Instant::now, StdInstant::now),
    })
}

/// # Guarantees
/// *Exact*, before boot too: order and distances are kept, and a round trip ends where it began. Both count the same clock, as
/// the standard library documents; the first conversion confirms it by readings, except that on Linux they cannot tell
/// `CLOCK_MONOTONIC` from `CLOCK_BOOTTIME` before the first suspend. Should a later standard library count another clock, a
/// result is never early: each conversion then reads both clocks, and the result is late by at most the time between two
/// reads, usually under 0.1 µs.
///
/// # Platform
/// Unix, where the standard library has times before its zero. Elsewhere the conversion is a [`TryFrom`], so code for every
/// system writes `std::time::Instant::try_from(instant)`.
///
/// # Examples
/// A deadline for an API that takes the standard library's (`tokio::time::Instant` converts from that):
/// ```
/// use chronoscope_clock::Instant;
/// use std::time::Duration;
///
/// let deadline = Instant::now() + Duration::from_millis(5);
/// let theirs = std::time::Instant::from(deadline);
/// assert!(theirs > std::time::Instant::now() - Duration::from_secs(1));
/// ```
#[cfg(unix)]
impl From<Instant> for StdInstant {
    fn from(instant: Instant) -> Self {
        process().theirs(instant, Instant::now, StdInstant::now)
    }
}

/// # Guarantees
/// Exact: order and distances are kept, and a round trip ends where it began.
///
/// # Errors
/// [`Unavailable`] before the zero, where the standard library has no times on this system, and where both do not count the
/// same clock, as the first conversion finds out by readings.
#[cfg(not(unix))]
impl TryFrom<Instant> for StdInstant {
    type Error = Unavailable;

    fn try_from(instant: Instant) -> Result<Self, Unavailable> {
        process().zero.and_then(|zero| moved(instant, Instant::ZERO, zero)).ok_or(NOT_THE_SAME)
    }
}

/// # Guarantees
/// Exact: order and distances are kept, and a round trip ends where it began, however young the machine.
///
/// # Errors
/// [`Unavailable`] more than 292 years from the zero, and where both do not count the same clock, as the first conversion
/// finds out by readings.
///
/// # Examples
/// ```
/// use chronoscope_clock::Instant;
///
/// let theirs = std::time::Instant::now();
/// let ours = Instant::try_from(theirs)?;
/// println!("read {:?} ago", ours.elapsed());
/// # Ok::<(), chronoscope_clock::Unavailable>(())
/// ```
impl TryFrom<StdInstant> for Instant {
    type Error = Unavailable;

    fn try_from(instant: StdInstant) -> Result<Self, Unavailable> {
        process().zero.and_then(|zero| moved(instant, zero, Self::ZERO)).ok_or(NOT_THE_SAME)
    }
}

const NOT_THE_SAME: Unavailable = Unavailable::because(
    "an instant is out of the other type's range, or the standard library does not count the clock of chronoscope-clock",
);

/// An instant of a library: this one's, the standard library's, or a test's.
trait Moment: Copy {
    fn checked_add(self, duration: Duration) -> Option<Self>;
    fn checked_sub(self, duration: Duration) -> Option<Self>;
    fn checked_duration_since(self, earlier: Self) -> Option<Duration>;
}

impl Moment for StdInstant {
    fn checked_add(self, duration: Duration) -> Option<Self> {
        StdInstant::checked_add(&self, duration)
    }

    fn checked_sub(self, duration: Duration) -> Option<Self> {
        StdInstant::checked_sub(&self, duration)
    }

    fn checked_duration_since(self, earlier: Self) -> Option<Duration> {
        StdInstant::checked_duration_since(&self, earlier)
    }
}

impl Moment for Instant {
    fn checked_add(self, duration: Duration) -> Option<Self> {
        Instant::checked_add(&self, duration)
    }

    fn checked_sub(self, duration: Duration) -> Option<Self> {
        Instant::checked_sub(&self, duration)
    }

    fn checked_duration_since(self, earlier: Self) -> Option<Duration> {
        Instant::checked_duration_since(&self, earlier)
    }
}

/// What is as far from `to` as `instant` is from `from`. None if the type of `to` has no such value.
fn moved<T: Moment, U: Moment>(instant: T, from: T, to: U) -> Option<U> {
    match instant.checked_duration_since(from) {
        Some(ahead) => to.checked_add(ahead),
        None => to.checked_sub(from.checked_duration_since(instant)?),
    }
}

/// How to get from one side to the other.
#[derive(Clone, Copy, Debug)]
struct Bridge<T> {
    /// Their instant at our zero. None where that is no constant, or unknown.
    zero: Option<T>,
}

/// Our readings before and after one of theirs.
struct Bracket<T> {
    before: Instant,
    theirs: T,
    after: Instant,
}

impl<T: Moment> Bracket<T> {
    fn take(ours: impl Fn() -> Instant, theirs: impl Fn() -> T) -> Self {
        Self { before: ours(), theirs: theirs(), after: ours() }
    }

    #[cfg(any(test, unix))]
    fn narrowest(ours: impl Fn() -> Instant, theirs: impl Fn() -> T) -> Self {
        let width = |bracket: &Self| bracket.after.saturating_duration_since(bracket.before);
        let mut best = Self::take(&ours, &theirs);
        for _ in 1..BRACKETS {
            let next = Self::take(&ours, &theirs);
            if width(&next) < width(&best) {
                best = next;
            }
        }
        best
    }
}

impl<T: Moment> Bridge<T> {
    fn find(ours: impl Fn() -> Instant, theirs: impl Fn() -> T) -> Self {
        let now = theirs();
        let (above_smallest, _) = furthest(now, T::checked_sub);
        let zero = BELOW_ZERO.into_iter().find_map(|below_zero| {
            let zero = now.checked_sub(above_smallest.checked_sub(below_zero)?)?;
            let confirms = |bracket: Bracket<T>| {
                moved(bracket.theirs, zero, Instant::ZERO)
                    .is_some_and(|shown| (bracket.before..=bracket.after).contains(&shown))
            };
            (0..CONFIRMATIONS).all(|_| confirms(Bracket::take(&ours, &theirs))).then_some(zero)
        });
        Self { zero }
    }

    #[cfg(any(test, unix))]
    fn theirs(&self, instant: Instant, ours: impl Fn() -> Instant, theirs: impl Fn() -> T) -> T {
        let (at, from) = match self.zero {
            Some(zero) => (zero, Instant::ZERO),
            // When theirs was read, ours had shown `before` already: until `instant` it was no longer than from there.
            None => {
                let bracket = Bracket::narrowest(ours, theirs);
                (bracket.theirs, bracket.before)
            }
        };
        // A library whose instants end sooner has its first or last.
        let furthest = |step: fn(T, Duration) -> Option<T>| furthest(at, step).1;
        let end = || furthest(if instant < from { T::checked_sub } else { T::checked_add });
        moved(instant, from, at).unwrap_or_else(end)
    }
}

/// The longest step from `from` that has an answer, to the nanosecond, and the answer. Whatever has one must have one for
/// every shorter step.
fn furthest<T: Copy>(from: T, step: impl Fn(T, Duration) -> Option<T>) -> (Duration, T) {
    let (mut reached, mut beyond) = ((Duration::ZERO, from), Duration::MAX);
    if let Some(answer) = step(from, beyond) {
        return (beyond, answer);
    }
    loop {
        let middle = reached.0 + (beyond - reached.0) / 2;
        if middle == reached.0 {
            return reached;
        }
        match step(from, middle) {
            Some(answer) => reached = (middle, answer),
            None => beyond = middle,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unnecessary_fallible_conversions)] // on Unix
mod tests {
    use core::cell::Cell;
    use proptest::prelude::*;

    use super::*;

    const SECOND: i128 = 1_000_000_000;

    /// An instant of a library with values of its own from `SMALLEST` seconds on, nanoseconds above zero.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    struct Fake<const SMALLEST: i64>(i128);

    impl<const SMALLEST: i64> Fake<SMALLEST> {
        fn new(ns: i128) -> Option<Self> {
            let range = i128::from(SMALLEST) * SECOND..(i128::from(i64::MAX) + 1) * SECOND;
            range.contains(&ns).then_some(Self(ns))
        }
    }

    impl<const SMALLEST: i64> Moment for Fake<SMALLEST> {
        fn checked_add(self, duration: Duration) -> Option<Self> {
            Self::new(self.0.checked_add_unsigned(duration.as_nanos())?)
        }

        fn checked_sub(self, duration: Duration) -> Option<Self> {
            Self::new(self.0.checked_sub_unsigned(duration.as_nanos())?)
        }

        fn checked_duration_since(self, earlier: Self) -> Option<Duration> {
            let ns = u128::try_from(self.0 - earlier.0).ok()?;
            Some(Duration::new((ns / SECOND as u128) as u64, (ns % SECOND as u128) as u32))
        }
    }

    /// One time that passes by 7 ns at each reading, which our clock shows as it is and theirs plus `offset_ns`.
    struct World {
        ns: Cell<i64>,
        offset_ns: i128,
    }

    impl World {
        fn at(ns: i64, offset_ns: i128) -> Self {
            Self { ns: Cell::new(ns), offset_ns }
        }

        fn ours(&self) -> Instant {
            self.ns.set(self.ns.get() + 7);
            Instant::from_nanos(self.ns.get())
        }

        fn theirs<const SMALLEST: i64>(&self) -> Fake<SMALLEST> {
            Fake::new(i128::from(self.ours().as_nanos()) + self.offset_ns).unwrap()
        }

        fn bridge<const SMALLEST: i64>(&self) -> Bridge<Fake<SMALLEST>> {
            Bridge::find(|| self.ours(), || self.theirs())
        }

        fn to_theirs<const SMALLEST: i64>(&self, bridge: Bridge<Fake<SMALLEST>>, instant: Instant) -> Fake<SMALLEST> {
            bridge.theirs(instant, || self.ours(), || self.theirs())
        }
    }

    #[test]
    fn what_unix_and_windows_have_is_found() {
        let world = World::at(5_000_000_000, 0);
        assert_eq!(world.bridge::<{ i64::MIN }>().zero, Some(Fake(0)));
        assert_eq!(world.bridge::<0>().zero, Some(Fake(0)));
    }

    #[test]
    fn what_readings_do_not_confirm_is_not_taken() {
        // Another smallest value than those known; another zero; a clock that counts suspend.
        assert_eq!(World::at(5_000_000_000, 0).bridge::<-1_000>().zero, None);
        assert_eq!(World::at(5_000_000_000, 60 * SECOND).bridge::<{ i64::MIN }>().zero, None);
        assert_eq!(World::at(5_000_000_000, 60 * SECOND).bridge::<0>().zero, None);
        for offset_ns in [-8, 8] {
            assert_eq!(World::at(5_000_000_000, offset_ns).bridge::<{ i64::MIN }>().zero, None, "{offset_ns}");
        }
    }

    #[test]
    fn a_clock_that_runs_apart_is_not_taken() {
        let reads = Cell::new(0);
        let world = World::at(5_000_000_000, 0);
        let theirs = || {
            reads.set(reads.get() + 1);
            Fake::<{ i64::MIN }>(i128::from(world.ours().as_nanos()) + if reads.get() > 8 { 20 } else { 0 })
        };
        assert_eq!(Bridge::find(|| world.ours(), theirs).zero, None);
    }

    #[test]
    fn a_fallback_is_never_early_and_late_by_two_reads_at_most() {
        for offset_ns in [60 * SECOND, -3 * SECOND] {
            let world = World::at(5_000_000_000, offset_ns);
            let bridge = world.bridge::<{ i64::MIN }>();
            for ahead_ns in [-90_000_000_000, -4_000_000_000, -1, 0, 1, 9_000_000_000_i64] {
                let deadline = Instant::from_nanos(6_000_000_000 + ahead_ns);
                let exact = i128::from(deadline.as_nanos()) + offset_ns;
                let theirs = world.to_theirs(bridge, deadline);
                assert!((0..=14).contains(&(theirs.0 - exact)), "{theirs:?} {exact}");
            }
        }
    }

    #[test]
    fn a_disturbed_bracket_is_not_the_one_that_counts() {
        let world = World::at(5_000_000_000, SECOND);
        let bridge = world.bridge::<{ i64::MIN }>();
        let reads = Cell::new(0);
        let ours = || {
            reads.set(reads.get() + 1);
            if reads.get() == 2 {
                world.ns.set(world.ns.get() + 50_000_000);
            }
            world.ours()
        };
        let theirs = bridge.theirs(Instant::from_nanos(7_000_000_000), ours, || world.theirs());
        assert!((0..=14).contains(&(theirs.0 - 8_000_000_000)), "{theirs:?}");
    }

    #[test]
    fn what_is_out_of_range_is_none_or_the_end() {
        let (first, last) = (Instant::from_nanos(i64::MIN), Instant::from_nanos(i64::MAX));
        let zero = Fake::<{ i64::MIN }>(5);
        for (ours, theirs) in [(first, i128::from(i64::MIN) + 5), (last, i128::from(i64::MAX) + 5)] {
            assert_eq!(moved(ours, Instant::ZERO, zero), Some(Fake(theirs)));
            assert_eq!(moved(Fake(theirs), zero, Instant::ZERO), Some(ours));
            let beyond = Fake::<{ i64::MIN }>(theirs + theirs.signum());
            assert_eq!(moved(beyond, zero, Instant::ZERO), None);
        }
        // No times below zero, as on Windows.
        assert_eq!(moved(Instant::from_nanos(-6), Instant::ZERO, Fake::<0>(5)), None);
        // A library whose instants begin near now, and end soon.
        #[derive(Clone, Copy, Debug, PartialEq)]
        struct Small(i128);
        impl Moment for Small {
            fn checked_add(self, duration: Duration) -> Option<Self> {
                Some(Self(self.0 + duration.as_nanos() as i128)).filter(|sum| sum.0 <= 1_000)
            }
            fn checked_sub(self, duration: Duration) -> Option<Self> {
                Some(Self(self.0 - duration.as_nanos() as i128)).filter(|sum| sum.0 >= 0)
            }
            fn checked_duration_since(self, earlier: Self) -> Option<Duration> {
                u64::try_from(self.0 - earlier.0).ok().map(Duration::from_nanos)
            }
        }
        let bridge = Bridge { zero: None };
        let world = World::at(5_000_000_000, 0);
        let to_theirs = |ours| bridge.theirs(ours, || world.ours(), || Small(500));
        assert_eq!((to_theirs(last), to_theirs(first)), (Small(1_000), Small(0)));
    }

    #[test]
    fn the_furthest_step_is_found_to_the_nanosecond() {
        for most_ns in [0_u64, 1, 2, 999_999_999, 1_000_000_000, u64::MAX - 1, u64::MAX] {
            let most = Duration::from_nanos(most_ns);
            assert_eq!(furthest((), |(), step| (step <= most).then_some(())).0, most);
        }
        assert_eq!(furthest((), |(), _| Some(())).0, Duration::MAX);
    }

    #[cfg(any(target_os = "linux", target_os = "macos", windows))]
    #[test]
    fn here_the_constant_is_found() {
        let zero = process().zero.expect("another clock");
        for _ in 0..if cfg!(miri) { 10 } else { 10_000 } {
            let bracket = Bracket::take(Instant::now, StdInstant::now);
            let ours = Instant::try_from(bracket.theirs).unwrap();
            assert!(
                bracket.before <= ours && ours <= bracket.after,
                "{:?} {ours:?} {:?}",
                bracket.before,
                bracket.after
            );
            assert_eq!(StdInstant::try_from(ours), Ok(bracket.theirs));
        }
        assert_eq!(StdInstant::try_from(Instant::ZERO), Ok(zero));
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    #[test]
    fn a_long_time_ago_comes_back_exactly_however_young_the_machine() {
        let (now, our_now) = (StdInstant::now(), Instant::now());
        for days in [1, 30, 36_500] {
            let age = Duration::from_secs(days * 86_400);
            let ours = Instant::try_from(now - age).unwrap();
            assert_eq!(StdInstant::from(ours), now - age, "{days} days");
            assert!((our_now - age).signed_nanos_since(ours) >= 0, "{days} days");
            assert_eq!(Instant::try_from(StdInstant::from(our_now - age)), Ok(our_now - age), "{days} days");
        }
    }

    #[test]
    fn a_deadline_means_the_same_to_both() {
        let deadline = Instant::now() + Duration::from_millis(2);
        let theirs = StdInstant::try_from(deadline).unwrap();
        while StdInstant::now() < theirs {
            core::hint::spin_loop();
        }
        assert!(Instant::now() >= deadline);
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    #[test]
    fn the_ends_of_our_range_fit_and_those_of_theirs_are_refused() {
        for ours in [Instant::from_nanos(i64::MIN), Instant::from_nanos(i64::MAX)] {
            assert_eq!(Instant::try_from(StdInstant::from(ours)), Ok(ours));
        }
        let now = StdInstant::now();
        for theirs in [furthest(now, Moment::checked_sub).1, furthest(now, Moment::checked_add).1] {
            assert_eq!(Instant::try_from(theirs), Err(NOT_THE_SAME));
        }
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    proptest! {
        #[test]
        fn a_round_trip_ends_where_it_began_and_keeps_order(a: i64, b: i64, near in 0_i64..2_000) {
            for b in [b, a.saturating_add(near)] {
                let (a, b) = (Instant::from_nanos(a), Instant::from_nanos(b));
                let [their_a, their_b] = [a, b].map(StdInstant::from);
                prop_assert_eq!((Instant::try_from(their_a), Instant::try_from(their_b)), (Ok(a), Ok(b)));
                prop_assert_eq!(their_a.cmp(&their_b), a.cmp(&b));
                prop_assert_eq!(their_b.checked_duration_since(their_a), b.checked_duration_since(a));
            }
        }
    }

    proptest! {
        #[test]
        fn no_fallback_is_early(ns in -(1_i64 << 62)..1 << 62, offset in -(1_i128 << 60)..1 << 61, ahead in 0_i64..1 << 40) {
            let world = World::at(1 << 61, offset);
            let bridge = Bridge::<Fake<{ i64::MIN }>> { zero: None };
            let deadline = Instant::from_nanos(ns + ahead);
            let late = world.to_theirs(bridge, deadline).0 - offset - i128::from(deadline.as_nanos());
            prop_assert!((0..=14).contains(&late), "{late}");
        }
    }
}
