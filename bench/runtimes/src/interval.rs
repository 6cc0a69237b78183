//! A median, and how sure it is.

use serde::Serialize;

/// Intervals hold the true median so often, or as often as so few values allow.
const CONFIDENCE: f64 = 0.95;

/// The median of some values, between two of them that hold the true one with known confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Interval {
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The exact coverage of the two order statistics.
    pub(crate) confidence: f64,
}

impl Interval {
    /// None if there is no value or one is not finite.
    ///
    /// Written here, and not taken from the product: what is checked should not do the checking.
    ///
    /// # Sources
    /// H. A. David, H. N. Nagaraja, "Order Statistics", §7.1: the k-th smallest and the k-th largest of n values hold the
    /// median with probability 1 − 2·P(B < k), B the heads of n fair coins.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        if sorted.is_empty() || sorted.iter().any(|value| !value.is_finite()) {
            return None;
        }
        sorted.sort_unstable_by(f64::total_cmp);
        let n = sorted.len();
        let k = (1..=n.div_ceil(2)).take_while(|k| coverage(n, *k) >= CONFIDENCE).last().unwrap_or(1);
        Some(Self {
            median: f64::midpoint(sorted[(n - 1) / 2], sorted[n / 2]),
            low: sorted[k - 1],
            high: sorted[n - k],
            confidence: coverage(n, k).max(0.0),
        })
    }

    /// Whether the two have a value in common.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    /// Whether `value` lies within.
    pub(crate) fn holds(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// From its low end to its high end, as a share of the median.
    pub(crate) fn width(&self) -> f64 {
        (self.high - self.low) / self.median
    }

    /// In words, with `decimals` places.
    pub(crate) fn show(&self, decimals: usize) -> String {
        format!("{:.decimals$} [{:.decimals$}…{:.decimals$}]", self.median, self.low, self.high)
    }
}

/// How often the k-th smallest and the k-th largest of `n` values hold the median.
fn coverage(n: usize, k: usize) -> f64 {
    let mut term = 0.5_f64.powf(n as f64);
    let mut below = 0.0;
    for heads in 0..k {
        below += term;
        term *= (n - heads) as f64 / (heads + 1) as f64;
    }
    1.0 - 2.0 * below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_rounds_leave_out_one_at_either_end() {
        let nine = Interval::of((1..=9).map(f64::from)).unwrap();
        assert_eq!((nine.median, nine.low, nine.high), (5.0, 2.0, 8.0));
        assert!((nine.confidence - (1.0 - 20.0 / 512.0)).abs() < 1e-12);
        assert_eq!(nine.show(1), "5.0 [2.0…8.0]");
    }

    #[test]
    fn few_values_say_how_little_they_know() {
        let three = Interval::of([3.0, 1.0, 2.0]).unwrap();
        assert_eq!((three.low, three.high, three.confidence), (1.0, 3.0, 0.75));
        let one = Interval::of([7.0]).unwrap();
        assert_eq!((one.median, one.confidence), (7.0, 0.0));
        assert_eq!((Interval::of([]), Interval::of([1.0, f64::NAN])), (None, None));
    }

    #[test]
    fn intervals_that_touch_overlap() {
        let of = |low, high| Interval { median: low, low, high, confidence: 0.95 };
        assert!(of(1.0, 2.0).overlaps(&of(2.0, 3.0)) && !of(2.1, 3.0).overlaps(&of(1.0, 2.0)));
        assert!(of(0.9, 1.0).holds(1.0) && !of(1.1, 1.2).holds(1.0));
        assert!((of(2.0, 3.0).width() - 0.5).abs() < 1e-12);
    }
}
