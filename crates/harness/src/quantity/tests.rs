use proptest::prelude::*;

use super::*;

fn of(estimate: f64, low: f64, high: f64) -> Estimate {
    Estimate { estimate, low, high, confidence: 0.999 }
}

/// With thousands ungrouped.
fn plain(text: &str) -> String {
    text.replace(GROUP, "")
}

/// The number of nanoseconds written, and its digits without point, sign and leading zeros.
fn read(text: &str) -> (f64, String) {
    let text = plain(text);
    let (number, unit) = text.split_once(' ').unwrap();
    let size = match unit {
        "ns" => 1.0,
        "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        unit => panic!("{unit} is no unit of time"),
    };
    let mantissa = number.split('e').next().unwrap();
    let digits = mantissa.chars().filter(char::is_ascii_digit).collect::<String>();
    (number.parse::<f64>().unwrap() * size, digits.trim_start_matches('0').to_owned())
}

#[test]
fn a_number_has_three_digits_and_a_unit() {
    for (value, text) in [
        (8.1, "8.10 ns"),
        (0.357, "0.357 ns"),
        (0.0, "0 ns"),
        (-0.0, "0 ns"),
        (999.4, "999 ns"),
        (999.5, "1.00 µs"),
        (999.6, "1.00 µs"),
        (-999.6, "-1.00 µs"),
        (2_400.0, "2.40 µs"),
        (999_499.0, "999 µs"),
        (4e6, "4.00 ms"),
        (12.345e9, "12.3 s"),
        (123_456e9, "123\u{202f}000 s"),
        (-86.04, "-86.0 ns"),
        (0.000_012_3, "1.23e-5 ns"),
        (1e300, "1.00e291 s"),
        (1e-30, "1.00e-30 ns"),
        (f64::INFINITY, "∞"),
        (f64::NEG_INFINITY, "-∞"),
        (f64::NAN, "not a number"),
    ] {
        assert_eq!(ns(value), text);
    }
    assert_eq!([RATIO.value(1.0234), RATIO.value(64.0), RATIO.value(0.5)], ["1.02×", "64.0×", "0.500×"]);
    assert_eq!([PER_SECOND.value(133.4), PER_SECOND.value(98_500.0)], ["133 /s", "98.5 k/s"]);
    assert_eq!(
        [0.3, -0.3, 0.0, 100.0].map(|value| TIME.signed().value(value)),
        ["+0.300 ns", "-0.300 ns", "0 ns", "+100 ns"]
    );
}

#[test]
fn digits_follow_the_error() {
    for (estimate, text) in [
        (of(18.7, 18.4, 19.0), "18.7 ns ± 0.3"),
        (of(7.66, 7.60, 7.72), "7.66 ns ± 0.06"),
        (of(28.3, 23.4, 33.2), "28.3 ns ± 4.9"),
        (of(82.2, 69.2, 95.2), "82 ns ± 14"),
        (of(40.0, 37.01, 42.99), "40 ns ± 3"),
        (of(12_050.0, 11_990.0, 12_110.0), "12.05 µs ± 0.06"),
        (of(999.96, 999.9, 1_000.02), "0.99996 µs ± 0.00006"),
        (of(990.0, 910.0, 1_070.0), "990 ns ± 80"),
        (of(123_456e9, 123_056e9, 123_856e9), "123460 s ± 410"),
        (of(2.0, -1_500.0, 1_504.0), "0.0 µs ± 1.6"),
        (of(-0.004, -0.46, 0.452), "0.0 ns ± 0.5"),
        (of(7.661_23, 7.661_23 - 1e-9, 7.661_23 + 1e-9), "7.66123 ns ± < 0.00001"),
        // Asymmetric, and an estimate outside its interval.
        (of(7.7, 7.2, 9.1), "7.7 ns (7.2–9.1)"),
        (of(437.0, 1.0, 1_941.0), "400 ns (0–2000)"),
        (of(266.24, 259.56, 993.17), "266 ns (259–994)"),
        (of(100.0, 99.999, 300.0), "100.0 ns (99.9–300.0)"),
        (of(0.83, -0.2, 1.04), "0.83 ns (-0.20 to 1.04)"),
        (of(5.0, 5.1, 5.3), "5.00 ns (5.10–5.30)"),
        // No interval, one of zero width, and one that is not a number.
        (Estimate { confidence: 0.0, ..of(7.7, 7.7, 7.7) }, "7.70 ns (no interval)"),
        (of(15.2, 15.2, 15.2), "15.2 ns"),
        (of(7.7, f64::NAN, 7.9), "7.70 ns (no interval)"),
        (of(7.7, 7.5, f64::INFINITY), "7.70 ns (7.50 ns–∞)"),
        (of(f64::NAN, 7.5, 7.9), "not a number"),
    ] {
        assert_eq!(plain(&TIME.difference(&estimate)), text);
    }
    assert_eq!(plain(&PER_SECOND.amount(&of(83.0e6, 82.6e6, 83.4e6))), "83.0 M/s ± 0.4");
    assert_eq!(plain(&RATIO.amount(&of(1.98, 1.95, 2.01))), "1.98× ± 0.03");
    assert_eq!(plain(&TIME.signed().difference(&of(6.4, 6.3, 6.5))), "+6.40 ns ± 0.10");
    assert_eq!(plain(&TIME.signed().difference(&of(6.4, 6.3, 7.5))), "+6.40 ns (+6.30 to +7.50)");
    assert_eq!(plain(&PERCENT.signed().difference(&of(-8.1, -8.5, -7.7))), "-8.1 % ± 0.4");
}

