use chronoscope_clock::Rate;

use crate::record::{Disturbance, Litmus, PairOffset};
use crate::stats::rate_upper_95;
use crate::task::{litmus as litmus_task, offset};

/// The offset between two CPUs: the middle of what the least trips each way allow, with half its width.
///
/// # Sources
/// The bound of D. Mills' clock filter (RFC 5905, section 8), whose half-width is half the round trip.
pub fn pair_offset(
    request: &offset::Request,
    samples: &offset::Samples,
    rate: Rate,
    disturbance: Disturbance,
) -> PairOffset {
    let (there, back) = (rate.ns_of_mean(samples.there as f64), rate.ns_of_mean(samples.back as f64));
    PairOffset {
        clock: request.source.clone(),
        a: request.a,
        b: request.b,
        rounds: samples.rounds,
        offset_ns: (there - back) / 2.0,
        half_width_ns: ((there + back) / 2.0).max(0.0),
        violations: samples.violations,
        disturbance,
    }
}

/// One row of the litmus.
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
        rate_upper_95: rate_upper_95(samples.violations, samples.observations),
        disturbance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offset_lies_in_the_middle_of_its_bounds() {
        let request = offset::Request { source: "fake".into(), a: 0, b: 1, rounds: 9 };
        let samples = offset::Samples { rounds: 9, there: -590, back: 610, violations: 9 };
        let pair = pair_offset(&request, &samples, Rate::NANOSECONDS, Disturbance::default());
        assert_eq!((pair.offset_ns, pair.half_width_ns), (-600.0, 10.0));
        assert!(pair.shows_skew());
        assert_eq!(pair.skew_not_excluded_ns(), 610.0);
    }

    #[test]
    fn an_offset_within_its_bound_shows_no_skew() {
        let request = offset::Request { source: "fake".into(), a: 0, b: 1, rounds: 9 };
        let samples = offset::Samples { rounds: 9, there: 50, back: 60, violations: 0 };
        assert!(!pair_offset(&request, &samples, Rate::NANOSECONDS, Disturbance::default()).shows_skew());
    }
}
