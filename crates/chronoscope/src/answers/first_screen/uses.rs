//! Which clock to use for what, and which not to.

use chronoscope_probes::RuntimeKind;
use chronoscope_sources::os::OsClock;
use chronoscope_sources::{Guarantee, SourceId};

use super::report::{Avoid, ClockUse, OneShot, Purpose, WrongFor};
use crate::answers::report::ClockVerdict;
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::sections::causality::report::{Litmus, LitmusOutcome};
use crate::sections::clocks::report::ClockReport;
use crate::sections::runtimes::report::{Runtime, TimeKind};
use chronoscope_harness::estimators::intervals::ShortestInterval;

/// Another clock is worth a line if it times intervals shorter by more than this.
const SHORTER_BY: f64 = 0.9;

/// The clocks to use, by purpose and by language.
pub fn uses(record: &Record) -> Vec<ClockUse> {
    let usual = usual(record);
    let of_durations = usual.map(|clock| {
        let across_threads = clock.causal == Some(true) && clock.causal_by_design;
        use_of(Purpose::Durations { across_threads }, clock)
    });
    let shorter = shorter(record).and_then(|verdict| clock_of(record, &verdict.name));
    let wall = known(record, SourceId::Os(OsClock::Realtime)).filter(|clock| !clock.is_coarse());
    let hot = hot_path(record, usual);
    of_durations
        .into_iter()
        .chain(shorter.map(|clock| use_of(Purpose::ShortIntervals, clock)))
        .chain(wall.map(|clock| use_of(Purpose::TimeOfDay, clock)))
        .chain(hot.map(|clock| use_of(Purpose::RustHotPath, clock)))
        .chain(record.runtimes.iter().filter_map(of_runtime))
        .collect()
}

fn clock_of<'a>(record: &'a Record, id: &ClockId) -> Option<&'a ClockReport> {
    record.clocks.iter().find(|clock| clock.available && clock.name == *id)
}

fn known(record: &Record, id: SourceId) -> Option<&ClockReport> {
    clock_of(record, &ClockId::Known(id))
}

fn use_of(purpose: Purpose, clock: &ClockReport) -> ClockUse {
    ClockUse {
        purpose,
        clock: clock.name.clone(),
        latency_ns: clock.latency_ns.as_ref().map(|latency| latency.estimate),
        path: clock.path,
        step_ns: clock.step_ns(),
    }
}

/// The clock for durations: that of the system, else the first that the verdict recommends.
fn usual(record: &Record) -> Option<&ClockReport> {
    let of_system = || known(record, SourceId::Os(OsClock::Monotonic));
    let is_steady = record.steady_os_clock().is_some();
    let recommended = || recommended(record).find_map(|verdict| clock_of(record, &verdict.name));
    if is_steady { of_system() } else { recommended() }
}

fn recommended(record: &Record) -> impl Iterator<Item = &ClockVerdict> {
    record.verdict.clocks.iter().filter(|verdict| verdict.recommended)
}

/// The recommended clock that times the shortest interval within 10 %, if that is clearly shorter than what the usual
/// one times. Both must be confirmed. Of equals, the one that times the shortest within 1 %, then the cheapest.
fn shorter(record: &Record) -> Option<&ClockVerdict> {
    let confirmed = |verdict: &ClockVerdict| confirmed_from(verdict.promise.within_10pct);
    let within_1pct = |verdict: &ClockVerdict| confirmed_from(verdict.promise.within_1pct).unwrap_or(f64::INFINITY);
    let latency = |verdict: &ClockVerdict| {
        let clock = clock_of(record, &verdict.name).and_then(|clock| clock.latency_ns.as_ref());
        clock.map_or(f64::INFINITY, |latency| latency.estimate)
    };
    let usual = usual(record)?;
    let of_usual = confirmed(recommended(record).find(|verdict| verdict.name == usual.name)?)?;
    recommended(record)
        .filter_map(|verdict| Some((verdict, confirmed(verdict)?)))
        .filter(|(_, from)| *from < of_usual * SHORTER_BY)
        .min_by(|(a, a_from), (b, b_from)| {
            let by_1pct = || within_1pct(a).total_cmp(&within_1pct(b));
            a_from.total_cmp(b_from).then_with(by_1pct).then_with(|| latency(a).total_cmp(&latency(b)))
        })
        .map(|(verdict, _)| verdict)
}

fn confirmed_from(shortest: ShortestInterval) -> Option<f64> {
    match shortest {
        ShortestInterval::Confirmed(from) => Some(from),
        _ => None,
    }
}

/// The library's cheap causal timestamp, where it is cheaper than the usual clock and nothing speaks against the counter
/// under it.
fn hot_path<'a>(record: &'a Record, usual: Option<&ClockReport>) -> Option<&'a ClockReport> {
    let latency = |clock: &ClockReport| clock.latency_ns.as_ref().map(|latency| latency.estimate);
    let clock = known(record, SourceId::Clock(Guarantee::Granular))?;
    let is_cheaper = latency(clock)? < usual.and_then(latency)?;
    (is_cheaper && clock.causal == Some(true) && record.counter_doubt().is_none()).then_some(clock)
}

