//! The one form of every number in words: `18.7 ns`, `18.7 ns ± 0.3`, `18.4–19.0 ns`, `1.02×`.
//!
//! - A number has three significant digits. Its unit changes where it rounds to a thousand.
//! - An estimate is rounded to the last digit of its error; the error has two digits if it begins with 1 or 2, else one
//!   (DIN 1333). The error is rounded up, so that the printed form covers the interval. An asymmetric interval is given
//!   by its ends, `7.7 ns (7.2–9.1)`, to the digits of the nearer. One of less than 95 % confidence says so: `7.7 ns (7.2–9.1 at
//!   75.0 %)`. `(no interval)`: too few samples for one.
//! - The ends of an interval are rounded outward. Both share one unit. Below zero it is `-0.030 to 0.500 ns`, since a dash would read as a
//!   minus.
//! - A non-negative quantity is written `< X` where its interval reaches zero.
//! - Thousands are grouped by a narrow no-break space; other spaces are ordinary.
//!
//! Nothing here panics, for any number.

use std::time::Duration;

use crate::record::study::Estimate;

/// A narrow no-break space.
const GROUP: char = '\u{202f}';
/// An interval whose halves differ by more than this share of the smaller is written with both ends.
const LOPSIDED: f64 = 0.5;
/// An error widened by rounding by more than this gets one more digit.
const WIDENED: f64 = 1.2;
/// The nearer end of a lopsided interval adds this many digits at most.
const NEARER_DIGITS: i32 = 2;
/// Maximum significant digits, however narrow the interval.
const MOST_DIGITS: i32 = 6;
/// A number that is long to read: one in the next unit is better.
const LONG: f64 = 1e4;
/// Ends closer than this share of the estimate differ only by float rounding.
const EXACT: f64 = 1e-12;
/// Outside these powers of ten, numbers are written in scientific notation.
const PLAIN: std::ops::Range<i32> = -4..9;

/// What is being written: its units, each a thousand times the one before.
///
/// # Examples
/// ```
/// use chronoscope_harness::quantity::{PER_SECOND, PPM, RATIO, TIME};
///
/// assert_eq!(TIME.value(2_400.0), "2.40 µs");
/// assert_eq!(RATIO.value(1.0234), "1.02×");
/// assert_eq!(PER_SECOND.value(83.0e6), "83.0 M/s");
/// assert_eq!(PPM.signed().value(12.34), "+12.3 ppm");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    units: &'static [&'static str],
    is_signed: bool,
}

/// Durations, from nanoseconds: `8.10 ns`, `1.20 s`.
pub const TIME: Quantity = Quantity::of(&[" ns", " µs", " ms", " s"]);
/// Events per second: `133 /s`, `83.0 M/s`.
pub const PER_SECOND: Quantity = Quantity::of(&[" /s", " k/s", " M/s", " G/s"]);
/// Bytes per second: `1.20 GB/s`, of 10⁹ bytes.
pub const BYTES_PER_SECOND: Quantity = Quantity::of(&[" B/s", " kB/s", " MB/s", " GB/s"]);
/// How many times as large: `1.02×`.
pub const RATIO: Quantity = Quantity::of(&["×"]);
/// Percentages, from hundredths: `12.3 %`.
pub const PERCENT: Quantity = Quantity::of(&[" %"]);
/// Numbers whose unit is in the head of their column: `12.3`.
pub const BARE: Quantity = Quantity::of(&[""]);
/// Counts of which only the size matters: `28.6 M`.
pub const MANY: Quantity = Quantity::of(&["", " k", " M", " G"]);
/// Parts per million: `0.250 ppm`.
pub const PPM: Quantity = Quantity::of(&[" ppm"]);

