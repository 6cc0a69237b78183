//! A cell of a table: people read it, goals compare it.

use chronoscope_harness::record::Estimate;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing was.
    Nothing,
    Words(String),
    Number(Number),
    /// Less than this, and no more can be told.
    Below(f64),
    /// So many of so many.
    Count(Count),
}

/// A figure, and between which two it lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    pub value: f64,
    pub range: Option<(f64, f64)>,
    /// Whether the truth lies in the range, with the confidence that the table names; else the range is that of values.
    pub is_interval: bool,
    pub(crate) decimals: usize,
}

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub of: u64,
    pub all: u64,
}

impl Count {
    /// How many of `all` hold.
    pub fn of(all: impl IntoIterator<Item = bool>) -> Self {
        all.into_iter().fold(Self::default(), |count, holds| count + Self { of: holds.into(), all: 1 })
    }
}

impl std::ops::Add for Count {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self { of: self.of + more.of, all: self.all + more.all }
    }
}

impl Value {
    pub fn number(value: f64, decimals: usize) -> Self {
        Self::Number(Number { value, range: None, is_interval: false, decimals })
    }

    pub fn estimate(of: impl Into<Option<Estimate>>, decimals: usize) -> Self {
        of.into().map_or(Self::Nothing, |Estimate { estimate, low, high, .. }| {
            Self::Number(Number { value: estimate, range: Some((low, high)), is_interval: true, decimals })
        })
    }

    /// The median of these with their quartiles.
    pub fn quartiles(values: impl IntoIterator<Item = f64>, decimals: usize) -> Self {
        Self::spread(values, [0.25, 0.75], decimals)
    }

    /// The median of these with their extremes.
    pub fn extremes(values: impl IntoIterator<Item = f64>, decimals: usize) -> Self {
        Self::spread(values, [0.0, 1.0], decimals)
    }

    fn spread(values: impl IntoIterator<Item = f64>, [low, high]: [f64; 2], decimals: usize) -> Self {
        let Some(sorted) = sorted(values) else { return Self::Nothing };
        let range = Some((quantile(&sorted, low), quantile(&sorted, high)));
        Self::Number(Number { value: quantile(&sorted, 0.5), range, is_interval: false, decimals })
    }

    /// How many of `all` hold; nothing if there are none.
    pub fn count(all: impl IntoIterator<Item = bool>) -> Self {
        match Count::of(all) {
            Count { all: 0, .. } => Self::Nothing,
            count => Self::Count(count),
        }
    }

    pub fn show(&self) -> String {
        match self {
            Self::Nothing => "–".into(),
            Self::Words(words) => words.clone(),
            Self::Below(below) => format!("< {below:.3}"),
            Self::Count(Count { of, all }) => format!("{of} of {all}"),
            Self::Number(Number { value, range, is_interval, decimals }) => {
                let rounded = |value: f64| rounded(value, *decimals);
                match (range, is_interval) {
                    (None, _) => rounded(*value),
                    // A single value has no spread.
                    (Some((low, high)), false) if low == high => rounded(*value),
                    (Some((low, high)), true) => format!("{} [{}–{}]", rounded(*value), rounded(*low), rounded(*high)),
                    (Some((low, high)), false) => format!("{} ({}…{})", rounded(*value), rounded(*low), rounded(*high)),
                }
            }
        }
    }
}

impl From<&str> for Value {
    fn from(words: &str) -> Self {
        Self::Words(words.to_owned())
    }
}

impl From<String> for Value {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::number(number as f64, 0)
    }
}

impl From<Count> for Value {
    fn from(count: Count) -> Self {
        Self::Count(count)
    }
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Nothing, V::into)
    }
}

/// The middle of these; None if there is none or one is not a number.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    sorted(values).map(|sorted| quantile(&sorted, 0.5))
}

/// What this share of them, rising and not empty, does not exceed: by linear interpolation between the two nearest.
///
/// Not the harness's own statistics: `bench/harness` judges the harness by these.
///
/// # Sources
/// R. J. Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", 1996, definition 7.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

/// In order; None if there is none or one is not a number.
pub fn sorted(values: impl IntoIterator<Item = f64>) -> Option<Vec<f64>> {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    (!sorted.is_empty() && !sorted.iter().any(|value| value.is_nan())).then_some(sorted)
}

/// The values of each name, in the order in which they came.
pub fn by_name<N: PartialEq, V>(pairs: impl IntoIterator<Item = (N, V)>) -> Vec<(N, Vec<V>)> {
    let mut all: Vec<(N, Vec<V>)> = Vec::new();
    for (name, value) in pairs {
        match all.iter_mut().find(|(of, _)| *of == name) {
            Some((_, values)) => values.push(value),
            None => all.push((name, vec![value])),
        }
    }
    all
}

/// With `decimals` places, and no sign before a zero.
fn rounded(value: f64, decimals: usize) -> String {
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
        assert_eq!(Value::quartiles([4.0, 1.0, 2.0, 3.0], 1).show(), "2.5 (1.8…3.2)");
        assert_eq!(Value::extremes([7.0], 0).show(), "7");
        assert_eq!(Value::extremes([7.0, 8.0, 9.0], 0).show(), "8 (7…9)");
        assert_eq!([Value::quartiles([], 1), Value::extremes([1.0, f64::NAN], 1)], [Value::Nothing, Value::Nothing]);
        assert_eq!(median([2.0, 8.0, 4.0]), Some(4.0));
    }

    #[test]
    fn an_interval_stands_in_brackets_and_a_zero_has_no_sign() {
        let estimate = Estimate { estimate: 1.234, low: -0.001, high: 2.5, confidence: 0.999 };
        assert_eq!(Value::estimate(estimate, 2).show(), "1.23 [0.00–2.50]");
        assert_eq!([rounded(-0.004, 2), rounded(-0.04, 2), rounded(-0.4, 0)], ["0.00", "-0.04", "0"]);
    }

    #[test]
    fn nothing_is_no_count() {
        assert_eq!(Value::count([true, false, true]).show(), "2 of 3");
        assert_eq!(Value::count([]), Value::Nothing);
    }
}
