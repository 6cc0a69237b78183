use core::fmt;

use chronoscope_clock::Anchor;

/// The length of a tick: nanoseconds per tick as a 32.32 fixed-point number.
///
/// # Guarantees
/// Exact to the rounding of the rate (2⁻³³ ns per tick, under 0.001 ppm above 10 MHz); never overflows, and never
/// decreases as ticks grow.
///
/// # Examples
/// ```
/// use chronoscope_sources::Rate;
///
/// let rate = Rate::from_hz(500_000_000).unwrap();
/// assert_eq!(rate.ns(3), 6);
/// assert_eq!(rate.to_string(), "500000000 Hz");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Rate {
    ns_per_tick_q32: u64,
}

impl Rate {
    /// One tick is one nanosecond.
    pub const NANOSECONDS: Self = Self { ns_per_tick_q32: 1 << 32 };

    /// The rate of a counter at `hz`. None for 0 and for frequencies no counter has.
    #[must_use]
    pub const fn from_hz(hz: u64) -> Option<Self> {
        if hz == 0 {
            return None;
        }
        let q32 = ((1_000_000_000_u128 << 32) + hz as u128 / 2) / hz as u128;
        Self::from_q32(q32)
    }

    /// The rate between two anchors of the same counter. None if either clock did not advance.
    #[must_use]
    pub fn between(earlier: Anchor, later: Anchor) -> Option<Self> {
        let ticks = later.ticks.checked_sub(earlier.ticks).filter(|ticks| *ticks > 0)?;
        let ns = later.reference_ns.checked_sub(earlier.reference_ns)?;
        let q32 = ((u128::from(ns) << 32) + u128::from(ticks / 2)) / u128::from(ticks);
        Self::from_q32(q32)
    }

    const fn from_q32(q32: u128) -> Option<Self> {
        // Between one tick per 4 s and one per 2⁻¹⁶ ns.
        if q32 < 1 << 16 || q32 > u64::MAX as u128 { None } else { Some(Self { ns_per_tick_q32: q32 as u64 }) }
    }

    /// The length of `ticks` in whole nanoseconds, rounded down; saturates at `u64::MAX`.
    #[must_use]
    #[inline(always)]
    pub const fn ns(self, ticks: u64) -> u64 {
        let ns = (ticks as u128 * self.ns_per_tick_q32 as u128) >> 32;
        if ns > u64::MAX as u128 { u64::MAX } else { ns as u64 }
    }

    /// The length of a possibly fractional number of ticks, in nanoseconds: for means and other estimates.
    #[must_use]
    pub fn ns_of_mean(self, ticks: f64) -> f64 {
        ticks * self.ns_per_tick_q32 as f64 / (1_u64 << 32) as f64
    }

    /// Ticks per second, as accurate as the fixed-point rate.
    #[must_use]
    pub fn hz(self) -> f64 {
        1e9 * (1_u64 << 32) as f64 / self.ns_per_tick_q32 as f64
    }
}

/// A rate as it was written down, not checked yet.
#[derive(serde::Deserialize)]
struct Unchecked {
    ns_per_tick_q32: u64,
}

impl TryFrom<Unchecked> for Rate {
    type Error = &'static str;

    fn try_from(told: Unchecked) -> Result<Self, Self::Error> {
        Self::from_q32(told.ns_per_tick_q32.into())
            .ok_or("ns_per_tick_q32 is too small: no counter ticks 2^16 times per ns")
    }
}

/// The frequency, to the hertz.
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} Hz", self.hz())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn absurd_frequencies_are_refused() {
        assert_eq!(Rate::from_hz(0), None);
        assert_eq!(Rate::from_hz(u64::MAX), None);
        assert_eq!(Rate::from_hz(1_000_000_000), Some(Rate::NANOSECONDS));
    }

    #[test]
    fn it_survives_being_written_and_what_is_no_rate_is_refused() {
        let rate = Rate::from_hz(2_500_000_000).unwrap();
        let text = serde_json::to_string(&rate).unwrap();
        assert_eq!(text, r#"{"ns_per_tick_q32":1717986918}"#);
        assert_eq!(serde_json::from_str::<Rate>(&text).unwrap(), rate);
        let bytes = postcard::to_allocvec(&rate).unwrap();
        assert_eq!(postcard::from_bytes::<Rate>(&bytes).unwrap(), rate);
        assert!(serde_json::from_str::<Rate>(r#"{"ns_per_tick_q32":65535}"#).is_err());
    }

    #[test]
    fn anchors_that_do_not_advance_give_no_rate() {
        let anchor = Anchor::exact(10, 10);
        assert_eq!(Rate::between(anchor, anchor), None);
        assert_eq!(Rate::between(anchor, Anchor::exact(20, 9)), None);
    }

    proptest! {
        #[test]
        fn conversion_matches_wide_arithmetic(hz in 1_000_u64..100_000_000_000, ticks in any::<u64>()) {
            let rate = Rate::from_hz(hz).unwrap();
            let naive = u128::from(ticks) * u128::from(rate.ns_per_tick_q32) / (1_u128 << 32);
            prop_assert_eq!(rate.ns(ticks), u64::try_from(naive).unwrap_or(u64::MAX));
        }

        #[test]
        fn conversion_never_decreases(hz in 1_000_u64..100_000_000_000, ticks in any::<u64>(), more in any::<u64>()) {
            let rate = Rate::from_hz(hz).unwrap();
            prop_assert!(rate.ns(ticks.saturating_add(more)) >= rate.ns(ticks));
        }

        #[test]
        fn the_rate_is_right_to_a_thousandth_ppm(hz in 10_000_000_u64..10_000_000_000) {
            let error_ppm = (Rate::from_hz(hz).unwrap().hz() / hz as f64 - 1.0).abs() * 1e6;
            prop_assert!(error_ppm < 0.0015, "{error_ppm} ppm");
        }

        #[test]
        fn anchors_give_back_the_frequency(hz in 10_000_000_u64..10_000_000_000, ms in 1_u64..100_000) {
            let start = Anchor::exact(12_345, 67_890);
            let ticks = (u128::from(hz) * u128::from(ms) / 1000) as u64;
            let end = Anchor::exact(12_345 + ticks, 67_890 + ms * 1_000_000);
            let error_ppm = (Rate::between(start, end).unwrap().hz() / hz as f64 - 1.0).abs() * 1e6;
            prop_assert!(error_ppm < 150.0 / ms as f64 + 0.01, "{error_ppm} ppm");
        }
    }
}
