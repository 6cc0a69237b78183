//! Calls in one thread, and by many threads released together by one latch.
//!
//! The second is how clocks have been timed "under concurrency": the time from the release until the last thread has
//! called, divided by the number of threads. To show what that measures, one of the calls is empty, and in separate
//! releases each thread takes a stamp before and after its call.

use chronoscope_sources::os::OsClock;
use chronoscope_sources::{Rate, SourceId};
use serde::{Deserialize, Serialize};

use crate::literature::measure::{RELEASED, SERIAL};
use crate::literature::{Article, Figure, of};
use crate::record::Estimate;
use crate::stats::{CONFIDENCE, Distribution, median_interval};

/// The samples of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// Call by call.
    pub calls: Vec<CallSamples>,
    /// From the start of the first thread until all waited, in timer ticks, once per release.
    pub start_ticks: Vec<u64>,
    /// Why there are no more releases, if threads could not be started.
    pub reason_stopped: Option<String>,
}

/// The samples of one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSamples {
    /// The clock, or [`CONTROL`].
    pub call: String,
    /// Calls per batch in one thread.
    pub serial_calls: u64,
    /// Timer ticks per batch.
    pub serial_ticks: Vec<u64>,
    /// Ticks from a release until the last thread had called.
    pub release_ticks: Vec<u64>,
    /// Ticks between a thread's two stamps, with counts.
    pub inside_ticks: Vec<(u64, u64)>,
    /// Ticks from a release to a thread's first stamp, with counts; below zero where the CPUs' counters disagree.
    pub wake_ticks: Vec<(i64, u64)>,
}

/// The cost of a call in one thread, and its apparent cost when many threads are released together and call once each;
/// with an empty control, since such a release mostly measures thread wake-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThreadReleaseReport {
    /// Threads released together, newly started each time.
    pub threads: u32,
    /// Call by call, the control first.
    pub rows: Vec<ReleaseRow>,
    /// The smallest step in the times between stamps; null if there is none, and in records of earlier versions.
    #[serde(default)]
    pub stamp_step_ns: Option<f64>,
}

/// One call: a clock read once, or nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReleaseRow {
    /// The clock; `nothing` for the control.
    pub call: String,
    /// Per call, of many in one thread, timed as a whole.
    pub serial_ns: Option<Estimate>,
    /// From the release of the threads until the last has called, per thread; null if no threads could be started.
    pub concurrent_ns: Option<Estimate>,
    /// `concurrent_ns` over `serial_ns` of the same process.
    pub slowdown: Option<Estimate>,
    /// The time of the control's releases over that of this call's, turn by turn; null for the control itself.
    pub control_share: Option<Estimate>,
    /// The conclusion from `control_share` about `concurrent_ns`; null for the control itself, and if there is none.
    pub verdict: Option<ReleaseVerdict>,
    /// Median over threads of one call between two stamps of its own thread, in separate releases. It includes the cost
    /// of the stamps, shown in the control's row.
    pub inside_ns_p50: Option<Estimate>,
    /// 99th percentile of the same.
    pub inside_ns_p99: Option<Estimate>,
    /// Median over threads of the time from the release to the thread's first stamp.
    pub wake_ns_p50: Option<Estimate>,
    /// The largest of these times in any process.
    pub wake_ns_max: Option<f64>,
}

impl ReleaseRow {
    /// Whether it is the control, which reads nothing, so that none of its cost is a clock's.
    pub fn is_control(&self) -> bool {
        self.call == CONTROL
    }
}

/// What dominates the time from a release to its last call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReleaseVerdict {
    /// Thread wake-up: the empty control takes as long, or nearly so.
    WakingThreads,
    /// Mostly thread wake-up: the empty control takes more than half as long, and perhaps as long.
    MostlyWaking,
    /// More than thread wake-up: the empty control takes clearly less.
    MoreThanWaking,
    /// The interval is too wide to decide.
    Undecided,
}

/// A published pair of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedRelease {
    /// Per call in one thread.
    pub serial: &'static Figure,
    /// Per thread of a release.
    pub concurrent: &'static Figure,
}

/// If the empty control costs at least this share of a call, even at the lower end of the interval, then thread wake-up
/// is what was measured, in percent. Releases differ among each other by about the rest.
const CONTROL_SHARE_PCT_LEAST: f64 = 80.0;
/// At this share, wake-up is most of the cost.
const MOST_OF_IT: f64 = 0.5;
/// The name of the empty control.
pub const CONTROL: &str = "nothing";

