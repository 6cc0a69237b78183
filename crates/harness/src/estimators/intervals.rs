//! The shortest intervals that two reads of a clock time: claims, and trials of them.

use chronoscope_sources::Rate;
use serde::{Deserialize, Serialize};

use crate::stats::Distribution;

/// The maximum error of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tolerance {
    /// 1 %.
    OnePercent,
    /// 10 %.
    TenPercent,
}

impl Tolerance {
    /// Both, the narrower one first.
    pub const ALL: [Self; 2] = [Self::OnePercent, Self::TenPercent];

    /// In percent.
    pub const fn percent(self) -> f64 {
        match self {
            Self::OnePercent => 1.0,
            Self::TenPercent => 10.0,
        }
    }

    /// As a fraction of one.
    pub const fn share(self) -> f64 {
        self.percent() / 100.0
    }

    /// The interval in `both` for this tolerance.
    pub const fn of(self, both: &DirectInterval) -> Option<f64> {
        match self {
            Self::OnePercent => both.within_1pct,
            Self::TenPercent => both.within_10pct,
        }
    }
}

/// What is known about the shortest interval that two reads of a clock time within a tolerance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ShortestInterval {
    /// Confirmed by trials.
    Confirmed(f64),
    /// Derived from empty intervals and step, without a trial.
    Claimed(f64),
    /// Trials were made, and confirmed no length.
    NotConfirmed {
        /// The longest length tried.
        tried_to_ns: f64,
        /// The 95th percentile of the error's magnitude at that length.
        error_ns: f64,
        /// The length at which that error, if constant, is within the tolerance.
        expected_from_ns: f64,
        /// The share of its readings that kept within the tolerance, where 95 of 100 did: more must.
        kept: Option<f64>,
        /// Whether some lengths held individually, but not together with all longer ones.
        some_held: bool,
    },
    /// There is neither a claim nor a trial.
    #[default]
    Unknown,
}

impl ShortestInterval {
    /// The shortest interval confirmed or, without a trial, claimed.
    pub const fn known_from_ns(self) -> Option<f64> {
        match self {
            Self::Confirmed(from) | Self::Claimed(from) => Some(from),
            Self::NotConfirmed { .. } | Self::Unknown => None,
        }
    }

    /// Whether trials confirm a length.
    pub const fn is_confirmed(self) -> bool {
        matches!(self, Self::Confirmed(_))
    }

    /// Whether trials were made.
    pub const fn is_tried(self) -> bool {
        matches!(self, Self::Confirmed(_) | Self::NotConfirmed { .. })
    }

    /// The shortest interval to rely on: known, or expected after trials that confirmed none.
    pub const fn expected_from_ns(self) -> Option<f64> {
        match self {
            Self::Confirmed(from) | Self::Claimed(from) => Some(from),
            Self::NotConfirmed { expected_from_ns, .. } => Some(expected_from_ns),
            Self::Unknown => None,
        }
    }
}

/// The shortest interval that a single pair of reads times within an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DirectInterval {
    /// Within 1 % in at least 95 of 100 readings.
    pub within_1pct: Option<f64>,
    /// Within 10 % in at least 95 of 100 readings.
    pub within_10pct: Option<f64>,
}

/// Known work, timed once per reading, compared with its duration in batches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IntervalTrial {
    /// The tolerance under test, in percent.
    pub tolerance_pct: f64,
    /// The work's true duration, from batches timed as a whole.
    pub truth_ns: f64,
    /// Single readings made.
    pub readings_made: u64,
    /// Readings that count: made while the core was not shared and the work took its usual time.
    pub readings: u64,
    /// Median error of a reading in percent of the true duration; positive means too long.
    pub error_pct_p50: f64,
    /// 95th percentile of the error's magnitude in percent of the true duration.
    pub error_pct_abs_p95: f64,
    /// Share of readings within the tolerance.
    pub share_within: f64,
    /// Whether at least 98 % were, so that 95 % are at another moment and in other code.
    pub holds: bool,
}

/// The intervals a clock can time directly, and how far trials confirm it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Promise {
    /// The shortest interval that it times within 1 %.
    pub within_1pct: ShortestInterval,
    /// The shortest interval that it times within 10 %.
    pub within_10pct: ShortestInterval,
    /// Longer intervals that did not hold individually, though all longer ones together did.
    pub exceptions: Vec<IntervalTrial>,
    /// The share of the readings made that were undisturbed, so that they count.
    pub quiet: Option<f64>,
}

