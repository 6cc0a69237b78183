use std::collections::{BTreeMap, BTreeSet};

use chronoscope_harness::record::study::{Comparison, ComparisonPoint, Difference, StudyRecord};

use super::Detail;
use super::words::{amount, difference, interval, parameters, time, verdict_of};
use crate::grid::{Column, Grid, Mood, NONE};
use chronoscope_harness::quantity::{RATIO, confidence, count, limit, ns};

/// Maximum rows of a sweep at the usual detail.
const ROWS: usize = 12;
/// Approximate number of rows kept where there are more.
const SHOWN: usize = 8;

/// What the columns of the table of all comparisons are: the first of these that is swept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Swept {
    Backoff,
    Threads,
    Parameters,
    Nothing,
}

/// A point, and what it is a point of.
type Point<'a> = (&'a Comparison, &'a ComparisonPoint);

impl Swept {
    const ALL: [Self; 3] = [Self::Backoff, Self::Threads, Self::Parameters];

    /// The value of a point, in words.
    fn value(self, (comparison, point): Point<'_>) -> String {
        match self {
            Self::Backoff => count(point.backoff_tokens),
            Self::Threads => comparison.threads.to_string(),
            Self::Parameters => parameters(&comparison.parameters).trim_start().to_owned(),
            Self::Nothing => String::new(),
        }
    }

    /// The title of the column of a value.
    fn title(self, value: &str) -> String {
        let unit = match self {
            Self::Backoff => "token",
            Self::Threads => "thread",
            Self::Parameters | Self::Nothing => return value.to_owned(),
        };
        format!("{value} {unit}{}", if value == "1" { "" } else { "s" })
    }

