use chronoscope_sources::{Rate, SourceId, Unit};

use super::litmus::{self as litmus_task, LitmusTask};
use super::offset::{self, OffsetTask};
use crate::sections::causality::report::{Litmus, PairOffset};
use chronoscope_harness::estimators::steps::step_ns;
use chronoscope_harness::quantity::ns;
use chronoscope_harness::record::{Disturbance, Quantiles};

/// The offset between two CPUs: the midpoint of the bounds given by the shortest trips each way, with its half-width.
///
/// A clock that moves in steps reads up to one step too early, so the half-width grows by one step. `rate` may be off by
/// `within_ppm`, so it grows by that share of the offset too. Messages take time, so that the trips of two clocks at a constant
/// offset add up to more than nothing; where they do not, no offset holds for all of them.
///
/// # Sources
/// The bound of D. Mills' clock filter (RFC 5905, section 8), whose half-width is half the round trip.
pub fn pair_offset(
    request: &OffsetTask,
    samples: &offset::Samples,
    rate: Rate,
    within_ppm: f64,
    disturbance: Disturbance,
) -> PairOffset {
    let trips = samples.trips;
    let (there, back) = (rate.ns_of_mean(trips.there as f64), rate.ns_of_mean(trips.back as f64));
    let (both_ns, step_ns) = (there + back, step_ns(&samples.steps, rate));
    let is_constant = both_ns / 2.0 + step_ns > 0.0;
    let reason_not_constant = (!is_constant).then(|| {
        format!("the two did not keep their distance: the shortest trips there and back add up to {}", ns(both_ns))
    });
    let offset_ns = (there - back) / 2.0;
    let trips_ns = if is_constant { both_ns / 2.0 } else { both_ns.abs() / 2.0 };
    PairOffset {
        clock: request.source.clone(),
        a: request.a,
        b: request.b,
        rounds: trips.rounds,
        offset_ns,
        half_width_ns: trips_ns + step_ns + offset_ns.abs() * within_ppm * 1e-6,
        reason_not_constant,
        violations: trips.violations,
        round_trip_ns: Some(quantiles(samples.round_trips, rate)),
        disturbance,
    }
}

/// One row of the litmus.
pub fn litmus(request: &LitmusTask, samples: &litmus_task::Samples, rate: Rate, disturbance: Disturbance) -> Litmus {
    let seen = samples.seen;
    Litmus {
        name: request.source.clone(),
        writer: request.writer,
        reader: request.reader,
        observations: seen.observations,
        fresh: seen.fresh,
        violated: Some(seen.violated),
        violations: seen.violations,
        worst_ns: rate.ns_of_mean(seen.worst_ticks as f64),
        back_ns: samples.back.map(|back| quantiles(back, rate)),
        by_one_count: seen.worst_ticks == 1 && request.source.known().is_some_and(counts),
        disturbance,
    }
}

/// A median and a 99th percentile.
fn quantiles(ticks: [u64; 2], rate: Rate) -> Quantiles {
    let [p50, p99] = ticks.map(|ticks| rate.ns_of_mean(ticks as f64));
    Quantiles { p50, p99 }
}

/// Whether it reads the CPU's counter, in counts.
fn counts(id: SourceId) -> bool {
    id.facts().unit == Unit::CounterTicks
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::estimators::steps::Steps;
    use chronoscope_sources::causality::Observations;
    use chronoscope_sources::os::OsClock;

    #[test]
    fn a_step_back_by_one_count_is_told_from_longer_ones() {
        let of = |source: SourceId, worst_ticks| {
            let request = LitmusTask { source: source.into(), writer: 0, reader: 1 };
            let seen = Observations { observations: 9, fresh: 9, violations: 3, worst_ticks, ..Default::default() };
            let samples = litmus_task::Samples { seen, back: Some([1, worst_ticks]) };
            let row = litmus(&request, &samples, Rate::NANOSECONDS, Disturbance::default());
            assert_eq!(row.back_ns, Some(Quantiles { p50: 1.0, p99: worst_ticks as f64 }));
            (row.by_one_count, row.steps_back())
        };
        assert_eq!(of(SourceId::CounterOrdered, 1), (true, false));
        assert_eq!(of(SourceId::CounterOrdered, 2), (false, true));
        // A nanosecond is a step of this clock.
        assert_eq!(of(SourceId::Os(OsClock::Monotonic), 1), (false, true));
    }

    fn pair(there: i64, back: i64, steps: Steps) -> PairOffset {
        pair_within(0.0, there, back, steps)
    }

    fn pair_within(within_ppm: f64, there: i64, back: i64, steps: Steps) -> PairOffset {
        let request = OffsetTask { source: "fake".into(), a: 0, b: 1, rounds: 9 };
        let trips = offset::Trips { rounds: 9, there, back, violations: 0 };
        let samples = offset::Samples { trips, round_trips: [60, 75], steps };
        pair_offset(&request, &samples, Rate::NANOSECONDS, within_ppm, Disturbance::default())
    }

    #[test]
    fn the_offset_lies_in_the_middle_of_its_bounds() {
        let pair = pair(-590, 610, Steps::default());
        assert_eq!((pair.offset_ns, pair.half_width_ns), (-600.0, 10.0));
        assert!(pair.shows_skew());
        assert_eq!(pair.skew_not_excluded_ns(), 610.0);
        assert_eq!(pair.round_trip_ns, Some(Quantiles { p50: 60.0, p99: 75.0 }));
    }

    #[test]
    fn an_offset_is_known_no_better_than_the_frequency_it_is_counted_by() {
        let found = pair_within(20_000.0, -59_000_100, 59_000_300, Steps::default());
        assert_eq!((found.offset_ns, found.half_width_ns), (-59_000_200.0, 100.0 + 59_000_200.0 * 0.02));
    }

    #[test]
    fn clocks_that_did_not_keep_their_distance_have_no_offset() {
        // The clock stalls between ticks on one CPU: messages to it arrive 59 ms early, messages back at most 13 ms late.
        let found = pair(-59_000_000, 13_000_000, Steps::default());
        assert_eq!((found.offset_ns, found.half_width_ns), (-36_000_000.0, 23_000_000.0));
        let reason = found.reason_not_constant.as_deref().unwrap();
        assert!(reason.contains("46.0"), "{reason}");
        assert!(found.shows_skew());
        // Messages that take no time at all are none either.
        assert!(pair(0, 0, Steps::default()).reason_not_constant.is_some());
        // What the steps of a clock explain is no drift.
        let steps = Steps { changes: vec![1000; 40], reads: 4096, unchanged: 4056, stretches: None };
        let found = pair(-1_500, 0, steps.clone());
        assert_eq!((found.reason_not_constant, found.half_width_ns), (None, 250.0));
        assert!(pair(-1_500, -600, steps).reason_not_constant.is_some());
    }

    #[test]
    fn an_offset_within_its_bound_shows_no_skew() {
        assert!(!pair(50, 60, Steps::default()).shows_skew());
    }

    #[test]
    fn a_clock_of_long_steps_excludes_no_skew_below_one() {
        let steps = Steps { changes: vec![1000; 40], reads: 4096, unchanged: 4056, stretches: None };
        assert_eq!(pair(0, 0, steps).skew_not_excluded_ns(), 1000.0);
    }
}
