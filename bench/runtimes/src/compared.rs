//! One figure, as we measured it and as a harness did.

use bench_common::table;
use serde::Serialize;

use crate::interval::Interval;
use crate::language::{Figure, Pair};
use crate::oracle::Reading;

/// A figure over all rounds.
#[derive(Debug, Serialize)]
pub(crate) struct Compared {
    pub(crate) clock: &'static str,
    pub(crate) figure: Figure,
    pub(crate) benchmark: &'static str,
    pub(crate) is_same: bool,
    /// Nanoseconds by round: ours, the harness's.
    pub(crate) rounds: Vec<(f64, f64)>,
    pub(crate) ours_ns: Interval,
    pub(crate) oracle_ns: Interval,
    /// Ours over the harness's, round by round.
    pub(crate) ratio: Interval,
    pub(crate) intervals_overlap: bool,
    pub(crate) ratio_holds_one: bool,
    /// The median over rounds of all our batches and of all the harness's repetitions, disturbed or not.
    pub(crate) all_ns: (Option<f64>, Option<f64>),
    /// The least of them.
    pub(crate) least_ns: (Option<f64>, Option<f64>),
}

impl Compared {
    /// None if no round has both.
    pub(crate) fn of(pair: &Pair, rounds: &[(Reading, Reading)]) -> Option<Self> {
        let least = |side: fn(&(Reading, Reading)) -> Reading| {
            rounds.iter().filter_map(|round| side(round).least_ns).reduce(f64::min)
        };
        let all = |side: fn(&(Reading, Reading)) -> Reading| {
            Interval::of(rounds.iter().filter_map(|round| side(round).all_ns)).map(|of| of.median)
        };
        let least_ns = (least(|round| round.0), least(|round| round.1));
        let all_ns = (all(|round| round.0), all(|round| round.1));
        let rounds: Vec<(f64, f64)> = rounds.iter().map(|(ours, oracle)| (ours.ns, oracle.ns)).collect();
        let ours_ns = Interval::of(rounds.iter().map(|round| round.0))?;
        let oracle_ns = Interval::of(rounds.iter().map(|round| round.1))?;
        let ratio = Interval::of(rounds.iter().map(|(ours, oracle)| ours / oracle))?;
        Some(Self {
            clock: pair.clock,
            figure: pair.figure,
            benchmark: pair.benchmark,
            is_same: pair.is_same,
            all_ns,
            least_ns,
            ours_ns,
            oracle_ns,
            ratio,
            intervals_overlap: ours_ns.overlaps(&oracle_ns),
            ratio_holds_one: ratio.holds(1.0),
            rounds,
        })
    }

    /// What lies between the two intervals, as a share of the harness's median; 0 if they overlap.
    pub(crate) fn apart(&self) -> f64 {
        let (ours, oracle) = (&self.ours_ns, &self.oracle_ns);
        (ours.low - oracle.high).max(oracle.low - ours.high).max(0.0) / oracle.median
    }

    /// What the more disturbed side's figure is over its least; 1 where neither says.
    pub(crate) fn disturbed(&self) -> f64 {
        let over = |median: f64, least: Option<f64>| least.map_or(1.0, |least| median / least);
        over(self.ours_ns.median, self.least_ns.0).max(over(self.oracle_ns.median, self.least_ns.1))
    }

    /// The clock and what of it.
    pub(crate) fn name(&self) -> String {
        format!("{}, {}", self.clock, self.figure.words())
    }

    fn row(&self) -> Vec<String> {
        let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
        let ns = |ns: Option<f64>| table::or_dash(ns.map(|ns| format!("{ns:.2}")));
        let both = |of: (Option<f64>, Option<f64>)| format!("{} / {}", ns(of.0), ns(of.1));
        let mark = if self.is_same { "" } else { " *" };
        vec![
            self.clock.to_owned(),
            self.figure.words().to_owned(),
            format!("{}{mark}", self.benchmark),
            self.ours_ns.show(2),
            self.oracle_ns.show(2),
            self.ratio.show(3),
            yes(self.intervals_overlap),
            yes(self.ratio_holds_one),
            both(self.all_ns),
            both(self.least_ns),
        ]
    }
}

/// The table of a language.
pub(crate) fn show(rows: &[Compared], harness: &str) -> String {
    let headings = [
        "clock",
        "figure",
        harness,
        "ours ns [interval]",
        "its ns [interval]",
        "ours / its [interval]",
        "overlap",
        "ratio holds 1",
        "all ns",
        "least ns",
    ];
    table::text(&headings, rows.iter().map(Compared::row))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIR: Pair = Pair { clock: "now", figure: Figure::Latency, benchmark: "Bench.now", is_same: true };

    fn reading(ns: f64) -> Reading {
        Reading { ns, all_ns: Some(ns + 1.0), least_ns: Some(ns - 1.0) }
    }

    #[test]
    fn ratios_are_those_of_a_round() {
        // Slow rounds are slow for both.
        let times = (0..9).map(|round| f64::from(1 + round % 3) * 10.0);
        let rounds: Vec<_> = times.map(|ns| (reading(ns), reading(ns * 1.25))).collect();
        let found = Compared::of(&PAIR, &rounds).unwrap();
        assert_eq!((found.ours_ns.median, found.oracle_ns.median), (20.0, 25.0));
        assert!((found.ratio.low - 0.8).abs() < 1e-12 && (found.ratio.high - 0.8).abs() < 1e-12);
        assert!(found.intervals_overlap && !found.ratio_holds_one);
        assert_eq!((found.apart(), found.name().as_str()), (0.0, "now, latency, 1 thread"));
        assert!(Compared::of(&PAIR, &[]).is_none());
    }

    #[test]
    fn what_lies_between_is_a_share_of_theirs() {
        let rounds = [(reading(10.0), reading(20.0)), (reading(12.0), reading(20.0))];
        let found = Compared::of(&PAIR, &rounds).unwrap();
        assert!((found.apart() - 0.4).abs() < 1e-12 && !found.intervals_overlap);
        assert_eq!((found.all_ns, found.least_ns), ((Some(12.0), Some(21.0)), (Some(9.0), Some(19.0))));
        assert!((found.disturbed() - 11.0 / 9.0).abs() < 1e-12);
    }
}
