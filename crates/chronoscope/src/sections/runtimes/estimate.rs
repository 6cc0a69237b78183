//! The cost and behaviour of a runtime's clocks, from its probes' answers.

use std::collections::{BTreeMap, HashMap};

use chronoscope_sources::os::OsClock;
use chronoscope_sources::{Rate, SourceId};

use crate::probe::probe_process::{ProbeProcess, timer_rate, timer_step_ns};
use crate::probe::protocol::{Clock, Concurrent, NOTHING};
use crate::probe::runtime::{AddedLatency, ConcurrentLatency, RuntimeClock, SystemCalls, TimeKind};
use crate::probe::{Answer, CountedCalls};
use crate::sections::runtimes::lanes::Lanes;
use chronoscope_harness::estimators::intervals::claimed_intervals;
use chronoscope_harness::estimators::latch::{Samples as LatchSamples, ThreadReleaseReport, thread_release};
use chronoscope_harness::estimators::latency::Latency;
use chronoscope_harness::estimators::pauses::{Paused, Pauses, pause_figures, unavailable_once};
use chronoscope_harness::estimators::reads::reads;
use chronoscope_harness::estimators::steps::{GranularityEstimate, granularity};
use chronoscope_harness::estimators::tick::{Step, readings, tick};
use chronoscope_harness::record::{Disturbance, Path};
use chronoscope_harness::stats::{CONFIDENCE, Distribution, median, median_interval};

/// A batch of so many steps of the timer is timed well enough to be compared with another.
const STEPS_OF_A_CHECK: f64 = 8.0;
/// With more system calls per read than this the kernel is entered for each, and with fewer than the second for none; what
/// lies between belongs to other threads of the runtime, or to some reads alone.
const SYSTEM_CALL_EACH: f64 = 0.9;
const SYSTEM_CALL_NONE: f64 = 0.05;

/// Cost of reading the system's own clocks in each round, by clock.
pub type NativeRounds = BTreeMap<u32, HashMap<SourceId, f64>>;

/// The system clock that native code would read in place of one of this kind.
pub const fn native_clock(kind: TimeKind) -> SourceId {
    SourceId::Os(match kind {
        TimeKind::Monotonic => OsClock::Monotonic,
        TimeKind::Wall => OsClock::Realtime,
        TimeKind::Cpu => OsClock::ProcessCpuTime,
    })
}

/// The CPU time of a thread, as native code reads it.
pub const NATIVE_THREAD_CPU: SourceId = SourceId::Os(OsClock::ThreadCpuTime);
/// Calls that read the CPU time of their thread, where others of their kind read that of the process.
const THREAD_CPU_CALLS: [&str; 1] = ["getCurrentThreadCpuTime"];

/// The system clock that native code would read in place of `call`.
fn native_of(call: &str, kind: TimeKind) -> SourceId {
    if kind == TimeKind::Cpu && THREAD_CPU_CALLS.contains(&call) { NATIVE_THREAD_CPU } else { native_clock(kind) }
}

/// The clocks named by the first of `processes`, with the measurements of all of them.
///
/// `counted` is the answer of the process whose system calls were counted, with these; None where none could be.
pub fn runtime_clocks(
    processes: &[ProbeProcess],
    counted: Option<(&Answer, &CountedCalls)>,
    native: &NativeRounds,
) -> Vec<RuntimeClock> {
    let named = processes.first().map(|process| &process.answer).or(counted.map(|(answer, _)| answer));
    let clocks = named.map(|answer| answer.clocks.as_slice()).unwrap_or_default();
    let lanes = Lanes::of(processes);
    clocks.iter().map(|clock| runtime_clock(clock, processes, &lanes, counted, native)).collect()
}

/// A turn of the loop without a clock.
pub fn runtime_loop(processes: &[ProbeProcess]) -> Option<Latency> {
    Lanes::of(processes).latency(NOTHING)
}

