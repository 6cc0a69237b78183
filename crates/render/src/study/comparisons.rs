use chronoscope_harness::record::study::{Comparison, ComparisonPoint, Difference, StudyRecord};

use super::Detail;
use super::words::{cell_point, difference, interval, verdict};
use crate::grid::{Column, Grid, Mood};
use chronoscope_harness::quantity::{RATIO, confidence, count, ns};

/// Maximum rows of a sweep at the usual detail.
const ROWS: usize = 12;
/// Approximate number of rows kept where there are more.
const SHOWN: usize = 8;
const NONE: &str = "–";

/// The points of a comparison; only some of a long sweep at the usual detail.
pub(super) fn grid(record: &StudyRecord, comparison: &Comparison, detail: Detail) -> Grid {
    let mut grid = Grid::new(&[
        Column::right("tokens"),
        Column::right("backoff"),
        Column::right(comparison.baseline.clone()),
        Column::right(comparison.case.clone()),
        Column::right("difference"),
        Column::right(format!("{} interval", interval_name(comparison))).tied(),
        Column::right("ratio"),
        Column::right("its interval").tied(),
        Column::left("verdict"),
    ]);
    for point in shown(&comparison.points, detail) {
        let tone = if point.verdict == Difference::Unresolved { Mood::Quiet } else { Mood::Plain };
        grid.row(tone, row(record, comparison, point));
    }
    grid
}

fn row(record: &StudyRecord, comparison: &Comparison, point: &ComparisonPoint) -> Vec<String> {
    let time = |case: &str| {
        record.compared_cell(comparison, case, point.backoff_tokens).map_or_else(|| "none".to_owned(), cell_point)
    };
    let is_known = record.has_ratio(comparison, point);
    vec![
        count(point.backoff_tokens),
        backoff(record, point.backoff_tokens),
        time(&comparison.baseline),
        time(&comparison.case),
        difference(&point.difference_ns, point.verdict),
        interval(&point.difference_ns),
        if is_known { RATIO.value(point.ratio.estimate) } else { NONE.to_owned() },
        if is_known { RATIO.interval(point.ratio.low, point.ratio.high) } else { NONE.to_owned() },
        verdict(point.verdict, &point.difference_ns, record.plan.margin_pct),
    ]
}

/// The duration of that many tokens here.
fn backoff(record: &StudyRecord, tokens: u64) -> String {
    record.tokens.as_ref().map_or_else(|| NONE.to_owned(), |cost| ns(cost.ns(tokens as f64)))
}

fn interval_name(comparison: &Comparison) -> String {
    comparison.points.first().map_or_else(String::new, |point| confidence(point.difference_ns.confidence))
}

/// The points shown: all, or about eight of a long sweep, evenly spaced, and both ends.
pub(super) fn shown<T>(all: &[T], detail: Detail) -> impl Iterator<Item = &T> {
    let step = match detail {
        Detail::Usual if all.len() > ROWS => (all.len() - 1).div_ceil(SHOWN),
        Detail::Usual | Detail::Full => 1,
    };
    let last = all.len().saturating_sub(1);
    all.iter().enumerate().filter(move |(i, _)| i % step == 0 || *i == last).map(|(_, item)| item)
}

/// The omitted points, in words; None if there are none.
pub(super) fn left_out(comparison: &Comparison, detail: Detail) -> Option<String> {
    let (all, shown) = (comparison.points.len(), shown(&comparison.points, detail).count());
    (shown < all).then(|| format!("{shown} of {all} backoffs shown; the full detail has all"))
}

#[cfg(test)]
mod tests {
    use chronoscope_harness::record::study::Estimate;

    use super::*;

    #[test]
    fn how_many_times_nothing_something_takes_is_not_said() {
        let mut record = crate::study::parse(include_str!("../../tests/fixtures/study.json")).unwrap();
        let ratios = |record: &StudyRecord| {
            let comparison = &record.comparisons[0];
            let row = &grid(record, comparison, Detail::Full).rows[0].1;
            ([row[2].clone(), row[6].clone(), row[7].clone()], record.has_ratio(comparison, &comparison.points[0]))
        };
        let (row, said) = ratios(&record);
        assert_eq!(row, ["4.40 ns", "2.74×", "2.73–2.75×"]);
        assert!(said);
        let of_baseline =
            record.cells.iter_mut().find(|cell| cell.case == "relaxed" && cell.backoff_tokens == 0).unwrap();
        (of_baseline.time_ns, of_baseline.below_ns) = (None, Some(1.48));
        let (row, said) = ratios(&record);
        assert_eq!((row, said), (["< 1.48 ns".to_owned(), NONE.to_owned(), NONE.to_owned()], false));
    }

    #[test]
    fn the_table_says_of_a_point_what_the_conclusion_says() {
        let mut record = crate::study::parse(include_str!("../../tests/fixtures/study.json")).unwrap();
        let comparison = &mut record.comparisons[0];
        comparison.model.as_mut().unwrap().shape = chronoscope_harness::record::study::CostShape::Unresolved;
        comparison.points.truncate(2);
        let last = &mut comparison.points[1];
        last.difference_ns = Estimate { estimate: 8.0, low: -208.0, high: 224.0, confidence: 0.999 };
        last.verdict = Difference::Unresolved;
        let said = chronoscope_harness::study_conclusions::conclusions(&record)[0].evidence.summary.clone();
        let comparison = &record.comparisons[0];
        let grid = grid(&record, comparison, Detail::Full);
        for ((_, row), point) in grid.rows.iter().zip(&comparison.points) {
            let words = difference(&point.difference_ns, point.verdict);
            assert!(row.contains(&words) && said.contains(&words), "{words}: {said}: {row:?}");
        }
        assert!(grid.rows[1].1.last().unwrap() == "inconclusive" && said.contains("inconclusive"), "{said}");
    }

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