/// What is known of the intervals that one clock times: claims, and trials of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimedIntervals {
    /// The shortest interval that two reads of it time correctly: confirmed by trials where available, else claimed.
    pub direct_interval_ns: DirectInterval,
    /// The same as claimed before the trials: from latency, granularity and the spread of empty intervals.
    pub claimed_interval_ns: DirectInterval,
    /// Whether trials were made within each tolerance and determine `direct_interval_ns`.
    pub validated: bool,
    /// Why trials are missing, or why they confirm no interval.
    pub reason_unvalidated: Option<String>,
    /// Known work timed directly, compared with its true duration.
    pub trials: Vec<IntervalTrial>,
}

impl TimedIntervals {
    /// A claim, not tried yet.
    pub fn claimed(interval_ns: DirectInterval) -> Self {
        Self { direct_interval_ns: interval_ns, claimed_interval_ns: interval_ns, ..Self::default() }
    }

    /// What is known about the shortest interval within `tolerance`.
    pub fn shortest(&self, tolerance: Tolerance) -> ShortestInterval {
        let trials = self.trials.iter().filter(|trial| trial.tolerance_pct == tolerance.percent());
        let longest = trials.clone().max_by(|a, b| a.truth_ns.total_cmp(&b.truth_ns));
        match (longest, tolerance.of(&self.direct_interval_ns), tolerance.of(&self.claimed_interval_ns)) {
            (Some(_), Some(confirmed), _) => ShortestInterval::Confirmed(confirmed),
            (Some(longest), None, _) => {
                // Numbers from an untrusted document may overflow, and non-finite ones cannot be written.
                let error_ns = (longest.error_pct_abs_p95 / 100.0 * longest.truth_ns).clamp(f64::MIN, f64::MAX);
                let allowed_from_ns = error_ns / tolerance.percent() * 100.0;
                ShortestInterval::NotConfirmed {
                    tried_to_ns: longest.truth_ns,
                    error_ns,
                    expected_from_ns: allowed_from_ns.max(longest.truth_ns).min(f64::MAX),
                    kept: (allowed_from_ns <= longest.truth_ns).then_some(longest.share_within),
                    some_held: trials.clone().any(|trial| trial.holds),
                }
            }
            (None, _, Some(claimed)) => ShortestInterval::Claimed(claimed),
            (None, ..) => ShortestInterval::Unknown,
        }
    }

    /// The tolerances whose claim can be tried and is not confirmed yet.
    pub fn open(&self) -> Vec<Tolerance> {
        let is_open = |tolerance: &Tolerance| {
            is_tried(tolerance.of(&self.claimed_interval_ns)) && !self.shortest(*tolerance).is_confirmed()
        };
        Tolerance::ALL.into_iter().filter(is_open).collect()
    }

    /// What they amount to.
    pub fn promise(&self) -> Promise {
        let failed_beyond = |tolerance: Tolerance| {
            let from_ns = match self.shortest(tolerance) {
                ShortestInterval::Confirmed(from_ns) => from_ns,
                _ => f64::INFINITY,
            };
            let trials = self.trials.iter().filter(move |trial| trial.tolerance_pct == tolerance.percent());
            trials.filter(move |trial| !trial.holds && trial.truth_ns > from_ns).copied()
        };
        Promise {
            within_1pct: self.shortest(Tolerance::OnePercent),
            within_10pct: self.shortest(Tolerance::TenPercent),
            exceptions: Tolerance::ALL.into_iter().flat_map(failed_beyond).collect(),
            quiet: self.quiet(),
        }
    }

    /// The share of the trials' readings that were undisturbed.
    fn quiet(&self) -> Option<f64> {
        let sum = |of: fn(&IntervalTrial) -> u64| self.trials.iter().map(|trial| of(trial) as f64).sum::<f64>();
        let (quiet, made) = (sum(|trial| trial.readings), sum(|trial| trial.readings_made));
        (made > 0.0).then_some(quiet / made)
    }