fn runtime_clock(
    clock: &Clock,
    processes: &[ProbeProcess],
    lanes: &Lanes,
    counted: Option<(&Answer, &CountedCalls)>,
    native: &NativeRounds,
) -> RuntimeClock {
    let rate = Rate::from_hz(clock.hz).unwrap_or(Rate::NANOSECONDS);
    let name = &clock.clock;
    let steps =
        processes.iter().find_map(|process| process.answer.steps.get(name)).and_then(|steps| granularity(steps, rate));
    let irregular = processes.iter().find_map(|process| process.answer.readings.get(name));
    let tick = irregular.map(|changes| tick(&readings(changes), rate));
    let smallest = steps.as_ref().and_then(GranularityEstimate::told);
    let (granularity_ns, granularity_is_latency) = smallest.unzip();
    let step = Step::of(tick.as_ref(), smallest, steps.as_ref().map(|found| &found.observed));
    let differences = processes.iter().find_map(|process| process.answer.differences.get(name));
    let claimed = differences.map(|found| {
        let empty = Distribution::of_counts(found.differences.iter().map(|(t, n)| (rate.ns_of_mean(*t as f64), *n)));
        claimed_intervals(&empty, step.and_then(Step::moves_in_ns))
    });
    let calls = counted.and_then(|(answer, calls)| {
        let reads = *answer.counted.get(name)?;
        Some(SystemCalls { reads, count: calls.get(name).map_or(0, |by_call| by_call.values().sum()) })
    });
    let path = calls.as_ref().and_then(counted_path);
    RuntimeClock {
        name: name.clone(),
        kind: clock.kind,
        path,
        wrong_rate: None,
        system_calls: calls,
        tick_ns: rate.ns_of_mean(1.0),
        frequency_hz_declared: clock.declared_hz.map(|hz| hz as f64),
        resolution_ns_declared: clock
            .declared_resolution_ns
            .map(|ns| ns as f64)
            .or(clock.declared_hz.map(|hz| 1e9 / hz as f64)),
        high_resolution_declared: clock.high_resolution,
        added: added(&lanes.by_round(processes, name), native_of(name, clock.kind), native),
        concurrent: concurrent(processes, name),
        step,
        granularity_ns,
        granularity_is_latency,
        granularity: steps.map(|step| step.observed),
        tick,
        reads: differences.and_then(|found| reads(name.as_str().into(), found, rate, Disturbance::default())),
        claimed_interval_ns: claimed.unwrap_or_default(),
        loop_ratio: loop_ratio(processes, name),
        warm_up: lanes.warm_up(name),
        latency_ns: lanes.latency(name),
    }
}

/// The path of a read, if the counts are unambiguous.
fn counted_path(calls: &SystemCalls) -> Option<Path> {
    match calls.per_read() {
        each if each >= SYSTEM_CALL_EACH => Some(Path::Syscall),
        each if each <= SYSTEM_CALL_NONE => Some(Path::Vdso),
        _ => None,
    }
}

/// The cost of a read beyond one of the system's own clock, round by round.
fn added(means: &BTreeMap<u32, f64>, over: SourceId, native: &NativeRounds) -> Option<AddedLatency> {
    let differences = means.iter().filter_map(|(round, ns)| Some(ns - native.get(round)?.get(&over)?));
    let ns = median_interval(differences, CONFIDENCE)?;
    Some(AddedLatency { over: over.into(), ns })
}

fn loop_ratio(processes: &[ProbeProcess], name: &str) -> Option<f64> {
    let timer = timer_rate(processes);
    // A batch of few steps of the timer says nothing of how long it took.
    let shortest_ns = timer_step_ns(processes) * STEPS_OF_A_CHECK;
    let ratios = processes.iter().filter_map(|process| {
        let check = &process.answer.lanes.get(name)?.check;
        let is_timed = |ticks: &u64| *ticks > 0 && timer.ns_of_mean(*ticks as f64) >= shortest_ns;
        let least = |pick: fn(&(u64, u64)) -> u64| check.iter().map(pick).min().filter(is_timed);
        Some(least(|(_, four_times)| *four_times)? as f64 / least(|(once, _)| *once)? as f64)
    });
    median(ratios)
}