/// The cost of calls in one thread and in `threads` released together, from `rounds` with ticks of `rate`. None without
/// calls.
///
/// A call is compared with the control of the same turn, and many threads with one of the same process, so that a
/// temporary slowdown affects both sides of a ratio. Nothing is subtracted.
pub fn thread_release(rounds: &[Samples], threads: u32, rate: Rate) -> Option<ThreadReleaseReport> {
    let mut rows: Vec<ReleaseRow> = calls(rounds).iter().map(|call| row(rounds, call, threads, rate)).collect();
    // In place: clocks keep the order of the plan.
    rows.sort_by_key(|row| !row.is_control());
    (!rows.is_empty()).then(|| ThreadReleaseReport { threads, rows, stamp_step_ns: stamp_step_ns(rounds, rate) })
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

fn process(round: &Samples, call: &str, threads: u32, rate: Rate) -> Option<Process> {
    let of = |call: &str| round.calls.iter().find(|seen| seen.call == call);
    let concurrent_ns = |seen: &CallSamples| Some(median_ns(&seen.release_ticks, rate)? / f64::from(threads));
    let seen = of(call)?;
    let counted = |ticks: f64, count: u64| (rate.ns_of_mean(ticks), count);
    Some(Process {
        serial_ns: median_ns(&seen.serial_ticks, rate).map(|ns| ns / seen.serial_calls.max(1) as f64),
        concurrent_ns: concurrent_ns(seen),
        control_share: of(CONTROL).and_then(|control| median_ratio(&control.release_ticks, &seen.release_ticks)),
        inside_ns: Distribution::of_counts(seen.inside_ticks.iter().map(|(t, count)| counted(*t as f64, *count))),
        wake_ns: Distribution::of_counts(seen.wake_ticks.iter().map(|(t, count)| counted(*t as f64, *count))),
    })
}

fn row(rounds: &[Samples], call: &str, threads: u32, rate: Rate) -> ReleaseRow {
    let processes: Vec<Process> = rounds.iter().filter_map(|round| process(round, call, threads, rate)).collect();
    let over =
        |figure: &dyn Fn(&Process) -> Option<f64>| over_all(&processes.iter().filter_map(figure).collect::<Vec<_>>());
    let control_share = if call == CONTROL { None } else { over(&|process| process.control_share) };
    ReleaseRow {
        call: call.to_owned(),
        serial_ns: over(&|process| process.serial_ns),
        concurrent_ns: over(&|process| process.concurrent_ns),
        slowdown: over(&|process| ratio(process.concurrent_ns?, process.serial_ns?)),
        control_share,
        verdict: control_share.map(|share| verdict(&share)),
        inside_ns_p50: over(&|process| process.inside_ns.quantile(0.5)),
        inside_ns_p99: over(&|process| process.inside_ns.quantile(0.99)),
        wake_ns_p50: over(&|process| process.wake_ns.quantile(0.5)),
        wake_ns_max: processes.iter().filter_map(|process| process.wake_ns.maximum()).max_by(f64::total_cmp),
    }
}

/// Every call made, in order of first appearance.
fn calls(rounds: &[Samples]) -> Vec<String> {
    let mut found = Vec::new();
    for seen in rounds.iter().flat_map(|round| &round.calls) {
        if !found.contains(&seen.call) {
            found.push(seen.call.clone());
        }
    }
    found
}

fn over_all(values: &[f64]) -> Option<Estimate> {
    median_interval(values, CONFIDENCE)
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

/// What dominates a release, by the empty control's share of its time: the whole interval must be on one side.
pub fn verdict(control_share: &Estimate) -> ReleaseVerdict {
    let least = CONTROL_SHARE_PCT_LEAST / 100.0;
    match control_share {
        share if !share.has_confidence() => ReleaseVerdict::Undecided,
        share if share.low >= least => ReleaseVerdict::WakingThreads,
        share if share.high < least => ReleaseVerdict::MoreThanWaking,
        share if share.low >= MOST_OF_IT => ReleaseVerdict::MostlyWaking,
        _ => ReleaseVerdict::Undecided,
    }
}

/// What was published for a call, a clock of ours or by the name it has in the publication, and for as many threads.
///
/// # Examples
/// ```
/// use chronoscope_harness::estimators::latch::published;
///
/// assert_eq!(published("System.nanoTime", 100).map(|found| found.concurrent.said()).as_deref(), Some("50855 ns"));
/// assert_eq!(published("System.nanoTime", 99), None);
/// ```
pub fn published(call: &str, threads: u32) -> Option<PublishedRelease> {
    let name = match SourceId::from_name(call) {
        Some(SourceId::Os(OsClock::Monotonic)) => "System.nanoTime",
        Some(SourceId::Os(OsClock::Realtime)) => "System.currentTimeMillis",
        _ => call,
    };
    let of_call = |measure| of(Article::Latch, measure).find(|figure| figure.call == name);
    let concurrent = of_call(RELEASED).filter(|figure| figure.threads == Some(threads))?;
    Some(PublishedRelease { serial: of_call(SERIAL)?, concurrent })
}

/// Two intervals between stamps are each off by up to a step.
const STEPS: f64 = 2.0;

/// The time of a call in its thread, beyond the cost of the stamps around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OwnShare {
    /// It adds this much to them, certainly within the interval.
    Adds {
        /// The median.
        median_ns: f64,
        /// Lower end of the interval.
        low_ns: f64,
        /// Upper end of the interval.
        high_ns: f64,
    },
    /// At most this; possibly nothing.
    AtMost(f64),
    /// The stamps cannot resolve it.
    Unknown,
}

/// The own share of `row`'s call, from the time between its stamps and between those of the `control`. If the stamps
/// cannot be subtracted, the time between them is an upper bound on the call.
pub fn own_share(row: &ReleaseRow, control: &ReleaseRow, step_ns: Option<f64>) -> Option<OwnShare> {
    let inside = row.inside_ns_p50?;
    let stamps = control
        .inside_ns_p50
        .filter(Estimate::has_confidence)
        .zip(step_ns.filter(|step| *step > 0.0))
        .filter(|_| inside.has_confidence());
    Some(match stamps {
        Some((stamps, step_ns)) => {
            let low_ns = inside.low - stamps.high - STEPS * step_ns;
            let high_ns = inside.high - stamps.low + STEPS * step_ns;
            match inside.estimate - stamps.estimate {
                median_ns if low_ns > 0.0 => OwnShare::Adds { median_ns, low_ns, high_ns },
                _ if high_ns > 0.0 => OwnShare::AtMost(high_ns),
                _ => OwnShare::Unknown,
            }
        }
        None if inside.high > 0.0 => OwnShare::AtMost(inside.high),
        None => OwnShare::Unknown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREADS: u32 = 10;

    fn seen(call: &str, per_thread_ns: u64) -> CallSamples {
        CallSamples {
            call: call.to_owned(),
            serial_calls: 100,
            serial_ticks: vec![2_000, 2_500, 90_000],
            release_ticks: [100, 90, 900].map(|pct| per_thread_ns * u64::from(THREADS) * pct / 100).to_vec(),
            inside_ticks: vec![(50, 90), (80, 9), (7_000, 1)],
            wake_ticks: vec![(-3, 1), (30_000, 98), (400_000, 1)],
        }
    }

    fn clock() -> &'static str {
        SourceId::Os(OsClock::Monotonic).name()
    }

    /// A process in which calling nothing and reading the clock cost so much per thread.
    fn round(nothing_ns: u64, clock_ns: u64) -> Samples {
        Samples {
            calls: vec![seen(clock(), clock_ns), seen(CONTROL, nothing_ns)],
            start_ticks: vec![200_000, 300_000, 250_000, 240_000],
            reason_stopped: None,
        }
    }

    fn found(rounds: &[Samples]) -> ThreadReleaseReport {
        thread_release(rounds, THREADS, Rate::NANOSECONDS).unwrap()
    }

    /// The verdict on the clock over processes in which the control costs such shares of 40 µs.
    fn judged(control_pct: &[u64]) -> ReleaseVerdict {
        let rounds: Vec<Samples> = control_pct.iter().map(|pct| round(400 * pct, 40_000)).collect();
        found(&rounds).rows[1].verdict.unwrap()
    }

    #[test]
    fn figures_are_medians_per_call_and_per_thread() {
        let seen = found(&[round(38_000, 40_000)]);
        let [control, clock] = seen.rows.as_slice() else { panic!("two rows") };
        assert!(control.is_control() && control.control_share.is_none() && control.verdict.is_none());
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
        let clock = &seen.rows[1];
        assert!(clock.serial_ns.is_some() && clock.concurrent_ns.is_none() && clock.verdict.is_none());
        assert_eq!((clock.slowdown, clock.inside_ns_p50, clock.wake_ns_max), (None, None, None));
        assert_eq!(thread_release(&[], THREADS, Rate::NANOSECONDS), None);
    }

    #[test]
    fn a_call_without_its_control_has_no_verdict() {
        let mut lone = round(1, 40_000);
        lone.calls.retain(|seen| seen.call != CONTROL);
        let seen = found(&[lone]);
        assert_eq!((seen.rows.len(), seen.rows[0].control_share, seen.rows[0].verdict), (1, None, None));
    }

    #[test]
    fn published_figures_stand_beside_their_like_alone() {
        let wall = SourceId::Os(OsClock::Realtime).name();
        let figures =
            |call: &str, threads| published(call, threads).map(|found| (found.serial.ns(), found.concurrent.ns()));
        assert_eq!(figures(clock(), 100), Some((Some(28.0), Some(50_855.0))));
        assert_eq!(figures(wall, 100), Some((Some(41.0), Some(76_787.0))));
        assert_eq!((figures(clock(), 99), figures(CONTROL, 100)), (None, None));
        assert_eq!(figures("ordered", 100), None);
    }

    fn interval(low: f64, estimate: f64, high: f64) -> Estimate {
        Estimate { estimate, low, high, confidence: 0.999 }
    }

    fn row(inside: Option<Estimate>) -> ReleaseRow {
        ReleaseRow {
            call: "clock".to_owned(),
            serial_ns: None,
            concurrent_ns: None,
            slowdown: None,
            control_share: None,
            verdict: None,
            inside_ns_p50: inside,
            inside_ns_p99: None,
            wake_ns_p50: None,
            wake_ns_max: None,
        }
    }

    fn own(inside: Estimate, stamps: Estimate) -> OwnShare {
        own_share(&row(Some(inside)), &row(Some(stamps)), Some(0.5)).unwrap()
    }

    #[test]
    fn what_the_stamps_cost_is_not_the_clocks() {
        // 150 ns between stamps that alone show 130 ns.
        assert_eq!(own(interval(145.0, 150.0, 155.0), interval(128.0, 130.0, 146.0)), OwnShare::AtMost(28.0));
        assert_eq!(own(interval(309.0, 309.0, 309.0), interval(309.0, 309.0, 309.0)), OwnShare::AtMost(1.0));
        assert_eq!(own(interval(90.0, 91.0, 92.0), interval(128.0, 130.0, 132.0)), OwnShare::Unknown);
        let adds = OwnShare::Adds { median_ns: 30.0, low_ns: 27.0, high_ns: 33.0 };
        assert_eq!(own(interval(49.0, 50.0, 51.0), interval(19.0, 20.0, 21.0)), adds);
    }

    #[test]
    fn a_step_of_the_stamps_is_no_share() {
        let (clock, stamps) = (row(Some(interval(83.0, 83.0, 83.0))), row(Some(interval(42.0, 42.0, 42.0))));
        // Both are whole steps: one more may be chance.
        assert_eq!(own_share(&clock, &stamps, Some(41.0)), Some(OwnShare::AtMost(123.0)));
    }

    #[test]
    fn without_its_control_all_between_the_stamps_is_the_most() {
        let clock = row(Some(interval(45.0, 50.0, 60.0)));
        let stamps = row(Some(interval(19.0, 20.0, 21.0)));
        assert_eq!(own_share(&clock, &row(None), Some(0.5)), Some(OwnShare::AtMost(60.0)));
        assert_eq!(own_share(&clock, &stamps, None), Some(OwnShare::AtMost(60.0)));
        let few = row(Some(Estimate { confidence: 0.5, ..interval(19.0, 20.0, 21.0) }));
        assert_eq!(own_share(&clock, &few, Some(0.5)), Some(OwnShare::AtMost(60.0)), "too few rounds");
        assert_eq!(own_share(&row(Some(interval(0.0, 0.0, 0.0))), &row(None), None), Some(OwnShare::Unknown));
        assert_eq!(own_share(&row(None), &stamps, Some(0.5)), None);
    }
}
