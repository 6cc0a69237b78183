use crate::estimate::median_of;
use chronoscope_sources::os::OsClock;
use chronoscope_sources::{Rate, SourceId};

use super::task::{Call, CallSamples, Samples};
use crate::clock_id::ClockId;
use crate::sections::thread_release::report::{PublishedRelease, ReleaseRow, ReleaseVerdict, ThreadReleaseReport};
use chronoscope_harness::record::{Disturbance, Estimate};
use chronoscope_harness::stats::{CONFIDENCE, Distribution, median_interval};

/// If the empty control costs at least this share of a call, even at the lower end of the interval, then thread wake-up
/// is what was measured, in percent. Releases differ among each other by about the rest.
const CONTROL_SHARE_PCT_LEAST: f64 = 80.0;
/// At this share, wake-up is most of the cost.
const MOST_OF_IT: f64 = 0.5;
/// The control's name.
const NOTHING: &str = "nothing";

/// Nanoseconds per call in one thread, and per thread of a release.
///
/// # Sources
/// "System.nanoTime / currentTimeMillis under concurrency", 2018, in Chinese: 100 threads on a JVM.
const PUBLISHED: [(OsClock, &str, f64, f64); 2] = [
    (OsClock::Monotonic, "System.nanoTime", 28.0, 50_855.0),
    (OsClock::Realtime, "System.currentTimeMillis", 41.0, 76_787.0),
];
const PUBLISHED_THREADS: u32 = 100;
const PUBLISHED_MACHINE: &str = "a JVM on an unnamed machine";
const PUBLISHED_SOURCE: &str = "\"System.nanoTime / currentTimeMillis under concurrency\", 2018, in Chinese";

/// The cost of calls in one thread and in `threads` released together, from `rounds` with ticks of `rate`. None without
/// calls.
///
/// A call is compared with the control of the same turn, and many threads with one of the same process, so that a
/// temporary slowdown affects both sides of a ratio. Nothing is subtracted.
pub fn thread_release(
    rounds: &[Samples],
    threads: u32,
    rate: Rate,
    disturbance: Disturbance,
) -> Option<ThreadReleaseReport> {
    let mut rows: Vec<ReleaseRow> = calls(rounds).iter().map(|call| row(rounds, call, threads, rate)).collect();
    // In place: clocks keep the order of the plan.
    rows.sort_by_key(|row| !row.is_control);
    let starts: Vec<f64> = rounds.iter().filter_map(|round| median_ns(&round.start_ticks, rate)).collect();
    let per_thread: Vec<f64> = starts.iter().map(|ns| ns / f64::from(threads)).collect();
    (!rows.is_empty()).then(|| ThreadReleaseReport {
        threads,
        rounds: rounds.len() as u64,
        releases: rounds.iter().map(|round| round.start_ticks.len() as u64).sum(),
        thread_start_ns: median_of(&per_thread),
        rows,
        stamp_step_ns: stamp_step_ns(rounds, rate),
        control_share_pct_least: CONTROL_SHARE_PCT_LEAST,
        disturbance,
    })
}

/// The smallest difference between two times between stamps; if all are the same, that time.
fn stamp_step_ns(rounds: &[Samples], rate: Rate) -> Option<f64> {
    let calls = rounds.iter().flat_map(|round| &round.calls);
    let mut seen: Vec<u64> = calls.flat_map(|call| &call.inside_ticks).map(|(ticks, _)| *ticks).collect();
    seen.sort_unstable();
    seen.dedup();
    let apart = seen.windows(2).map(|pair| pair[1] - pair[0]).min();
    let ticks = apart.or(seen.first().copied()).filter(|ticks| *ticks > 0)?;
    Some(rate.ns_of_mean(ticks as f64))
}

/// One process's data for one call.
struct Process {
    serial_ns: Option<f64>,
    concurrent_ns: Option<f64>,
    /// The control's cost over this one's.
    control_share: Option<f64>,
    inside_ns: Distribution,
    wake_ns: Distribution,
}

