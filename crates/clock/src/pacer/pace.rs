use core::fmt;
use core::time::Duration;

use super::Steady;
use crate::nanos;

/// An exact rate: a number of events per duration.
///
/// # Examples
/// ```
/// use chronoscope_clock::pacer::Pace;
/// use std::time::Duration;
///
/// let thirds = Pace::new(3, Duration::from_secs(1))?;
/// assert_eq!(thirds.to_string(), "3 per 1s");
/// assert_eq!(Pace::per_second(100_000)?.hz(), 100_000.0);
/// assert_eq!(Pace::every(Duration::from_micros(250))?, Pace::per_second(4_000)?);
/// assert_eq!(Pace::per_second_f64(33.3)?, Pace::new(333, Duration::from_secs(10))?);
/// assert!(Pace::per_second(0).is_err());
/// # Ok::<(), chronoscope_clock::pacer::ImpossiblePace>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    events: u64,
    per_ns: u64,
}

/// Why a pace is impossible.
///
/// # Examples
/// ```
/// use chronoscope_clock::pacer::{ImpossiblePace, Pace};
///
/// assert_eq!(Pace::per_second(0), Err(ImpossiblePace::Never));
/// assert_eq!(Pace::per_second(u64::MAX), Err(ImpossiblePace::FasterThanTheClock));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImpossiblePace {
    /// No events at all.
    Never,
    /// More than one event per nanosecond, the clock's unit.
    FasterThanTheClock,
    /// The events would take longer than 584 years.
    BeyondTheTimescale,
}

impl fmt::Display for ImpossiblePace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Never => "rate must be greater than 0",
            Self::FasterThanTheClock => "rate must be at most one event per nanosecond",
            Self::BeyondTheTimescale => "period must be at most 584 years",
        })
    }
}

impl core::error::Error for ImpossiblePace {}

impl Pace {
    /// `events` in each `per`.
    ///
    /// # Errors
    /// [`ImpossiblePace`].
    pub fn new(events: u64, per: Duration) -> Result<Self, ImpossiblePace> {
        let per_ns = nanos::checked(per).ok_or(ImpossiblePace::BeyondTheTimescale)?;
        match (events, per_ns) {
            (0, _) => Err(ImpossiblePace::Never),
            (events, per_ns) if events > per_ns => Err(ImpossiblePace::FasterThanTheClock),
            (events, per_ns) => {
                let common = greatest_common_divisor(events, per_ns);
                Ok(Self { events: events / common, per_ns: per_ns / common })
            }
        }
    }

    /// `events` in each second.
    ///
    /// # Errors
    /// [`ImpossiblePace`].
    pub fn per_second(events: u64) -> Result<Self, ImpossiblePace> {
        Self::new(events, Duration::from_secs(1))
    }

    /// One event in each `period`.
    ///
    /// # Errors
    /// [`ImpossiblePace`].
    pub fn every(period: Duration) -> Result<Self, ImpossiblePace> {
        Self::new(1, period)
    }

    /// `events` in each second, as the simplest exact fraction that this float stands for: 0.1 is one event in ten
    /// seconds, not its binary approximation. Where that fraction would exceed the timescale, below one event in some
    /// hours, the nearest simpler fraction or whole number of nanoseconds per event.
    ///
    /// # Errors
    /// [`ImpossiblePace`].
    pub fn per_second_f64(events: f64) -> Result<Self, ImpossiblePace> {
        const SLOWEST: f64 = 1e-11; // one event in more than 584 years
        if events.is_nan() || events <= 0.0 {
            return Err(ImpossiblePace::Never);
        }
        if events > 1e9 {
            return Err(ImpossiblePace::FasterThanTheClock);
        }
        if events < SLOWEST {
            return Err(ImpossiblePace::BeyondTheTimescale);
        }
        let mut nearest = Self::every(Duration::from_nanos(whole_ns(1e9 / events)?))?;
        for (numerator, denominator) in Convergents::of(events).skip_while(|(numerator, _)| *numerator == 0) {
            let Ok(pace) = Self::of_fraction(numerator, denominator) else { break };
            if numerator as f64 / denominator as f64 == events {
                return Ok(pace);
            }
            if (pace.hz() - events).abs() < (nearest.hz() - events).abs() {
                nearest = pace;
            }
        }
        Ok(nearest)
    }

    /// `events` in `seconds`.
    fn of_fraction(events: u64, seconds: u64) -> Result<Self, ImpossiblePace> {
        let common = greatest_common_divisor(events, 1_000_000_000);
        let per_ns = seconds.checked_mul(1_000_000_000 / common).ok_or(ImpossiblePace::BeyondTheTimescale)?;
        Self::new(events / common, Duration::from_nanos(per_ns))
    }

    /// Events per second, rounded to what a float can hold.
    #[must_use]
    pub fn hz(self) -> f64 {
        self.events as f64 * 1e9 / self.per_ns as f64
    }

    /// The time from one event to the next, rounded down to nanoseconds.
    #[must_use]
    pub const fn period(self) -> Duration {
        Duration::from_nanos(self.per_ns / self.events)
    }

    /// This pace's schedule: event k at k · `per` / `events`, rounded down to nanoseconds, for every k.
    #[must_use]
    pub fn schedule(self) -> Steady {
        Steady::of(self.events, self.per_ns, 0, 1)
    }

