use core::fmt;
use core::time::Duration;

use super::Steady;

/// A rate of events, exactly: so many in so long.
///
/// # Examples
/// ```
/// use chronoscope_clock::pacer::Pace;
/// use std::time::Duration;
///
/// let thirds = Pace::new(3, Duration::from_secs(1))?;
/// assert_eq!(thirds.to_string(), "3 per 1s");
/// assert_eq!(Pace::per_second(100_000)?.per_second_f64(), 100_000.0);
/// assert!(Pace::per_second(0).is_err());
/// # Ok::<(), chronoscope_clock::pacer::ImpossiblePace>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    events: u64,
    per_ns: u64,
}

/// Why there is no such pace.
///
/// # Examples
/// ```
/// use chronoscope_clock::pacer::{ImpossiblePace, Pace};
///
/// assert_eq!(Pace::per_second(0), Err(ImpossiblePace::Never));
/// assert_eq!(Pace::per_second(u64::MAX), Err(ImpossiblePace::FasterThanTheClock));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpossiblePace {
    /// No events at all.
    Never,
    /// More than one event in a nanosecond, which is the clock's unit.
    FasterThanTheClock,
    /// The time that the events are to take is not within the timescale of 584 years.
    BeyondTheTimescale,
}

impl fmt::Display for ImpossiblePace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Never => "a pace of no events is none; choose one event or more",
            Self::FasterThanTheClock => "more than one event per nanosecond cannot be told apart; choose a slower pace",
            Self::BeyondTheTimescale => "that is longer than 584 years; choose a shorter time",
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
        let per_ns = u64::try_from(per.as_nanos()).map_err(|_| ImpossiblePace::BeyondTheTimescale)?;
        match (events, per_ns) {
            (0, _) => Err(ImpossiblePace::Never),
            (events, per_ns) if events > per_ns => Err(ImpossiblePace::FasterThanTheClock),
            (events, per_ns) => Ok(Self { events, per_ns }),
        }
    }

    /// `events` in each second.
    ///
    /// # Errors
    /// [`ImpossiblePace`].
    pub fn per_second(events: u64) -> Result<Self, ImpossiblePace> {
        Self::new(events, Duration::from_secs(1))
    }

    /// Events per second, rounded to what a float can hold.
    pub fn per_second_f64(self) -> f64 {
        self.events as f64 * 1e9 / self.per_ns as f64
    }

    /// The time from one event to the next, rounded down to nanoseconds.
    pub const fn period(self) -> Duration {
        Duration::from_nanos(self.per_ns / self.events)
    }

    /// The schedule of this pace: event k at k · `per` / `events`, rounded down to nanoseconds, for every k.
    pub fn schedule(self) -> Steady {
        Steady::of(self.events, self.per_ns, 0, 1)
    }

    /// The part of this pace that falls to one of `of` threads, `shard` of 0 to `of - 1`: every `of`-th event, beginning with
    /// its own. Shards that start at the same instant make up the whole schedule exactly.
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
        write!(f, "{} per {:?}", self.events, Duration::from_nanos(self.per_ns))
    }
}