impl Quantity {
    const fn of(units: &'static [&'static str]) -> Self {
        Self { units, is_signed: false }
    }

    /// The same with a plus sign before positive values, for differences.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::quantity::TIME;
    ///
    /// assert_eq!(TIME.signed().value(0.3), "+0.300 ns");
    /// ```
    #[must_use]
    pub const fn signed(self) -> Self {
        Self { is_signed: true, ..self }
    }

    /// One number, to three digits.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::quantity::TIME;
    ///
    /// assert_eq!([TIME.value(999.4), TIME.value(999.5)], ["999 ns", "1.00 µs"]);
    /// ```
    pub fn value(self, value: f64) -> String {
        if !value.is_finite() {
            return three_digits(value);
        }
        let (unit, size) = self.unit(value);
        self.plus(three_digits(value / size), value) + unit
    }

    /// An interval without its estimate.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::quantity::{RATIO, TIME};
    ///
    /// assert_eq!(TIME.interval(18.4, 19.0), "18.4–19.0 ns");
    /// assert_eq!(TIME.interval(998.0, 1_020.0), "0.998–1.02 µs");
    /// assert_eq!(TIME.interval(-0.03, 0.5), "-0.030 to 0.500 ns");
    /// assert_eq!(RATIO.interval(1.9961, 1.9969), "1.9961–1.9969×");
    /// ```
    pub fn interval(self, low: f64, high: f64) -> String {
        let larger = low.abs().max(high.abs());
        let (unit, size) = self.unit(larger);
        if !is_plain(larger / size) || low.is_nan() || high.is_nan() {
            return self.ends(self.value(low), self.value(high), low);
        }
        let [low, high, larger] = [low, high, larger].map(|end| end / size);
        let third = exponent(larger) - 2;
        let width = if high == low { third } else { exponent(high - low) };
        let place = |end: f64| {
            // In an interval around zero neither end sets the digits; otherwise the lower one has at most two more.
            let own = if low < 0.0 { third } else { (exponent(end) - 2).max(third - 2) };
            own.min(width).max(exponent(larger) - MOST_DIGITS + 1)
        };
        let [low_text, high_text] = self.outward([low, high], [place(low), place(high)]);
        self.ends(low_text, high_text, low) + unit
    }

    /// An estimate with its interval, for a non-negative quantity: a time, a rate, a ratio.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::quantity::TIME;
    /// use chronoscope_harness::record::study::Estimate;
    ///
    /// let time = Estimate { estimate: 18.7, low: 18.4, high: 19.0, confidence: 0.999 };
    /// assert_eq!(TIME.amount(&time), "18.7 ns ± 0.3");
    /// assert_eq!(TIME.amount(&Estimate { low: 0.0, ..time }), "< 19.0 ns");
    /// ```
    pub fn amount(self, of: &Estimate) -> String {
        match of.confidence > 0.0 && of.low <= 0.0 && of.low < of.high {
            true if of.high > 0.0 && is_weak(of) => format!("{} at {}", self.below(of.high), confidence(of.confidence)),
            true if of.high > 0.0 => self.below(of.high),
            true => "not told from zero".to_owned(),
            false => self.difference(of),
        }
    }

    /// An estimate with its interval, for a quantity that may be negative.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::quantity::TIME;
    /// use chronoscope_harness::record::study::Estimate;
    ///
    /// let saved = Estimate { estimate: -3.0, low: -3.2, high: -2.8, confidence: 0.999 };
    /// assert_eq!(TIME.difference(&saved), "-3.00 ns ± 0.20");
    /// assert_eq!(TIME.difference(&Estimate { low: -3.9, ..saved }), "-3.00 ns (-3.90 to -2.80)");
    /// assert_eq!(TIME.difference(&Estimate { confidence: 0.75, ..saved }), "-3.00 ns (-3.20 to -2.80 at 75.0 %)");
    /// assert_eq!(TIME.difference(&Estimate { confidence: 0.0, ..saved }), "-3.00 ns (no interval)");
    /// ```
    pub fn difference(self, of: &Estimate) -> String {
        let Estimate { estimate: value, low, high, confidence } = *of;
        let at = if is_weak(of) { format!(" at {}", self::confidence(confidence)) } else { String::new() };
        let half = of.half_width().abs();
        // A gap between the ends that is pure rounding is not an interval.
        if !value.is_finite() || confidence > 0.0 && high - low <= EXACT * value.abs() {
            return self.value(value);
        }
        if confidence.is_nan() || confidence <= 0.0 || low.is_nan() || high.is_nan() {
            return format!("{} (no interval)", self.value(value));
        }
        if !half.is_finite() {
            return format!("{} ({}{at})", self.value(value), self.ends(self.value(low), self.value(high), low));
        }
        let (unit, size) = self.unit_around(value, [low, high]);
        let [value, low, high, half] = [value, low, high, half].map(|number| number / size);
        if !is_plain(value.abs().max(half)) {
            return format!("{}{unit} ± {}{at}", three_digits(value), three_digits(half));
        }
        let most = if value == 0.0 { i32::MIN } else { exponent(value) - MOST_DIGITS + 1 };
        let (below, above) = (value - low, high - value);
        let is_lopsided =
            below < 0.0 || above < 0.0 || (below - above).abs() > LOPSIDED * below.min(above) + 1e-9 * value.abs();
        let nearer = below.min(above);
        let place = match is_lopsided && nearer > 0.0 {
            true => last_place(nearer).clamp(last_place(half) - NEARER_DIGITS, last_place(half)),
            false => last_place(half),
        };
        // Distance from the printed estimate to the ends: the error must cover it.
        let cover = |place: i32| {
            let written = rounded(value, place);
            rounded_up((high - written).max(written - low), place)
        };
        let widens = !is_lopsided && cover(place) > WIDENED * half;
        let place = if widens { place - 1 } else { place }.max(most);
        let number = |number: f64| self.plus(digits(number, place), number);
        let reaches_zero = low > 0.0 && rounded(value, place) <= cover(place);
        let error = match digits(cover(place), place) {
            _ if is_lopsided || is_weak(of) && !reaches_zero => {
                let [low_text, high_text] = self.outward([low, high], [place; 2]);
                format!("({}{at})", self.ends(low_text, high_text, low))
            }
            _ if reaches_zero => format!("({}{at})", self.interval(low * size, high * size)),
            nothing if is_zero(&nothing) => format!("± < {}", digits(10_f64.powi(place), place)),
            error => format!("± {error}"),
        };
        format!("{}{unit} {error}", number(value))
    }

    /// The same for an estimate accurate to ± `half`.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(chronoscope_harness::quantity::PPM.plus_minus(-100.23, 0.08), "-100.23 ppm ± 0.08");
    /// ```
    pub fn plus_minus(self, value: f64, half: f64) -> String {
        self.difference(&Estimate { estimate: value, low: value - half, high: value + half, confidence: 1.0 })
    }

    /// An upper bound; rounded up so that it stays one.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(chronoscope_harness::quantity::TIME.below(1.484), "< 1.49 ns");
    /// ```
    pub fn below(self, most: f64) -> String {
        format!("< {}", self.value(up(most, 3)))
    }

    /// The same in a table that has no column to spare.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(chronoscope_harness::quantity::TIME.below_in_table(1.484), "<1.49 ns");
    /// ```
    pub fn below_in_table(self, most: f64) -> String {
        format!("<{}", self.value(up(most, 3)))
    }

    /// How far off something may be, either way, to two digits; rounded up as well.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(chronoscope_harness::quantity::TIME.off(0.7), "± 0.70 ns");
    /// ```
    pub fn off(self, reach: f64) -> String {
        format!("± {}", self.reach(reach))
    }

    /// The same in a column that says in its head that it is either way.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::quantity::{BARE, TIME};
    ///
    /// assert_eq!([TIME.reach(0.7), BARE.reach(2.68)], ["0.70 ns", "2.7"]);
    /// ```
    pub fn reach(self, reach: f64) -> String {
        let rounded = up(reach, 2);
        let (unit, size) = self.unit(rounded);
        let scaled = rounded / size;
        if !is_plain(scaled) || scaled == 0.0 {
            return self.value(rounded);
        }
        format!("{}{unit}", digits(scaled, exponent(scaled) - 1))
    }

    /// The unit that gives `value` one to three digits before the point, where one exists.
    fn unit(self, value: f64) -> (&'static str, f64) {
        let last = self.units.len() - 1;
        let place = if value.is_finite() { exponent(value).div_euclid(3) } else { 0 };
        let place = usize::try_from(place).unwrap_or(0).min(last);
        (self.units[place], [1.0, 1e3, 1e6, 1e9][place])
    }

    /// The unit of a value and its interval: the nearer end sets it, as it sets the digits, unless the farther would be a long number.
    fn unit_around(self, value: f64, [low, high]: [f64; 2]) -> (&'static str, f64) {
        let nearer = (value - low).min(high - value).max(0.0);
        let farther = low.abs().max(high.abs());
        let fine = Some(self.unit(value.abs().max(nearer))).filter(|(_, size)| farther / size < LONG);
        fine.unwrap_or_else(|| self.unit(value.abs().max((high - low).abs() / 2.0)))
    }

    fn plus(self, text: String, value: f64) -> String {
        if self.is_signed && value > 0.0 && !is_zero(&text) { format!("+{text}") } else { text }
    }

    /// The ends of an interval to the digits of these places, the lower rounded down and the upper up.
    fn outward(self, [low, high]: [f64; 2], [low_place, high_place]: [i32; 2]) -> [String; 2] {
        let (low, high) = (-rounded_up(-low, low_place), rounded_up(high, high_place));
        [self.plus(digits(low, low_place), low), self.plus(digits(high, high_place), high)]
    }

    fn ends(self, low_text: String, high_text: String, low: f64) -> String {
        let between = if low < 0.0 || self.is_signed { " to " } else { "–" };
        format!("{low_text}{between}{high_text}")
    }
}

