use crate::Anchor;

/// Time as a straight line over counter ticks: nanoseconds = slope × ticks + intercept, in fixed point.
///
/// # Units
/// The slope is in 2⁻⁶⁴ ns per tick on x86-64 and 2⁻⁵⁴ elsewhere, where counters may tick as slowly as 1 MHz; the
/// intercept has the same fraction and 64 or 74 whole bits, and wraps.
///
/// # Guarantees
/// [`ns`](Self::ns) is exact: the product of two 64-bit numbers in 128 bits, rounded down once. It never overflows in
/// 584 years of nanoseconds and never decreases as ticks grow.
///
/// # Examples
/// ```
/// use chronoscope_clock::Line;
///
/// let line = Line::with_frequency(2_000_000_000).unwrap().through(1_000, 7_000);
/// assert_eq!(line.ns(1_000), 7_000);
/// assert_eq!(line.ns(1_000 + 2_000_000_000), 1_000_007_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    slope: u64,
    intercept: u128,
}

impl Line {
    /// Bits behind the binary point.
    ///
    /// 64 on x86-64 lets the upper half of the product be the answer, with no shift on the read path.
    pub const FRACTION_BITS: u32 = if cfg!(target_arch = "x86_64") { 64 } else { 54 };

    /// A line of this slope and intercept, both in units of 2⁻ᶠ ns with f = [`FRACTION_BITS`](Self::FRACTION_BITS).
    #[inline(always)]
    pub const fn from_parts(slope: u64, intercept: u128) -> Self {
        Self { slope, intercept }
    }

    /// A line through the origin for a counter at `hz`.
    ///
    /// None for counters slower than 1 GHz on x86-64 and 1 MHz elsewhere (their slope does not fit), and for 0.
    pub const fn with_frequency(hz: u64) -> Option<Self> {
        if hz == 0 {
            return None;
        }
        // 10⁹·2⁶⁴ needs 94 bits.
        let slope = ((1_000_000_000_u128 << Self::FRACTION_BITS) + hz as u128 / 2) / hz as u128;
        Self::with_slope(slope)
    }

    /// A line through the origin that gains `mult / 2^shift` nanoseconds per tick, as the kernel writes its rates.
    pub const fn with_mult_shift(mult: u32, shift: u32) -> Option<Self> {
        if shift > Self::FRACTION_BITS || mult == 0 {
            return None;
        }
        Self::with_slope((mult as u128) << (Self::FRACTION_BITS - shift))
    }

    /// The line through two anchors of the same counter. None if either clock did not advance, or too slowly.
    pub fn between(earlier: Anchor, later: Anchor) -> Option<Self> {
        let ticks = later.ticks.checked_sub(earlier.ticks).filter(|ticks| *ticks > 0)?;
        let ns = later.reference_ns.checked_sub(earlier.reference_ns).filter(|ns| *ns > 0)?;
        Some(Self::with_slope(slope_of(ns, ticks)?)?.through(earlier.ticks, earlier.reference_ns))
    }

    const fn with_slope(slope: u128) -> Option<Self> {
        let whole = 1_u128 << 64;
        if slope == 0 || slope > whole {
            return None;
        }
        // A counter of exactly 1 GHz would need 2⁶⁴; a slope of one less is off by 5·10⁻¹⁴ ppm.
        let slope = if slope == whole { u64::MAX } else { slope as u64 };
        Some(Self { slope, intercept: 0 })
    }

    /// The line of the same slope that shows `ns` at `ticks`.
    pub const fn through(self, ticks: u64, ns: u64) -> Self {
        self.through_fixed(ticks, (ns as u128) << Self::FRACTION_BITS)
    }

    /// The line of the same slope that shows `fixed`, in units of 2⁻ᶠ ns, at `ticks`.
    pub const fn through_fixed(self, ticks: u64, fixed: u128) -> Self {
        Self { slope: self.slope, intercept: fixed.wrapping_sub(self.slope as u128 * ticks as u128) }
    }

    /// The time at `ticks` in nanoseconds, rounded down.
    #[inline(always)]
    pub const fn ns(self, ticks: u64) -> u64 {
        (self.fixed(ticks) >> Self::FRACTION_BITS) as u64
    }

    /// The time at `ticks` in units of 2⁻ᶠ ns.
    #[inline(always)]
    pub const fn fixed(self, ticks: u64) -> u128 {
        (self.slope as u128 * ticks as u128).wrapping_add(self.intercept)
    }

    /// The length of `ticks` in whole nanoseconds, rounded down.
    pub const fn length_ns(self, ticks: u64) -> u64 {
        let ns = (self.slope as u128 * ticks as u128) >> Self::FRACTION_BITS;
        if ns > u64::MAX as u128 { u64::MAX } else { ns as u64 }
    }

    /// The number of ticks in `ns` nanoseconds, rounded up.
    pub const fn ticks_in(self, ns: u64) -> u64 {
        // A u64 shifted by 64 still fits.
        let ticks = ((ns as u128) << Self::FRACTION_BITS).div_ceil(self.slope as u128);
        if ticks > u64::MAX as u128 { u64::MAX } else { ticks as u64 }
    }

    /// Nanoseconds per tick in units of 2⁻ᶠ.
    pub const fn slope(self) -> u64 {
        self.slope
    }

    /// The time at tick 0 in units of 2⁻ᶠ ns; wraps.
    pub const fn intercept(self) -> u128 {
        self.intercept
    }

    /// Ticks per second, as near as a float tells.
    pub fn hz(self) -> f64 {
        // A power of two, so that no rounding is added.
        let one = 2.0 * (1_u64 << (Self::FRACTION_BITS - 1)) as f64;
        1e9 / (self.slope as f64 / one)
    }

