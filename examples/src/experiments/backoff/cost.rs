//! The backoff at which a cost becomes negligible: pure functions of the printed rows.

use std::cmp::Ordering;

use chronoscope_harness::record::study::{ComparisonPoint, Estimate, StudyRecord};

/// A cost within this share of the operation's time, backoff included, is negligible.
pub(super) const MARGIN_PCT: f64 = 5.0;

/// A row of a table: two operations compared directly at one backoff.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) tokens: u64,
    /// The operation's time minus that of its baseline.
    pub(super) difference_ns: Estimate,
    /// The same as a share of the operation's time, in percent; None without an estimate of that time.
    pub(super) share_pct: Option<Estimate>,
    pub(super) cost: Cost,
}

/// A cost relative to the margin, according to the interval of the difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cost {
    /// Above the margin.
    Above,
    /// Within the margin on both sides.
    Within,
    /// It is a gain of more than the margin.
    Gain,
    /// The interval allows more than one of these.
    Unresolved,
}

/// The backoff at which a cost stays within the margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Amortised {
    /// From this row to the last; the previous row is not within the margin.
    From { first: Row, before: Option<Row> },
    /// At the largest backoff it is still known to be above the margin, or a gain.
    Not(Row),
    /// At the largest backoff the interval allows both. The last row before it that is within the margin.
    Unresolved { last: Row, within: Option<Row> },
    /// There are no rows.
    NotMeasured,
}

/// The rows of the comparison of `case` with `baseline`, by increasing backoff.
pub(super) fn rows(record: &StudyRecord, case: &str, baseline: &str, threads: u32) -> Vec<Row> {
    let row = |point: &ComparisonPoint| {
        let (tokens, difference_ns) = (point.backoff_tokens, point.difference_ns);
        let time_ns = record.cell(case, tokens, threads).and_then(|cell| cell.time_ns).map(|time| time.estimate);
        let share_pct = time_ns.filter(|time_ns| *time_ns > 0.0).map(|time_ns| {
            // A cost is at most the operation's time.
            let share = |ns: f64| (100.0 * ns / time_ns).min(100.0);
            let Estimate { estimate, low, high, confidence } = difference_ns;
            Estimate { estimate: share(estimate), low: share(low), high: share(high), confidence }
        });
        Row { tokens, difference_ns, share_pct, cost: cost(share_pct) }
    };
    let points = record.comparison(case, baseline, threads).map(|comparison| comparison.points.iter());
    let mut rows: Vec<Row> = points.into_iter().flatten().map(row).collect();
    rows.sort_by_key(|row| row.tokens);
    rows
}

fn cost(share_pct: Option<Estimate>) -> Cost {
    match share_pct.filter(|share| share.has_confidence()) {
        Some(share) if share.low > MARGIN_PCT => Cost::Above,
        Some(share) if share.high < -MARGIN_PCT => Cost::Gain,
        Some(share) if share.low >= -MARGIN_PCT && share.high <= MARGIN_PCT => Cost::Within,
        _ => Cost::Unresolved,
    }
}

/// The first row at which the cost is within the margin, there and at every larger backoff.
pub(super) fn amortised(rows: &[Row]) -> Amortised {
    let Some(last) = rows.last() else { return Amortised::NotMeasured };
    let first = rows.iter().rposition(|row| row.cost != Cost::Within).map_or(0, |outside| outside + 1);
    match (rows.get(first), last.cost) {
        (Some(row), _) => {
            let before = first.checked_sub(1).and_then(|before| rows.get(before));
            Amortised::From { first: *row, before: before.copied() }
        }
        (None, Cost::Above | Cost::Gain) => Amortised::Not(*last),
        (None, _) => {
            Amortised::Unresolved { last: *last, within: rows.iter().rfind(|row| row.cost == Cost::Within).copied() }
        }
    }
}

/// The rows where the cost changes direction, and the first and last of the sequence: between consecutive ones it
/// alternately falls and rises for certain. Empty if no rows can be distinguished.
pub(super) fn turns(rows: &[Row]) -> Vec<Row> {
    let mut turns: Vec<Row> = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let [.., from, to] = turns.as_mut_slice() else {
            let from = rows[..i].iter().find(|from| moved(from, row).is_some());
            turns.extend(from.map(|from| [*from, *row]).into_iter().flatten());
            continue;
        };
        let way = moved(from, to);
        let farther = row.difference_ns.estimate.partial_cmp(&to.difference_ns.estimate);
        if moved(from, row) == way && (farther == way || farther == Some(Ordering::Equal)) {
            *to = *row;
        } else if moved(to, row).is_some_and(|turn| Some(turn) != way) {
            turns.push(*row);
        }
    }
    turns
}

