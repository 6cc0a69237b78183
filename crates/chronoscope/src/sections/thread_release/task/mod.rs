//! Calls in one thread, and by many threads released together by one latch.
//!
//! The second is how clocks have been timed "under concurrency": the time from the release until the last thread has
//! called, divided by the number of threads. To show what that measures, one of the calls reads nothing, and in
//! separate releases each thread takes a stamp before and after its call.

mod gate;

use std::thread;
use std::time::Duration;

use chronoscope_clock::TickSource;
use chronoscope_sources::SourceVisitor;
use chronoscope_sources::work::opaque;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::engine::task::{Bench, Task};
use crate::engine::timer::{Deadline, Timer};
use chronoscope_harness::record::Disturbance;
use chronoscope_harness::watch::Watch;
use gate::{Countdown, Gate, OpenAtLast};

/// Minimum calls in one thread, so that the timer's own cost is negligible.
const FEWEST_SERIAL_CALLS: u64 = 10_000;
/// Stack size sufficient here; the usual stacks of thousands of threads would not fit everywhere.
const STACK_BYTES: usize = 128 * 1024;
/// Time for the last waiting thread to fall asleep before the release.
const SETTLE: Duration = Duration::from_micros(200);
/// Time allowed for a round beyond twice its budget, in milliseconds.
const GRACE_MS: u64 = 1_000;

/// Calls, number of threads, and CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    pub calls: Vec<Call>,
    /// Threads released together.
    pub threads: u32,
    /// The CPUs they may run on; the kernel places them.
    pub cpus: Vec<u32>,
    /// The first call of the first turn.
    pub rotation: usize,
}

/// What to call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// The control: a body that reads nothing.
    Nothing,
    /// One read of this source.
    Read(ClockId),
}

/// The samples of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// In request order.
    pub calls: Vec<CallSamples>,
    /// From the start of the first thread until all waited, in timer ticks, once per release.
    pub start_ticks: Vec<u64>,
    /// Why there are no more releases, if threads could not be started.
    pub reason_stopped: Option<String>,
}

/// The samples of one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSamples {
    pub call: Call,
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

impl Task for Request {
    const NAME: &'static str = "thread_release";
    type Samples = Samples;

    fn perform(&self, bench: &Bench) -> Result<(Samples, Disturbance), String> {
        let timer = bench.timer()?;
        let bodies: Vec<Named> =
            self.calls.iter().map(|call| Ok((call.clone(), body(call)?))).collect::<Result<_, String>>()?;
        // Threads inherit the CPUs of the one that starts them.
        let watch = Watch::among(&self.cpus);
        let samples = turns(self, &bodies, timer, bench.budget_ms);
        Ok((samples, watch.finish()))
    }
}

fn body(call: &Call) -> Result<Box<dyn Body>, String> {
    match call {
        Call::Nothing => Ok(Box::new(Of(Nothing))),
        Call::Read(clock) => clock.visit(Boxed),
    }
}

/// Takes turns with the calls while there is time: one turn of each, however long that takes.
fn turns(request: &Request, bodies: &[Named], timer: Timer, budget_ms: u64) -> Samples {
    let deadline = Deadline::after_ms(timer, budget_ms);
    // A busy machine makes a turn late; it is broken off only where it would be ended from outside.
    let end = Deadline::after_ms(timer, budget_ms.saturating_mul(2).saturating_add(GRACE_MS));
    let threads = request.threads.max(1) as usize;
    let serial_calls = FEWEST_SERIAL_CALLS.next_multiple_of(threads as u64);
    let mut calls: Vec<CallSamples> =
        bodies.iter().map(|(call, _)| CallSamples::none_of(call.clone(), serial_calls)).collect();
    let mut start_ticks = Vec::new();
    // The first threads of a process find no stacks to use again.
    let mut reason_stopped = release(threads, timer, || ()).err();
    let mut turn = request.rotation;
    'turns: while !bodies.is_empty() {
        for at in 0..bodies.len() {
            if at > 0 && end.passed() {
                break 'turns;
            }
            let which = (turn + at) % bodies.len();
            let (body, seen) = (bodies[which].1.as_ref(), &mut calls[which]);
            body.serial_ticks(serial_calls, timer);
            seen.serial_ticks.push(body.serial_ticks(serial_calls, timer));
            if reason_stopped.is_none() {
                reason_stopped = seen.released(body, threads, timer, &mut start_ticks).err();
            }
        }
        turn += 1;
        // Calls in one thread are soon known; without others there is no more to wait for.
        if deadline.passed() || reason_stopped.is_some() {
            break;
        }
    }
    Samples { calls, start_ticks, reason_stopped }
}