    /// The lengths of work to try, ascending, for each tolerance in `open` whose claim can be tried; longer ones if earlier
    /// trials confirmed none.
    ///
    /// Ascending, so that if time is short the long ones are dropped, and no tolerance loses all its lengths to the other.
    pub fn trial_lengths(&self, open: &[Tolerance]) -> Vec<(Tolerance, f64)> {
        let of_tolerance = |tolerance: &Tolerance| {
            let claim = tolerance.of(&self.claimed_interval_ns).filter(|claim| is_tried(Some(*claim)));
            let multiples: &[f64] = match self.shortest(*tolerance) {
                ShortestInterval::NotConfirmed { .. } => &FURTHER_MULTIPLES,
                _ => &TRIAL_MULTIPLES,
            };
            let tolerance = *tolerance;
            claim.into_iter().flat_map(move |claim| multiples.iter().map(move |multiple| (tolerance, claim * multiple)))
        };
        let mut lengths: Vec<(Tolerance, f64)> = open.iter().flat_map(of_tolerance).collect();
        lengths.sort_by(|a, b| a.1.total_cmp(&b.1));
        lengths
    }

    /// Takes in `trials`, replacing older ones within the same tolerance, with what they confirm.
    ///
    /// A tolerance without a trial keeps its claim and a reason, or `why_none` if one was planned.
    pub fn confirm(&mut self, trials: Vec<IntervalTrial>, why_none: &str) {
        let has = |trials: &[IntervalTrial], tolerance: Tolerance| {
            trials.iter().any(|trial| trial.tolerance_pct == tolerance.percent())
        };
        for tolerance in Tolerance::ALL.into_iter().filter(|tolerance| has(&trials, *tolerance)) {
            self.trials.retain(|trial| trial.tolerance_pct != tolerance.percent());
            let confirmed = confirmed_interval_ns(&trials, tolerance.percent());
            match tolerance {
                Tolerance::OnePercent => self.direct_interval_ns.within_1pct = confirmed,
                Tolerance::TenPercent => self.direct_interval_ns.within_10pct = confirmed,
            }
        }
        self.trials.extend(trials);
        let reason = |tolerance: Tolerance| {
            let within = format!("within {} %:", tolerance.percent());
            match self.shortest(tolerance) {
                ShortestInterval::Confirmed(_) => None,
                ShortestInterval::NotConfirmed { .. } => {
                    Some(format!("{within} no length tried kept 98 of 100 readings within the limit from there up"))
                }
                ShortestInterval::Claimed(claim) if is_tried(Some(claim)) => Some(format!("{within} {why_none}")),
                ShortestInterval::Claimed(_) => {
                    Some(format!("{within} predictions of {} µs or more are not tried", LONGEST_CLAIM_TRIED_NS / 1e3))
                }
                ShortestInterval::Unknown => Some("all readings were equal".to_owned()),
            }
        };
        let mut reasons: Vec<String> = Tolerance::ALL.into_iter().filter_map(reason).collect();
        reasons.dedup();
        self.validated = Tolerance::ALL.into_iter().all(|tolerance| has(&self.trials, tolerance));
        self.reason_unvalidated = (!reasons.is_empty()).then(|| reasons.join("; "));
    }

    /// The error of a reading that the claims were made from, in nanoseconds.
    pub fn claimed_error_ns(&self) -> f64 {
        let claims = Tolerance::ALL.into_iter().filter_map(|it| Some(it.of(&self.claimed_interval_ns)? * it.share()));
        claims.fold(0.0, f64::max)
    }
}

/// Turns of the empty loop in an interference probe: a tenth of a microsecond.
pub const PROBE_TURNS: u64 = 400;

/// Readings between two batches, each with an interference probe before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// The batch before them.
    pub before: Batch,
    /// The readings.
    pub readings: Vec<Reading>,
    /// The batch after them.
    pub after: Batch,
}

/// The work, repeated, timed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// Duration of the work once, in nanoseconds.
    pub truth_ns: f64,
    /// The slower of the interference probes before and after, in timer ticks.
    pub probe_ticks: u64,
}

/// The work once, timed by the clock under test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The length of its work, as a multiple of that in the batches: from one reading to the next it varies by the clock's step, since the
    /// error of a reading depends on the length modulo that.
    pub length: f64,
    /// The clock's reading, in its own ticks.
    pub ticks: i64,
    /// How long the timer found the work meanwhile, without what it finds around two reads alone, in nanoseconds.
    pub work_ns: f64,
    /// The slower of the interference probes before and after, in timer ticks.
    pub probe_ticks: u64,
}

