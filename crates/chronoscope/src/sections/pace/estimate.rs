use std::time::Duration;

use chronoscope_clock::Instant;
use chronoscope_clock::pacer::{Behind, Late, PaceRecord};
use hdrhistogram::Histogram;

use super::plan::PacePlan;
use crate::sections::pace::report::{LateCause, LatestEvent, LatestOverTime, Pace};
use chronoscope_harness::estimators::peaks::Peaks;
use chronoscope_harness::record::{Bin, Histogram as Bins, Times};

/// The clock that paced.
#[derive(Clone, Copy, Debug, Default)]
pub struct PaceClock {
    /// How far each reading may be off.
    pub error: Duration,
    /// The step in which it moves.
    pub step: Duration,
}

/// The events in `record`; `ends` are the intended time of the first and the start of the last.
pub fn pace(plan: &PacePlan, record: &PaceRecord, ends: Option<(Instant, Instant)>, clock: PaceClock) -> Pace {
    let step_ns = u64::try_from(clock.step.as_nanos()).unwrap_or(u64::MAX).max(1);
    let rate_error_ppm = rate_error_ppm(plan, record);
    let (caller, machine, pacer) = record.late_by();
    let late = (caller + machine + pacer).as_secs_f64();
    let share = |part: Duration| if late > 0.0 { part.as_secs_f64() / late } else { 0.0 };
    Pace {
        rate_per_s: plan.pace.hz(),
        for_ms: u64::try_from(plan.length.as_millis()).unwrap_or(u64::MAX),
        poisson: plan.poisson.is_some(),
        behind: match plan.behind {
            Behind::CatchUp => "catch_up",
            Behind::CatchUpWithin(_) => "catch_up_within",
            Behind::Skip => "skip",
            Behind::Slip => "slip",
            _ => unreachable!("a plan has no other"),
        }
        .to_owned(),
        most_late_ms: match plan.behind {
            Behind::CatchUpWithin(limit) => Some(limit.as_secs_f64() * 1e3),
            _ => None,
        },
        stall_ms: plan.stall.map(|stall| stall.as_secs_f64() * 1e3),
        events: record.events(),
        missed: record.skipped(),
        slipped_ms: record.slipped().as_secs_f64() * 1e3,
        achieved_per_s: achieved_per_s(plan, record, rate_error_ppm, ends),
        rate_error_ppm,
        rate_error_bound_ppm: rate_error_ppm.and_then(|_| record.rate().error_bound_ppm(clock.error)),
        clock_step_ns: Some(step_ns as f64),
        lateness_ns: times(record.lateness(), step_ns),
        response_ns: times(record.response(), step_ns),
        service_ns: times(record.service(), step_ns),
        late_share_caller: share(caller),
        late_share_machine: share(machine),
        late_share_pacer: share(pacer),
        ..Pace::default()
    }
}

/// What made most of an event's lateness; the earlier of [`LateCause::ALL`] where two made as much.
pub fn main_cause(late: &Late) -> LateCause {
    let [caller, machine, pacer] = [late.by_caller, late.by_machine, late.by_pacer];
    if caller >= machine.max(pacer) {
        LateCause::Caller
    } else if machine >= pacer {
        LateCause::Machine
    } else {
        LateCause::Pacer
    }
}

/// The latest events of the run, as late as `seen` counts them; None without any.
pub fn over_time(latest: &Peaks<LateCause>, seen: &Histogram<u64>) -> Option<LatestOverTime> {
    let event = |(from, late_ns, cause): (Duration, u64, &LateCause)| LatestEvent {
        from_ms: from.as_secs_f64() * 1e3,
        late_ns: seen.highest_equivalent(late_ns.clamp(1, seen.high())) as f64,
        cause: *cause,
    };
    let latest_events: Vec<LatestEvent> = latest.iter().filter(|(_, late_ns, _)| *late_ns > 0).map(event).collect();
    let interval_ms = latest.width().as_secs_f64() * 1e3;
    (!latest_events.is_empty()).then_some(LatestOverTime { interval_ms, latest: latest_events })
}

/// Random times have a rate of their own; a steady rate is fitted to all events, not just the two at its ends.
fn rate_error_ppm(plan: &PacePlan, record: &PaceRecord) -> Option<f64> {
    plan.poisson.is_none().then(|| record.rate().error_ppm()).flatten()
}

