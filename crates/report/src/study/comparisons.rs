use chronoscope_record::study::{Cell, Comparison, ComparisonPoint, Difference, StudyRecord};

use super::Detail;
use super::grid::{Grid, Tone};
use super::words::{cell_point, difference, interval, number_interval, verdict};
use crate::quantity::{confidence, count, three_digits};
use crate::table::Align;

/// Rows of a sweep that a page bears at its usual detail.
const ROWS: usize = 12;
/// Rows that remain, about, where there are more.
const SHOWN: usize = 8;

/// The points of a comparison; only some of a long sweep at the usual detail.
pub(super) fn grid(record: &StudyRecord, comparison: &Comparison, detail: Detail) -> Grid {
    let mut grid = Grid::new(&[
        ("tokens", Align::Right),
        ("backoff", Align::Right),
        (&comparison.baseline, Align::Right),
        (&comparison.case, Align::Right),
        ("difference", Align::Right),
        (&format!("{} interval", interval_name(comparison)), Align::Right),
        ("ratio", Align::Right),
        ("its interval", Align::Right),
        ("verdict", Align::Left),
    ]);
    let shown = shown(&comparison.points, detail);
    for point in shown {
        let tone = if point.verdict == Difference::Unresolved { Tone::Quiet } else { Tone::Plain };
        grid.row(tone, row(record, comparison, point));
    }
    grid
}

fn row(record: &StudyRecord, comparison: &Comparison, point: &ComparisonPoint) -> Vec<String> {
    let time =
        |case: &str| cell(record, comparison, case, point.backoff_tokens).map_or_else(|| "none".to_owned(), cell_point);
    vec![
        count(point.backoff_tokens),
        backoff(record, point.backoff_tokens),
        time(&comparison.baseline),
        time(&comparison.case),
        difference(&point.difference_ns, point.verdict),
        interval(&point.difference_ns),
        format!("×{}", three_digits(point.ratio.estimate)),
        number_interval(&point.ratio),
        verdict(point.verdict, &point.difference_ns, record.plan.margin_pct),
    ]
}

/// How long that many tokens take here.
fn backoff(record: &StudyRecord, tokens: u64) -> String {
    record.tokens.as_ref().map_or_else(|| "–".to_owned(), |cost| super::words::rough(cost.ns(tokens)))
}

fn cell<'a>(record: &'a StudyRecord, comparison: &Comparison, case: &str, tokens: u64) -> Option<&'a Cell> {
    record.cells.iter().find(|cell| {
        cell.case == case
            && cell.backoff_tokens == tokens
            && cell.threads == comparison.threads
            && cell.parameters == comparison.parameters
    })
}

fn interval_name(comparison: &Comparison) -> String {
    comparison.points.first().map_or_else(String::new, |point| confidence(point.difference_ns.confidence))
}

/// The points that are shown: all, or about every eighth part of a long sweep and both ends.
pub(super) fn shown<T>(all: &[T], detail: Detail) -> impl Iterator<Item = &T> {
    let step = match detail {
        Detail::Usual if all.len() > ROWS => (all.len() - 1).div_ceil(SHOWN),
        Detail::Usual | Detail::Full => 1,
    };
    let last = all.len().saturating_sub(1);
    all.iter().enumerate().filter(move |(i, _)| i % step == 0 || *i == last).map(|(_, item)| item)
}

/// What is left out, in words; none where nothing is.
pub(super) fn left_out(comparison: &Comparison, detail: Detail) -> Option<String> {
    let (all, shown) = (comparison.points.len(), shown(&comparison.points, detail).count());
    (shown < all).then(|| format!("{shown} of {all} backoffs shown; the full detail has all"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_sweep_keeps_its_ends() {
        let all: Vec<u64> = (0..=40).collect();
        assert_eq!(shown(&all, Detail::Usual).copied().collect::<Vec<_>>(), [0, 5, 10, 15, 20, 25, 30, 35, 40]);
        assert_eq!(shown(&all[..40], Detail::Usual).last(), Some(&39));
        assert_eq!(shown(&all, Detail::Full).count(), 41);
        assert_eq!(shown(&all[..12], Detail::Usual).count(), 12);
        assert_eq!(shown(&all[..0], Detail::Usual).count(), 0);
    }
}