fn process(round: &Samples, call: &Call, threads: u32, rate: Rate) -> Option<Process> {
    let of = |call: &Call| round.calls.iter().find(|seen| seen.call == *call);
    let concurrent_ns = |seen: &CallSamples| Some(median_ns(&seen.release_ticks, rate)? / f64::from(threads));
    let seen = of(call)?;
    let counted = |ticks: f64, count: u64| (rate.ns_of_mean(ticks), count);
    Some(Process {
        serial_ns: median_ns(&seen.serial_ticks, rate).map(|ns| ns / seen.serial_calls.max(1) as f64),
        concurrent_ns: concurrent_ns(seen),
        control_share: of(&Call::Nothing).and_then(|control| median_ratio(&control.release_ticks, &seen.release_ticks)),
        inside_ns: Distribution::of_counts(seen.inside_ticks.iter().map(|(t, count)| counted(*t as f64, *count))),
        wake_ns: Distribution::of_counts(seen.wake_ticks.iter().map(|(t, count)| counted(*t as f64, *count))),
    })
}

fn row(rounds: &[Samples], call: &Call, threads: u32, rate: Rate) -> ReleaseRow {
    let processes: Vec<Process> = rounds.iter().filter_map(|round| process(round, call, threads, rate)).collect();
    let over =
        |figure: &dyn Fn(&Process) -> Option<f64>| median_of(&processes.iter().filter_map(figure).collect::<Vec<_>>());
    let is_control = *call == Call::Nothing;
    let control_share = if is_control { None } else { over(&|process| process.control_share) };
    ReleaseRow {
        call: name(call),
        is_control,
        serial_ns: over(&|process| process.serial_ns),
        concurrent_ns: over(&|process| process.concurrent_ns),
        slowdown: over(&|process| ratio(process.concurrent_ns?, process.serial_ns?)),
        control_share,
        verdict: control_share.map(|share| verdict(&share)),
        inside_ns_p50: over(&|process| process.inside_ns.quantile(0.5)),
        inside_ns_p99: over(&|process| process.inside_ns.quantile(0.99)),
        wake_ns_p50: over(&|process| process.wake_ns.quantile(0.5)),
        wake_ns_max: processes.iter().filter_map(|process| process.wake_ns.maximum()).max_by(f64::total_cmp),
        published: published(call, threads),
    }
}

/// Every call made, in order of first appearance.
fn calls(rounds: &[Samples]) -> Vec<Call> {
    let mut found = Vec::new();
    for seen in rounds.iter().flat_map(|round| &round.calls) {
        if !found.contains(&seen.call) {
            found.push(seen.call.clone());
        }
    }
    found
}

fn name(call: &Call) -> ClockId {
    match call {
        Call::Nothing => ClockId::from(NOTHING),
        Call::Read(clock) => clock.clone(),
    }
}

fn median_ns(ticks: &[u64], rate: Rate) -> Option<f64> {
    let values: Vec<f64> = ticks.iter().map(|ticks| *ticks as f64).collect();
    median_interval(&values, CONFIDENCE).map(|found| rate.ns_of_mean(found.estimate))
}

/// Over turns, in each of which the two calls were made close together.
fn median_ratio(of: &[u64], to: &[u64]) -> Option<f64> {
    let ratios: Vec<f64> = of.iter().zip(to).filter_map(|(of, to)| ratio(*of as f64, *to as f64)).collect();
    median_interval(&ratios, CONFIDENCE).map(|found| found.estimate)
}

fn ratio(of: f64, to: f64) -> Option<f64> {
    (to > 0.0).then(|| of / to)
}

/// The whole interval must be on one side.
fn verdict(control_share: &Estimate) -> ReleaseVerdict {
    let least = CONTROL_SHARE_PCT_LEAST / 100.0;
    match control_share {
        share if !share.has_confidence() => ReleaseVerdict::Undecided,
        share if share.low >= least => ReleaseVerdict::WakingThreads,
        share if share.high < least => ReleaseVerdict::MoreThanWaking,
        share if share.low >= MOST_OF_IT => ReleaseVerdict::MostlyWaking,
        _ => ReleaseVerdict::Undecided,
    }
}

