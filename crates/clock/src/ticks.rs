use core::fmt;

/// A raw reading of the counter, for an [`AnchorTable`](crate::AnchorTable) to convert later.
///
/// # Units
/// Ticks of the CPU's counter, or nanoseconds of the clock: see [`Clock::ticks`](crate::Clock::ticks).
///
/// # Guarantees
/// Meaningful within one boot only, as a counter restarts with each. Serialised, a bare number: store a
/// [`BootId`](crate::BootId) with it.
///
/// # Examples
/// ```
/// use chronoscope_clock::Clock;
///
/// let clock = Clock::or_system();
/// let start = clock.ticks();
/// assert!(clock.ticks() >= start);
/// println!("{start}"); // 123456789 ticks
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Ticks(u64);

impl Ticks {
    /// From a counter or a record.
    #[must_use]
    #[inline(always)]
    pub const fn from_raw(ticks: u64) -> Self {
        Self(ticks)
    }

    /// The number itself.
    #[must_use]
    #[inline(always)]
    pub const fn as_raw(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Ticks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ticks", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_prints_its_unit() {
        assert_eq!(std::format!("{}", Ticks::from_raw(7)), "7 ticks");
    }
}
