//! A read of a clock between two reads of `CLOCK_MONOTONIC`.

use crate::monotonic::monotonic_ns;

/// Attempts for the ends of a window, where the narrowest counts.
const ATTEMPTS: u32 = 400;

/// A clock's reading and the interval of the reference in which it was taken.
#[derive(Clone, Copy)]
pub(crate) struct Bracket {
    before_ns: u64,
    clock_ns: u64,
    after_ns: u64,
}

impl Bracket {
    #[inline(always)]
    pub(crate) fn around(clock_ns: impl FnOnce() -> u64) -> Self {
        let before_ns = monotonic_ns();
        let clock_ns = clock_ns();
        Self { before_ns, clock_ns, after_ns: monotonic_ns() }
    }

    /// The narrowest of many: what disturbs a bracket only ever widens it.
    pub(crate) fn narrowest(clock_ns: impl Fn() -> u64) -> Self {
        let first = Self::around(&clock_ns);
        (1..ATTEMPTS).fold(first, |best, _| best.narrower(Self::around(&clock_ns)))
    }

    pub(crate) fn narrower(self, other: Self) -> Self {
        if other.width_ns() < self.width_ns() { other } else { self }
    }

    pub(crate) fn width_ns(self) -> u64 {
        self.after_ns.saturating_sub(self.before_ns)
    }

    /// Twice the distance from the middle, so that it is a whole number.
    fn twice_error_ns(self) -> i128 {
        2 * i128::from(self.clock_ns) - i128::from(self.before_ns) - i128::from(self.after_ns)
    }

    pub(crate) fn error_ns(self) -> u64 {
        self.twice_error_ns().unsigned_abs().div_ceil(2) as u64
    }

    /// By how much the reading is further from the middle than `bound_ns` and half the width allow; 0 if it is not.
    pub(crate) fn excess_ns(self, bound_ns: u64) -> u64 {
        let allowed = 2 * u128::from(bound_ns) + u128::from(self.width_ns());
        self.twice_error_ns().unsigned_abs().saturating_sub(allowed).div_ceil(2) as u64
    }

    /// How much faster than the reference the clock went between the two, in ppm, and how far that is uncertain.
    pub(crate) fn rate_error_ppm(self, later: Self) -> (f64, f64) {
        let middle = |bracket: Self| (i128::from(bracket.before_ns) + i128::from(bracket.after_ns)) as f64 / 2.0;
        let reference_ns = middle(later) - middle(self);
        let clock_ns = later.clock_ns as f64 - self.clock_ns as f64;
        let uncertain_ns = (self.width_ns() + later.width_ns()) as f64 / 2.0;
        ((clock_ns - reference_ns) / reference_ns * 1e6, uncertain_ns / reference_ns * 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_holds_from_the_middle_of_the_bracket() {
        let bracket = Bracket { before_ns: 100, clock_ns: 170, after_ns: 141 };
        assert_eq!((bracket.width_ns(), bracket.error_ns()), (41, 50));
        assert_eq!((bracket.excess_ns(29), bracket.excess_ns(28)), (0, 1));
    }

    #[test]
    fn a_clock_that_gains_is_fast() {
        let earlier = Bracket { before_ns: 0, clock_ns: 10, after_ns: 20 };
        let later = Bracket { before_ns: 1_000_000, clock_ns: 1_000_011, after_ns: 1_000_020 };
        let (ppm, uncertain_ppm) = earlier.rate_error_ppm(later);
        assert!((ppm - 1.0).abs() < 1e-9 && (uncertain_ppm - 20.0).abs() < 1e-9);
    }
}
