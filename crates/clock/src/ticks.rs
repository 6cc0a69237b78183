/// A raw reading of the counter, for an [`AnchorTable`](crate::AnchorTable) to convert later.
///
/// # Units
/// Ticks of the CPU's counter, or nanoseconds of the clock: see [`Clock::ticks`](crate::Clock::ticks).
///
/// # Examples
/// ```
/// use chronoscope_clock::Clock;
///
/// let clock = Clock::or_system();
/// let start = clock.ticks();
/// assert!(clock.ticks() >= start);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Ticks(u64);

impl Ticks {
    /// From a counter or a record.
    #[inline(always)]
    pub const fn from_raw(ticks: u64) -> Self {
        Self(ticks)
    }

    /// The number itself.
    #[inline(always)]
    pub const fn as_raw(self) -> u64 {
        self.0
    }

    /// Ticks from `earlier` to this reading. None if `earlier` is in fact later.
    pub const fn checked_since(self, earlier: Self) -> Option<u64> {
        self.0.checked_sub(earlier.0)
    }
}