    /// The different values in the order of their first points.
    fn values(self, points: &[Point<'_>]) -> Vec<String> {
        distinct(points.iter().map(|point| self.value(*point)))
    }

    /// What columns are made of, and what else names rows.
    fn of(points: &[Point<'_>]) -> (Self, Vec<Self>) {
        let mut swept = Self::ALL.into_iter().filter(|swept| swept.values(points).len() > 1);
        (swept.next().unwrap_or(Self::Nothing), swept.collect())
    }
}

/// All comparisons in one table: a row for each pair of cases, a column for each swept value.
pub(super) fn all(record: &StudyRecord) -> Grid {
    let points: Vec<Point<'_>> = shown_points(record);
    let (across, others) = Swept::of(&points);
    let values = across.values(&points);
    let is_pivoted = across != Swept::Nothing;
    let has_baselines = baseline(record).is_none();
    let mut columns = vec![Column::left("case"), Column::left("against").naming()];
    columns.extend(others.iter().map(|swept| match swept {
        Swept::Threads => Column::right("threads").naming(),
        _ => Column::left("parameters").naming(),
    }));
    if is_pivoted {
        columns.extend(values.iter().map(|value| Column::right(across.title(value))));
    } else {
        columns.extend([Column::right("difference"), Column::right("ratio"), Column::left("verdict")]);
    }
    let name = |point: &Point<'_>| {
        let against = if has_baselines { point.0.baseline.clone() } else { String::new() };
        let names = [point.0.case.clone(), against].into_iter();
        names.chain(others.iter().map(|swept| swept.value(*point))).collect::<Vec<_>>()
    };
    let mut rows: Vec<(Vec<String>, Vec<Point<'_>>)> = Vec::new();
    let mut places: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for point in &points {
        let names = name(point);
        let place = *places.entry(names.clone()).or_insert_with(|| {
            rows.push((names, Vec::new()));
            rows.len() - 1
        });
        rows[place].1.push(*point);
    }
    let mut grid = Grid::new(&columns);
    for (names, points) in rows {
        if is_pivoted {
            let at = |value: &String| points.iter().find(|point| across.value(**point) == *value);
            let cell = |value: &String| at(value).map_or_else(|| NONE.to_owned(), |point| signed(record, *point));
            grid.row(Mood::Plain, names.into_iter().chain(values.iter().map(cell)).collect());
        } else {
            for point in points {
                grid.row(mood(point.1), names.iter().cloned().chain(in_words(record, point)).collect());
            }
        }
    }
    grid.without_empty_columns()
}

fn in_words(record: &StudyRecord, (comparison, point): Point<'_>) -> [String; 3] {
    let has_ratio = record.study().has_ratio(comparison, point);
    [
        difference(&point.difference_ns),
        if has_ratio { amount(RATIO, &point.ratio) } else { NONE.to_owned() },
        verdict_of(point, record.study().plan.margin_pct),
    ]
}

/// The case that all others are compared with, if it is the same.
fn baseline(record: &StudyRecord) -> Option<&str> {
    match distinct(record.study().comparisons.iter().map(|comparison| comparison.baseline.as_str())).as_slice() {
        [baseline] => Some(baseline),
        _ => None,
    }
}

/// The ratio with its interval and the sign of its verdict; the difference where one of the two has no time.
fn signed(record: &StudyRecord, (comparison, point): Point<'_>) -> String {
    let sign = match point.verdict {
        Difference::Slower => "▲",
        Difference::Faster => "▼",
        Difference::Same => "=",
        Difference::Unresolved => "?",
    };
    let [difference, ratio, _] = in_words(record, (comparison, point));
    format!("{} {sign}", if ratio == NONE { difference } else { ratio })
}

/// What the signs of [`all`] mean; None where it has words.
pub(super) fn legend(record: &StudyRecord) -> Option<String> {
    let points = shown_points(record);
    let margin = limit(record.study().plan.margin_pct);
    let said = [
        (Difference::Slower, "▲ slower".to_owned()),
        (Difference::Faster, "▼ faster".to_owned()),
        (Difference::Same, format!("= same within {margin}")),
        (Difference::Unresolved, format!("? inconclusive at {margin}")),
    ];
    let is_there = |verdict: Difference| points.iter().any(|(_, point)| point.verdict == verdict);
    let said = said.into_iter().filter(|(verdict, _)| is_there(*verdict)).map(|(_, words)| words);
    let has_ratio = |(comparison, point): &Point<'_>| record.study().has_ratio(comparison, point);
    let differences = (!points.iter().all(has_ratio)).then(|| "without a ratio: the difference".to_owned());
    (Swept::of(&points).0 != Swept::Nothing).then(|| said.chain(differences).collect::<Vec<_>>().join(" · "))
}

/// What the table of all comparisons holds, for its title.
pub(super) fn heading(record: &StudyRecord) -> String {
    let level = confidence(record.study().confidence_of_comparisons());
    format!("ratio to {}, {level} intervals", baseline(record).unwrap_or("the other"))
}

/// The points at the backoffs that the usual detail shows.
fn shown_points(record: &StudyRecord) -> Vec<Point<'_>> {
    let backoffs = backoffs(record);
    let kept: BTreeSet<u64> = shown(&backoffs, Detail::Usual).copied().collect();
    let all = record.study().comparisons.iter().flat_map(|of| of.points.iter().map(move |point| (of, point)));
    all.filter(|(_, point)| kept.contains(&point.backoff_tokens)).collect()
}

/// The backoffs at which anything is compared.
fn backoffs(record: &StudyRecord) -> Vec<u64> {
    let points = record.study().comparisons.iter().flat_map(|comparison| &comparison.points);
    let all: BTreeSet<u64> = points.map(|point| point.backoff_tokens).collect();
    all.into_iter().collect()
}

/// Without repetitions, in the order of first appearance.
fn distinct<T: Ord + Clone>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    all.filter(|item| seen.insert(item.clone())).collect()
}

/// What the columns of [`grid`] are.
pub(super) const OF_PAIRS: &str = "the two times: each over all its processes; difference and ratio: the median over processes that measured both, so not those of the \
     two times";