/// The clock that a runtime's users time with. Programs in C read the system's.
fn of_runtime(runtime: &Runtime) -> Option<ClockUse> {
    if !runtime.available || runtime.kind == RuntimeKind::C {
        return None;
    }
    let clock = runtime.clocks.iter().find(|clock| clock.kind == TimeKind::Monotonic)?;
    Some(ClockUse {
        purpose: Purpose::Runtime { title: runtime.title() },
        clock: ClockId::Other(clock.name.clone()),
        latency_ns: clock.latency_ns.as_ref().map(|latency| latency.estimate),
        path: clock.path,
        step_ns: clock.step_ns(),
    })
}

/// Runtimes that users time with, and for which there was no time; each once.
pub fn runtimes_left(record: &Record) -> Vec<String> {
    let is_left = |runtime: &&Runtime| runtime.out_of_time && runtime.kind != RuntimeKind::C;
    let mut titles: Vec<String> = record.runtimes.iter().filter(is_left).map(Runtime::title).collect();
    titles.dedup();
    titles
}

/// What not to use: clocks that went backwards, worst first, and the wall clock for durations.
pub fn avoid(record: &Record) -> Vec<Avoid> {
    let broken = record.clocks.iter().filter(|clock| clock.available && is_broken(clock, record)).map(|clock| Avoid {
        clock: clock.name.clone(),
        purpose: WrongFor::Everything,
        backward_share: worst_share(record, &clock.name),
    });
    let is_unordered = |clock: &&ClockReport| {
        clock.available && !clock.may_be_set() && !clock.causal_by_design && !is_broken(clock, record)
    };
    let unordered = record.clocks.iter().filter(is_unordered).filter_map(|clock| {
        let backward_share = worst_share(record, &clock.name);
        backward_share.is_some().then(|| Avoid {
            clock: clock.name.clone(),
            purpose: WrongFor::BetweenThreads,
            backward_share,
        })
    });
    let wall = known(record, SourceId::Os(OsClock::Realtime)).map(|clock| Avoid {
        clock: clock.name.clone(),
        purpose: WrongFor::Durations,
        backward_share: None,
    });
    broken.chain(unordered).chain(wall).collect()
}

/// Whether it broke its promise: it went backwards within a thread, or between CPUs although it must not.
fn is_broken(clock: &ClockReport, record: &Record) -> bool {
    let in_reads = record.reads.iter().any(|reads| reads.clock == clock.name && reads.backward_steps > 0);
    let stepped = in_reads || clock.granularity.as_ref().is_some_and(|seen| seen.backward_steps > 0);
    let between = clock.causal == Some(false) && clock.causal_by_design;
    !clock.may_be_set() && (stepped || between)
}

/// The largest share of observations in which a clock went backwards between CPUs; None if it never did.
fn worst_share(record: &Record, clock: &ClockId) -> Option<f64> {
    let share = |row: &Litmus| match row.outcome() {
        LitmusOutcome::WentBack { share } if share.is_finite() => Some(share),
        _ => None,
    };
    record.causality.litmus.iter().filter(|row| row.name == *clock).filter_map(share).max_by(f64::total_cmp)
}