/// A far end of microseconds made nanoseconds with an end near to them `+0.01 µs (-0.04 to +3.53)`, in a column of nanoseconds.
#[test]
fn the_nearer_end_sets_the_unit() {
    for (estimate, text) in [
        (of(9.0, -40.0, 3_530.0), "+10 ns (-40 to +3530)"),
        (of(0.0, -1.9, 84.8), "0 ns (-1.9 to +84.8)"),
        (of(9.0, -40.0, 35_300.0), "+0.01 µs (-0.04 to +35.30)"),
    ] {
        assert_eq!(plain(&TIME.signed().difference(&estimate)), text);
    }
}

#[test]
fn no_time_rate_or_ratio_is_negative() {
    for (estimate, text) in [
        (of(437.0, -1_066.0, 1_940.1), "< 1.95 µs"),
        (of(437.0, -1_066.0, 999.3), "< 1.00 µs"),
        (of(-3.0, -9.0, 3.0), "< 3.00 ns"),
        (of(1.0, 0.0, 2.0), "< 2.00 ns"),
        (of(-3.0, -9.0, -1.0), "not told from zero"),
        (of(0.0, 0.0, 0.0), "0 ns"),
        (Estimate { confidence: 0.0, ..of(3.0, 0.0, 0.0) }, "3.00 ns (no interval)"),
    ] {
        assert_eq!(plain(&TIME.amount(&estimate)), text);
    }
}

#[test]
fn an_interval_has_one_unit() {
    for (low, high, text) in [
        (18.4, 19.0, "18.4–19.0 ns"),
        (21.6, 21.9, "21.6–21.9 ns"),
        (9.98, 10.2, "9.98–10.2 ns"),
        (998.0, 1_020.0, "0.998–1.02 µs"),
        (0.0, 1_020.0, "0–1.02 µs"),
        (21.7, 1.31e3, "0.0217–1.31 µs"),
        (3.0, 131e6, "0–131 ms"),
        // As many digits as distinguish the ends.
        (8.011_2, 8.011_5, "8.0112–8.0115 ns"),
        (21.94, 21.96, "21.94–21.96 ns"),
        (12_345e9, 12_349e9, "12345–12349 s"),
        (8.0, 8.0, "8.00–8.00 ns"),
        // No dash before a minus.
        (-0.03, 0.5, "-0.030 to 0.500 ns"),
        (-9.0, -3.0, "-9.00 to -3.00 ns"),
        (-0.5, 0.0, "-0.500 to 0 ns"),
        (-1e-9, 0.5, "0 to 0.500 ns"),
        (2.7272, 2.7549, "2.72–2.76 ns"),
        (f64::NEG_INFINITY, 0.5, "-∞ to 0.500 ns"),
        (0.5, f64::INFINITY, "0.500 ns–∞"),
        (0.5, f64::NAN, "0.500 ns–not a number"),
    ] {
        assert_eq!(plain(&TIME.interval(low, high)), text);
    }
    assert_eq!(RATIO.interval(2.727, 2.755), "2.72–2.76×");
    assert_eq!(TIME.signed().interval(0.3, 0.5), "+0.300 to +0.500 ns");
    assert_eq!(PERCENT.interval(90.0, 130.4), "90.0–131 %");
}

