//! How estimates are written: as many digits for the ends of the interval as for the estimate, and one unit for all.
//!
//! A time, a rate and a ratio are never negative: where the interval reaches zero, only its upper end is known, and that is
//! what is written. A difference keeps its sign. A number of confidence 1 is written alone; one of confidence 0 says that
//! it has no interval.
//!
//! # Examples
//! ```
//! use chronoscope_harness::record::study::Estimate;
//! use chronoscope_render::estimate::{factor, ns, per_second, ratio, signed_ns, signed_percent};
//!
//! let of = |estimate, low, high| Estimate { estimate, low, high, confidence: 0.999 };
//! assert_eq!(ns(&of(7.66, 7.6, 7.72)), "7.66 ns (7.60 … 7.72)");
//! assert_eq!(ns(&of(437.0, -1_066.0, 1_941.0)), "< 1.94 µs");
//! assert_eq!(ns(&Estimate::certain(15.2)), "15.2 ns");
//! assert_eq!(ns(&Estimate::without_interval(15.2)), "15.2 ns (no interval)");
//! assert_eq!(signed_ns(&of(0.83, -0.2, 1.04)), "+0.830 ns (-0.200 … +1.040)");
//! assert_eq!(signed_percent(&of(8.1, 7.9, 8.3)), "+8.10 % (+7.90 … +8.30)");
//! assert_eq!(per_second(&of(133.4, 130.0, 136.0)), "133 /s (130 … 136)");
//! assert_eq!(factor(&of(1.98, 1.95, 2.01)), "1.98 (1.95 … 2.01)");
//! assert_eq!(ratio(&of(1.02, 1.0196, 1.0204)), "1.0200 (1.0196 … 1.0204)");
//! ```

use chronoscope_harness::record::study::{Cell, Estimate};

use crate::quantity;

