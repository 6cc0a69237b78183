//! Makes pauses of every method and length, in turn, and measures them.
//!
//! Each method has its own thread, since timer slack, time slices and policies belong to a thread; all of them run on
//! the same CPU, one at a time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use chronoscope_clock::pause::{self, Pauser, SystemTimer, TimeSlice, Timer};
use chronoscope_clock::{Clock, Instant};
use chronoscope_sources::os::{self, OsClock};
use serde::{Deserialize, Serialize};

use crate::engine::task::{Bench, Task};
use crate::sections::pauses::report::PauseWay;
use chronoscope_harness::record::Disturbance;
use chronoscope_harness::watch;
use chronoscope_harness::watch::Watch;

/// Maximum pauses per turn.
const MOST_PAUSES: u64 = 20_000;
/// Longer pauses get more time, so that some of each are measured: proportional to this power of their length.
const SHARE_POWER: f64 = 0.3;
/// The margin of the fixed hybrid.
const MARGIN: Duration = Duration::from_micros(50);
/// A load that nobody stops ends by itself after twice the time and so much: made real-time meanwhile, it lets nobody else run.
const HOG_LEFT_ALONE: Duration = Duration::from_secs(10);
/// Turns of its loop between looks at its clock.
const HOG_TURNS: u32 = 10_000;
/// The requested time slice.
const SLICE: Duration = Duration::from_micros(100);

/// Methods, lengths and CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PausesTask {
    pub ways: Vec<PauseWay>,
    pub lengths_ns: Vec<u64>,
    /// The CPU to run on.
    pub cpu: Option<u32>,
    /// Whether a thread that never sleeps runs there too.
    pub load: bool,
    /// The round: each begins with a different method and length.
    pub rotation: usize,
}

/// The samples of a process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// One entry per method and length tried.
    pub turns: Vec<Turn>,
    /// Unavailable methods, with reasons.
    pub unavailable: Vec<(PauseWay, String)>,
}

/// One method at one length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    pub way: PauseWay,
    pub requested_ns: u64,
    /// Durations, with counts.
    pub taken_ns: Vec<(u64, u64)>,
    /// CPU time of the thread over the whole turn; None if unknown.
    pub cpu_ns: Option<u64>,
    pub wall_ns: u64,
    /// Involuntary context switches of the thread: to one preferred by the kernel, or one that a yield gave way to.
    pub preempted: Option<u64>,
}

impl Task for PausesTask {
    const NAME: &'static str = "pause";
    type Samples = Samples;

    fn perform(&self, bench: &Bench) -> Result<(Samples, Disturbance), String> {
        run(self, bench.budget_ms)
    }
}

fn run(request: &PausesTask, budget_ms: u64) -> Result<(Samples, Disturbance), String> {
    // Threads inherit the CPU affinity of the thread that starts them.
    let watch = Watch::among(request.cpu.as_slice());
    let hog = Hog::start(request.load, Duration::from_millis(budget_ms) * 2 + HOG_LEFT_ALONE)?;
    let mut samples = Samples::default();
    let mut threads: Vec<Waiter> = Vec::new();
    for way in &request.ways {
        match Waiter::start(*way)? {
            Ok(waiter) => threads.push(waiter),
            Err(reason) => samples.unavailable.push((*way, reason)),
        }
    }
    let turns: Vec<(u64, usize)> =
        request.lengths_ns.iter().flat_map(|length| (0..threads.len()).map(move |thread| (*length, thread))).collect();
    let shares: Vec<f64> = turns.iter().map(|(length_ns, _)| (*length_ns as f64).powf(SHARE_POWER)).collect();
    let whole = shares.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    for which in order(turns.len(), threads.len(), request.rotation) {
        let (length_ns, thread) = turns[which];
        let budget_ns = (budget_ms as f64 * 1e6 * shares[which] / whole) as u64;
        samples.turns.push(threads[thread].takes(length_ns, budget_ns)?);
    }
    drop(threads);
    hog.map_or(Ok(()), Hog::stop)?;
    let disturbance = with_switches(watch.finish(), &samples.turns);
    Ok((samples, disturbance))
}

/// The disturbance of the dispatching thread, with the switches counted in the pausing threads. Run-queue waits of
/// those are not counted, so its own is dropped too.
fn with_switches(own: Disturbance, turns: &[Turn]) -> Disturbance {
    let in_turns: u64 = turns.iter().filter_map(|turn| turn.preempted).sum();
    Disturbance {
        involuntary_switches: own.involuntary_switches.map(|switches| switches.saturating_add(in_turns)),
        waited_ms: None,
        ..own
    }
}

/// The order of `turns`, of `ways` for each length, in this round. Each round advances by one method and one length: a
/// step that is coprime to the number of methods.
fn order(turns: usize, ways: usize, round: usize) -> impl Iterator<Item = usize> {
    let first = round * (ways + 1);
    (0..turns).map(move |at| (at + first) % turns)
}

/// A thread that pauses with its method on request.
struct Waiter {
    way: PauseWay,
    orders: Sender<(u64, u64)>,
    turns: Receiver<Turn>,
}