/// Lengths tried, as multiples of the claim.
pub const TRIAL_MULTIPLES: [f64; 9] = [0.35, 0.5, 0.71, 1.0, 1.41, 2.0, 2.83, 4.0, 8.0];
/// Lengths tried next if none of these was confirmed.
pub const FURTHER_MULTIPLES: [f64; 6] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
/// Claims of this length or more are not tried: hundreds of readings at eight times the length would take too long.
const LONGEST_CLAIM_TRIED_NS: f64 = 100_000.0;
/// The share of readings that lie within the tolerance, as is promised.
const SHARE_REQUIRED: f64 = 0.95;
/// The share of a trial's readings that must: so many that enough do at another moment, and in a program whose code around a read takes
/// some nanoseconds more.
const SHARE_TRIED: f64 = 0.98;
/// At a length where fewer readings than this share are accurate, the search ends: shorter ones that hold do so by
/// luck.
const HOPELESS_SHARE: f64 = 0.85;

/// The shortest interval that a clock should time within `tolerance`, based on its readings of empty intervals.
///
/// A reading is off by the reading of an empty interval (the time between the instants at which the two reads sample
/// the clock) and by up to one step of the clock. The claim is the larger of the two errors, divided by the tolerance
/// and rounded up to two digits.
pub fn claimed_interval_ns(empty_ns: &Distribution, granularity_ns: Option<f64>, tolerance: f64) -> Option<f64> {
    let magnitude = Distribution::of_counts(empty_ns.counts().iter().map(|(ns, count)| (ns.abs(), *count)));
    let error = magnitude.quantile(SHARE_REQUIRED)?.max(granularity_ns.unwrap_or(0.0));
    (error > 0.0 && tolerance > 0.0).then(|| round_up(error / tolerance))
}

/// [`claimed_interval_ns`] for every tolerance.
pub fn claimed_intervals(empty_ns: &Distribution, granularity_ns: Option<f64>) -> DirectInterval {
    let claim = |tolerance: Tolerance| claimed_interval_ns(empty_ns, granularity_ns, tolerance.share());
    DirectInterval { within_1pct: claim(Tolerance::OnePercent), within_10pct: claim(Tolerance::TenPercent) }
}

/// Whether intervals around the claim are short enough to try.
fn is_tried(claim_ns: Option<f64>) -> bool {
    claim_ns.is_some_and(|claim| claim < LONGEST_CLAIM_TRIED_NS)
}

/// The trials of `lengths`, each with its rounds.
///
/// Readings of the lengths for the narrower tolerance also test whether the wider one holds at those longer intervals,
/// if it did at none of its own.
pub fn trials(lengths: &[(Tolerance, f64)], rounds: &[Vec<(Quiet, Round)>], rate: Rate) -> Vec<IntervalTrial> {
    let of_tolerance = |tolerance: Tolerance| {
        let own = |of: &Tolerance| *of == tolerance;
        let tried = lengths.iter().zip(rounds).filter(move |((of, _), _)| own(of));
        let found: Vec<IntervalTrial> =
            tried.filter_map(|(_, rounds)| trial(rounds, tolerance.share(), rate)).collect();
        let longest = lengths.iter().filter(|(of, _)| own(of)).map(|(_, length)| *length).fold(0.0, f64::max);
        if longest == 0.0 || confirmed_interval_ns(&found, tolerance.percent()).is_some() {
            return found;
        }
        let longer = lengths.iter().zip(rounds).filter(|((of, length), _)| *of != tolerance && *length > longest);
        let longer: Vec<IntervalTrial> =
            longer.filter_map(|(_, rounds)| trial(rounds, tolerance.share(), rate)).collect();
        found.into_iter().chain(longer).collect()
    };
    Tolerance::ALL.into_iter().flat_map(of_tolerance).collect()
}

/// Why a planned trial is missing.
pub fn reason_no_trial(rounds: &[Vec<(Quiet, Round)>]) -> &'static str {
    if rounds.iter().all(Vec::is_empty) {
        "no time left for a trial"
    } else {
        "too few undisturbed readings: a busy neighbour shares the core, or the machine is too noisy"
    }
}