/// Only published figures for the same number of threads are compared with ours.
fn published(call: &Call, threads: u32) -> Option<PublishedRelease> {
    let Call::Read(clock) = call else { return None };
    let is_like = |os: &OsClock, call: &str| clock.name() == call || *clock == SourceId::Os(*os);
    let (_, call, serial_ns, concurrent_ns) =
        PUBLISHED.into_iter().find(|(os, call, ..)| threads == PUBLISHED_THREADS && is_like(os, call))?;
    Some(PublishedRelease {
        call: call.to_owned(),
        serial_ns,
        concurrent_ns,
        machine: PUBLISHED_MACHINE.to_owned(),
        source: PUBLISHED_SOURCE.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREADS: u32 = 10;

    fn seen(call: Call, per_thread_ns: u64) -> CallSamples {
        CallSamples {
            call,
            serial_calls: 100,
            serial_ticks: vec![2_000, 2_500, 90_000],
            release_ticks: [100, 90, 900].map(|pct| per_thread_ns * u64::from(THREADS) * pct / 100).to_vec(),
            inside_ticks: vec![(50, 90), (80, 9), (7_000, 1)],
            wake_ticks: vec![(-3, 1), (30_000, 98), (400_000, 1)],
        }
    }

    fn clock() -> Call {
        Call::Read(SourceId::Os(OsClock::Monotonic).into())
    }

    /// A process in which calling nothing and reading the clock cost so much per thread.
    fn round(nothing_ns: u64, clock_ns: u64) -> Samples {
        Samples {
            calls: vec![seen(clock(), clock_ns), seen(Call::Nothing, nothing_ns)],
            start_ticks: vec![200_000, 300_000, 250_000, 240_000],
            reason_stopped: None,
        }
    }

    fn found(rounds: &[Samples]) -> ThreadReleaseReport {
        thread_release(rounds, THREADS, Rate::NANOSECONDS, Disturbance::default()).unwrap()
    }

    /// The verdict on the clock over processes in which the control costs such shares of 40 µs.
    fn judged(control_pct: &[u64]) -> ReleaseVerdict {
        let rounds: Vec<Samples> = control_pct.iter().map(|pct| round(400 * pct, 40_000)).collect();
        found(&rounds).rows[1].verdict.unwrap()
    }

    #[test]
    fn figures_are_medians_per_call_and_per_thread() {
        let seen = found(&[round(38_000, 40_000)]);
        assert_eq!((seen.rounds, seen.releases, seen.thread_start_ns.unwrap().estimate), (1, 4, 24_500.0));
        let [control, clock] = seen.rows.as_slice() else { panic!("two rows") };
        assert!(control.is_control && control.call == NOTHING && control.verdict.is_none());
        assert_eq!((control.control_share, control.published.as_ref()), (None, None));
        assert_eq!(clock.serial_ns.unwrap().estimate, 25.0);
        assert_eq!(clock.concurrent_ns.unwrap().estimate, 40_000.0);
        assert_eq!(clock.slowdown.unwrap().estimate, 1_600.0);
        assert_eq!(clock.control_share.unwrap().estimate, 0.95);
        assert_eq!((clock.inside_ns_p50.unwrap().estimate, clock.inside_ns_p99.unwrap().estimate), (50.0, 80.0));
        assert_eq!((clock.wake_ns_p50.unwrap().estimate, clock.wake_ns_max), (30_000.0, Some(400_000.0)));
    }

    #[test]
    fn the_step_of_the_stamps_is_the_least_that_their_times_differ_by() {
        let step_ns = |inside: &[u64]| {
            let mut round = round(38_000, 40_000);
            for call in &mut round.calls {
                call.inside_ticks = inside.iter().map(|ticks| (*ticks, 1)).collect();
            }
            found(&[round]).stamp_step_ns
        };
        assert_eq!(step_ns(&[100, 300, 200, 700]), Some(100.0));
        assert_eq!((step_ns(&[42]), step_ns(&[0]), step_ns(&[])), (Some(42.0), None, None));
    }

    #[test]
    fn the_control_is_compared_turn_by_turn() {
        // Processes differ elevenfold in speed, turns tenfold, and the control costs nine tenths of the clock in each.
        let rounds: Vec<Samples> = (1..=11).map(|speed| round(9_000 * speed, 10_000 * speed)).collect();
        let share = found(&rounds).rows[1].control_share.unwrap();
        assert!((share.low - 0.9).abs() < 1e-9 && (share.high - 0.9).abs() < 1e-9);
        assert!(share.confidence >= CONFIDENCE);
    }

    #[test]
    fn the_verdict_follows_the_whole_interval() {
        assert_eq!(judged(&[100; 11]), ReleaseVerdict::WakingThreads);
        assert_eq!(judged(&[81, 85, 90, 95, 97, 100, 101, 103, 110, 120, 150]), ReleaseVerdict::WakingThreads);
        assert_eq!(judged(&[10, 12, 14, 20, 30, 31, 40, 50, 60, 70, 79]), ReleaseVerdict::MoreThanWaking);
        assert_eq!(judged(&[60, 85, 90, 95, 97, 100, 101, 103, 110, 120, 150]), ReleaseVerdict::MostlyWaking);
        assert_eq!(judged(&[60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70]), ReleaseVerdict::MoreThanWaking);
        assert_eq!(judged(&[10, 12, 14, 20, 30, 31, 40, 50, 60, 70, 99]), ReleaseVerdict::Undecided);
    }

    #[test]
    fn a_few_processes_decide_nothing() {
        assert_eq!(judged(&[100]), ReleaseVerdict::Undecided);
        assert_eq!(judged(&[100; 5]), ReleaseVerdict::Undecided);
        assert_eq!(judged(&[100; 6]), ReleaseVerdict::WakingThreads);
    }

    #[test]
    fn without_threads_the_serial_figures_are_kept() {
        let mut alone = round(1, 1);
        alone.start_ticks.clear();
        for call in &mut alone.calls {
            call.release_ticks.clear();
            call.inside_ticks.clear();
            call.wake_ticks.clear();
        }
        let seen = found(&[alone]);
        assert_eq!((seen.releases, seen.thread_start_ns), (0, None));
        let clock = &seen.rows[1];
        assert!(clock.serial_ns.is_some() && clock.concurrent_ns.is_none() && clock.verdict.is_none());
        assert_eq!((clock.slowdown, clock.inside_ns_p50, clock.wake_ns_max), (None, None, None));
        assert_eq!(thread_release(&[], THREADS, Rate::NANOSECONDS, Disturbance::default()), None);
    }

    #[test]
    fn a_call_without_its_control_has_no_verdict() {
        let mut lone = round(1, 40_000);
        lone.calls.retain(|seen| seen.call != Call::Nothing);
        let seen = found(&[lone]);
        assert_eq!((seen.rows.len(), seen.rows[0].control_share, seen.rows[0].verdict), (1, None, None));
    }

    #[test]
    fn published_figures_stand_beside_their_like_alone() {
        let wall = Call::Read(SourceId::Os(OsClock::Realtime).into());
        let figures =
            |call: &Call, threads| published(call, threads).map(|found| (found.serial_ns, found.concurrent_ns));
        assert_eq!(figures(&clock(), 100), Some((28.0, 50_855.0)));
        assert_eq!(figures(&wall, 100), Some((41.0, 76_787.0)));
        assert_eq!((figures(&clock(), 99), figures(&Call::Nothing, 100)), (None, None));
        assert_eq!(figures(&Call::Read("ordered".into()), 100), None);
    }
}
