//! The middle of a set of values, and how far they lie from it.
//!
//! Not the harness's own statistics: `bench/harness` judges the harness by these.

use serde::Serialize;

/// Median, quartiles and extremes, by linear interpolation between the two nearest values.
///
/// # Sources
/// R. J. Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", 1996, definition 7.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The least.
    pub min: f64,
    /// The lower quartile.
    pub q1: f64,
    /// The middle.
    pub median: f64,
    /// The upper quartile.
    pub q3: f64,
    /// The greatest.
    pub max: f64,
    /// What nine in ten do not exceed.
    pub p90: f64,
}

impl Spread {
    /// None if there is no value or one is not a number.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let sorted = sorted(values)?;
        let at = |share| quantile(&sorted, share);
        Some(Self { min: at(0.0), q1: at(0.25), median: at(0.5), q3: at(0.75), max: at(1.0), p90: at(0.9) })
    }

    /// Median and quartiles with `decimals` places.
    pub fn show(&self, decimals: usize) -> String {
        let [median, q1, q3] = [self.median, self.q1, self.q3].map(|value| rounded(value, decimals));
        format!("{median} ({q1}…{q3})")
    }

    /// Median and extremes with `decimals` places.
    pub fn show_extremes(&self, decimals: usize) -> String {
        let [median, min, max] = [self.median, self.min, self.max].map(|value| rounded(value, decimals));
        format!("{median} ({min}…{max})")
    }
}

/// In order; None if there is no value or one is not a number.
fn sorted(values: impl IntoIterator<Item = f64>) -> Option<Vec<f64>> {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    if sorted.is_empty() || sorted.iter().any(|value| value.is_nan()) {
        return None;
    }
    sorted.sort_unstable_by(f64::total_cmp);
    Some(sorted)
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

/// A value with `decimals` places, and no sign before a zero.
pub(crate) fn rounded(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.bytes().all(|digit| matches!(digit, b'0' | b'.')) => digits.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_their_neighbours() {
        let spread = Spread::of([4.0, 1.0, 2.0, 3.0]).unwrap();
        assert_eq!(spread, Spread { min: 1.0, q1: 1.75, median: 2.5, q3: 3.25, max: 4.0, p90: 3.7 });
        assert_eq!(spread.show(1), "2.5 (1.8…3.2)");
        assert_eq!(Spread::of([7.0]).unwrap().show_extremes(0), "7 (7…7)");
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!([rounded(-0.004, 2), rounded(-0.04, 2), rounded(-0.4, 0)], ["0.00", "-0.04", "0"]);
    }

    #[test]
    fn nothing_has_no_middle() {
        assert_eq!(Spread::of([]), None);
        assert_eq!(Spread::of([1.0, f64::NAN]), None);
    }
}