/// Minimum quiet readings to confirm a length.
pub const FEWEST_READINGS: u64 = 40;

/// The longest quiet interference probe, in timer ticks, if a turn of the empty loop then costs at most
/// `quiet_turn_ns` and a probe without turns `empty_probe_ticks`.
///
/// The cost of its turns and of the rest, plus the timer's error in two readings.
pub fn quiet_probe_ticks(quiet_turn_ns: f64, empty_probe_ticks: f64, timer_error_ticks: u64, rate: Rate) -> u64 {
    let turns_ticks = PROBE_TURNS as f64 * quiet_turn_ns / rate.ns_of_mean(1.0);
    (turns_ticks + empty_probe_ticks) as u64 + 2 * timer_error_ticks
}

/// What is quiet in a process.
#[derive(Clone, Copy, Debug)]
pub struct Quiet {
    /// The longest interference probe, in timer ticks.
    pub probe_ticks: u64,
    /// How far the timer around a reading may find the work from its true duration, beyond a share of that: the clock's own error, as
    /// empty intervals show it, and the timer's.
    pub work_ns: f64,
}

/// One length of work under test: readings compared with the true duration in the same round. None if too few were
/// quiet.
///
/// Each round comes with its process's quiet interference probe. The work itself varies: an interrupt or a busy
/// neighbour lengthens it, and a clock that reads a longer time is then right. So a reading counts only between two
/// quiet interference probes, in a round whose batches were quiet too and agree within half the tolerance, and if the
/// timer around it found the work as long as the batches say, within half the tolerance and what [`Quiet`] allows.
fn trial(rounds: &[(Quiet, Round)], tolerance: f64, rate: Rate) -> Option<IntervalTrial> {
    let is_quiet = |(quiet, round): &&(Quiet, Round)| {
        let (before, after) = (round.before, round.after);
        before.probe_ticks.max(after.probe_ticks) <= quiet.probe_ticks
            && before.truth_ns > 0.0
            && (after.truth_ns / before.truth_ns - 1.0).abs() <= tolerance / 2.0
    };
    let truth_ns = |round: &Round| f64::midpoint(round.before.truth_ns, round.after.truth_ns);
    let mut errors = Vec::new();
    let mut truths = Vec::new();
    for (quiet, round) in rounds.iter().filter(is_quiet) {
        let truth_ns = truth_ns(round);
        truths.push(truth_ns);
        let is_undisturbed = |reading: &&Reading| {
            reading.probe_ticks <= quiet.probe_ticks
                && (reading.work_ns - reading.length * truth_ns).abs() <= quiet.work_ns + truth_ns * tolerance / 2.0
        };
        for reading in round.readings.iter().filter(is_undisturbed) {
            errors.push((rate.ns_of_mean(reading.ticks as f64) / (reading.length * truth_ns) - 1.0) * 100.0);
        }
    }
    let magnitude = Distribution::of(errors.iter().map(|error| error.abs()).collect());
    let signed = Distribution::of(errors);
    if signed.total() < FEWEST_READINGS {
        return None;
    }
    let share_within = magnitude.share(|error| error <= tolerance * 100.0);
    Some(IntervalTrial {
        tolerance_pct: tolerance * 100.0,
        truth_ns: Distribution::of(truths).quantile(0.5)?,
        readings_made: rounds.iter().map(|(_, round)| round.readings.len() as u64).sum(),
        readings: signed.total(),
        error_pct_p50: signed.quantile(0.5)?,
        error_pct_abs_p95: magnitude.quantile(0.95)?,
        share_within,
        holds: share_within >= SHARE_TRIED,
    })
}

/// The shortest trial of `tolerance_pct` that held, and from which the readings of all longer lengths together held,
/// rounded up to two digits.
///
/// Together, because at a busy moment any single length can fall just short of 95 readings in 100.
fn confirmed_interval_ns(trials: &[IntervalTrial], tolerance_pct: f64) -> Option<f64> {
    let mut of_tolerance: Vec<&IntervalTrial> =
        trials.iter().filter(|trial| trial.tolerance_pct == tolerance_pct).collect();
    of_tolerance.sort_by(|a, b| b.truth_ns.total_cmp(&a.truth_ns));
    let (mut readings, mut within, mut shortest) = (0.0, 0.0, None);
    for trial in of_tolerance {
        readings += trial.readings as f64;
        within += trial.share_within * trial.readings as f64;
        if trial.holds && within >= SHARE_TRIED * readings {
            shortest = Some(round_up(trial.truth_ns));
        } else if trial.share_within < HOPELESS_SHARE {
            break;
        }
    }
    shortest
}