    /// How much faster this line runs than `other`, in parts per million.
    pub fn ppm_faster_than(self, other: Self) -> f64 {
        (self.slope as f64 / other.slope as f64 - 1.0) * 1e6
    }
}

/// `ns / ticks` in units of 2⁻ᶠ, rounded, in long division: the dividend needs up to 128 bits.
const fn slope_of(ns: u64, ticks: u64) -> Option<u128> {
    let (ns, ticks) = (ns as u128, ticks as u128);
    let fraction = Line::FRACTION_BITS;
    let whole = ns / ticks;
    if whole > 1 << (64 - fraction) {
        return None;
    }
    let rest = ns % ticks;
    // rest < 2⁶⁴ and fraction ≤ 64, so the shift fits.
    Some((whole << fraction) + ((rest << fraction) + ticks / 2) / ticks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;
    use proptest::prelude::*;

    const CENTURY_NS: u64 = 100 * 365 * 86_400 * 1_000_000_000;

    /// Truth by big integers: ⌊(slope·ticks + intercept) / 2ᶠ⌋ mod 2⁶⁴, with intercept taken mod 2¹²⁸.
    fn truth(line: Line, ticks: u64) -> u64 {
        let modulus = BigUint::from(1_u8) << 128;
        let sum = (BigUint::from(line.slope()) * BigUint::from(ticks) + BigUint::from(line.intercept())) % modulus;
        let ns: BigUint = (sum >> Line::FRACTION_BITS) % (BigUint::from(1_u8) << 64);
        ns.iter_u64_digits().next().unwrap_or(0)
    }

    fn frequencies() -> impl Strategy<Value = u64> {
        let slowest = if Line::FRACTION_BITS == 64 { 1_000_000_000 } else { 1_000_000 };
        slowest..=10_000_000_000_u64
    }

    #[test]
    fn frequencies_that_do_not_fit_are_refused() {
        assert_eq!(Line::with_frequency(0), None);
        assert_eq!(Line::with_frequency(100_000), None);
        assert!(Line::with_frequency(1_000_000_000).is_some());
        assert_eq!(Line::with_mult_shift(0, 24), None);
        assert_eq!(Line::with_mult_shift(1, 65), None);
    }

    proptest! {
        #[test]
        fn conversion_is_the_truth_of_big_integers(
            hz in frequencies(), start in any::<u64>(), ns in 0..CENTURY_NS, ticks in any::<u64>(),
        ) {
            let line = Line::with_frequency(hz).unwrap().through(start, ns);
            prop_assert_eq!(line.ns(ticks), truth(line, ticks));
            prop_assert_eq!(line.ns(start), ns);
        }

        #[test]
        fn a_century_neither_drifts_nor_overflows(hz in frequencies(), start in 0..u64::MAX / 4, ns in 0..CENTURY_NS) {
            // At 4 GHz 2⁶⁴ ticks are 146 years; faster counters wrap sooner than a century.
            let ticks = (u128::from(hz) * 3_155_760_000).min(u128::from(u64::MAX / 4)) as u64;
            let line = Line::with_frequency(hz).unwrap().through(start, ns);
            let exact = BigUint::from(ticks) * BigUint::from(1_000_000_000_u64) / BigUint::from(hz);
            let shown = line.ns(start + ticks) - ns;
            let exact = exact.iter_u64_digits().next().unwrap_or(0);
            // Half a unit of the slope per tick: 2⁻⁶⁵·2⁶² ns, or 2⁻⁵⁵·2⁶² at 54 bits, is all that rounding may cost.
            let allowed = if Line::FRACTION_BITS == 64 { 2 } else { 1 << 8 };
            prop_assert!(shown.abs_diff(exact) <= allowed, "{} and {}", shown, exact);
        }

        #[test]
        fn time_never_decreases_as_ticks_grow(hz in frequencies(), start in 0..u64::MAX / 2, more in 0..u64::MAX / 2) {
            let line = Line::with_frequency(hz).unwrap().through(start, 1_000_000_000);
            prop_assert!(line.ns(start + more) >= line.ns(start));
            prop_assert!(line.ns(start + more + 1) >= line.ns(start + more));
        }

        #[test]
        fn ticks_and_lengths_are_inverse(hz in frequencies(), ns in 0_u64..1 << 50) {
            let line = Line::with_frequency(hz).unwrap();
            let back = line.length_ns(line.ticks_in(ns));
            prop_assert!(back >= ns.saturating_sub(1) && back <= ns + 1_000, "{} became {}", ns, back);
        }

        #[test]
        fn the_kernels_conversion_is_met_to_the_nanosecond(
            mult in 1 << 20..1_u32 << 23, cycles in 0_u64..1 << 40, last in 0_u64..1 << 62, ns in 0_u64..1 << 60,
        ) {
            let line = Line::with_mult_shift(mult, 24).unwrap().through(last, ns);
            let kernel = ns + ((u128::from(cycles) * u128::from(mult)) >> 24) as u64;
            prop_assert_eq!(line.ns(last + cycles), kernel);
        }

        #[test]
        fn anchors_give_back_their_times(
            hz in frequencies(), start in 0..u64::MAX / 4, ns in 0..CENTURY_NS, length in 1_000_000_u64..1 << 50,
        ) {
            let ticks = (u128::from(length) * u128::from(hz) / 1_000_000_000) as u64;
            let earlier = Anchor { ticks: start, reference_ns: ns, half_width_ticks: 0 };
            let later = Anchor { ticks: start + ticks, reference_ns: ns + length, half_width_ticks: 0 };
            if let Some(line) = Line::between(earlier, later) {
                prop_assert_eq!(line.ns(start), ns);
                prop_assert!(line.ns(start + ticks).abs_diff(ns + length) <= 1);
            }
        }
    }
}