#[test]
fn what_is_known_only_within_a_bound_is_rounded_up() {
    let off = |reach| plain(&TIME.off(reach));
    assert_eq!(
        [0.45, 450.0, 461.0, 0.0, 96.0, 991.0].map(off),
        ["± 0.45 ns", "± 450 ns", "± 470 ns", "± 0 ns", "± 96 ns", "± 1.0 µs"]
    );
    assert_eq!(
        [1.0, 1.48, 1.481, 9.991].map(|most| TIME.below(most)),
        ["< 1.00 ns", "< 1.48 ns", "< 1.49 ns", "< 10.0 ns"]
    );
    assert_eq!([f64::NAN, 1e-9, 1e300].map(off), ["± not a number", "± 1.00e-9 ns", "± 1.00e291 s"]);
}

#[test]
fn counts_are_grouped() {
    assert_eq!([count(0), count(999)], ["0", "999"]);
    assert_eq!(count(1_000_000), "1\u{202f}000\u{202f}000");
    assert_eq!(count(u64::MAX), "18\u{202f}446\u{202f}744\u{202f}073\u{202f}709\u{202f}551\u{202f}615");
}

#[test]
fn shares_and_rates() {
    assert_eq!(share(0.123_45), "12.3 %");
    assert_eq!(share(1.0), "100 %");
    assert_eq!(share(0.999_99), "> 99.9 %");
    assert_eq!([limit(10.0), limit(1.0), limit(0.25), limit(100.0)], ["10 %", "1 %", "0.25 %", "100 %"]);
    assert_eq!(confidence(0.9375), "93.7 %");
    assert_eq!(confidence(0.99902), "99.9 %");
    assert_eq!(confidence(0.998), "99.8 %");
    assert_eq!(hertz(2_799_998_000.0), "2\u{202f}799.998 MHz");
    assert_eq!(hertz(-1.0), "-1.00 Hz");
}

/// Numbers of every magnitude written without a power of ten.
fn any_size() -> impl Strategy<Value = f64> {
    (1.0_f64..9.99, -3_i32..17, any::<bool>()).prop_map(|(mantissa, exponent, is_negative)| {
        let value = mantissa * 10_f64.powi(exponent);
        if is_negative { -value } else { value }
    })
}

