use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use chronoscope_harness::record::{Disturbance, Quantiles, Relation, Topology};
use chronoscope_harness::stats::rate_upper_95;

/// Observations between CPUs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Causality {
    /// Offsets between pairs of CPUs, by forced alternation and ordered reads.
    pub pairs: Vec<PairOffset>,
    /// The number of pairs among the planned CPUs; more than tested if the budget did not allow all.
    pub pairs_possible: u64,
    /// The one-way litmus, one row per clock and pair of CPUs.
    pub litmus: Vec<Litmus>,
    /// Why there are no observations between CPUs.
    pub reason_unavailable: Option<String>,
}

impl Causality {
    /// How many pairs of CPUs were tested, where that is not all.
    pub fn pairs_tested_of_more(&self) -> Option<u64> {
        let tested = each_once(self.pairs.iter().map(|pair| (pair.a.min(pair.b), pair.a.max(pair.b))));
        u64::try_from(tested.len()).ok().filter(|tested| *tested < self.pairs_possible)
    }

    /// The results of each pair of CPUs, the pair of the largest possible skew first; those that disagree before all others.
    pub fn pairs_worst_first(&self) -> Vec<Vec<&PairOffset>> {
        let of = |pair: &PairOffset| (pair.a.min(pair.b), pair.a.max(pair.b));
        let mut pairs: Vec<&PairOffset> = self.pairs.iter().collect();
        pairs.sort_by_key(|pair| of(pair));
        let mut groups: Vec<Vec<&PairOffset>> =
            pairs.chunk_by(|x, y| of(x) == of(y)).map(<[&PairOffset]>::to_vec).collect();
        let rank = |group: &[&PairOffset]| (group.iter().any(|pair| pair.shows_skew()), worst_skew_ns(group));
        groups.sort_by(|x, y| {
            let ((x_differs, x), (y_differs, y)) = (rank(x), rank(y));
            y_differs.cmp(&x_differs).then(y.total_cmp(&x))
        });
        groups
    }

    /// The largest skew that the results allow of the pairs of CPUs that share a core, a cache, a package or nothing, as far as that is
    /// known.
    pub fn worst_skew_by_relation(&self, topology: &Topology) -> Vec<(Relation, f64)> {
        let shared = |pair: &PairOffset| topology.relation(pair.a, pair.b);
        let worst = |relation: Relation| {
            let of = self.pairs.iter().filter(|pair| shared(pair) == Some(relation));
            Some((relation, of.map(PairOffset::skew_not_excluded_ns).reduce(f64::max)?))
        };
        Relation::ALL.into_iter().filter_map(worst).collect()
    }

    /// The CPUs whose clocks were compared, in order.
    pub fn cpus_compared(&self) -> Vec<u32> {
        let mut cpus: Vec<u32> = self.pairs.iter().flat_map(|pair| [pair.a, pair.b]).collect();
        cpus.sort_unstable();
        cpus.dedup();
        cpus
    }

    /// What all runs of the litmus found of each clock, in the order in which clocks were tested: how it went back at worst; or the
    /// weakest bound, if every run has one.
    pub fn outcomes(&self) -> Vec<(&ClockId, LitmusOutcome)> {
        let mut clocks: Vec<&ClockId> = Vec::new();
        for row in &self.litmus {
            if !clocks.contains(&&row.name) {
                clocks.push(&row.name);
            }
        }
        clocks.into_iter().map(|clock| (clock, self.outcome(clock))).collect()
    }

    fn outcome(&self, clock: &ClockId) -> LitmusOutcome {
        let found = self.litmus.iter().filter(|row| row.name == *clock).map(Litmus::outcome);
        let worse = |a: LitmusOutcome, b: LitmusOutcome| if b.is_worse_than(&a) { b } else { a };
        found.reduce(worse).unwrap_or(LitmusOutcome::TooFewValues)
    }

    /// The CPUs between which the litmus ran, in order.
    pub fn cpus_observed(&self) -> Vec<u32> {
        let mut cpus: Vec<u32> = self.litmus.iter().flat_map(|row| [row.writer, row.reader]).collect();
        cpus.sort_unstable();
        cpus.dedup();
        cpus
    }

    /// The longest step back of `clock` between CPUs, in all runs; 0 if there was none.
    pub fn worst_step_back_ns(&self, clock: &ClockId) -> f64 {
        let of_clock = self.litmus.iter().filter(|row| row.name == *clock && row.violations > 0);
        of_clock.map(|row| row.worst_ns).fold(0.0, f64::max)
    }

    /// The largest share of new values at which `clock` went backwards between CPUs; None if it never did.
    pub fn worst_share(&self, clock: &ClockId) -> Option<f64> {
        self.worst_run(clock)?.share()
    }

    /// The run in which the largest share of new values of `clock` went backwards, as far as they were counted; None if none did.
    pub fn worst_run(&self, clock: &ClockId) -> Option<&Litmus> {
        let of_clock = self.litmus.iter().filter(|row| row.name == *clock && row.violations > 0);
        let counted = of_clock.filter_map(|row| Some((row, row.share()?)));
        counted.max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(row, _)| row)
    }
}

