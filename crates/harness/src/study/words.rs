//! How a study's numbers are written: an estimate with what it can be off, or that it is not resolved.

use crate::record::study::{Cell, Comparison, Difference, Estimate};

use crate::quantity::{count, limit, ns, three_digits};

/// A space at which lines are not broken.
const JOIN: char = '\u{a0}';
const TIME: [(&str, f64); 4] = [("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
const RATE: [(&str, f64); 4] = [("/s", 1.0), ("k/s", 1e3), ("M/s", 1e6), ("G/s", 1e9)];
const NUMBER: [(&str, f64); 1] = [("", 1.0)];
/// An interval whose halves differ by more than this share of the smaller is written with both ends.
const LOPSIDED: f64 = 0.5;
/// A half-width that begins below this is written with two digits, for one would be too coarse; the Particle Data Group
/// rounds so.
const TWO_DIGITS: f64 = 3.55;
/// Digits behind the point at most; a half-width that needs more is far below what matters.
const DECIMALS: usize = 4;

/// A duration with its interval: `7.66 ± 0.06 ns`, or `7.7 (7.2 to 9.1) ns` where it is lopsided.
pub fn duration(estimate: &Estimate) -> String {
    written(estimate, &TIME)
}

/// A rate with its interval: `83.0 ± 0.4 M/s`.
pub fn rate(estimate: &Estimate) -> String {
    written(estimate, &RATE)
}

/// A rate alone, where another column tells how sure it is.
pub fn rough_rate(value: f64) -> String {
    let (size, unit) = unit_of(value.abs(), &RATE);
    spaced(&three_digits(value / size), unit)
}

/// A plain number with its interval: `1.95 ± 0.02`.
pub fn number(estimate: &Estimate) -> String {
    written(estimate, &NUMBER)
}

/// Between how many tokens a place lies, to the nearest one: `13 to 17 tokens`.
pub fn token_span(estimate: &Estimate) -> String {
    // A cast of a float saturates, and gives 0 for what is no number.
    let [low, high] = [estimate.low, estimate.high].map(|tokens| tokens.round() as u64);
    let text = if low < high { format!("{} to {}", count(low), token_count(high)) } else { token_count(high) };
    joined(&text)
}

/// A resolved difference as a cost; one below zero as a saving.
pub fn cost(estimate: &Estimate) -> String {
    match (estimate.is_resolved(), estimate.high < 0.0) {
        (false, _) => unresolved(estimate),
        (true, true) => format!("{} less", duration(&turned(estimate))),
        (true, false) => duration(estimate),
    }
}

/// The ends of an interval of durations: `7.60 … 7.72 ns`.
pub fn interval(estimate: &Estimate) -> String {
    if estimate.confidence == 0.0 {
        return "none".to_owned();
    }
    let (size, unit) = unit_of(estimate.low.abs().max(estimate.high.abs()), &TIME);
    let decimals = decimals(estimate.half_width() / size);
    spaced(&format!("{} … {}", fixed(estimate.low / size, decimals), fixed(estimate.high / size, decimals)), unit)
}

/// The ends of an interval of plain numbers.
pub fn number_interval(estimate: &Estimate) -> String {
    let decimals = decimals(estimate.half_width());
    format!("{} … {}", fixed(estimate.low, decimals), fixed(estimate.high, decimals))
}

/// What an interval allows either way where it holds no difference: `unresolved (± 0.45 ns)`.
pub fn unresolved(estimate: &Estimate) -> String {
    format!("unresolved (±{JOIN}{})", joined(&rough(reach(estimate))))
}

/// How far from nothing the interval reaches.
pub fn reach(estimate: &Estimate) -> f64 {
    estimate.low.abs().max(estimate.high.abs())
}

/// A difference as a quantity: what it is where it is resolved, else how much the interval allows.
pub fn difference(estimate: &Estimate, verdict: Difference) -> String {
    match (estimate.is_resolved(), verdict) {
        (true, _) => duration(estimate),
        (false, Difference::Same) => format!("within ±{JOIN}{}", joined(&rough(reach(estimate)))),
        (false, _) => unresolved(estimate),
    }
}

/// The same difference without its sign.
pub fn turned(estimate: &Estimate) -> Estimate {
    Estimate { estimate: -estimate.estimate, low: -estimate.high, high: -estimate.low, ..*estimate }
}

/// The verdict in a word or two. A difference that is resolved may still lie on either side of the margin.
pub fn verdict(verdict: Difference, difference: &Estimate, margin_pct: f64) -> String {
    match verdict {
        Difference::Unresolved if difference.is_resolved() => format!("unresolved at {}", limit(margin_pct)),
        Difference::Faster => "faster".to_owned(),
        Difference::Slower => "slower".to_owned(),
        Difference::Same => format!("same within {}", limit(margin_pct)),
        Difference::Unresolved => "unresolved".to_owned(),
    }
}

/// `seq_cst against relaxed size=64, 1 thread`.
pub fn title(comparison: &Comparison) -> String {
    format!("{}, {}", pair(comparison), threads(comparison.threads))
}

/// The same without threads.
pub fn pair(comparison: &Comparison) -> String {
    format!("{} against {}{}", comparison.case, comparison.baseline, parameters(&comparison.parameters))
}

/// `1 thread`, `8 threads`.
pub fn threads(threads: u32) -> String {
    some(u64::from(threads), "thread")
}

/// `1 token`, `40 tokens`.
pub fn token_count(tokens: u64) -> String {
    some(tokens, "token")
}

/// A duration of two significant digits.
pub fn rough(value: f64) -> String {
    if value == 0.0 {
        return "0 ns".to_owned();
    }
    let rounded = format!("{value:.1e}").parse::<f64>().unwrap_or(value);
    let (size, unit) = unit_of(rounded.abs(), &TIME);
    let exponent = (rounded.abs() / size).log10().floor();
    // Clamped, so that the cast is exact; of a number that is not finite it gives 0.
    spaced(&fixed(rounded / size, (1.0 - exponent).clamp(0.0, DECIMALS as f64) as usize), unit)
}

/// What a cell's time is, in words for a table.
pub fn cell_time(cell: &Cell) -> String {
    match (&cell.time_ns, cell.below_ns) {
        (Some(time), _) => duration(time),
        (None, Some(below)) => format!("< {}", ns(below)),
        (None, None) => "none".to_owned(),
    }
}

/// The same without its interval, where another column tells how sure it is.
pub fn cell_point(cell: &Cell) -> String {
    match (&cell.time_ns, cell.below_ns) {
        (Some(time), _) => ns(time.estimate),
        (None, Some(below)) => format!("< {}", ns(below)),
        (None, None) => "none".to_owned(),
    }
}

/// The case with its role and parameters.
pub fn cell_name(cell: &Cell) -> String {
    let role = cell.role.as_ref().map_or_else(String::new, |role| format!(" / {role}"));
    format!("{}{role}{}", cell.case, parameters(&cell.parameters))
}

/// ` size=64 depth=2`, with a space before each.
pub fn parameters<'a>(parameters: impl IntoIterator<Item = (&'a String, &'a String)>) -> String {
    parameters.into_iter().map(|(name, value)| format!(" {name}={value}")).collect()
}

/// `quiet of all` as counts.
pub fn of(part: u64, all: u64) -> String {
    format!("{} of {}", count(part), count(all))
}

fn some(count_of: u64, one: &str) -> String {
    format!("{} {one}{}", count(count_of), if count_of == 1 { "" } else { "s" })
}

fn written(estimate: &Estimate, units: &[(&'static str, f64)]) -> String {
    let Estimate { estimate: value, low, high, confidence } = *estimate;
    let (size, unit) = unit_of(value.abs().max(estimate.half_width().abs()), units);
    let half = estimate.half_width() / size;
    if !(value.is_finite() && half.is_finite()) || confidence == 0.0 {
        return joined(&spaced(&three_digits(value / size), unit));
    }
    let (below, above) = (value - low, high - value);
    let decimals = decimals(half);
    if below < 0.0 || above < 0.0 || (below - above).abs() > LOPSIDED * below.min(above) + 1e-9 * value.abs() {
        let ends = format!("({}{JOIN}to{JOIN}{})", fixed(low / size, decimals), fixed(high / size, decimals));
        return spaced(&format!("{}{JOIN}{ends}", fixed(value / size, decimals)), unit).replace(' ', "\u{a0}");
    }
    let error = if half > 0.0 && half < 0.5e-4 { three_digits(half) } else { fixed(half, decimals) };
    let value = fixed(value / size, decimals);
    joined(&spaced(&format!("{value}{JOIN}±{JOIN}{error}"), unit))
}

fn unit_of(magnitude: f64, units: &[(&'static str, f64)]) -> (f64, &'static str) {
    let fitting = units.iter().rev().find(|(_, size)| magnitude >= size * 0.9995);
    fitting.or(units.first()).map_or((1.0, ""), |(unit, size)| (*size, *unit))
}

/// Digits behind the point that a value with this half-width deserves.
fn decimals(half: f64) -> usize {
    if !half.is_finite() || half <= 0.0 {
        return 2;
    }
    let exponent = half.log10().floor();
    let leading = half / 10_f64.powf(exponent);
    let digits = if leading < TWO_DIGITS { 1.0 - exponent } else { -exponent };
    // The value lies between the bounds, so that the cast is exact.
    digits.clamp(0.0, DECIMALS as f64) as usize
}

fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() || value.abs() >= 1e5 {
        return three_digits(value);
    }
    let text = format!("{value:.decimals$}");
    // A zero has no sign.
    if text.trim_start_matches(['-', '0', '.']).is_empty() { text.trim_start_matches('-').to_owned() } else { text }
}

fn spaced(number: &str, unit: &str) -> String {
    if unit.is_empty() { number.to_owned() } else { format!("{number} {unit}") }
}

/// With spaces at which lines are not broken.
pub fn joined(text: &str) -> String {
    text.replace(' ', "\u{a0}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(estimate: f64, low: f64, high: f64) -> Estimate {
        Estimate { estimate, low, high, confidence: 0.999 }
    }

    fn plain(text: &str) -> String {
        text.replace('\u{a0}', " ")
    }

    #[test]
    fn digits_follow_the_error() {
        for (estimate, text) in [
            (of(7.66, 7.60, 7.72), "7.66 ± 0.06 ns"),
            (of(28.3, 23.4, 33.2), "28 ± 5 ns"),
            (of(82.2, 69.2, 95.2), "82 ± 13 ns"),
            (of(12_050.0, 11_990.0, 12_110.0), "12.05 ± 0.06 µs"),
            (of(7.7, 7.2, 9.1), "7.7 (7.2 to 9.1) ns"),
            (Estimate { confidence: 0.0, ..of(7.7, 7.7, 7.7) }, "7.70 ns"),
            (of(-0.004, -0.46, 0.452), "0.0 ± 0.5 ns"),
        ] {
            assert_eq!(plain(&duration(&estimate)), text);
        }
        assert_eq!(plain(&rate(&of(83.0e6, 82.6e6, 83.4e6))), "83.0 ± 0.4 M/s");
        assert_eq!(plain(&interval(&of(7.66, 7.60, 7.72))), "7.60 … 7.72 ns");
        assert_eq!([0.45, 450.0, 0.0, 96.0].map(rough), ["0.45 ns", "450 ns", "0 ns", "96 ns"]);
    }

    #[test]
    fn what_is_not_resolved_is_no_cost() {
        let noise = of(-0.3, -0.7, 0.1);
        assert_eq!(plain(&difference(&noise, Difference::Unresolved)), "unresolved (± 0.70 ns)");
        assert_eq!(plain(&difference(&noise, Difference::Same)), "within ± 0.70 ns");
        assert_eq!(plain(&difference(&of(-3.0, -3.2, -2.8), Difference::Faster)), "-3.00 ± 0.20 ns");
        assert!(!Estimate { confidence: 0.0, ..of(3.0, 3.0, 3.0) }.is_resolved());
    }

    proptest! {
        #[test]
        fn no_number_panics(value in any::<f64>(), low in any::<f64>(), high in any::<f64>(), confidence in any::<f64>()) {
            let estimate = Estimate { estimate: value, low, high, confidence };
            for text in [
                duration(&estimate), rate(&estimate), number(&estimate), token_span(&estimate), interval(&estimate),
                number_interval(&estimate), unresolved(&estimate), rough(value),
                difference(&estimate, Difference::Unresolved),
            ] {
                prop_assert!(!text.is_empty() && text.chars().count() < 100, "{text}");
            }
        }
    }
}
