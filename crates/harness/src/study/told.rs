//! What the points of a comparison show together. Sentences about them are built from this, so that they never
//! contradict the table of the same points.

use crate::record::study::{ComparisonPoint, Difference, Estimate};

use super::words::reach;

/// The points of a comparison; at least one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told<'a> {
    points: &'a [ComparisonPoint],
    /// At the smallest backoff.
    pub(super) first: &'a ComparisonPoint,
    /// At the largest.
    pub(super) last: &'a ComparisonPoint,
    pub(super) all: usize,
    /// Points whose interval excludes zero difference.
    pub(super) resolved: usize,
    /// The trailing points that are neither faster nor slower, before those that are the same. None if there are none.
    pub(super) open: Option<Open>,
    /// All points at or above this backoff are the same within the margin. None if the last one is not.
    pub(super) same_from: Option<u64>,
}

/// Consecutive points, none known to differ and not all known to be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Open {
    /// Backoff of the first and the last.
    pub(super) from: u64,
    pub(super) to: u64,
    /// How many of them are unresolved, out of how many.
    pub(super) unresolved: usize,
    pub(super) all: usize,
}

impl Open {
    /// The last such points.
    fn of(points: &[ComparisonPoint]) -> Option<Self> {
        let is_open = |point: &&ComparisonPoint| matches!(point.verdict, Difference::Same | Difference::Unresolved);
        let all = points.iter().rev().take_while(is_open).count();
        let open = &points[points.len() - all..];
        Some(Self {
            from: open.first()?.backoff_tokens,
            to: open.last()?.backoff_tokens,
            unresolved: open.iter().filter(|point| point.verdict == Difference::Unresolved).count(),
            all,
        })
    }
}

impl<'a> Told<'a> {
    /// From points with increasing backoff; None without points.
    pub(super) fn of(points: &'a [ComparisonPoint]) -> Option<Self> {
        let (first, last) = (points.first()?, points.last()?);
        let same = points.iter().rev().take_while(|point| point.verdict == Difference::Same).count();
        let (before, same) = points.split_at(points.len() - same);
        Some(Self {
            points,
            first,
            last,
            all: points.len(),
            resolved: points.iter().filter(|point| point.difference_ns.is_resolved()).count(),
            open: Open::of(before),
            same_from: same.first().map(|point| point.backoff_tokens),
        })
    }

    pub(super) fn all_same(&self) -> bool {
        self.points.iter().all(|point| point.verdict == Difference::Same)
    }

    /// The farthest that any of the intervals reaches from zero.
    pub(super) fn reach(&self) -> f64 {
        self.points.iter().map(|point| reach(&point.difference_ns)).fold(0.0, f64::max)
    }

    /// Whether the last difference is known to be larger than the first; where that is a gain, the larger gain.
    pub(super) fn rises(&self) -> bool {
        let (first, last) = (&self.first.difference_ns, &self.last.difference_ns);
        let is_larger = if first.high < 0.0 { last.high < first.low } else { last.low > first.high };
        first.has_confidence() && last.has_confidence() && is_larger
    }

    /// Whether no point at `from_tokens` or more is known to differ from `level`.
    pub(super) fn stays_near(&self, level: &Estimate, from_tokens: f64) -> bool {
        let differs = |found: &Estimate| found.has_confidence() && (found.low > level.high || found.high < level.low);
        let there = self.points.iter().filter(|point| point.backoff_tokens as f64 >= from_tokens);
        !there.into_iter().any(|point| differs(&point.difference_ns))
    }

    /// The points with the smallest and the largest difference.
    pub(super) fn ends(&self) -> [&'a ComparisonPoint; 2] {
        let by_size =
            |a: &&ComparisonPoint, b: &&ComparisonPoint| a.difference_ns.estimate.total_cmp(&b.difference_ns.estimate);
        [self.points.iter().min_by(by_size), self.points.iter().max_by(by_size)].map(|end| end.unwrap_or(self.first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::made_up;

    fn point(backoff_tokens: u64, estimate: f64, half: f64, verdict: Difference) -> ComparisonPoint {
        let of = |estimate: f64, half: f64| Estimate {
            estimate,
            low: estimate - half,
            high: estimate + half,
            confidence: 0.999,
        };
        let difference_ns = of(estimate, half);
        ComparisonPoint { difference_ns, verdict, ..made_up::point(backoff_tokens) }
    }

    #[test]
    fn an_unresolved_end_is_open_and_not_the_same() {
        use Difference::{Same, Slower, Unresolved};
        let points = [
            point(0, 8.0, 0.1, Slower),
            point(5, 4.0, 0.1, Slower),
            point(10, 0.1, 0.3, Unresolved),
            point(15, 0.0, 0.1, Same),
            point(20, 0.1, 0.4, Unresolved),
        ];
        let told = Told::of(&points).unwrap();
        let open = |from, to, unresolved, all| Some(Open { from, to, unresolved, all });
        assert_eq!((told.all, told.resolved, told.open, told.same_from), (5, 2, open(10, 20, 2, 3), None));
        assert_eq!((told.ends()[0].backoff_tokens, told.ends()[1].backoff_tokens), (15, 0));
        let told = Told::of(&points[..4]).unwrap();
        assert_eq!((told.open, told.same_from), (open(10, 10, 1, 1), Some(15)));
        let told = Told::of(&points[..2]).unwrap();
        assert_eq!((told.open, told.same_from, told.all_same()), (None, None, false));
        assert!(Told::of(&[]).is_none());
    }

    #[test]
    fn a_level_is_denied_by_a_point_beyond_it() {
        let points = [point(0, 8.0, 0.1, Difference::Slower), point(5, 2.75, 0.2, Difference::Slower)];
        let told = Told::of(&points).unwrap();
        let left = points[1].difference_ns;
        let nothing = Estimate { estimate: 0.05, low: 0.02, high: 0.08, confidence: 0.999 };
        assert!(told.stays_near(&left, 2.0) && !told.stays_near(&left, 0.0));
        assert!(!told.stays_near(&nothing, 2.0), "2.75 ns at 5 tokens are not hidden by 2");
        assert!(told.stays_near(&nothing, 20.0), "nothing is known beyond the last point");
        assert!(!told.rises() && (told.reach() - 8.1).abs() < 1e-9);
    }

    #[test]
    fn a_gain_that_is_lost_does_not_rise_and_a_larger_one_does() {
        use Difference::{Faster, Same};
        let rises = |points: &[ComparisonPoint]| Told::of(points).unwrap().rises();
        assert!(!rises(&[point(0, -8.0, 0.1, Faster), point(40, 0.0, 0.1, Same)]));
        assert!(rises(&[point(0, -8.0, 0.1, Faster), point(40, -20.0, 0.1, Faster)]));
    }
}