/// Whether it has an interval, but one from which no verdict follows.
fn is_weak(of: &Estimate) -> bool {
    of.has_interval() && !of.has_confidence()
}

/// A duration in nanoseconds: `8.10 ns`, `2.40 µs`, `4.00 ms`, `1.20 s`.
///
/// # Examples
/// ```
/// assert_eq!(chronoscope_harness::quantity::ns(2_400.0), "2.40 µs");
/// ```
pub fn ns(value: f64) -> String {
    TIME.value(value)
}

/// A length that somebody set, exactly: `1 s`, `1.5 ms`, `24 h`. Minutes and hours are written where they are whole.
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use chronoscope_harness::quantity::length;
///
/// assert_eq!([length(Duration::from_millis(1_500)), length(Duration::from_secs(86_400))], ["1.5 s", "24 h"]);
/// ```
pub fn length(of: Duration) -> String {
    let ns = of.as_nanos();
    let (hour, minute) = (3_600_000_000_000, 60_000_000_000);
    if ns == 0 {
        return "0 s".to_owned();
    }
    for (size, unit) in [(hour, " h"), (minute, " min")] {
        if ns.is_multiple_of(size) {
            return grouped(&(ns / size).to_string()) + unit;
        }
    }
    let place = (0..TIME.units.len()).rev().find(|place| ns >= 1_000_u128.pow(*place as u32)).unwrap_or(0);
    let size = 1_000_u128.pow(place as u32);
    let decimals = format!("{:0width$}", ns % size, width = 3 * place);
    let decimals = if place == 0 { "" } else { decimals.trim_end_matches('0') };
    let point = if decimals.is_empty() { "" } else { "." };
    format!("{}{point}{decimals}{}", grouped(&(ns / size).to_string()), TIME.units[place])
}