impl Waiter {
    /// The inner error is why this method is unavailable.
    fn start(way: PauseWay) -> Result<Result<Self, String>, String> {
        let (orders, received) = channel::<(u64, u64)>();
        let (answer, turns) = channel();
        let (ready, is_ready) = channel();
        let serve = move || {
            let mut pause = match Paused::new(way) {
                Ok(pause) => pause,
                Err(reason) => return drop(ready.send(Err(reason))),
            };
            let _ = ready.send(Ok(()));
            for (length_ns, budget_ns) in received {
                if answer.send(turn(way, &mut pause, length_ns, budget_ns)).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().spawn(serve).map_err(|error| format!("could not start a thread: {error}"))?;
        match is_ready.recv() {
            Ok(Ok(())) => Ok(Ok(Self { way, orders, turns })),
            Ok(Err(reason)) => Ok(Err(reason)),
            Err(_) => Err("a pausing thread panicked".to_owned()),
        }
    }

    fn takes(&self, length_ns: u64, budget_ns: u64) -> Result<Turn, String> {
        let lost = || format!("the thread of {} ended", self.way.name());
        self.orders.send((length_ns, budget_ns)).map_err(|_| lost())?;
        self.turns.recv().map_err(|_| lost())
    }
}

/// A method of pausing, with its state.
enum Paused {
    Std,
    Sleep,
    Hybrid,
    Pauser { pauser: Box<Pauser>, _slice: Option<TimeSlice> },
    Yield(Clock),
    Spin,
}

impl Paused {
    fn new(way: PauseWay) -> Result<Self, String> {
        let calibrated = |slice, real_time: bool| {
            let mut pauser = Pauser::new();
            if real_time {
                pauser.enter_real_time().map_err(|unavailable| unavailable.to_string())?;
            }
            pauser.calibrate();
            Ok(Self::Pauser { pauser: Box::new(pauser), _slice: slice })
        };
        match way {
            PauseWay::StdSleep => may_sleep().map(|()| Self::Std),
            PauseWay::Sleep => may_sleep().map(|()| Self::Sleep),
            PauseWay::Hybrid => may_sleep().map(|()| Self::Hybrid),
            PauseWay::Pauser => calibrated(None, false),
            PauseWay::PauserSlice => {
                let slice = TimeSlice::request(SLICE).map_err(|unavailable| unavailable.to_string())?;
                calibrated(Some(slice), false)
            }
            PauseWay::PauserRealTime => calibrated(None, true),
            PauseWay::Yield => Ok(Self::Yield(Clock::or_system())),
            PauseWay::Spin => Ok(Self::Spin),
        }
    }

    fn pause(&mut self, length: Duration) {
        match self {
            Self::Std => thread::sleep(length),
            Self::Sleep => {
                let _ = pause::sleep(length);
            }
            Self::Hybrid => {
                let _ = pause::hybrid(length, MARGIN);
            }
            Self::Pauser { pauser, .. } => {
                let _ = pauser.pause(length);
            }
            Self::Yield(clock) => {
                let end = clock.now().saturating_add(length);
                while clock.now() < end {
                    thread::yield_now();
                }
            }
            Self::Spin => {
                let _ = pause::spin(length);
            }
        }
    }
}

/// Whether a sandbox lets threads sleep. Where it does not, the standard library panics, and `pause::sleep` spins.
#[cfg(target_os = "linux")]
fn may_sleep() -> Result<(), String> {
    use rustix::thread::{ClockId, NanosleepRelativeResult, Timespec, clock_nanosleep_relative};

    let shortest = Timespec { tv_sec: 0, tv_nsec: 1 };
    match clock_nanosleep_relative(ClockId::Monotonic, &shortest) {
        NanosleepRelativeResult::Err(error) => {
            Err(format!("clock_nanosleep was refused: {}", std::io::Error::from(error)))
        }
        _ => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
fn may_sleep() -> Result<(), String> {
    Ok(())
}

fn turn(way: PauseWay, pause: &mut Paused, requested_ns: u64, budget_ns: u64) -> Turn {
    let clock = Clock::or_system();
    let cpu_ns = || os::try_read_ns(OsClock::ThreadCpuTime).ok();
    let length = Duration::from_nanos(requested_ns);
    pause.pause(length);
    let mut taken = BTreeMap::<u64, u64>::new();
    let (cpu_before, switches) = (cpu_ns(), watch::involuntary_switches());
    let began = clock.now();
    let mut after = began;
    for _ in 0..MOST_PAUSES {
        let before = clock.now();
        pause.pause(length);
        after = clock.now();
        *taken.entry(nanos(after, before)).or_default() += 1;
        if nanos(after, began) >= budget_ns {
            break;
        }
    }
    Turn {
        way,
        requested_ns,
        taken_ns: taken.into_iter().collect(),
        cpu_ns: cpu_before.zip(cpu_ns()).map(|(before, after)| after.saturating_sub(before)),
        wall_ns: nanos(after, began),
        preempted: switches.zip(watch::involuntary_switches()).map(|(before, after)| after.saturating_sub(before)),
    }
}

fn nanos(to: Instant, from: Instant) -> u64 {
    u64::try_from(to.duration_since(from).as_nanos()).unwrap_or(u64::MAX)
}

/// A thread that never sleeps, until it is stopped or dropped.
struct Hog {
    stop: &'static AtomicBool,
    /// Whether it was stopped.
    thread: Option<thread::JoinHandle<bool>>,
}

impl Hog {
    fn start(wanted: bool, longest: Duration) -> Result<Option<Self>, String> {
        if !wanted {
            return Ok(None);
        }
        if SystemTimer::new().is_real_time() {
            return Err(
                "a real-time load would let nothing else run on its CPU: start without a real-time policy".to_owned()
            );
        }
        // One per process, which ends soon after.
        let stop: &'static AtomicBool = Box::leak(Box::default());
        let thread = thread::Builder::new()
            .spawn(move || spin(stop, longest))
            .map_err(|error| format!("could not start the load: {error}"))?;
        Ok(Some(Self { stop, thread: Some(thread) }))
    }

    /// # Errors
    /// If it had ended before.
    fn stop(mut self) -> Result<(), String> {
        match self.join() {
            Some(true) => Ok(()),
            _ => {
                Err("the load ended before the pauses did: it kept everything else off its CPU for too long".to_owned())
            }
        }
    }

    fn join(&mut self) -> Option<bool> {
        self.stop.store(true, Relaxed);
        self.thread.take()?.join().ok()
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        self.join();
    }
}

/// Spins until `stop` is set, but no longer than `longest`; whether it was set.
fn spin(stop: &AtomicBool, longest: Duration) -> bool {
    let began = std::time::Instant::now();
    while began.elapsed() < longest {
        for _ in 0..HOG_TURNS {
            if stop.load(Relaxed) {
                return true;
            }
            std::hint::spin_loop();
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_that_nobody_stops_ends_and_says_so() {
        let hog = Hog::start(true, Duration::from_millis(1)).unwrap().unwrap();
        while !hog.thread.as_ref().unwrap().is_finished() {
            thread::sleep(Duration::from_millis(1));
        }
        assert!(hog.stop().is_err());
        assert_eq!(Hog::start(true, Duration::from_secs(3_600)).unwrap().unwrap().stop(), Ok(()));
    }

    #[test]
    fn rounds_begin_with_another_way_each() {
        for (ways, lengths) in [(7, 5), (8, 5), (4, 3), (7, 1), (1, 5)] {
            let first: Vec<usize> =
                (0..ways).map(|round| order(ways * lengths, ways, round).next().unwrap() % ways).collect();
            assert_eq!(first, (0..ways).collect::<Vec<_>>(), "{ways}, {lengths}");
            let mut all: Vec<usize> = order(ways * lengths, ways, 3).collect();
            all.sort_unstable();
            assert_eq!(all, (0..ways * lengths).collect::<Vec<_>>());
        }
        assert_eq!(order(0, 0, 5).count(), 0);
    }

    #[test]
    fn switches_in_the_pausing_threads_are_counted() {
        let turn = |preempted: u64| Turn {
            way: PauseWay::Spin,
            requested_ns: 1_000,
            taken_ns: Vec::new(),
            cpu_ns: None,
            wall_ns: 0,
            preempted: Some(preempted),
        };
        let own = Disturbance { involuntary_switches: Some(258), waited_ms: Some(1.0), ..Disturbance::default() };
        let all = with_switches(own, &[turn(500), turn(75)]);
        assert_eq!((all.involuntary_switches, all.waited_ms), (Some(833), None));
        assert_eq!(with_switches(Disturbance::default(), &[turn(5)]).involuntary_switches, None);
    }

    #[test]
    fn every_way_is_tried_at_every_length_and_is_never_early() {
        let ways: Vec<PauseWay> = PauseWay::ALL.into_iter().filter(|way| *way != PauseWay::PauserRealTime).collect();
        let request = PausesTask { ways, lengths_ns: vec![1_000, 200_000], cpu: None, load: false, rotation: 3 };
        let (samples, _) = run(&request, 20).unwrap();
        assert_eq!(samples.turns.len() + 2 * samples.unavailable.len(), 2 * request.ways.len());
        for turn in &samples.turns {
            assert!(turn.taken_ns.iter().all(|(ns, count)| *ns >= turn.requested_ns && *count > 0), "{turn:?}");
        }
    }

    #[test]
    fn what_cannot_be_had_is_named_and_keeps_nothing_from_the_rest() {
        let ways = vec![PauseWay::PauserRealTime, PauseWay::Spin];
        let request = PausesTask { ways, lengths_ns: vec![1_000], cpu: None, load: true, rotation: 0 };
        let (samples, _) = run(&request, 1).unwrap();
        assert!(samples.turns.iter().any(|turn| turn.way == PauseWay::Spin));
        assert_eq!(samples.turns.len() + samples.unavailable.len(), 2);
    }
}
