//! How quantities are written: three significant digits and a unit, whatever the number.

const NS_UNITS: [(&str, f64); 4] = [("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
/// A narrow space that does not break lines.
const GROUP: char = '\u{202f}';

/// A duration: `8.10 ns`, `2.40 µs`, `4.00 ms`, `1.20 s`.
pub fn ns(value: f64) -> String {
    let (number, unit) = ns_parts(value);
    if unit.is_empty() { number } else { format!("{number} {unit}") }
}

/// A span of durations: `21.6–21.9 ns`, `998 ns–1.02 µs`.
pub fn ns_range(low: f64, high: f64) -> String {
    let ((low, low_unit), (high, high_unit)) = (ns_parts(low), ns_parts(high));
    if low_unit == high_unit || low == "0" {
        format!("{low}–{high} {high_unit}").trim_end().to_owned()
    } else {
        format!("{low} {low_unit}–{high} {high_unit}")
    }
}

fn ns_parts(value: f64) -> (String, &'static str) {
    if !value.is_finite() {
        return (three_digits(value), "");
    }
    let unit = usize::try_from(exponent(value).div_euclid(3)).unwrap_or(0).min(NS_UNITS.len() - 1);
    let (name, size) = NS_UNITS[unit];
    (three_digits(value / size), name)
}

/// A duration that counts whole milliseconds.
pub fn ms(value: f64) -> String {
    if value == 0.0 { "0 ms".to_owned() } else { ns(value * 1e6) }
}

/// A share of one as a percentage: `12.3 %`.
pub fn share(value: f64) -> String {
    let number = percent(value * 100.0);
    if value < 1.0 && number == "100 %" { "> 99.9 %".to_owned() } else { number }
}

/// A percentage: `12.3 %`.
pub fn percent(value: f64) -> String {
    format!("{} %", three_digits(value))
}

/// A round percentage that somebody set: `10 %`.
pub fn limit(value: f64) -> String {
    let number = three_digits(value);
    let short = if number.contains(['.']) && !number.contains('e') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        &number
    };
    format!("{short} %")
}

/// A confidence, rounded down so that it never promises more than there is.
pub fn confidence(value: f64) -> String {
    let tenths = (value.clamp(0.0, 0.999) * 1000.0 + 1e-6).floor();
    if tenths.is_nan() { "unknown confidence".to_owned() } else { format!("{:.1} %", tenths / 10.0) }
}

/// How often something happens per trial: a percentage, or a power of ten where that is small.
pub fn rate(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-5 { three_digits(value) } else { percent(value * 100.0) }
}

/// Parts per million.
pub fn ppm(value: f64) -> String {
    format!("{} ppm", three_digits(value))
}

/// Parts per million with a sign.
pub fn signed_ppm(value: f64) -> String {
    if value > 0.0 { format!("+{}", ppm(value)) } else { ppm(value) }
}

/// A frequency to the kilohertz: `2 799.998 MHz`.
pub fn hertz(value: f64) -> String {
    let mhz = value / 1e6;
    if mhz != 0.0 && !(0.01..1e9).contains(&mhz.abs()) {
        return format!("{} Hz", three_digits(value));
    }
    let text = format!("{mhz:.3}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, "0"));
    format!("{}.{fraction} MHz", grouped(whole))
}

/// A count in groups of three digits.
pub fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// A number with three significant digits.
pub fn three_digits(value: f64) -> String {
    if value.is_nan() {
        return "not a number".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "-∞" }.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    match exponent(value) {
        e @ -4..=2 => format!("{value:.*}", usize::try_from(2 - e).unwrap_or(0)),
        3..=8 => {
            let rounded = format!("{value:.2e}").parse::<f64>().unwrap_or(value);
            grouped(&format!("{rounded:.0}"))
        }
        _ => format!("{value:.2e}"),
    }
}

/// The power of ten of `value` after it was rounded to three digits, so that 999.9 counts as 1000.
fn exponent(value: f64) -> i32 {
    let text = format!("{value:.2e}");
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

fn grouped(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let mut text = String::from(sign);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(GROUP);
        }
        text.push(digit);
    }
    text
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