fn achieved_per_s(
    plan: &PacePlan,
    record: &PaceRecord,
    rate_error_ppm: Option<f64>,
    ends: Option<(Instant, Instant)>,
) -> Option<f64> {
    if let Some(ppm) = rate_error_ppm {
        return Some(plan.pace.hz() * (1.0 + ppm * 1e-6));
    }
    let whole = ends.map(|(first, last)| last.duration_since(first)).filter(|whole| *whole > Duration::ZERO)?;
    Some(record.events().saturating_sub(1) as f64 / whole.as_secs_f64())
}

/// Bins are octaves of the clock's step: it tells no finer ones apart.
fn times(seen: &Histogram<u64>, step_ns: u64) -> Times {
    let at = |quantile| seen.value_at_quantile(quantile) as f64;
    let mut low = 0;
    let octaves = seen.iter_log(step_ns, 2.0).map(|octave| {
        let (from, to) = (low, octave.value_iterated_to().saturating_add(1));
        low = to;
        Bin { from_ns: from as f64, to_ns: to as f64, count: octave.count_since_last_iteration() }
    });
    let bins = octaves.filter(|bin| bin.count > 0).collect();
    Times {
        mean: Some(seen.mean()),
        p50: at(0.5),
        p90: at(0.9),
        p99: at(0.99),
        p999: at(0.999),
        max: seen.max() as f64,
        histogram: Bins { bins },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octaves_hold_every_value() {
        let mut seen = Histogram::new_with_bounds(1, 1 << 40, 3).unwrap();
        for ns in [0, 1, 2, 3, 100, 5_000, 5_001, 1 << 30] {
            seen.record(ns).unwrap();
        }
        let found = times(&seen, 1);
        assert_eq!(found.histogram.count(), 8);
        assert!(found.histogram.bins.windows(2).all(|pair| pair[0].to_ns <= pair[1].from_ns));
        assert_eq!(found.max, seen.max() as f64);
    }

    #[test]
    fn no_bin_is_finer_than_the_clocks_step() {
        let mut seen = Histogram::new_with_bounds(1, 1 << 40, 3).unwrap();
        for ns in [0, 1, 5, 10, 11, 12, 35, 5_000] {
            seen.record(ns).unwrap();
        }
        let bins = times(&seen, 11).histogram.bins;
        assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), 8);
        assert_eq!((bins[0].from_ns, bins[0].to_ns, bins[0].count), (0.0, 11.0, 4));
        assert!(bins.iter().all(|bin| bin.to_ns - bin.from_ns >= 11.0), "{bins:?}");
    }

    #[test]
    fn an_event_is_late_by_what_made_most_of_it() {
        let of = |[by_caller, by_machine, by_pacer]: [u64; 3]| {
            let mut late = Late::default();
            [late.by_caller, late.by_machine, late.by_pacer] =
                [by_caller, by_machine, by_pacer].map(Duration::from_nanos);
            main_cause(&late)
        };
        assert_eq!([[5, 4, 4], [4, 5, 4], [4, 4, 5]].map(of), LateCause::ALL);
        assert_eq!([[5, 5, 0], [0, 5, 5]].map(of), [LateCause::Caller, LateCause::Machine]);
    }

    #[test]
    fn the_latest_events_are_as_late_as_the_histogram_has_them() {
        let ms = Duration::from_millis;
        let mut seen = Histogram::new_with_bounds(1, 1 << 48, 3).unwrap();
        let mut latest = Peaks::within(ms(1_000), ms(1));
        for (at, late_ns) in [(1, 0), (7, 1_234_567), (8, 40), (503, 99)] {
            seen.record(late_ns).unwrap();
            latest.add(ms(at), late_ns, LateCause::Pacer);
        }
        let found = over_time(&latest, &seen).unwrap();
        let told: Vec<(f64, f64)> = found.latest.iter().map(|event| (event.from_ms, event.late_ns)).collect();
        assert_eq!((found.interval_ms, told), (5.0, vec![(5.0, seen.max() as f64), (500.0, 99.0)]));
        assert_eq!(over_time(&Peaks::every(ms(1)), &seen), None);
    }

    #[test]
    fn no_events_have_no_rate() {
        let plan = PacePlan {
            pace: chronoscope_clock::pacer::Pace::per_second(10).unwrap(),
            length: Duration::from_secs(1),
            behind: Behind::Skip,
            poisson: None,
            stall: None,
            real_time: false,
        };
        let found = pace(&plan, &PaceRecord::new(), None, PaceClock::default());
        assert_eq!((found.events, found.achieved_per_s, found.rate_error_ppm), (0, None, None));
        assert_eq!((found.behind.as_str(), found.late_share_pacer), ("skip", 0.0));
    }
}