impl CallSamples {
    fn none_of(call: Call, serial_calls: u64) -> Self {
        let (serial_ticks, release_ticks, inside_ticks, wake_ticks) = Default::default();
        Self { call, serial_calls, serial_ticks, release_ticks, inside_ticks, wake_ticks }
    }

    /// Releases threads twice: once to time them all from outside, once for each to time itself.
    fn released(
        &mut self,
        body: &dyn Body,
        threads: usize,
        timer: Timer,
        start_ticks: &mut Vec<u64>,
    ) -> Result<(), String> {
        let bare = release(threads, timer, || body.call())?;
        let stamped = release(threads, timer, || body.stamped(timer))?;
        self.release_ticks.push(bare.ticks);
        start_ticks.extend([bare.start_ticks, stamped.start_ticks]);
        for (first, last) in stamped.seen {
            count(&mut self.inside_ticks, last.saturating_sub(first));
            count(&mut self.wake_ticks, first.wrapping_sub(stamped.released) as i64);
        }
        Ok(())
    }
}

/// Adds one to the count of `value`, of counts in the order of their values.
fn count<T: Ord>(counts: &mut Vec<(T, u64)>, value: T) {
    match counts.binary_search_by(|(known, _)| known.cmp(&value)) {
        Ok(at) => counts[at].1 += 1,
        Err(at) => counts.insert(at, (value, 1)),
    }
}

/// One release.
struct Release<T> {
    /// From the start of the first thread until all waited.
    start_ticks: u64,
    /// When they were released.
    released: u64,
    /// From then until the last of them was done.
    ticks: u64,
    /// What each of them saw.
    seen: Vec<T>,
}

/// Starts threads, releases them together, and waits until each has done its part.
fn release<T: Send>(threads: usize, timer: Timer, part: impl Fn() -> T + Sync) -> Result<Release<T>, String> {
    let (gate, done) = (Gate::new(threads), Countdown::from(threads));
    thread::scope(|scope| {
        let _opened = OpenAtLast(&gate);
        let begun = timer.now();
        let mut started = Vec::with_capacity(threads);
        for i in 0..threads {
            let serve = || {
                gate.pass();
                let seen = part();
                done.count_down();
                seen
            };
            let thread = thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, serve)
                .map_err(|error| format!("could start only {i} of {threads} threads: {error}"))?;
            started.push(thread);
        }
        gate.await_all();
        let start_ticks = timer.now().saturating_sub(begun);
        thread::sleep(SETTLE);
        let released = timer.now();
        gate.open();
        done.wait();
        let ticks = timer.now().saturating_sub(released);
        let seen = started.into_iter().map(|thread| thread.join().map_err(|_| "a calling thread panicked".to_owned()));
        Ok(Release { start_ticks, released, ticks, seen: seen.collect::<Result<_, _>>()? })
    })
}

/// A call with the name by which it is asked for.
type Named = (Call, Box<dyn Body>);

/// A call whose loop and whose stamps are compiled for its source.
trait Body: Sync {
    /// Calls so many times in a row: ticks of the timer from outside.
    fn serial_ticks(&self, calls: u64, timer: Timer) -> u64;

    /// Calls once.
    fn call(&self);

    /// Calls once between two stamps.
    fn stamped(&self, timer: Timer) -> (u64, u64);
}