/// A duration that counts whole milliseconds.
///
/// # Examples
/// ```
/// use chronoscope_harness::quantity::ms;
///
/// assert_eq!([ms(0.0), ms(1_500.0)], ["0 ms", "1.50 s"]);
/// ```
pub fn ms(value: f64) -> String {
    if value == 0.0 { "0 ms".to_owned() } else { ns(value * 1e6) }
}

/// A percentage: `12.3 %`.
///
/// # Examples
/// ```
/// assert_eq!(chronoscope_harness::quantity::percent(12.34), "12.3 %");
/// ```
pub fn percent(value: f64) -> String {
    PERCENT.value(value)
}

/// A fraction of one as a percentage; 100 % only for exactly all: `12.3 %`, `> 99.9 %`.
///
/// # Examples
/// ```
/// use chronoscope_harness::quantity::share;
///
/// assert_eq!([share(0.1234), share(0.99999), share(1.0)], ["12.3 %", "> 99.9 %", "100 %"]);
/// ```
pub fn share(value: f64) -> String {
    let number = percent(value * 100.0);
    if value < 1.0 && number == "100 %" { "> 99.9 %".to_owned() } else { number }
}

/// The same in a column whose head has the unit.
///
/// # Examples
/// ```
/// use chronoscope_harness::quantity::share_in_column;
///
/// assert_eq!([share_in_column(0.1234), share_in_column(0.99999), share_in_column(1.0)], ["12.3", ">99.9", "100"]);
/// ```
pub fn share_in_column(value: f64) -> String {
    let number = BARE.value(value * 100.0);
    if value < 1.0 && number == "100" { ">99.9".to_owned() } else { number }
}

/// A round percentage that somebody set: `10 %`.
///
/// # Examples
/// ```
/// use chronoscope_harness::quantity::limit;
///
/// assert_eq!([limit(10.0), limit(0.25)], ["10 %", "0.25 %"]);
/// ```
pub fn limit(value: f64) -> String {
    let number = three_digits(value);
    let short = if number.contains('.') && !number.contains('e') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        &number
    };
    format!("{short} %")
}

