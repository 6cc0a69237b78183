//! How estimates are written: as many digits for the ends of the interval as for the estimate, and one unit for all.

use chronoscope_measure::record::study::Estimate;
use chronoscope_report::text;

const NS: [(&str, f64); 4] = [("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
const PER_SECOND: [(&str, f64); 4] = [("/s", 1.0), ("k/s", 1e3), ("M/s", 1e6), ("G/s", 1e9)];

/// A duration with its interval: `7.66 ns (7.60 … 7.72)`.
pub(crate) fn ns(value: &Estimate) -> String {
    written(value, &NS, false)
}

/// A difference of durations with its interval: `+7.66 ns (+7.60 … +7.72)`.
pub(crate) fn signed_ns(value: &Estimate) -> String {
    written(value, &NS, true)
}

/// A rate with its interval: `133 /s (130 … 136)`.
pub(crate) fn per_second(value: &Estimate) -> String {
    written(value, &PER_SECOND, false)
}

/// A rate that has no interval.
pub(crate) fn plain_per_second(value: f64) -> String {
    written(&certain(value), &PER_SECOND, false)
}

/// A ratio with its interval: `1.98 (1.95 … 2.01)`.
pub(crate) fn factor(value: &Estimate) -> String {
    written(value, &[("", 1.0)], false)
}

/// A ratio near 1 with its interval: `1.0200 (1.0196 … 1.0204)`.
pub(crate) fn ratio(value: &Estimate) -> String {
    format!("{:.4} ({:.4} … {:.4})", value.estimate, value.low, value.high)
}

/// A number that is known, or published without an interval.
pub(crate) fn certain(value: f64) -> Estimate {
    Estimate { estimate: value, low: value, high: value, confidence: 0.0 }
}

/// `value` times a number that is known.
pub(crate) fn times(value: &Estimate, factor: f64) -> Estimate {
    Estimate { estimate: value.estimate * factor, low: value.low * factor, high: value.high * factor, ..*value }
}

/// `1 token`, `20 tokens`.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", text::count(count), if count == 1 { one } else { many })
}

fn written(value: &Estimate, units: &[(&str, f64)], signed: bool) -> String {
    let largest = [value.estimate, value.low, value.high].map(f64::abs).into_iter().fold(0.0, f64::max);
    if ![value.estimate, value.low, value.high].iter().all(|each| each.is_finite()) {
        return text::three_digits(value.estimate);
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
    if value.confidence > 0.0 {
        format!("{}{unit} ({} … {})", number(value.estimate), number(value.low), number(value.high))
    } else {
        format!("{}{unit}", number(value.estimate))
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
        assert_eq!(ns(&certain(15.2)), "15.2 ns");
        assert_eq!(plain_per_second(98_500.0), "98.5 k/s");
        assert_eq!(ns(&certain(f64::NAN)), "not a number");
        assert_eq!(ns(&certain(0.0)), "0.00 ns");
    }
}
