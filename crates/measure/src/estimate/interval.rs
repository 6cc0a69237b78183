use chronoscope_clock::Rate;

use crate::record::IntervalTrial;
use crate::stats::Distribution;
use crate::task::interval::{CANARY_TURNS, Round};

/// The lengths that are tried, as multiples of the claim.
pub const TRIAL_MULTIPLES: [f64; 9] = [0.35, 0.5, 0.71, 1.0, 1.41, 2.0, 2.83, 4.0, 8.0];
/// The share of readings that must lie within the tolerance.
const SHARE_REQUIRED: f64 = 0.95;
/// A length of which so few readings do ends the search: shorter ones that hold do so by luck.
const HOPELESS_SHARE: f64 = 0.85;

/// The shortest interval that a clock should time within `tolerance`, from what it reads for empty intervals.
///
/// A reading errs by what an empty interval reads, which is the time from the instant the first read samples the clock
/// to the instant the second does, and by up to one step of the clock. The claim is the larger of the two errors,
/// divided by the tolerance and rounded up to two digits.
pub fn claimed_interval_ns(empty_ns: &Distribution, granularity_ns: Option<f64>, tolerance: f64) -> Option<f64> {
    let magnitude = Distribution::of_counts(empty_ns.counts().iter().map(|(ns, count)| (ns.abs(), *count)));
    let error = magnitude.quantile(SHARE_REQUIRED)?.max(granularity_ns.unwrap_or(0.0));
    (error > 0.0 && tolerance > 0.0).then(|| round_up(error / tolerance))
}

/// Fewer readings in quiet moments than this prove nothing of a length.
const FEWEST_READINGS: u64 = 40;

/// The most that a canary takes in a quiet moment, in ticks of the timer, where a turn of the empty loop then costs at
/// most `quiet_turn_ns`.
///
/// A canary costs its turns, two readings' worth of the timer's error, and no more.
pub fn quiet_canary_ticks(quiet_turn_ns: f64, timer_error_ticks: u64, rate: Rate) -> u64 {
    let tick_ns = rate.ns_of_mean(1.0);
    (CANARY_TURNS as f64 * quiet_turn_ns / tick_ns) as u64 + 2 * timer_error_ticks
}

/// One length of work on trial: readings beside the truth of their own round. None if too few were quiet.
///
/// Each round comes with what its process's canaries take in quiet moments. The work does not take the same time
/// whatever happens: an interrupt or a busy neighbour lengthens it, and a clock that reads so is right. So only readings
/// between two quiet canaries count, in rounds whose batches were quiet too and agree within half the tolerance.
pub fn trial(rounds: &[(u64, Round)], tolerance: f64, rate: Rate) -> Option<IntervalTrial> {
    let is_quiet = |(quiet_ticks, round): &&(u64, Round)| {
        let (before, after) = (round.before, round.after);
        before.canary_ticks.max(after.canary_ticks) <= *quiet_ticks
            && before.truth_ns > 0.0
            && (after.truth_ns / before.truth_ns - 1.0).abs() <= tolerance / 2.0
    };
    let truth_ns = |round: &Round| f64::midpoint(round.before.truth_ns, round.after.truth_ns);
    let mut errors = Vec::new();
    let mut truths = Vec::new();
    for (quiet_ticks, round) in rounds.iter().filter(is_quiet) {
        let truth_ns = truth_ns(round);
        truths.push(truth_ns);
        for reading in round.readings.iter().filter(|reading| reading.canary_ticks <= *quiet_ticks) {
            errors.push((rate.ns_of_mean(reading.ticks as f64) / truth_ns - 1.0) * 100.0);
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
        holds: share_within >= SHARE_REQUIRED,
    })
}

/// The shortest trial of `tolerance_pct` that held and from which on the readings of all lengths together held, rounded
/// up to two digits.
///
/// Together, because at a busy moment any one length can fall a little short of 95 readings in 100.
pub fn confirmed_interval_ns(trials: &[IntervalTrial], tolerance_pct: f64) -> Option<f64> {
    let mut of_tolerance: Vec<&IntervalTrial> =
        trials.iter().filter(|trial| trial.tolerance_pct == tolerance_pct).collect();
    of_tolerance.sort_by(|a, b| b.truth_ns.total_cmp(&a.truth_ns));
    let (mut readings, mut within, mut shortest) = (0.0, 0.0, None);
    for trial in of_tolerance {
        readings += trial.readings as f64;
        within += trial.share_within * trial.readings as f64;
        if trial.holds && within >= SHARE_REQUIRED * readings {
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
    // A hair of slack, so that 2.3 µs stays 2.3 µs whatever the last bit of the quotient says.
    ((value / unit - 1e-9).ceil() * unit * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::interval::{Batch, Reading};
    use proptest::prelude::*;

    #[test]
    fn the_claim_follows_the_larger_error() {
        let empty = Distribution::of(vec![22.0; 100]);
        assert_eq!(claimed_interval_ns(&empty, Some(1.0), 0.01), Some(2200.0));
        assert_eq!(claimed_interval_ns(&empty, Some(100.0), 0.01), Some(10_000.0));
        assert_eq!(claimed_interval_ns(&Distribution::default(), None, 0.01), None);
    }

    const QUIET: u64 = 130;

    fn batch(truth_ns: f64, canary_ticks: u64) -> Batch {
        Batch { truth_ns, canary_ticks }
    }

    fn readings(ticks: i64, canary_ticks: u64) -> Vec<Reading> {
        vec![Reading { ticks, canary_ticks }; 20]
    }

    #[test]
    fn quiet_readings_are_judged_by_their_own_round() {
        let mut mixed = readings(1005, 100);
        mixed.extend(readings(1400, 200));
        let rounds = [
            Round { before: batch(1000.0, 100), readings: mixed, after: batch(1000.0, 110) },
            Round { before: batch(1999.0, 100), readings: readings(2010, 100), after: batch(2001.0, 100) },
            Round { before: batch(1000.0, 100), readings: readings(1300, 100), after: batch(1300.0, 100) },
            Round { before: batch(1000.0, 100), readings: readings(1300, 100), after: batch(1000.0, 200) },
        ]
        .map(|round| (QUIET, round));
        let found = trial(&rounds, 0.01, Rate::NANOSECONDS).unwrap();
        assert!((found.error_pct_p50 - 0.5).abs() < 1e-9);
        assert!(found.holds);
        assert_eq!((found.readings_made, found.readings), (100, 40));
        assert_eq!(trial(&[], 0.01, Rate::NANOSECONDS), None);
    }

    #[test]
    fn a_quiet_canary_costs_its_turns_and_the_timer() {
        let rate = Rate::from_hz(2_000_000_000).unwrap();
        assert_eq!(quiet_canary_ticks(0.33, 36, rate), 264 + 72);
    }

    #[test]
    fn a_few_quiet_readings_are_no_trial() {
        let round = Round { before: batch(1000.0, 100), readings: readings(1005, 100), after: batch(1000.0, 100) };
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
            holds: share_within >= SHARE_REQUIRED,
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
        let trials = [tried(1000.0, 0.5), tried(2000.0, 0.98), tried(4000.0, 0.99), tried(8000.0, 0.94)];
        assert_eq!(confirmed_interval_ns(&trials, 1.0), Some(2000.0));
    }

    proptest! {
        #[test]
        fn rounding_up_never_loses(value in 1e-3_f64..1e15) {
            let rounded = round_up(value);
            prop_assert!(rounded >= value * (1.0 - 1e-6) && rounded <= value * 1.1 + 1e-6, "{} {}", value, rounded);
        }
    }
}
