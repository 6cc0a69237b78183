//! How quantities are written: three significant digits and a unit, whatever the number; and spans of them.

pub use chronoscope_harness::quantity::{confidence, count, hertz, limit, ms, ns, percent, rate, share, three_digits};

/// A span of durations: `21.6–21.9 ns`, `998 ns–1.02 µs`.
pub fn ns_range(low: f64, high: f64) -> String {
    let (low, high) = (ns(low), ns(high));
    let ((low, low_unit), (high, high_unit)) = (parts(&low), parts(&high));
    if low_unit == high_unit || low == "0" {
        format!("{low}–{high} {high_unit}").trim_end().to_owned()
    } else {
        format!("{low} {low_unit}–{high} {high_unit}")
    }
}

/// A duration's number and its unit; what is no number has none.
fn parts(duration: &str) -> (&str, &str) {
    let is_number = duration.contains(|letter: char| letter.is_ascii_digit());
    duration.rsplit_once(' ').filter(|_| is_number).unwrap_or((duration, ""))
}

/// Parts per million.
pub fn ppm(value: f64) -> String {
    format!("{} ppm", three_digits(value))
}

/// Parts per million with a sign.
pub fn signed_ppm(value: f64) -> String {
    if value > 0.0 { format!("+{}", ppm(value)) } else { ppm(value) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn durations_have_three_digits_and_a_unit() {
        for (value, text) in [
            (8.1, "8.10 ns"),
            (0.357, "0.357 ns"),
            (0.0, "0 ns"),
            (-0.0, "0 ns"),
            (999.4, "999 ns"),
            (999.6, "1.00 µs"),
            (2_400.0, "2.40 µs"),
            (4e6, "4.00 ms"),
            (12.345e9, "12.3 s"),
            (123_456e9, "123\u{202f}000 s"),
            (-86.04, "-86.0 ns"),
            (1e300, "1.00e291 s"),
            (1e-30, "1.00e-30 ns"),
            (f64::INFINITY, "∞"),
        ] {
            assert_eq!(ns(value), text);
        }
    }

    #[test]
    fn spans_name_a_unit_once_where_they_can() {
        assert_eq!(ns_range(21.6, 21.9), "21.6–21.9 ns");
        assert_eq!(ns_range(998.0, 1_020.0), "998 ns–1.02 µs");
        assert_eq!(ns_range(0.0, 1_020.0), "0–1.02 µs");
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!(count(999), "999");
        assert_eq!(count(1_000_000), "1\u{202f}000\u{202f}000");
        assert_eq!(count(u64::MAX), "18\u{202f}446\u{202f}744\u{202f}073\u{202f}709\u{202f}551\u{202f}615");
    }

    #[test]
    fn shares_and_rates() {
        assert_eq!(share(0.123_45), "12.3 %");
        assert_eq!(share(1.0), "100 %");
        assert_eq!(share(0.999_99), "> 99.9 %");
        assert_eq!([limit(10.0), limit(1.0), limit(0.25), limit(100.0)], ["10 %", "1 %", "0.25 %", "100 %"]);
        assert_eq!(rate(1.5e-6), "1.50e-6");
        assert_eq!(rate(0.0), "0 %");
        assert_eq!(confidence(0.9375), "93.7 %");
        assert_eq!(confidence(0.99902), "99.9 %");
        assert_eq!(confidence(0.998), "99.8 %");
        assert_eq!(hertz(2_799_998_000.0), "2\u{202f}799.998 MHz");
        assert_eq!(hertz(-1.0), "-1.00 Hz");
    }

    proptest! {
        #[test]
        fn no_number_panics(value in any::<f64>(), other in any::<f64>(), whole in any::<u64>()) {
            for text in [
                ns(value), ns_range(value, other), ms(value), share(value), percent(value), confidence(value),
                rate(value), limit(value), ppm(value), signed_ppm(value), hertz(value), count(whole), three_digits(value),
            ] {
                prop_assert!(!text.is_empty());
                prop_assert!(text.chars().count() < 40, "{text}");
            }
        }
    }
}