/// The shortest interval of the usual clock, then that of a clock which times shorter ones.
pub fn one_shot(record: &Record) -> Vec<OneShot> {
    let usual = usual(record).map(|clock| &clock.name);
    let of_usual = record.verdict.clocks.iter().find(|verdict| Some(&verdict.name) == usual);
    let one_shot = |verdict: &ClockVerdict| OneShot {
        clock: verdict.name.clone(),
        within_10pct: verdict.promise.within_10pct,
        within_1pct: verdict.promise.within_1pct,
    };
    of_usual.into_iter().chain(shorter(record)).map(one_shot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::{blank, latency, readable};
    use crate::sections::runtimes::probe::unasked;

    const MONOTONIC: &str = "CLOCK_MONOTONIC";

    fn confirmed(name: &str, from_ns: f64) -> ClockVerdict {
        let mut verdict = ClockVerdict::of(name, &Default::default());
        verdict.recommended = true;
        verdict.promise.within_10pct = ShortestInterval::Confirmed(from_ns);
        verdict
    }

    fn purposes(record: &Record) -> Vec<(Purpose, String)> {
        uses(record).into_iter().map(|each| (each.purpose, each.clock.to_string())).collect()
    }

    #[test]
    fn only_a_tested_clock_is_for_several_threads() {
        let mut record = blank();
        record.clocks.push(readable(MONOTONIC));
        let durations = |across_threads| (Purpose::Durations { across_threads }, MONOTONIC.to_owned());
        assert_eq!(purposes(&record), [durations(false)]);
        record.clocks[0].causal = Some(true);
        assert_eq!(purposes(&record), [durations(true)]);
        record.clocks[0].causal = Some(false);
        assert_eq!(purposes(&record), [], "it went backwards");
        assert_eq!(avoid(&record)[0].purpose, WrongFor::Everything);
    }

    #[test]
    fn a_finer_clock_is_named_where_it_is_clearly_finer() {
        let mut record = blank();
        record.clocks.report.clocks = ["CLOCK_MONOTONIC_RAW", MONOTONIC].map(readable).to_vec();
        let with = |record: &Record, from_ns: f64| {
            let mut record = record.clone();
            record.verdict.clocks = vec![confirmed("CLOCK_MONOTONIC_RAW", from_ns), confirmed(MONOTONIC, 200.0)];
            (one_shot(&record).len(), uses(&record).iter().any(|each| each.purpose == Purpose::ShortIntervals))
        };
        assert_eq!(with(&record, 150.0), (2, true));
        assert_eq!(with(&record, 190.0), (1, false));
        record.clocks.clear();
        assert_eq!(with(&record, 150.0), (0, false));
    }

    #[test]
    fn of_clocks_that_are_as_fine_the_one_that_is_better_within_1_percent_is_named() {
        let mut record = blank();
        record.clocks.report.clocks = ["CLOCK_BOOTTIME", "CLOCK_MONOTONIC_RAW", MONOTONIC].map(readable).to_vec();
        let mut fine = [confirmed("CLOCK_BOOTTIME", 150.0), confirmed("CLOCK_MONOTONIC_RAW", 150.0)];
        let named = |record: &Record| {
            let short = |each: &ClockUse| each.purpose == Purpose::ShortIntervals;
            uses(record).into_iter().find(short).map(|each| each.clock.to_string())
        };
        for (within_1pct, wanted) in [([2_000.0, 1_500.0], 1), ([1_500.0, 2_000.0], 0), ([1_500.0, 1_500.0], 1)] {
            fine.iter_mut().zip(within_1pct).for_each(|(verdict, from)| {
                verdict.promise.within_1pct = ShortestInterval::Confirmed(from);
            });
            record.clocks[0].latency_ns = Some(latency(14.0));
            record.clocks[1].latency_ns = Some(latency(12.0));
            record.verdict.clocks = [fine.as_slice(), &[confirmed(MONOTONIC, 200.0)]].concat();
            assert_eq!(named(&record), Some(fine[wanted].name.to_string()), "{within_1pct:?}");
        }
    }

    #[test]
    fn every_clock_that_went_backwards_between_threads_is_to_be_avoided() {
        let mut record = blank();
        record.clocks.report.clocks = ["rdtsc", "Unordered", MONOTONIC].map(readable).to_vec();
        for (clock, name) in record.clocks.report.clocks.iter_mut().zip(["rdtsc", "Unordered", MONOTONIC]) {
            clock.causal_by_design = name == MONOTONIC;
        }
        let went_back = |name: &str| Litmus {
            name: ClockId::from(name),
            writer: 0,
            reader: 1,
            observations: 10,
            fresh: 10,
            violations: 4,
            worst_ns: 1.0,
            rate_upper_95: 1.0,
            disturbance: Default::default(),
        };
        record.causality.report.litmus = vec![went_back("rdtsc"), went_back("Unordered")];
        let named: Vec<String> = avoid(&record).iter().map(|each| each.clock.to_string()).collect();
        assert_eq!(named, ["rdtsc", "Unordered"]);
    }

    #[test]
    fn the_hot_path_has_a_causal_clock_that_is_cheaper() {
        let granular = SourceId::Clock(Guarantee::Granular);
        let mut record = blank();
        record.machine.tsc.class = Some(chronoscope_harness::record::TscClass::Invariant);
        record.clocks.push(readable(MONOTONIC));
        record.clocks.push(readable(granular));
        let is_named = |record: &Record| uses(record).iter().any(|each| each.purpose == Purpose::RustHotPath);
        assert!(!is_named(&record), "nothing was measured");
        record.clocks[0].latency_ns = Some(latency(20.0));
        record.clocks[1].latency_ns = Some(latency(9.0));
        assert!(!is_named(&record), "it was not tested between CPUs");
        record.clocks[1].causal = Some(true);
        assert!(is_named(&record));
        record.clocks[1].latency_ns = Some(latency(21.0));
        assert!(!is_named(&record));
    }

    #[test]
    fn a_runtime_without_time_is_named_once_and_one_without_an_answer_is_not() {
        let left = |kind, out_of_time| Runtime { out_of_time, ..unasked(kind) };
        let mut record = blank();
        let (java, go) = (left(RuntimeKind::Java, true), left(RuntimeKind::Go, false));
        record.runtimes.report = vec![java.clone(), java, go, left(RuntimeKind::C, true)];
        assert_eq!(runtimes_left(&record), ["Java"]);
    }

    #[test]
    fn the_wall_clock_is_for_no_duration() {
        let mut record = blank();
        record.clocks.push(readable("CLOCK_REALTIME"));
        let wrong = avoid(&record);
        assert_eq!((wrong.len(), wrong[0].purpose), (1, WrongFor::Durations));
        assert_eq!(uses(&record)[0].purpose, Purpose::TimeOfDay);
        assert_eq!(uses(&record)[0].path, None);
    }
}