/// The largest skew between two CPUs that the results of all their clocks allow.
pub fn worst_skew_ns(of_pair: &[&PairOffset]) -> f64 {
    of_pair.iter().map(|pair| pair.skew_not_excluded_ns()).fold(0.0, f64::max)
}

/// The pairs, sorted, each once.
pub fn each_once(pairs: impl Iterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
    let mut pairs: Vec<(u32, u32)> = pairs.collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// The skew of one clock between two CPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairOffset {
    pub clock: ClockId,
    /// One CPU.
    pub a: u32,
    /// The other CPU.
    pub b: u32,
    /// Round trips.
    pub rounds: u64,
    /// Estimate of b − a.
    pub offset_ns: f64,
    /// The true offset is within this of the estimate: half the shortest round trip, plus one step of the clock, plus the share of
    /// the offset by which the counter's measured frequency may be off.
    pub half_width_ns: f64,
    /// Why there is no one offset: the clocks did not keep their distance. `offset_ns` and `half_width_ns` then span the two
    /// distances that were seen, and it may have been larger. Absent if it was constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason_not_constant: Option<String>,
    /// Messages that arrived before they were sent.
    pub violations: u64,
    /// How long a message and its answer took together, by the clock on a; absent in older documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_trip_ns: Option<Quantiles>,
    /// What disturbed the measurement.
    pub disturbance: Disturbance,
}

impl PairOffset {
    /// The largest skew compatible with the observations.
    pub fn skew_not_excluded_ns(&self) -> f64 {
        self.offset_ns.abs() + self.half_width_ns
    }

    /// Whether the offset's interval excludes zero, a message arrived before it was sent, or there is no one offset.
    pub fn shows_skew(&self) -> bool {
        self.violations > 0 || self.reason_not_constant.is_some() || self.offset_ns.abs() > self.half_width_ns
    }
}

/// One CPU publishes the clock; another reads the published value and then its own clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Litmus {
    pub name: ClockId,
    /// The CPU that published.
    pub writer: u32,
    /// The CPU that observed.
    pub reader: u32,
    /// Observations made.
    pub observations: u64,
    /// Observations of a new value rather than a repeated one: every rate, and every bound on one, is a share of these.
    pub fresh: u64,
    /// New values that were later than an own read of the observer which followed; null in older documents, which do not count them and
    /// so have no rate.
    #[serde(default)]
    pub violated: Option<u64>,
    /// How often the observer's own read was earlier than the published value; a value that is seen again counts again, so this is of
    /// `observations` and no rate.
    pub violations: u64,
    /// The largest backward step.
    pub worst_ns: f64,
    /// By how much new values went back, each when first seen; absent where none did, and in older documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back_ns: Option<Quantiles>,
    /// Whether no step back was longer than one count of the CPU's counter: a CPU whose counter advances in larger steps may add
    /// one to keep two reads apart, and does so on each core alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_one_count: bool,
    /// What disturbed the measurement.
    pub disturbance: Disturbance,
}

impl Litmus {
    /// Whether it shows that the clock steps back between CPUs. A single count is less than any step of a counter that adds one.
    pub fn steps_back(&self) -> bool {
        self.violations > 0 && !self.by_one_count
    }

    /// With fewer new values, a clock that goes backwards in one of 300 is still possible (the rule of three, at 95 %),
    /// as unordered reads do.
    pub const FEWEST_NEW_VALUES: u64 = 1_000;

    /// Whether there were enough new values for the absence of violations to be meaningful.
    pub fn is_telling(&self) -> bool {
        self.fresh >= Self::FEWEST_NEW_VALUES
    }

    /// How many new values went backwards; None if some did and were not counted. A value that is seen again tests nothing, as the
    /// reader has already passed it: how often it is seen tells how fast the reader looks, and nothing of the clock.
    pub fn went_back(&self) -> Option<u64> {
        if self.violations == 0 { Some(0) } else { self.violated.filter(|violated| *violated > 0) }
    }

    /// Their share of new values.
    pub fn share(&self) -> Option<f64> {
        Some(self.went_back()? as f64 / self.fresh.max(1) as f64)
    }

    /// 95 % upper confidence bound on that share.
    pub fn rate_upper_95(&self) -> Option<f64> {
        Some(rate_upper_95(self.went_back()?, self.fresh))
    }

    /// The outcome of the run.
    pub fn outcome(&self) -> LitmusOutcome {
        match self.rate_upper_95() {
            _ if self.violations > 0 => LitmusOutcome::WentBack { share: self.share() },
            Some(rate_below) if self.is_telling() => LitmusOutcome::Held { rate_below },
            _ => LitmusOutcome::TooFewValues,
        }
    }
}

/// The outcome of a litmus run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LitmusOutcome {
    /// The clock went backwards at this share of the new values; None if those were not counted.
    WentBack { share: Option<f64> },
    /// It never went backwards: with 95 % confidence, less often than this per new value.
    Held { rate_below: f64 },
    /// It never went backwards, but in too few observations to conclude anything.
    TooFewValues,
}