proptest! {
    #[test]
    fn what_is_written_is_the_number_to_three_digits(value in any_size()) {
        let (written, digits) = read(&ns(value));
        let half_a_digit = 0.5 * 10_f64.powi(exponent(value) - 2);
        prop_assert!((written - value).abs() <= half_a_digit * (1.0 + 1e-9), "{value}: {}", ns(value));
        // Zeros before the point of a large number are placeholders.
        let digits = if digits.len() > 3 { digits.trim_end_matches('0') } else { &digits };
        prop_assert!(digits.len() <= 3 && (digits.len() == 3 || exponent(value) > 11), "{value}: {}", ns(value));
    }

    #[test]
    fn the_unit_leaves_three_digits_before_the_point_at_most(value in 0.0995_f64..999e9) {
        let text = ns(value);
        let (number, _) = text.split_once(' ').unwrap();
        let whole = number.split('.').next().unwrap();
        prop_assert!(whole.len() <= 3 && (whole != "0" || value < 0.9995), "{value}: {text}");
    }

    #[test]
    fn an_estimate_holds_what_it_was_made_of(value in any_size(), share in 1e-4_f64..3.0) {
        let half = value.abs() * share;
        let text = plain(&TIME.difference(&of(value, value - half, value + half)));
        // An interval that would be written as reaching zero is given by its ends.
        let Some((first, error)) = text.split_once(" ± ") else {
            prop_assert!(share > 0.5 && share < 1.0 && value > 0.0 && text.ends_with(')'), "{text}");
            return Ok(());
        };
        let unit = first.split_once(' ').unwrap().1;
        let ((value_read, _), (half_read, digits)) = (read(first), read(&format!("{error} {unit}")));
        // The digits read back are within a fifth of the half-width.
        prop_assert!((half_read - half).abs() <= half / 5.0, "{text}");
        prop_assert!((value_read - value).abs() <= half / 5.0, "{text}");
        prop_assert!(digits.trim_end_matches('0').len() <= 2, "{text}");
        // The printed form covers the interval.
        prop_assert!((value_read - value).abs() + half <= half_read * 1.01, "{text}");
        let decimals = |number: &str| number.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        prop_assert!(decimals(first.split(' ').next().unwrap()) == decimals(error), "{text}");
    }

    #[test]
    fn the_ends_of_an_interval_are_told_apart(low in any_size(), width in 1e-4_f64..3.0) {
        let high = low + low.abs() * width;
        let text = plain(&TIME.interval(low, high));
        let between = if low < 0.0 { " to " } else { "–" };
        let (from, to) = text.split_once(between).ok_or_else(|| TestCaseError::fail(text.clone()))?;
        let (to, unit) = to.split_once(' ').unwrap();
        let [(from, _), (to, _)] = [from, to].map(|end| read(&format!("{end} {unit}")));
        prop_assert!(from < to, "{text}");
        let (digit, rounding) = (high - low, 2e-3 * (high - low));
        prop_assert!(from <= low + rounding && low - from <= 1.01 * digit, "{text}");
        prop_assert!(to >= high - rounding && to - high <= 1.01 * digit, "{text}");
        prop_assert!(!text.contains("–-") && !text.contains("--"), "{text}");
    }

    #[test]
    fn a_lopsided_interval_is_covered_and_its_nearer_end_seen(value in any_size(), near in 1e-3_f64..0.2, times in 1.6_f64..100.0) {
        let [near, far] = [near, near * times].map(|share| share * value.abs());
        let text = plain(&TIME.difference(&of(value, value - near, value + far)));
        let (first, ends) = text.split_once(" (").ok_or_else(|| TestCaseError::fail(text.clone()))?;
        let unit = first.split_once(' ').unwrap().1;
        let ends = ends.trim_end_matches(')');
        let between = if ends.contains(" to ") { " to " } else { "–" };
        let (from, to) = ends.split_once(between).unwrap();
        let [(written, _), (from, _), (to, _)] = [first.to_owned(), format!("{from} {unit}"), format!("{to} {unit}")].map(|end| read(&end));
        // A thousandth of the last digit is not rounded up.
        let rounding = 1e-3 * (near + far);
        prop_assert!(from <= value - near + rounding && to >= value + far - rounding, "{text}");
        prop_assert!((from..=to).contains(&written), "{text}");
        prop_assert!(times > 50.0 || (value - near) - from <= near && (written - value).abs() <= near, "{text}");
    }

    #[test]
    fn what_cannot_be_negative_has_no_minus(estimate in -1e9_f64..1e9, half in 1e-3_f64..1e9) {
        let value = of(estimate, estimate - half, estimate + half);
        for text in [TIME.amount(&value), PER_SECOND.amount(&value), RATIO.amount(&value)] {
            prop_assert!(!text.contains('-'), "{text}");
        }
    }

    #[test]
    fn no_number_panics(value in any::<f64>(), low in any::<f64>(), high in any::<f64>(), sure in any::<f64>(), whole in any::<u64>()) {
        let estimate = Estimate { estimate: value, low, high, confidence: sure };
        for quantity in [TIME, PER_SECOND, RATIO, PERCENT, PPM, TIME.signed()] {
            for text in [
                quantity.value(value), quantity.interval(low, high), quantity.amount(&estimate),
                quantity.difference(&estimate), quantity.below(value), quantity.off(value),
            ] {
                prop_assert!(!text.is_empty() && text.chars().count() < 60, "{text}");
            }
        }
        for text in [ms(value), share(value), confidence(value), limit(value), hertz(value), count(whole)] {
            prop_assert!(!text.is_empty() && text.chars().count() < 40, "{text}");
        }
    }
}

#[test]
fn a_length_that_was_set_is_written_exactly() {
    for (ns, said) in [
        (0, "0 s"),
        (1, "1 ns"),
        (999, "999 ns"),
        (1_000, "1 µs"),
        (1_500, "1.5 µs"),
        (10_000_000, "10 ms"),
        (1_001_000_000, "1.001 s"),
        (59_999_999_999, "59.999999999 s"),
        (60_000_000_000, "1 min"),
        (60_001_000_000, "60.001 s"),
        (3_600_000_000_000, "1 h"),
        (86_400_000_000_000, "24 h"),
        (3_600_000_000_000_000, "1\u{202f}000 h"),
    ] {
        assert_eq!(length(std::time::Duration::from_nanos(ns)), said);
    }
    length(std::time::Duration::MAX);
}
