use core::cell::Cell;
use core::time::Duration;

use crate::anchor::narrowest;
use crate::os::{self, OsClock};
use crate::{Clock, Instant, Unavailable};

/// Brackets from which the narrowest becomes the anchor.
const ATTEMPTS: u32 = 5;
/// How fast slewing may move the wall clock off the monotonic timescale, in parts per billion. Both are slewed alike, so
/// they differ by rounding only. *Setting* the wall clock is another matter.
const DRIFT_PPB: u64 = 1;

/// Converts instants to wall-clock time with an error bound, by what the wall clock showed at one instant.
///
/// # Guarantees
/// Conversion adds a constant, so it never steps, and keeps the order and distances of instants. Once somebody or NTP
/// *sets* the wall clock, the constant is out of date: [`is_current`](Self::is_current) tells, and you should take a new
/// anchor.
///
/// Serialised, it holds its instant with its boot, and is refused in another. For a record of another boot, keep raw
/// numbers and use [`from_parts`](Self::from_parts) and [`Instant::from_nanos`].
///
/// # Platform
/// Linux and macOS: `CLOCK_REALTIME`; Windows: `GetSystemTimePreciseAsFileTime`. All count UTC without leap seconds.
///
/// # Examples
/// ```
/// use chronoscope_clock::{Clock, WallAnchor};
///
/// let clock = Clock::or_system();
/// let start = clock.now();
/// let wall = WallAnchor::take(clock)?;
/// println!("started {} ns after 1970, ± {:?}", wall.unix_nanos(start), wall.error_bound());
/// # Ok::<(), chronoscope_clock::Unavailable>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WallAnchor {
    instant: Instant,
    unix_ns: u64,
    half_width_ns: u64,
}

impl WallAnchor {
    /// Reads the wall clock between two reads of `clock`, a few times, and keeps the narrowest bracket. The bound
    /// includes the error of `clock`'s own readings.
    ///
    /// # Errors
    /// [`Unavailable`] if the system has no wall clock known to this crate.
    pub fn take(clock: Clock) -> Result<Self, Unavailable> {
        os::try_read_ns(OsClock::Realtime)?;
        let wall = || os::try_read_ns(OsClock::Realtime).unwrap_or(0);
        let own_ns = Cell::new(0);
        let read = || {
            let reading = clock.reading();
            own_ns.set(own_ns.get().max(reading.error_bound().as_nanos() as u64));
            reading.instant().to_bits()
        };
        let anchor = narrowest(read, &crate::tick_source::Function(wall), ATTEMPTS);
        let instant = Instant::from_bits(anchor.ticks);
        // The wall clock may have been rounded down by a step.
        let rounding_ns = os::declared_resolution_ns(OsClock::Realtime).unwrap_or(os::UNDECLARED_STEP_NS);
        let half_width_ns = anchor.half_width_ticks.saturating_add(rounding_ns).saturating_add(own_ns.get());
        Ok(Self { instant, unix_ns: anchor.reference_ns, half_width_ns })
    }

    /// From a record: `instant` was `unix_ns` nanoseconds after the start of 1970, within `half_width_ns`.
    #[must_use]
    pub const fn from_parts(instant: Instant, unix_ns: u64, half_width_ns: u64) -> Self {
        Self { instant, unix_ns, half_width_ns }
    }

    /// Nanoseconds from 1970-01-01 00:00 UTC to `instant`; negative before that.
    #[must_use]
    pub const fn unix_nanos(self, instant: Instant) -> i128 {
        self.unix_ns as i128 + (instant.as_nanos() as i128 - self.instant.as_nanos() as i128)
    }

    /// The instant at which the wall clock shows `unix_ns`. None if that is out of an instant's range.
    #[must_use]
    pub fn instant_at(self, unix_ns: u64) -> Option<Instant> {
        let ns = i128::from(unix_ns) - self.unix_nanos(Instant::ZERO);
        i64::try_from(ns).ok().map(Instant::from_nanos)
    }

    /// How far a converted time may be from what the wall clock showed, either way, near the anchor.
    #[must_use]
    pub const fn error_bound(self) -> Duration {
        Duration::from_nanos(self.half_width_ns)
    }

    /// As [`error_bound`](Self::error_bound), far from the anchor, if meanwhile the wall clock was not set, no leap
    /// second was inserted, and the machine was not suspended, which the monotonic clock does not count.
    #[must_use]
    pub const fn error_bound_at(self, instant: Instant) -> Duration {
        let age_ns = instant.as_nanos().abs_diff(self.instant.as_nanos()) as u128;
        let drift_ns = (age_ns * DRIFT_PPB as u128).div_ceil(1_000_000_000) as u64;
        Duration::from_nanos(self.half_width_ns.saturating_add(drift_ns))
    }

    /// When the anchor was taken.
    #[must_use]
    pub const fn taken_at(self) -> Instant {
        self.instant
    }

    /// Whether the wall clock still agrees with this anchor, within the bounds of this and a fresh one, and so has not
    /// been set by more than that.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub fn is_current(self, clock: Clock) -> Result<bool, Unavailable> {
        Ok(self.agrees_with(Self::take(clock)?))
    }

    /// Whether a fresh anchor shows what this one does, within the bounds of both.
    pub(crate) fn agrees_with(self, fresh: Self) -> bool {
        let difference = self.unix_nanos(fresh.instant).abs_diff(i128::from(fresh.unix_ns));
        let allowed = self.error_bound_at(fresh.instant).saturating_add(fresh.error_bound());
        difference <= allowed.as_nanos()
    }

    /// The wall-clock time of `instant`, as the standard library's type. None before 1970.
    #[must_use]
    #[cfg(feature = "std")]
    pub fn to_system_time(self, instant: Instant) -> Option<std::time::SystemTime> {
        let ns = u64::try_from(self.unix_nanos(instant)).ok()?;
        std::time::UNIX_EPOCH.checked_add(Duration::from_nanos(ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_constant_and_invertible() {
        let wall = WallAnchor::from_parts(Instant::from_nanos(1_000), 1_700_000_000_000_000_000, 50);
        let later = Instant::from_nanos(4_000);
        assert_eq!(wall.unix_nanos(later), 1_700_000_000_000_003_000);
        assert_eq!(wall.instant_at(1_700_000_000_000_003_000), Some(later));
        let before_boot = Instant::from_nanos(-3_600_000_000_000);
        assert_eq!(wall.instant_at(1_699_996_399_999_999_000), Some(before_boot));
        assert_eq!(wall.unix_nanos(before_boot), 1_699_996_399_999_999_000);
        assert_eq!(wall.instant_at(u64::MAX), None, "292 years after the zero");
        assert_eq!(wall.error_bound(), Duration::from_nanos(50));
        assert!(wall.error_bound_at(Instant::from_nanos(10_000_000_000)) > wall.error_bound());
    }

    #[cfg(all(feature = "std", any(target_os = "linux", target_os = "macos", windows)))]
    #[test]
    #[cfg_attr(miri, ignore = "makes a system call that Miri does not know")]
    fn the_wall_clock_is_met() {
        let clock = Clock::or_system();
        let wall = WallAnchor::take(clock).unwrap();
        let before = std::time::SystemTime::now();
        let shown = wall.to_system_time(clock.now()).unwrap();
        let after = std::time::SystemTime::now();
        let slack = wall.error_bound() + clock.trust().error_bound;
        assert!(shown + slack >= before && shown <= after + slack);
        assert!(wall.is_current(clock).unwrap());
    }
}