    /// The share of thread `shard` (0 to `of - 1`): every `of`-th event, beginning with its own. Shards that start at the
    /// same instant make up the whole schedule exactly. Each counts its own events: a [`Slot`](super::Slot) with number k
    /// in shard s is event k · `of` + s of the whole.
    ///
    /// # Panics
    /// If `shard` is not less than `of`.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::pacer::Pace;
    ///
    /// let pace = Pace::per_second(7)?;
    /// let mut whole: Vec<_> = pace.shard(0, 2).take(4).chain(pace.shard(1, 2).take(3)).collect();
    /// whole.sort();
    /// assert_eq!(whole, pace.schedule().take(7).collect::<Vec<_>>());
    /// # Ok::<(), chronoscope_clock::pacer::ImpossiblePace>(())
    /// ```
    #[must_use]
    pub fn shard(self, shard: u32, of: u32) -> Steady {
        assert!(shard < of, "shard {shard} of {of}: shards are counted from 0");
        Steady::of(self.events, self.per_ns, shard, of)
    }

    #[cfg(feature = "std")]
    pub(super) const fn mean_ns(self) -> f64 {
        self.per_ns as f64 / self.events as f64
    }
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Per second where that is a whole number, as people say it.
        let per_second = u128::from(self.events) * 1_000_000_000;
        if per_second % u128::from(self.per_ns) == 0 {
            return write!(f, "{} per 1s", per_second / u128::from(self.per_ns));
        }
        write!(f, "{} per {:?}", self.events, Duration::from_nanos(self.per_ns))
    }
}

const fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// `ns` rounded to the next whole number.
fn whole_ns(ns: f64) -> Result<u64, ImpossiblePace> {
    // Half and more rounds up. `f64::round` needs the standard library.
    let whole = ns + 0.5;
    // The largest u64 rounds to the number after it, which is the first beyond the timescale.
    if whole < u64::MAX as f64 { Ok(whole as u64) } else { Err(ImpossiblePace::BeyondTheTimescale) }
}

/// Fractions of small whole numbers, each closer to a number than the one before, ending at the number itself or at the
/// last whose parts are below 2^64.
///
/// # Sources
/// Convergents of continued fractions: the first that rounds to a float is one of the simplest that do (Knuth, "The Art
/// of Computer Programming", vol. 2, 4.5.3).
struct Convergents {
    over: u128,
    under: u128,
    last: (u64, u64),
    found: (u64, u64),
}

impl Convergents {
    /// Those of a number from 1e-11 to 1e9.
    fn of(value: f64) -> Self {
        // The number itself: its 53 bits over a power of two, which lies between 2^22 and 2^89 for numbers of this size.
        let bits = value.to_bits();
        let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
        Self { over: mantissa.into(), under: 1 << (1_075 - (bits >> 52)), last: (0, 1), found: (1, 0) }
    }
}

impl Iterator for Convergents {
    type Item = (u64, u64);

    fn next(&mut self) -> Option<(u64, u64)> {
        let whole = u64::try_from(self.over.checked_div(self.under)?).ok()?;
        let next = |found: u64, last: u64| whole.checked_mul(found)?.checked_add(last);
        let next = (next(self.found.0, self.last.0)?, next(self.found.1, self.last.1)?);
        (self.last, self.found) = (self.found, next);
        (self.over, self.under) = (self.under, self.over % self.under);
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::string::ToString;

    #[test]
    fn a_float_is_the_simplest_fraction_that_it_stands_for() {
        let second = Duration::from_secs(1);
        for (float, events, per) in [
            (0.1, 1, second * 10),
            (33.3, 333, second * 10),
            (1.0 / 3.0, 1, second * 3),
            (59.94, 2997, second * 50),
            (1e9, 1_000_000_000, second),
            (1e-9, 1, second * 1_000_000_000),
            (100_000.0, 100_000, second),
        ] {
            assert_eq!(Pace::per_second_f64(float), Pace::new(events, per), "{float}");
        }
    }

    #[test]
    fn floats_that_are_no_rate_are_refused() {
        use ImpossiblePace::{BeyondTheTimescale, FasterThanTheClock, Never};
        for (float, why) in [
            (0.0, Never),
            (-1.0, Never),
            (f64::NAN, Never),
            (f64::NEG_INFINITY, Never),
            (1.1e9, FasterThanTheClock),
            (f64::INFINITY, FasterThanTheClock),
            (1e-12, BeyondTheTimescale),
            (f64::MIN_POSITIVE, BeyondTheTimescale),
        ] {
            assert_eq!(Pace::per_second_f64(float), Err(why), "{float}");
        }
    }

    #[test]
    fn a_pace_is_said_per_second_where_that_is_whole() {
        assert_eq!(Pace::every(Duration::from_micros(250)).unwrap().to_string(), "4000 per 1s");
        assert_eq!(Pace::new(1, Duration::from_secs(3)).unwrap().to_string(), "1 per 3s");
        assert_eq!(Pace::every(Duration::ZERO), Err(ImpossiblePace::FasterThanTheClock));
    }

    proptest! {
        #[test]
        fn a_float_of_any_size_is_a_pace(exponent in -10.2_f64..9.0, near_a_whole: bool) {
            let events = 10.0_f64.powf(exponent);
            let events = if near_a_whole { events.ceil() + 1e-11 } else { events };
            let pace = Pace::per_second_f64(events);
            prop_assert!(pace.is_ok_and(|pace| (pace.hz() / events - 1.0).abs() < 1e-10), "{pace:?} of {events:e}");
        }

        #[test]
        fn a_float_comes_back(events in 1e-9_f64..1e9) {
            let pace = Pace::per_second_f64(events).unwrap();
            prop_assert!((pace.hz() / events - 1.0).abs() < 1e-15, "{} of {}", pace.hz(), events);
        }
    }
}