/// Rounds up to two significant digits.
fn round_up(value: f64) -> f64 {
    if !(value.is_finite() && value > 0.0) {
        return value;
    }
    let unit = 10.0_f64.powf(value.log10().floor() - 1.0);
    // A small tolerance, so that 2.3 µs stays 2.3 µs whatever the quotient's last bit.
    ((value / unit - 1e-9).ceil() * unit * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_claim_follows_the_larger_error() {
        let empty = Distribution::of(vec![22.0; 100]);
        assert_eq!(claimed_interval_ns(&empty, Some(1.0), 0.01), Some(2200.0));
        assert_eq!(claimed_interval_ns(&empty, Some(100.0), 0.01), Some(10_000.0));
        assert_eq!(claimed_interval_ns(&Distribution::default(), None, 0.01), None);
    }

    const QUIET: Quiet = Quiet { probe_ticks: 130, work_ns: 5.0 };

    fn batch(truth_ns: f64, probe_ticks: u64) -> Batch {
        Batch { truth_ns, probe_ticks }
    }

    fn readings(ticks: i64, work_ns: f64, probe_ticks: u64) -> Vec<Reading> {
        vec![Reading { length: 1.0, ticks, work_ns, probe_ticks }; 20]
    }

    #[test]
    fn quiet_readings_are_judged_by_their_own_round() {
        let mut mixed = readings(1005, 1000.0, 100);
        mixed.extend(readings(1400, 1000.0, 200));
        let rounds = [
            Round { before: batch(1000.0, 100), readings: mixed, after: batch(1000.0, 110) },
            Round { before: batch(1999.0, 100), readings: readings(2010, 2000.0, 100), after: batch(2001.0, 100) },
            Round { before: batch(1000.0, 100), readings: readings(1300, 1000.0, 100), after: batch(1300.0, 100) },
            Round { before: batch(1000.0, 100), readings: readings(1300, 1000.0, 100), after: batch(1000.0, 200) },
        ]
        .map(|round| (QUIET, round));
        let found = trial(&rounds, 0.01, Rate::NANOSECONDS).unwrap();
        assert!((found.error_pct_p50 - 0.5).abs() < 1e-9);
        assert!(found.holds);
        assert_eq!((found.readings_made, found.readings), (100, 40));
        assert_eq!(trial(&[], 0.01, Rate::NANOSECONDS), None);
    }

    #[test]
    fn a_reading_whose_work_was_disturbed_does_not_count_and_one_that_the_clock_got_wrong_does() {
        let of = |ticks: i64, work_ns: f64| {
            let mut mixed = readings(1005, 1000.0, 100);
            mixed.extend(readings(1000, 1000.0, 100));
            mixed.extend(readings(ticks, work_ns, 100));
            let round = Round { before: batch(1000.0, 100), readings: mixed, after: batch(1000.0, 100) };
            trial(&[(QUIET, round)], 0.01, Rate::NANOSECONDS).unwrap()
        };
        let disturbed = of(1300, 1290.0);
        assert_eq!((disturbed.readings_made, disturbed.readings, disturbed.holds), (60, 40, true));
        for ticks in [980, 1300] {
            let wrong = of(ticks, 1009.0);
            assert_eq!((wrong.readings, wrong.holds), (60, false));
        }
        let too_slow_batches = of(1005, 985.0);
        assert_eq!(too_slow_batches.readings, 40);
    }

    /// A clock with ticks of 10 ns whose reads begin in one phase: at some lengths all are right, and at others all are wrong.
    #[test]
    fn lengths_over_a_whole_step_show_what_one_length_hides() {
        let found = |lengths: &[f64]| {
            let of_length = |length: &f64| {
                let truth_ns = 1_600.0 * length;
                let ticks = 10 * ((truth_ns + 20.0) / 10.0) as i64;
                Reading { length: *length, ticks, work_ns: truth_ns, probe_ticks: 100 }
            };
            let readings = lengths.iter().cycle().take(60).map(of_length).collect();
            let round = Round { before: batch(1_600.0, 100), readings, after: batch(1_600.0, 100) };
            trial(&[(QUIET, round)], 0.01, Rate::NANOSECONDS).unwrap()
        };
        let over_a_step: Vec<f64> = (0..10).map(|ns| 1.0 + f64::from(ns) / 1_600.0).collect();
        assert_eq!([&over_a_step[5..6], &over_a_step].map(|lengths| found(lengths).holds), [true, false]);
    }

    #[test]
    fn the_error_behind_both_claims_is_the_larger() {
        assert!((claimed(1900.0, 200.0).claimed_error_ns() - 20.0).abs() < 1e-9);
        assert_eq!(TimedIntervals::default().claimed_error_ns(), 0.0);
    }

    #[test]
    fn a_quiet_probe_costs_its_turns_and_the_timer() {
        let rate = Rate::from_hz(2_000_000_000).unwrap();
        assert_eq!(quiet_probe_ticks(0.33, 0.0, 36, rate), 264 + 72);
    }

    /// Zen 5, whose counter moves in 26 ticks: a program that read the timer 5 ns more slowly found no probe quiet.
    #[test]
    fn a_timer_that_is_slow_to_read_disturbs_no_probe() {
        let rate = Rate::from_hz(2_600_000_000).unwrap();
        assert_eq!(quiet_probe_ticks(0.28, 51.4, 26, rate), 291 + 51 + 52);
    }

    #[test]
    fn a_few_quiet_readings_are_no_trial() {
        let round =
            Round { before: batch(1000.0, 100), readings: readings(1005, 1000.0, 100), after: batch(1000.0, 100) };
        assert_eq!(trial(&[(QUIET, round)], 0.01, Rate::NANOSECONDS), None);
    }

    fn tried(truth_ns: f64, share_within: f64) -> IntervalTrial {
        IntervalTrial {
            tolerance_pct: 1.0,
            truth_ns,
            readings_made: 100,
            readings: 100,
            error_pct_p50: 0.0,
            error_pct_abs_p95: 0.0,
            share_within,
            holds: share_within >= SHARE_TRIED,
        }
    }

    #[test]
    fn a_shorter_trial_that_held_by_luck_does_not_count() {
        let trials = [tried(1000.0, 0.99), tried(2000.0, 0.5), tried(4000.0, 0.98), tried(8000.0, 0.99)];
        assert_eq!(confirmed_interval_ns(&trials, 1.0), Some(4000.0));
        assert_eq!(confirmed_interval_ns(&[tried(1000.0, 0.99), tried(2000.0, 0.5)], 1.0), None);
        assert_eq!(confirmed_interval_ns(&trials, 10.0), None);
    }

    #[test]
    fn a_longer_trial_that_just_missed_does_not_spoil_the_rest() {
        let trials = [tried(1000.0, 0.5), tried(2000.0, 0.98), tried(4000.0, 0.99), tried(8000.0, 0.975)];
        assert_eq!(confirmed_interval_ns(&trials, 1.0), Some(2000.0));
    }

    /// Rounds of work of `truth_ns`, which a clock reads `error_ns` too long; enough for a trial.
    fn rounds(truth_ns: f64, error_ns: f64) -> Vec<(Quiet, Round)> {
        let read = readings((truth_ns + error_ns) as i64, truth_ns, 100);
        let round = Round { before: batch(truth_ns, 100), readings: read, after: batch(truth_ns, 100) };
        vec![(QUIET, round); 3]
    }

    fn claimed(within_1pct: f64, within_10pct: f64) -> TimedIntervals {
        let claim = DirectInterval { within_1pct: Some(within_1pct), within_10pct: Some(within_10pct) };
        TimedIntervals::claimed(claim)
    }

    /// Trials of every length up to `longest_ns` with a clock whose error is `error_ns`.
    fn tried_with(timed: &mut TimedIntervals, open: &[Tolerance], error_ns: f64, longest_ns: f64) {
        let lengths = timed.trial_lengths(open);
        let of = |(_, length): &(Tolerance, f64)| match *length <= longest_ns {
            true => rounds(*length, error_ns),
            false => Vec::new(),
        };
        let rounds: Vec<_> = lengths.iter().map(of).collect();
        let found = trials(&lengths, &rounds, Rate::NANOSECONDS);
        timed.confirm(found, reason_no_trial(&rounds));
    }

    #[test]
    fn longer_intervals_that_did_not_hold_are_exceptions_to_what_was_confirmed() {
        let within_10pct = IntervalTrial { tolerance_pct: 10.0, ..tried(240.0, 0.9) };
        let trials = vec![tried(2_000.0, 0.9), tried(2_400.0, 0.99), tried(7_200.0, 0.9), within_10pct];
        let direct_interval_ns = DirectInterval { within_1pct: Some(2_400.0), within_10pct: None };
        let found = TimedIntervals { direct_interval_ns, trials, ..claimed(2_000.0, 200.0) }.promise();
        assert_eq!(found.exceptions, [tried(7_200.0, 0.9)]);
    }

    #[test]
    fn short_lengths_are_tried_first_whichever_tolerance_they_are_for() {
        let lengths = claimed(80_000.0, 8_000.0).trial_lengths(&Tolerance::ALL);
        assert!(lengths.is_sorted_by(|a, b| a.1 <= b.1) && lengths.len() == 18);
        assert_eq!(lengths[0].0, Tolerance::TenPercent);
        let lengths = claimed(200_000.0, 20_000.0).trial_lengths(&Tolerance::ALL);
        assert!(lengths.iter().all(|(of, _)| *of == Tolerance::TenPercent) && lengths.len() == 9);
    }

    #[test]
    fn what_was_not_tried_keeps_its_claim() {
        let mut timed = claimed(80_000.0, 8_000.0);
        tried_with(&mut timed, &Tolerance::ALL, 500.0, 10_000.0);
        assert_eq!(timed.shortest(Tolerance::TenPercent), ShortestInterval::Confirmed(5_700.0));
        assert_eq!(timed.shortest(Tolerance::OnePercent), ShortestInterval::Claimed(80_000.0));
        assert!(!timed.validated && timed.reason_unvalidated.unwrap().contains("undisturbed"));
        // Nor is no trial at all a refutation.
        let mut timed = claimed(80_000.0, 8_000.0);
        tried_with(&mut timed, &Tolerance::ALL, 500.0, 0.0);
        assert_eq!(timed.shortest(Tolerance::TenPercent), ShortestInterval::Claimed(8_000.0));
        assert!(!timed.validated && !timed.reason_unvalidated.unwrap().contains("undisturbed"));
    }

    #[test]
    fn longer_lengths_help_where_the_short_ones_failed() {
        // An emulated HPET: eight times the claim is not enough, but the lengths tried for 1 % suffice for 10 %.
        let mut timed = claimed(80_000.0, 8_000.0);
        tried_with(&mut timed, &Tolerance::ALL, 12_000.0, f64::INFINITY);
        let ShortestInterval::Confirmed(from) = timed.shortest(Tolerance::TenPercent) else { panic!("{timed:?}") };
        assert!((120_000.0..=170_000.0).contains(&from), "{from}");
        let ShortestInterval::NotConfirmed { tried_to_ns, error_ns, expected_from_ns, kept, .. } =
            timed.shortest(Tolerance::OnePercent)
        else {
            panic!("{timed:?}")
        };
        assert_eq!(kept, None);
        assert_eq!((tried_to_ns, error_ns.round(), expected_from_ns.round()), (640_000.0, 12_000.0, 1_200_000.0));
        assert!(timed.validated && timed.reason_unvalidated.is_some());
        // A second attempt tries longer ones, and keeps those already confirmed.
        tried_with(&mut timed, &[Tolerance::OnePercent], 12_000.0, f64::INFINITY);
        assert_eq!(timed.shortest(Tolerance::OnePercent), ShortestInterval::Confirmed(1_300_000.0));
        assert_eq!(timed.shortest(Tolerance::TenPercent), ShortestInterval::Confirmed(from));
        assert_eq!(timed.reason_unvalidated, None);
    }

    proptest! {
        #[test]
        fn rounding_up_never_loses(value in 1e-3_f64..1e15) {
            let rounded = round_up(value);
            prop_assert!(rounded >= value * (1.0 - 1e-6) && rounded <= value * 1.1 + 1e-6, "{} {}", value, rounded);
        }
    }
}