impl LitmusOutcome {
    /// Whether it is the one that counts of two runs of one clock: a step back before all, the more often the worse; then what is not
    /// known; then the weaker bound.
    pub fn is_worse_than(&self, other: &Self) -> bool {
        let rank = |outcome: &Self| match *outcome {
            Self::WentBack { share } => (2, share),
            Self::TooFewValues => (1, None),
            Self::Held { rate_below } => (0, Some(rate_below)),
        };
        rank(self) > rank(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::{litmus, pair};
    use chronoscope_harness::record::CpuPlace;

    #[test]
    fn the_pair_of_the_largest_possible_skew_comes_first_and_before_it_one_that_disagrees() {
        let between = |a: u32, b: u32, offset_ns: f64, half_width_ns: f64| PairOffset {
            a,
            b,
            half_width_ns,
            ..pair(offset_ns, 0)
        };
        let pairs =
            vec![between(0, 1, 5.0, 50.0), between(1, 2, 5.0, 80.0), between(1, 0, 1.0, 20.0), between(0, 2, 9.0, 2.0)];
        let report = Causality { pairs, pairs_possible: 3, ..Causality::default() };
        let order: Vec<(u32, u32, usize, f64)> = report
            .pairs_worst_first()
            .iter()
            .map(|group| (group[0].a, group[0].b, group.len(), worst_skew_ns(group)))
            .collect();
        assert_eq!(order, [(0, 2, 1, 11.0), (1, 2, 1, 85.0), (0, 1, 2, 55.0)]);
        assert_eq!(report.cpus_compared(), [0, 1, 2]);
        assert!(Causality::default().pairs_worst_first().is_empty());
    }

    #[test]
    fn the_largest_skew_is_known_of_each_kind_of_pairs() {
        let place =
            |cpu: u32, package| CpuPlace { cpu, package: Some(package), core: Some(cpu / 2), ..CpuPlace::default() };
        let topology = Topology { cpus: vec![place(0, 0), place(1, 0), place(2, 0), place(4, 1)], left_out: 0 };
        let between = |a, b, offset_ns| PairOffset { a, b, ..pair(offset_ns, 0) };
        let pairs = vec![between(0, 1, 3.0), between(1, 0, -5.0), between(0, 4, 40.0), between(0, 9, 900.0)];
        let report = Causality { pairs, ..Causality::default() };
        let found = report.worst_skew_by_relation(&topology);
        assert_eq!(found, [(Relation::Core, 15.0), (Relation::Nothing, 50.0)]);
        assert!(report.worst_skew_by_relation(&Topology::default()).is_empty());
    }

    #[test]
    fn one_run_that_went_back_or_did_not_tell_decides_for_its_clock() {
        let runs = vec![
            litmus("held", 10_000, 0),
            litmus("held", 2_000, 0),
            litmus("went back", 2_000, 0),
            litmus("went back", 2_000, 10),
            litmus("went back", 2_000, 200),
            litmus("too few", 10_000, 0),
            litmus("too few", 5, 0),
        ];
        let weakest = runs[1].outcome();
        let report = Causality { litmus: runs, ..Causality::default() };
        let found: Vec<(&str, LitmusOutcome)> =
            report.outcomes().into_iter().map(|(clock, outcome)| (clock.name(), outcome)).collect();
        assert_eq!(
            found,
            [
                ("held", weakest),
                ("went back", LitmusOutcome::WentBack { share: Some(0.1) }),
                ("too few", LitmusOutcome::TooFewValues)
            ]
        );
        assert!(matches!(weakest, LitmusOutcome::Held { rate_below } if rate_below > 0.001), "{weakest:?}");
    }

    /// As measured on an AMD EPYC guest: each value that the counter ran behind was seen seven times.
    #[test]
    fn the_rate_and_its_bound_are_of_new_values() {
        let seen =
            Litmus { observations: 615_000, violated: Some(5_080), violations: 118_137, ..litmus("rdtsc", 16_932, 0) };
        assert_eq!(seen.outcome(), LitmusOutcome::WentBack { share: Some(5_080.0 / 16_932.0) });
        assert!(seen.rate_upper_95().is_some_and(|bound| bound > 0.30 && bound < 0.31), "{:?}", seen.rate_upper_95());
        let none = Litmus { violated: Some(0), violations: 0, ..seen.clone() };
        assert_eq!(none.outcome(), LitmusOutcome::Held { rate_below: rate_upper_95(0, 16_932) });
        // An earlier document does not count them: observations that went back are a share of something else.
        let earlier = Litmus { violated: None, ..seen.clone() };
        assert_eq!((earlier.went_back(), earlier.rate_upper_95()), (None, None));
        assert_eq!(earlier.outcome(), LitmusOutcome::WentBack { share: None });
        assert!(seen.outcome().is_worse_than(&earlier.outcome()) && earlier.outcome().is_worse_than(&none.outcome()));
        let both = Causality { litmus: vec![earlier, seen.clone()], ..Causality::default() };
        assert_eq!(both.worst_run(&seen.name), Some(&seen));
    }
}