/// The cost of a read while several threads read.
fn concurrent(processes: &[ProbeProcess], name: &str) -> Option<ConcurrentLatency> {
    let timer = timer_rate(processes);
    let concurrent: Vec<&Concurrent> = processes
        .iter()
        .filter_map(|process| process.answer.concurrent.iter().find(|concurrent| concurrent.clock == name))
        .collect();
    let threads = concurrent.first()?.threads;
    let medians: Vec<f64> = concurrent
        .iter()
        .filter_map(|concurrent| {
            let shared = while_all_read(concurrent).into_iter();
            median(shared.map(|ticks| timer.ns_of_mean(ticks as f64) / concurrent.reads.max(1) as f64))
        })
        .collect();
    Some(ConcurrentLatency { threads, ns: median_interval(&medians, CONFIDENCE)? })
}

/// The lengths of the batches entirely within the time during which every thread read. None if some thread never did.
fn while_all_read(concurrent: &Concurrent) -> Vec<u64> {
    let of = |thread| concurrent.batches.iter().filter(move |(of, ..)| *of == thread);
    let begins = (0..concurrent.threads).map(|thread| of(thread).map(|(_, begin, _)| *begin).min());
    let ends = (0..concurrent.threads).map(|thread| of(thread).map(|(_, _, end)| *end).max());
    // Only threads named by a batch are examined, so an absurd number of threads costs nothing.
    let known = concurrent.batches.len() >= concurrent.threads as usize;
    let window = known
        .then(|| Some((begins.collect::<Option<Vec<_>>>()?, ends.collect::<Option<Vec<_>>>()?)))
        .flatten()
        .and_then(|(begins, ends)| Some((begins.into_iter().max()?, ends.into_iter().min()?)));
    let Some((from, to)) = window else { return Vec::new() };
    let inside = concurrent.batches.iter().filter(|(_, begin, end)| *begin >= from && *end <= to);
    inside.map(|(_, begin, end)| end - begin).collect()
}

/// The duration of pauses. None without pauses.
pub fn runtime_pause(processes: &[ProbeProcess]) -> Option<Pauses> {
    let turns = || processes.iter().flat_map(|process| &process.answer.pauses);
    let mut kinds: Vec<(&str, u64)> = Vec::new();
    for turn in turns() {
        if !kinds.contains(&(turn.way.as_str(), turn.requested_ns)) {
            kinds.push((&turn.way, turn.requested_ns));
        }
    }
    let methods: Vec<_> = kinds
        .iter()
        .filter_map(|(way, requested_ns)| {
            let of_kind = turns().filter(|turn| turn.way == *way && turn.requested_ns == *requested_ns);
            let paused = of_kind.map(|turn| Paused {
                taken_ns: &turn.taken_ns,
                cpu_ns: turn.cpu_ns,
                wall_ns: turn.wall_ns,
                preempted: None,
            });
            pause_figures(way, *requested_ns, &paused.collect::<Vec<_>>())
        })
        .collect();
    let unavailable = unavailable_once(processes.iter().flat_map(|process| process.answer.pauses_unavailable.clone()));
    (!methods.is_empty()).then_some(Pauses { methods, unavailable, rounds: processes.len() as u64 })
}