/// Whether the cost is less or greater in one row than in another; None where the intervals overlap.
pub(super) fn moved(from: &Row, to: &Row) -> Option<Ordering> {
    let (from, to) = (&from.difference_ns, &to.difference_ns);
    if !from.has_confidence() || !to.has_confidence() {
        None
    } else if to.high < from.low {
        Some(Ordering::Less)
    } else {
        (to.low > from.high).then_some(Ordering::Greater)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::interval;
    use proptest::prelude::*;

    /// A row for an operation that takes 100 ns.
    fn row(tokens: u64, estimate: f64, half: f64) -> Row {
        let share = interval(estimate, half);
        Row { tokens, difference_ns: share, share_pct: Some(share), cost: cost(Some(share)) }
    }

    #[test]
    fn the_whole_interval_decides() {
        assert_eq!(row(0, 8.0, 1.0).cost, Cost::Above);
        assert_eq!(row(0, 1.0, 1.0).cost, Cost::Within);
        assert_eq!(row(0, -8.0, 1.0).cost, Cost::Gain);
        assert_eq!(row(0, 5.0, 1.0).cost, Cost::Unresolved);
        assert_eq!(row(0, 0.0, 9.0).cost, Cost::Unresolved, "may be zero");
        assert_eq!(cost(None), Cost::Unresolved);
        assert_eq!(cost(Some(Estimate { confidence: 0.0, ..interval(0.0, 0.1) })), Cost::Unresolved, "one process");
    }

    #[test]
    fn a_cost_is_amortised_only_where_it_stays_so() {
        let rows = [row(0, 8.0, 1.0), row(5, 1.0, 1.0), row(10, 7.0, 1.0), row(20, 1.0, 1.0), row(40, 0.0, 1.0)];
        let found = amortised(&rows);
        assert_eq!(found, Amortised::From { first: rows[3], before: Some(rows[2]) });
        assert_eq!(amortised(&rows[3..]), Amortised::From { first: rows[3], before: None });
        assert_eq!(amortised(&rows[..3]), Amortised::Not(rows[2]));
        assert_eq!(amortised(&[]), Amortised::NotMeasured);
    }

    #[test]
    fn what_is_not_told_apart_is_not_amortised() {
        let rows = [row(0, 8.0, 1.0), row(2, 5.9, 12.0), row(40, 0.1, 9.0)];
        assert_eq!(amortised(&rows), Amortised::Unresolved { last: rows[2], within: None });
        let within = [rows[0], row(20, 1.0, 1.0), rows[2]];
        assert_eq!(amortised(&within), Amortised::Unresolved { last: rows[2], within: Some(within[1]) });
        assert_eq!(changes(&rows), []);
        assert_eq!(changes(&[rows[0], row(40, 0.1, 1.0)]), [(Ordering::Less, 40)]);
        assert_eq!(changes(&[row(0, 0.1, 1.0), row(40, 8.0, 1.0)]), [(Ordering::Greater, 40)]);
        assert_eq!(changes(&rows[..1]), []);
        let lone = Row { difference_ns: Estimate { confidence: 0.0, ..interval(0.1, 0.0) }, ..row(40, 0.1, 1.0) };
        assert_eq!(changes(&[rows[0], lone]), [], "one process");
    }

    fn changes(rows: &[Row]) -> Vec<(Ordering, u64)> {
        turns(rows).windows(2).map(|leg| (moved(&leg[0], &leg[1]).unwrap(), leg[1].tokens)).collect()
    }

    #[test]
    fn every_row_counts_for_the_shape() {
        // Two threads writing one cache line: more with a little work than with none, then less and less.
        let rows = [
            row(0, 53.1, 4.3),
            row(1, 73.9, 8.2),
            row(2, 72.7, 6.8),
            row(5, 66.5, 7.5),
            row(8, 66.1, 5.6),
            row(20, 57.2, 6.9),
            row(25, 50.4, 7.6),
            row(35, 46.0, 5.4),
            row(40, 39.5, 7.3),
        ];
        assert_eq!(changes(&rows), [(Ordering::Greater, 1), (Ordering::Less, 40)]);
        assert_eq!(changes(&rows[1..]), [(Ordering::Less, 40)]);
        assert_eq!(changes(&rows[3..5]), []);
    }

    #[test]
    fn no_share_of_a_time_exceeds_it() {
        use crate::synthetic::{cell, comparison, record};
        use chronoscope_harness::record::study::Difference;
        let mut made = record(&[0], &[2]);
        made.content.study.cells.push(cell("volatile", 0, 2, [7.86; 4]));
        let verdict = Difference::Slower;
        made.content.study.comparisons.push(comparison("volatile", "plain", 2, &[(0, interval(7.60, 0.33), verdict)]));
        let share = rows(&made, "volatile", "plain", 2)[0].share_pct.unwrap();
        assert!((share.estimate - 96.7).abs() < 0.1 && (share.low - 92.5).abs() < 0.1, "{share:?}");
        assert_eq!(share.high, 100.0);
    }

    proptest! {
        #[test]
        fn legs_take_turns(rows in prop::collection::vec((-20.0_f64..20.0, 0.0_f64..9.0), 0..12)) {
            let rows: Vec<Row> = (0..).zip(rows).map(|(tokens, (estimate, half))| row(tokens, estimate, half)).collect();
            let found = turns(&rows);
            prop_assert_ne!(found.len(), 1);
            prop_assert!(found.windows(2).all(|leg| leg[0].tokens < leg[1].tokens), "{found:?}");
            let ways: Vec<_> = found.windows(2).map(|leg| moved(&leg[0], &leg[1])).collect();
            prop_assert!(ways.iter().all(Option::is_some), "{found:?}");
            prop_assert!(ways.windows(2).all(|pair| pair[0] != pair[1]), "{found:?}");
        }

        #[test]
        fn from_there_every_row_is_within(rows in prop::collection::vec((-20.0_f64..20.0, 0.0_f64..9.0), 0..12)) {
            let rows: Vec<Row> = (0..).zip(rows).map(|(tokens, (estimate, half))| row(tokens, estimate, half)).collect();
            if let Amortised::From { first, before } = amortised(&rows) {
                for row in rows.iter().filter(|row| row.tokens >= first.tokens) {
                    prop_assert!(row.difference_ns.low >= -5.0 && row.difference_ns.high <= 5.0, "{row:?}");
                }
                prop_assert!(before.is_none_or(|before| before.cost != Cost::Within));
            }
        }
    }
}
