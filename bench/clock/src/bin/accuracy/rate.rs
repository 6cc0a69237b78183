//! How much faster than `CLOCK_MONOTONIC` a clock goes.

use crate::bracket::Bracket;

/// Attempts for the ends of a window, where the narrowest counts.
const ATTEMPTS: u32 = 400;

/// The narrowest of many brackets: what disturbs a bracket only ever widens it.
pub(crate) fn narrowest(clock_ns: impl Fn() -> u64) -> Bracket {
    let first = Bracket::around(&clock_ns);
    (1..ATTEMPTS)
        .map(|_| Bracket::around(&clock_ns))
        .fold(first, |best, next| if next.width_ns() < best.width_ns() { next } else { best })
}

/// How much faster than the reference the clock went between the two, in ppm, and how far that is uncertain.
pub(crate) fn error_ppm(earlier: Bracket, later: Bracket) -> (f64, f64) {
    let middle = |bracket: Bracket| (i128::from(bracket.before_ns) + i128::from(bracket.after_ns)) as f64 / 2.0;
    let reference_ns = middle(later) - middle(earlier);
    let clock_ns = later.clock_ns as f64 - earlier.clock_ns as f64;
    let uncertain_ns = (earlier.width_ns() + later.width_ns()) as f64 / 2.0;
    ((clock_ns - reference_ns) / reference_ns * 1e6, uncertain_ns / reference_ns * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_gains_is_fast() {
        let earlier = Bracket { before_ns: 0, clock_ns: 10, after_ns: 20 };
        let later = Bracket { before_ns: 1_000_000, clock_ns: 1_000_011, after_ns: 1_000_020 };
        let (ppm, uncertain_ppm) = error_ppm(earlier, later);
        assert!((ppm - 1.0).abs() < 1e-9 && (uncertain_ppm - 20.0).abs() < 1e-9);
    }
}