/// Every point of a comparison with all its figures.
pub(super) fn grid(record: &StudyRecord, comparison: &Comparison) -> Grid {
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
    for point in &comparison.points {
        grid.row(mood(point), row(record, comparison, point));
    }
    grid.without_empty_columns()
}

fn mood(point: &ComparisonPoint) -> Mood {
    if point.verdict == Difference::Unresolved { Mood::Quiet } else { Mood::Plain }
}

fn row(record: &StudyRecord, comparison: &Comparison, point: &ComparisonPoint) -> Vec<String> {
    let study = record.study();
    let time = |case: &str| {
        let cell = study.compared_cell(comparison, case, point.backoff_tokens);
        time(cell.and_then(|cell| cell.time_ns), cell.and_then(|cell| cell.below_ns), |time| ns(time.estimate))
    };
    let is_known = study.has_ratio(comparison, point);
    let [tokens, length] = match study.plan.has_backoff() {
        true => [count(point.backoff_tokens), backoff(record, point.backoff_tokens)],
        false => Default::default(),
    };
    vec![
        tokens,
        length,
        time(&comparison.baseline),
        time(&comparison.case),
        difference(&point.difference_ns),
        interval(&point.difference_ns),
        if is_known { RATIO.value(point.ratio.estimate) } else { NONE.to_owned() },
        if is_known { RATIO.interval(point.ratio.low, point.ratio.high) } else { NONE.to_owned() },
        verdict_of(point, study.plan.margin_pct),
    ]
}

/// The duration of that many tokens here.
fn backoff(record: &StudyRecord, tokens: u64) -> String {
    record.study().tokens.as_ref().map_or_else(|| NONE.to_owned(), |cost| ns(cost.ns(tokens as f64)))
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

/// The backoffs that the usual detail omits, in words; None if it omits none.
pub(super) fn left_out(record: &StudyRecord) -> Option<String> {
    let backoffs = backoffs(record);
    let (all, shown) = (backoffs.len(), shown(&backoffs, Detail::Usual).count());
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
            let study = record.study();
            let comparison = &study.comparisons[0];
            let row = &grid(record, comparison).rows[0].1;
            ([row[2].clone(), row[6].clone(), row[7].clone()], study.has_ratio(comparison, &comparison.points[0]))
        };
        let (row, said) = ratios(&record);
        assert_eq!(row, ["4.40 ns", "2.74×", "2.72–2.76×"]);
        assert!(said);
        let mut cells = record.content.study.cells.iter_mut();
        let of_baseline = cells.find(|cell| cell.case == "relaxed" && cell.backoff_tokens == 0).unwrap();
        (of_baseline.time_ns, of_baseline.below_ns) = (None, Some(1.48));
        let (row, said) = ratios(&record);
        assert_eq!((row, said), (["< 1.48 ns".to_owned(), NONE.to_owned(), NONE.to_owned()], false));
    }

    #[test]
    fn the_table_says_of_a_point_what_the_conclusion_says() {
        let mut record = crate::study::parse(include_str!("../../tests/fixtures/study.json")).unwrap();
        let comparison = &mut record.content.study.comparisons[0];
        comparison.model.as_mut().unwrap().shape = chronoscope_harness::record::study::CostShape::Unresolved;
        comparison.points.truncate(2);
        let last = &mut comparison.points[1];
        last.difference_ns = Estimate { estimate: 8.0, low: -208.0, high: 224.0, confidence: 0.999 };
        last.verdict = Difference::Unresolved;
        let said = chronoscope_harness::study_conclusions::conclusions(&record)[0].evidence.summary.clone();
        let comparison = &record.study().comparisons[0];
        let grid = grid(&record, comparison);
        for ((_, row), point) in grid.rows.iter().zip(&comparison.points) {
            let words = difference(&point.difference_ns);
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
