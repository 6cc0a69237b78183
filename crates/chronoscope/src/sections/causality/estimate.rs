use chronoscope_clock::Rate;

use super::{litmus as litmus_task, offset};
use crate::sections::causality::report::{Litmus, PairOffset};
use crate::sections::clocks::granularity::estimate::step_ns;
use chronoscope_harness::record::Disturbance;
use chronoscope_harness::stats::rate_upper_95;

/// The offset between two CPUs: the midpoint of the bounds given by the shortest trips each way, with its half-width.
///
/// A clock that moves in steps reads up to one step too early, so the half-width grows by one step.
///
/// # Sources
/// The bound of D. Mills' clock filter (RFC 5905, section 8), whose half-width is half the round trip.
pub fn pair_offset(
    request: &offset::Request,
    samples: &offset::Samples,
    rate: Rate,
    disturbance: Disturbance,
) -> PairOffset {
    let trips = samples.trips;
    let (there, back) = (rate.ns_of_mean(trips.there as f64), rate.ns_of_mean(trips.back as f64));
    PairOffset {
        clock: request.source.clone(),
        a: request.a,
        b: request.b,
        rounds: trips.rounds,
        offset_ns: (there - back) / 2.0,
        half_width_ns: ((there + back) / 2.0).max(0.0) + step_ns(&samples.steps, rate),
        violations: trips.violations,
        disturbance,
    }
}

/// One row of the litmus.
///
/// A repeated value adds hardly any evidence: the reader has already passed it. So only new values bound the rate of
/// violations if there were none.
pub fn litmus(
    request: &litmus_task::Request,
    samples: &litmus_task::Samples,
    rate: Rate,
    disturbance: Disturbance,
) -> Litmus {
    Litmus {
        name: request.source.clone(),
        writer: request.writer,
        reader: request.reader,
        observations: samples.observations,
        fresh: samples.fresh,
        violations: samples.violations,
        worst_ns: rate.ns_of_mean(samples.worst_ticks as f64),
        rate_upper_95: match samples.violations {
            0 => rate_upper_95(0, samples.fresh),
            violations => rate_upper_95(violations, samples.observations),
        },
        disturbance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::clocks::granularity::task::Steps;

    fn pair(there: i64, back: i64, steps: Steps) -> PairOffset {
        let request = offset::Request { source: "fake".into(), a: 0, b: 1, rounds: 9 };
        let trips = offset::Trips { rounds: 9, there, back, violations: 0 };
        pair_offset(&request, &offset::Samples { trips, steps }, Rate::NANOSECONDS, Disturbance::default())
    }

    #[test]
    fn the_offset_lies_in_the_middle_of_its_bounds() {
        let pair = pair(-590, 610, Steps::default());
        assert_eq!((pair.offset_ns, pair.half_width_ns), (-600.0, 10.0));
        assert!(pair.shows_skew());
        assert_eq!(pair.skew_not_excluded_ns(), 610.0);
    }

    #[test]
    fn an_offset_within_its_bound_shows_no_skew() {
        assert!(!pair(50, 60, Steps::default()).shows_skew());
    }

    #[test]
    fn a_clock_of_long_steps_excludes_no_skew_below_one() {
        let steps = Steps { changes: vec![1000; 40], reads: 4096, unchanged: 4056 };
        assert_eq!(pair(0, 0, steps).skew_not_excluded_ns(), 1000.0);
    }
}