/// One read of a source.
struct Of<S>(S);

impl<S: TickSource + Sync> Body for Of<S> {
    fn serial_ticks(&self, calls: u64, timer: Timer) -> u64 {
        let start = timer.now();
        for _ in 0..calls {
            opaque(self.0.read());
        }
        timer.now().saturating_sub(start)
    }

    fn call(&self) {
        opaque(self.0.read());
    }

    fn stamped(&self, timer: Timer) -> (u64, u64) {
        let first = timer.now();
        opaque(self.0.read());
        (first, timer.now())
    }
}

/// A source that is none.
#[derive(Clone, Copy)]
struct Nothing;

impl TickSource for Nothing {
    #[inline(always)]
    fn read(&self) -> u64 {
        0
    }
}

struct Boxed;

impl SourceVisitor for Boxed {
    type Output = Box<dyn Body>;

    fn visit<S: TickSource + Copy + Send + Sync + 'static>(self, source: S) -> Self::Output {
        Box::new(Of(source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::timer::TimerSpec;
    use chronoscope_clock::FakeClock;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    fn timer() -> Timer {
        Timer::new(TimerSpec::SystemCall).unwrap()
    }

    fn request(threads: u32, rotation: usize) -> Request {
        Request { calls: vec![Call::Nothing, Call::Read("fake".into())], threads, cpus: Vec::new(), rotation }
    }

    #[test]
    fn every_released_thread_calls_once() {
        for threads in [1, 2, 7] {
            let calls = AtomicU32::new(0);
            let seen = release(threads, timer(), || calls.fetch_add(1, Relaxed)).unwrap();
            assert_eq!((calls.into_inner() as usize, seen.seen.len()), (threads, threads));
            assert!(seen.ticks > 0 && seen.start_ticks > 0);
        }
    }

    #[test]
    fn nobody_calls_before_the_release() {
        let seen = release(5, timer(), || timer().now()).unwrap();
        assert!(seen.seen.iter().all(|called| (seen.released..=seen.released + seen.ticks).contains(called)));
    }

    #[test]
    fn calls_are_counted_in_one_thread_and_in_many() {
        let clock: &'static FakeClock = Box::leak(Box::new(FakeClock::new()));
        clock.set_read_cost(Duration::from_nanos(10));
        let bodies: Vec<Named> =
            vec![(Call::Nothing, Box::new(Of(Nothing))), (Call::Read("fake".into()), Box::new(Of(clock)))];
        let samples = turns(&request(3, 1), &bodies, timer(), 0);
        assert_eq!(samples.reason_stopped, None);
        for call in &samples.calls {
            assert_eq!(call.serial_calls, 10_002, "a whole number of times three");
            assert!(!call.serial_ticks.is_empty() && call.release_ticks.len() == call.serial_ticks.len());
            let threads: u64 = call.inside_ticks.iter().map(|(_, count)| count).sum();
            assert_eq!(threads, 3 * call.release_ticks.len() as u64);
            assert_eq!(threads, call.wake_ticks.iter().map(|(_, count)| count).sum::<u64>());
            assert!(call.wake_ticks.iter().all(|(ticks, _)| *ticks >= 0), "one timer saw both ends");
        }
        let turns = samples.calls[1].serial_ticks.len() as u64;
        let reads = turns * (2 * 10_002 + 2 * 3);
        assert_eq!(
            clock.elapsed(),
            Duration::from_nanos(reads * 10),
            "warm-up and batch, and two releases of three threads"
        );
        assert_eq!(samples.start_ticks.len() as u64, turns * 2 * 2);
    }

    #[test]
    fn no_calls_do_nothing() {
        assert_eq!(turns(&request(2, 3), &[], timer(), 0), Samples::default());
    }

    #[test]
    fn a_clock_that_does_not_exist_is_named() {
        let wrong = Request { calls: vec![Call::Read("sundial".into())], ..request(1, 0) };
        assert!(body(&wrong.calls[0]).err().unwrap().contains("sundial"));
    }
}