/// The cost of calls in one thread and in `threads` released together. None without calls.
pub fn runtime_latch(processes: &[ProbeProcess], threads: u32) -> Option<ThreadReleaseReport> {
    let rounds: Vec<LatchSamples> = processes.iter().map(|process| process.answer.latch.clone()).collect();
    thread_release(&rounds, threads.max(1), timer_rate(processes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threads_cpu_time_is_compared_with_that_of_a_thread() {
        assert_eq!(native_of("getCurrentThreadCpuTime", TimeKind::Cpu).name(), "CLOCK_THREAD_CPUTIME_ID");
        assert_eq!(native_of("clock", TimeKind::Cpu).name(), "CLOCK_PROCESS_CPUTIME_ID");
        assert_eq!(native_of("System.nanoTime", TimeKind::Monotonic).name(), "CLOCK_MONOTONIC");
    }

    use proptest::prelude::*;

    fn answer(lines: &[String]) -> Answer {
        let identity = r#"{"type":"identity","protocol":1,"runtime":"R","version":"1","executable":"","timer":"t","timer_hz":1000000000,"parallel":true,"notes":[]}"#;
        let clock = r#"{"type":"clock","clock":"now","kind":"monotonic","hz":10000000,"declared_hz":10000000,"declared_resolution_ns":null,"high_resolution":true}"#;
        let head = [identity.to_owned(), clock.to_owned()];
        Answer::of(&[&head[..], lines].concat().join("\n")).unwrap()
    }

    fn lane_line(clock: &str, ticks: &[u64], check: &str) -> String {
        format!(
            r#"{{"type":"lane","clock":"{clock}","reads":1000,"ticks":{ticks:?},"warm":[[1,100],[1000,90000]],"check":{check}}}"#
        )
    }

    fn processes(lines: &[String]) -> Vec<ProbeProcess> {
        (0..11).map(|round| ProbeProcess { round, answer: answer(lines) }).collect()
    }

    #[test]
    fn a_tick_shorter_than_a_read_shows_in_readings_at_irregular_times() {
        let mut state = 1_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        // All are multiples of 5 units of 100 ns.
        let changes: Vec<u64> = (0..1_999).map(|_| 5 * (7 + draw() % 40)).collect();
        let found = the_clock(&processes(&[format!(r#"{{"type":"readings","clock":"now","changes":{changes:?}}}"#)]));
        let moves_in_ns = found.moves_in_ns().expect("a tick");
        assert!((moves_in_ns - 500.0).abs() < 0.01, "{moves_in_ns}");
        assert_eq!((found.tick.map(|tick| tick.readings), found.granularity_ns), (Some(2_000), None));
    }

    fn the_clock(processes: &[ProbeProcess]) -> RuntimeClock {
        let native = (0..11).map(|round| (round, HashMap::from([(SourceId::Os(OsClock::Monotonic), 20.0)]))).collect();
        runtime_clocks(processes, None, &native).remove(0)
    }

    #[test]
    fn a_clock_of_coarse_ticks_is_seen_as_such() {
        let found = the_clock(&processes(&[
            lane_line(NOTHING, &[500; 40], "[[500,2000]]"),
            lane_line("now", &[50_000; 40], "[[50000,200100],[51000,200000]]"),
            r#"{"type":"steps","clock":"now","reads":300,"unchanged":150,"changes":[1,1,2,1,1,1,1,1,1,1]}"#.to_owned(),
            r#"{"type":"differences","clock":"now","span":100,"counts":[[0,97],[1,2],[40,1]]}"#.to_owned(),
        ]));
        assert_eq!((found.loop_ratio, found.loop_is_doubtful()), (Some(4.0), false));
        let latency = found.latency_ns.unwrap();
        assert_eq!((latency.per_read.estimate, latency.processes.len()), (50.0, 11));
        assert!(latency.per_read.confidence >= 0.999);
        assert_eq!((found.granularity_ns, found.granularity_is_latency), (Some(100.0), Some(false)));
        assert_eq!(found.resolution_ns_declared, Some(100.0));
        assert_eq!(found.claimed_interval_ns.within_1pct, Some(10_000.0));
        assert_eq!(found.added.unwrap().ns.estimate, 30.0);
        let reads = found.reads.unwrap();
        assert_eq!((reads.zero_share, reads.maximum_ns, reads.largest_empty_interval_ns), (0.97, 4_000.0, 4_000.0));
    }

    #[test]
    fn a_loop_that_the_compiler_emptied_is_found() {
        let found =
            the_clock(&processes(&[lane_line(NOTHING, &[5; 9], "[]"), lane_line("now", &[5; 9], "[[5,6],[5,5]]")]));
        assert_eq!((found.loop_ratio, found.loop_is_doubtful()), (Some(1.0), true));
        assert_eq!((found.granularity_ns, found.path, found.concurrent), (None, None, None));
    }

    /// A batch of 50 µs lies between two steps of 4 ms, or a step falls into it.
    #[test]
    fn a_timer_with_coarse_steps_proves_no_latency() {
        let mut processes = processes(&[
            lane_line(NOTHING, &[0; 40], "[]"),
            lane_line("now", &[[0; 79].as_slice(), &[4_000_000]].concat(), "[[4000000,4000000],[4000000,8000000]]"),
            r#"{"type":"steps","clock":"now","reads":400000,"unchanged":399996,"changes":[4000000,4000000,4000000,4000000]}"#.to_owned(),
        ]);
        let named = |process: &mut ProbeProcess| process.answer.identity.as_mut().unwrap().timer = "now".to_owned();
        processes.iter_mut().for_each(named);
        let found = the_clock(&processes);
        let latency = &found.latency_ns;
        assert!(
            latency.as_ref().is_none_or(|latency| latency.per_read.low <= 0.0 && latency.per_read.high >= 4_000.0),
            "{latency:?}"
        );
        assert_eq!(found.loop_ratio, None);
    }

    #[test]
    fn batches_before_the_steady_ones_are_left_out() {
        let mut ticks = [90_000; 60];
        ticks[25..].iter_mut().enumerate().for_each(|(at, ticks)| *ticks = 50_000 + at as u64 % 7);
        let found = the_clock(&processes(&[lane_line(NOTHING, &[500; 60], "[]"), lane_line("now", &ticks, "[]")]));
        assert!((found.latency_ns.unwrap().per_read.estimate - 50.0).abs() < 0.01);
        let warm_up = found.warm_up.unwrap();
        assert_eq!((warm_up.processes, warm_up.processes_steady), (11, 11));
    }

    #[test]
    fn slow_rounds_are_the_tail() {
        let clock: Vec<u64> = (0..40).map(|round| if round % 3 == 0 { 80_000 } else { 50_000 }).collect();
        let found = the_clock(&processes(&[lane_line(NOTHING, &[500; 40], "[]"), lane_line("now", &clock, "[]")]));
        let latency = found.latency_ns.unwrap();
        assert_eq!((latency.per_read.estimate, latency.p99), (50.0, 80.0));
    }

    #[test]
    fn only_batches_count_during_which_every_thread_read() {
        let line = r#"{"type":"concurrent","clock":"now","threads":2,"reads":10,"batches":[[0,0,400],[0,400,1400],[1,500,1500],[1,1500,2600],[0,1400,2400]]}"#;
        let found = the_clock(&processes(&[line.to_owned()])).concurrent.unwrap();
        assert_eq!((found.threads, found.ns.estimate), (2, 100.0));
        let alone = r#"{"type":"concurrent","clock":"now","threads":4000000000,"reads":10,"batches":[[0,0,400]]}"#;
        assert_eq!(the_clock(&processes(&[alone.to_owned()])).concurrent, None);
    }

    #[test]
    fn the_path_follows_from_what_was_counted() {
        let counted = answer(&[
            r#"{"type":"count_begin","clock":"now"}"#.to_owned(),
            r#"{"type":"count_end","clock":"now","reads":200}"#.to_owned(),
        ]);
        let path = |calls: u64| {
            let by_call = BTreeMap::from([("clock_gettime(CLOCK_MONOTONIC)".to_owned(), calls)]);
            let calls = BTreeMap::from([("now".to_owned(), by_call)]);
            runtime_clocks(&[], Some((&counted, &calls)), &NativeRounds::new()).remove(0).path
        };
        assert_eq!(
            [path(0), path(3), path(100), path(200), path(400)].map(|path| path.map(|path| path == Path::Vdso)),
            [Some(true), Some(true), None, Some(false), Some(false)]
        );
        let none = runtime_clocks(&[], Some((&counted, &CountedCalls::new())), &NativeRounds::new()).remove(0);
        assert_eq!(none.system_calls.map(|calls| (calls.reads, calls.count)), Some((200, 0)));
    }

    #[test]
    fn pauses_and_latches_are_those_of_the_machine() {
        let found = processes(&[
            r#"{"type":"pause","way":"sleep","requested_ns":1000,"wall_ns":5000,"cpu_ns":50,"taken_ns":[[1100,2],[900,1]]}"#.to_owned(),
            r#"{"type":"pause_unavailable","way":"spin","reason":"too old"}"#.to_owned(),
            r#"{"type":"latch","call":"nothing","serial_calls":10,"serial":[10],"release":[900],"inside":[],"wake":[]}"#.to_owned(),
            r#"{"type":"latch","call":"now","serial_calls":10,"serial":[200],"release":[1000],"inside":[[30,4]],"wake":[[-5,1]]}"#.to_owned(),
            r#"{"type":"latch_start","start":[4000]}"#.to_owned(),
        ]);
        let pause = runtime_pause(&found).unwrap();
        assert_eq!((pause.methods[0].early, pause.methods[0].samples, pause.unavailable.len()), (11, 33, 1));
        assert!((pause.methods[0].cpu_share - 0.01).abs() < 1e-9);
        let latch = runtime_latch(&found, 10).unwrap();
        assert_eq!((latch.rows[0].is_control(), latch.rows[1].concurrent_ns.unwrap().estimate), (true, 100.0));
        assert_eq!(latch.rows[1].serial_ns.unwrap().estimate, 20.0);
        assert_eq!((runtime_pause(&[]), runtime_latch(&[], 4)), (None, None));
    }

    const WHOLE: &str = include_str!("../../../tests/fixtures/probe.jsonl");

    proptest! {
        /// Whatever numbers a probe sends: an accepted answer gives estimates that can be written and read back.
        #[test]
        fn absurd_numbers_give_no_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..8), 1..20)) {
            const NUMBERS: [&str; 8] =
                ["0", "1", "-1", "9223372036854775807", "-9223372036854775808", "18446744073709551615", "4294967296", "7"];
            let mut pieces: Vec<String> = Vec::new();
            for c in WHOLE.chars() {
                match pieces.last_mut() {
                    Some(last) if c.is_ascii_digit() && last.ends_with(|c: char| c.is_ascii_digit()) => last.push(c),
                    _ => pieces.push(c.to_string()),
                }
            }
            let places: Vec<usize> =
                (0..pieces.len()).filter(|at| pieces[*at].starts_with(|c: char| c.is_ascii_digit())).collect();
            for (index, number) in changes {
                pieces[places[index.index(places.len())]] = NUMBERS[number].to_owned();
            }
            let mut answer = Answer::default();
            for line in pieces.concat().lines() {
                let _ = answer.push_line(line);
            }
            let processes = [ProbeProcess { round: 0, answer: answer.clone() }, ProbeProcess { round: 1, answer: answer.clone() }];
            let calls = CountedCalls::from([("now".to_owned(), BTreeMap::from([("time".to_owned(), 3)]))]);
            let clocks = runtime_clocks(&processes, Some((&answer, &calls)), &NativeRounds::new());
            let text = serde_json::to_string(&(
                clocks,
                runtime_loop(&processes),
                runtime_pause(&processes),
                runtime_latch(&processes, 3),
            ))
            .unwrap();
            // A non-finite number would be written as null, which no reader accepts as a number.
            type All = (Vec<RuntimeClock>, Option<Latency>, Option<Pauses>, Option<ThreadReleaseReport>);
            let again: Result<All, _> = serde_json::from_str(&text);
            prop_assert!(again.is_ok(), "{:?}", again.err());
        }
    }
}