const NS: [(&str, f64); 4] = [("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
const PER_SECOND: [(&str, f64); 4] = [("/s", 1.0), ("k/s", 1e3), ("M/s", 1e6), ("G/s", 1e9)];
/// The confidence of what is not estimated.
const CERTAIN: f64 = 1.0;

/// A duration with its interval: `7.66 ns (7.60 … 7.72)`; `< 7.72 ns` where that reaches zero.
pub fn ns(value: &Estimate) -> String {
    unsigned(value, &NS)
}

/// A difference of durations with its interval: `+7.66 ns (+7.60 … +7.72)`.
pub fn signed_ns(value: &Estimate) -> String {
    written(value, &NS, true)
}

/// A rate with its interval: `133 /s (130 … 136)`.
pub fn per_second(value: &Estimate) -> String {
    unsigned(value, &PER_SECOND)
}

/// A ratio with its interval: `1.98 (1.95 … 2.01)`.
pub fn factor(value: &Estimate) -> String {
    unsigned(value, &[("", 1.0)])
}

/// A ratio near 1 with its interval: `1.0200 (1.0196 … 1.0204)`.
pub fn ratio(value: &Estimate) -> String {
    format!("{:.4} ({:.4} … {:.4})", value.estimate, value.low, value.high)
}

/// A share of something that may be less than none of it: `+8.10 % (+7.90 … +8.30)`.
pub fn signed_percent(value: &Estimate) -> String {
    written(value, &[("%", 1.0)], true)
}

/// Why a cell has no time: `< 0.320 ns` where it cannot be told from an empty loop, else the reason in words.
pub fn why_no_time(cell: Option<&Cell>) -> String {
    let below = cell.and_then(|cell| cell.below_ns).map(|ns| format!("< {}", quantity::ns(ns)));
    below.or_else(|| cell?.reason_no_time.clone()).unwrap_or_else(|| "not measured".to_owned())
}

/// What cannot be negative.
fn unsigned(value: &Estimate, units: &[(&str, f64)]) -> String {
    if value.estimate == 0.0 && value.confidence >= CERTAIN {
        return format!("0 {}", units[0].0).trim_end().to_owned();
    }
    if value.low > 0.0 || value.estimate.is_nan() {
        written(value, units, false)
    } else if value.high > 0.0 {
        format!("< {}", written(&Estimate::certain(value.high), units, false))
    } else {
        "not told from zero".to_owned()
    }
}

fn written(value: &Estimate, units: &[(&str, f64)], signed: bool) -> String {
    let largest = [value.estimate, value.low, value.high].map(f64::abs).into_iter().fold(0.0, f64::max);
    if ![value.estimate, value.low, value.high].iter().all(|each| each.is_finite()) {
        return quantity::three_digits(value.estimate);
    }
    // By the estimate: an interval that is much wider must not push it into a unit in which it is nothing.
    let by = if value.estimate == 0.0 { largest } else { value.estimate.abs() };
    let (unit, size) = units.iter().rev().find(|(_, size)| rounded(by / size) >= 1.0).unwrap_or(&units[0]);
    let decimals = decimals(by / size);
    let number = |value: f64| {
        let value = value / size;
        let text = if signed { format!("{value:+.decimals$}") } else { format!("{value:.decimals$}") };
        // A rounded zero has no sign.
        if text.trim_start_matches(['+', '-', '0', '.']).is_empty() { text.replace(['+', '-'], "") } else { text }
    };
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    let estimate = number(value.estimate);
    if value.confidence >= CERTAIN {
        format!("{estimate}{unit}")
    } else if value.confidence > 0.0 {
        format!("{estimate}{unit} ({} … {})", number(value.low), number(value.high))
    } else {
        format!("{estimate}{unit} (no interval)")
    }
}

/// To three digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// Decimals for three digits, and three at most.
fn decimals(value: f64) -> usize {
    let value = rounded(value.abs());
    if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else if value >= 1.0 || value == 0.0 {
        2
    } else {
        3
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn interval(estimate: f64, low: f64, high: f64) -> Estimate {
        Estimate { estimate, low, high, confidence: 0.999 }
    }

    #[test]
    fn an_estimate_and_its_interval_share_a_unit() {
        assert_eq!(ns(&interval(7.66, 7.6, 7.72)), "7.66 ns (7.60 … 7.72)");
        assert_eq!(ns(&interval(1_200.0, 990.0, 1_410.0)), "1.20 µs (0.99 … 1.41)");
        assert_eq!(signed_ns(&interval(0.83, -0.2, 1.04)), "+0.830 ns (-0.200 … +1.040)");
        assert_eq!(signed_ns(&interval(-0.71, -0.8, 0.0)), "-0.710 ns (-0.800 … 0.000)");
        assert_eq!(per_second(&interval(133.4, 130.0, 136.0)), "133 /s (130 … 136)");
        assert_eq!(factor(&interval(1.98, 1.95, 2.01)), "1.98 (1.95 … 2.01)");
    }

    #[test]
    fn no_interval_is_made_up() {
        assert_eq!(ns(&Estimate::certain(15.2)), "15.2 ns");
        assert_eq!(per_second(&Estimate::certain(98_500.0)), "98.5 k/s");
        assert_eq!(ns(&Estimate::certain(f64::NAN)), "not a number");
        assert_eq!(ns(&Estimate::certain(0.0)), "0 ns");
        assert_eq!(ns(&Estimate::without_interval(15.2)), "15.2 ns (no interval)", "what is measured is not certain");
        assert_eq!(signed_ns(&Estimate::without_interval(-15.2)), "-15.2 ns (no interval)");
    }

    #[test]
    fn no_time_rate_or_ratio_is_negative() {
        assert_eq!(ns(&interval(437.0, -1_066.0, 1_941.0)), "< 1.94 µs");
        assert_eq!(ns(&interval(-3.0, -9.0, 3.0)), "< 3.00 ns");
        assert_eq!(ns(&interval(1.0, 0.0, 2.0)), "< 2.00 ns", "an end that was cut off at zero");
        assert_eq!(ns(&interval(-3.0, -9.0, -1.0)), "not told from zero");
        assert_eq!(per_second(&interval(538e3, 0.0, 1_093e3)), "< 1.09 M/s");
        assert_eq!(factor(&interval(3.2, 0.0, 6.45)), "< 6.45");
        assert_eq!(signed_ns(&interval(437.0, -1_066.0, 1_941.0)), "+437 ns (-1066 … +1941)", "a difference may be");
    }

    proptest! {
        #[test]
        fn what_cannot_be_negative_has_no_minus(estimate in -1e9_f64..1e9, half in 0.0_f64..1e9, confidence in 0.0_f64..1.0) {
            let value = Estimate { estimate, low: estimate - half, high: estimate + half, confidence };
            for text in [ns(&value), per_second(&value), factor(&value)] {
                prop_assert!(!text.contains('-'), "{text}");
            }
        }
    }
}
