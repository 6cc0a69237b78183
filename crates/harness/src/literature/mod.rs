//! Published figures: the one home of every number that others measured, with its author's digits.
//!
//! They are data, a line each, in `figures.tsv` next to this file: fields apart by tabs, none quoted. None bounds or corrects anything
//! measured here: other machines than this one, at other times.

mod article;
mod figure;
pub mod measure;

use std::sync::LazyLock;

pub use article::Article;
pub use figure::Figure;

const FILE: &str = include_str!("figures.tsv");

static FIGURES: LazyLock<Vec<Figure>> = LazyLock::new(|| FILE.lines().skip(1).filter_map(Figure::of_line).collect());

/// All published figures, article by article.
///
/// # Examples
/// ```
/// use chronoscope_harness::literature::{Article, figures, measure};
///
/// let latency = figures().iter().find(|figure| figure.measure == measure::LATENCY).unwrap();
/// assert_eq!((latency.call, latency.said().as_str()), ("System.nanoTime", "25.542 ± 0.024 ns"));
/// assert_eq!(latency.article.cited(), "A. Shipilëv, \"Nanotrusting the Nanotime\", 2014");
/// ```
pub fn figures() -> &'static [Figure] {
    &FIGURES
}

/// Those of one article and measure.
pub fn of(article: Article, measure: &'static str) -> impl Iterator<Item = &'static Figure> {
    figures().iter().filter(move |figure| figure.article == article && figure.measure == measure)
}

/// The lengths of the published pauses, in nanoseconds, ascending.
pub fn pause_lengths_ns() -> Vec<u64> {
    // A float-to-int cast saturates.
    let mut lengths: Vec<u64> = pauses().filter_map(|figure| Some(figure.place_ns()? as u64)).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// The published means of pauses, by way and length.
pub fn pauses() -> impl Iterator<Item = &'static Figure> {
    // Other rows are single runs.
    of(Article::Pause, measure::PAUSE).filter(|figure| figure.row == "P7")
}

/// The published means of pauses by this call: lengths asked for and got, in nanoseconds.
pub fn pause_means(call: &str) -> impl Iterator<Item = (f64, f64)> {
    pauses().filter(move |figure| figure.call == call).filter_map(|figure| figure.place_ns().zip(figure.ns()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_figure() {
        assert_eq!(FILE.lines().next().map(|line| line.split('\t').collect()), Some(figure::COLUMNS.to_vec()));
        for line in FILE.lines().skip(1) {
            let found = Figure::of_line(line).unwrap_or_else(|| panic!("{line}"));
            let is_number = |text: &str| text.parse::<f64>().is_ok_and(|number| number > 0.0 || text == "0");
            let [low, high] = found.range;
            let has_value = is_number(found.value) && [low, high] == ["", ""];
            let has_range = is_number(low) && is_number(high) && found.value.is_empty();
            assert!(has_value != has_range, "{line}");
            assert!(found.spread.is_empty() || is_number(found.spread), "{line}");
            assert!(measure::ALL.contains(&found.measure), "{line}");
            assert!(found.at.is_empty() || found.place().is_some(), "{line}");
            assert!(!found.call.is_empty() || !found.timer.is_empty(), "{line}");
            assert_eq!(line.split('\t').nth(8).is_some_and(|threads| threads.is_empty()), found.threads.is_none());
        }
        for article in Article::ALL {
            assert!(figures().iter().any(|figure| figure.article == article), "{article:?}");
        }
        for measure in measure::ALL {
            assert!(figures().iter().any(|figure| figure.measure == *measure), "{measure}");
        }
    }

    #[test]
    fn none_is_there_twice() {
        let mut lines: Vec<&str> = FILE.lines().collect();
        let all = lines.len();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), all);
    }

    #[test]
    fn times_are_in_nanoseconds_whatever_their_unit() {
        let pause = pauses().find(|figure| figure.call == "Thread.sleep").unwrap();
        assert_eq!((pause.said().as_str(), pause.ns(), pause.place_ns()), ("1284.6 µs", Some(1_284_600.0), Some(1e3)));
        assert_eq!(pause_lengths_ns(), [1_000, 10_000, 100_000, 1_000_000, 10_000_000]);
        let front = of(Article::Nanotrust, measure::FRONT).find(|figure| figure.system == "Windows").unwrap();
        assert_eq!(front.ns(), Some(32_000.0));
        let range = of(Article::Stopwatch, measure::LATENCY).find(|figure| figure.value.is_empty()).unwrap();
        assert_eq!((range.said().as_str(), range.ns()), ("15 to 18 ns", None));
        let cycles = of(Article::Fog, measure::CYCLES).next().unwrap();
        assert_eq!((cycles.number(), cycles.ns()), (Some(11.0), None));
    }
}