/// A confidence, rounded down so that it never overstates.
///
/// # Examples
/// ```
/// assert_eq!(chronoscope_harness::quantity::confidence(0.99902), "99.9 %");
/// ```
pub fn confidence(value: f64) -> String {
    let tenths = (value.clamp(0.0, 0.999) * 1000.0 + 1e-6).floor();
    if tenths.is_nan() { "unknown confidence".to_owned() } else { format!("{:.1} %", tenths / 10.0) }
}

/// A frequency to the nearest kilohertz: `2 799.998 MHz`.
///
/// # Examples
/// ```
/// assert_eq!(chronoscope_harness::quantity::hertz(2_799_998_000.0), "2\u{202f}799.998 MHz");
/// ```
pub fn hertz(value: f64) -> String {
    let mhz = value / 1e6;
    if mhz != 0.0 && !(0.01..1e9).contains(&mhz.abs()) {
        return format!("{} Hz", three_digits(value));
    }
    format!("{} MHz", digits(mhz, -3))
}

/// A count with digits grouped in threes.
///
/// # Examples
/// ```
/// assert_eq!(chronoscope_harness::quantity::count(1_000_000), "1\u{202f}000\u{202f}000");
/// ```
pub fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// A number with three significant digits and no unit.
///
/// # Examples
/// ```
/// use chronoscope_harness::quantity::three_digits;
///
/// assert_eq!([three_digits(8.1), three_digits(0.0), three_digits(1e-9)], ["8.10", "0", "1.00e-9"]);
/// ```
pub fn three_digits(value: f64) -> String {
    if value.is_nan() {
        return "not a number".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "-∞" }.to_owned();
    }
    if is_plain(value) { digits(value, exponent(value) - 2) } else { format!("{value:.2e}") }
}

/// How far off something may be, as [`Quantity::reach`] writes it: rounded up to two digits. What is judged by this number agrees with
/// what is printed.
///
/// # Examples
/// ```
/// use chronoscope_harness::quantity::reach;
///
/// assert_eq!([reach(1.64), reach(0.0311), reach(2.0)], [1.7, 0.032, 2.0]);
/// ```
pub fn reach(value: f64) -> f64 {
    let rounded = up(value, 2);
    // The text has the nearest number to these digits, a product with a power of ten not always.
    format!("{rounded:.1e}").parse().unwrap_or(rounded) + 0.0
}

/// Whether it is written without a power of ten.
fn is_plain(value: f64) -> bool {
    value.is_finite() && (value == 0.0 || PLAIN.contains(&exponent(value)))
}

/// The power of ten of `value` after rounding to three digits, so that 999.9 counts as 1000.
fn exponent(value: f64) -> i32 {
    power(&format!("{value:.2e}"))
}

/// The power of ten of the last digit that an estimate with this half-width supports.
fn last_place(half: f64) -> i32 {
    let text = format!("{half:.1e}");
    power(&text) - i32::from(text.starts_with(['1', '2']))
}

fn power(text: &str) -> i32 {
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

/// `value` rounded up to this many digits; a thousandth of the last digit does not round up.
fn up(value: f64, digits: i32) -> f64 {
    let step = 10_f64.powi(power(&format!("{value:e}")) - digits + 1);
    let rounded = (value / step - 1e-3).ceil() * step;
    if rounded.is_finite() { rounded } else { value }
}

/// `value` to the digit of `place`, a power of ten.
fn rounded(value: f64, place: i32) -> f64 {
    let step = 10_f64.powi(place);
    (value / step).round() * step
}

/// The same, but not below `value`; a thousandth of the digit does not round up.
fn rounded_up(value: f64, place: i32) -> f64 {
    let step = 10_f64.powi(place);
    (value / step - 1e-3).ceil() * step
}

/// `value`, which is finite, to the digit of `place`, a power of ten. Zero has no sign, and only zero is written `0`.
fn digits(value: f64, place: i32) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let decimals = usize::try_from(-place).unwrap_or(0);
    let step = 10_f64.powi(place);
    let text = if place > 0 { format!("{:.0}", (value / step).round() * step) } else { format!("{value:.decimals$}") };
    let text = if is_zero(&text) { text.trim_start_matches('-') } else { &text };
    match text.split_once('.') {
        Some((whole, fraction)) => format!("{}.{fraction}", grouped(whole)),
        None => grouped(text),
    }
}

fn is_zero(text: &str) -> bool {
    text.trim_start_matches(['-', '0', '.']).is_empty()
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
mod tests;
