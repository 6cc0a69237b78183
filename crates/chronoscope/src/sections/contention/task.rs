//! Has many threads read one clock concurrently, and counts their reads externally.
//!
//! The threads publish how many reads they have made, a chunk at a time and each on its own cache lines; a thread that
//! reads no clock samples these tallies at both ends of a window. The staleness of returned values is sampled in
//! separate windows, so that in a counted window no read is followed by a second one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use chronoscope_clock::{Clock, Granular, TickSource, Unordered};
use chronoscope_sources::work::opaque;
use serde::{Deserialize, Serialize};

use crate::engine::task::{Bench, Task};
use crate::engine::timer::{Deadline, Timer};
use chronoscope_harness::record::Disturbance;
use chronoscope_harness::watch::Watch;

/// Reads between stop checks: the virtual call and the tally of a chunk are then negligible.
const CHUNK: u64 = 128;
/// Minimum window, in nanoseconds.
const SHORTEST_WINDOW_NS: u64 = 1_000_000;
/// Maximum staleness samples over all threads of a window.
const MOST_SAMPLES: usize = 20_000;
/// Maximum window for them, in nanoseconds.
const LONGEST_SAMPLING_NS: u64 = 10_000_000;

/// Time allowed for a round beyond twice its budget, in milliseconds.
const GRACE_MS: u64 = 1_000;

/// Which clocks, by how many threads, on which CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    pub lanes: Vec<Lane>,
    pub threads: Vec<u32>,
    /// The CPUs that threads are pinned to, in turn.
    pub cpus: Vec<u32>,
    /// The first combination of clock and threads in the round.
    pub rotation: usize,
}

/// One clock to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lane {
    /// The bare source of the causal clock: an upper limit.
    Unordered,
    /// The fenced clock.
    Ordered,
    /// The causal clock over the bare source.
    Granular { granularity_ns: u64 },
}

/// One round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// The windows that fit in the time.
    pub windows: Vec<Window>,
}

/// One clock, read by this many threads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    pub lane: Lane,
    /// Threads that read.
    pub threads: u32,
    /// Combined reads of all of them in the window.
    pub reads: u64,
    /// The window, in timer ticks.
    pub ticks: u64,
    /// The source's reading right after a call, minus the value returned, in nanoseconds; each with its count.
    pub staleness: Vec<(i64, u64)>,
}

impl Task for Request {
    const NAME: &'static str = "contention";
    type Samples = Samples;

    fn perform(&self, bench: &Bench) -> Result<(Samples, Disturbance), String> {
        let readers: Vec<Named> = self.lanes.iter().map(|lane| (*lane, lane.reader())).collect();
        round(self, &readers, bench.timer()?, bench.budget_ms)
    }
}

impl Lane {
    fn reader(self) -> Box<dyn Reader> {
        let source = Unordered::or_system();
        match self {
            Self::Unordered => Box::new(Over { clock: source, source }),
            Self::Ordered => Box::new(Over { clock: Clock::or_system(), source }),
            Self::Granular { granularity_ns } => {
                Box::new(Over { clock: Granular::over(source, Duration::from_nanos(granularity_ns)), source })
            }
        }
    }
}

/// Reads every clock with every number of threads once, as time allows.
fn round(request: &Request, readers: &[Named], timer: Timer, budget_ms: u64) -> Result<(Samples, Disturbance), String> {
    let combinations: Vec<(&Named, u32)> =
        readers.iter().flat_map(|reader| request.threads.iter().map(move |threads| (reader, *threads))).collect();
    let most = request.threads.iter().copied().max().unwrap_or(0) as usize;
    let share_ns = budget_ms.saturating_mul(1_000_000) / combinations.len().max(1) as u64;
    let window_ns = (share_ns / 3 * 2).max(SHORTEST_WINDOW_NS);
    let sampling_ns = (share_ns / 8).clamp(SHORTEST_WINDOW_NS / 2, LONGEST_SAMPLING_NS);
    // A busy machine delays a round; it is aborted only when it would be killed from outside.
    let deadline = Deadline::after_ms(timer, budget_ms.saturating_mul(2).saturating_add(GRACE_MS));
    let tallies: Vec<Tally> = (0..most).map(|_| Tally::default()).collect();
    let stop = AtomicBool::new(false);
    let (finished, left) = channel();
    thread::scope(|scope| {
        let mut doors = Vec::with_capacity(most);
        let mut threads = Vec::with_capacity(most);
        for (i, tally) in tallies.iter().enumerate() {
            let (door, jobs) = channel();
            let (stop, finished) = (&stop, finished.clone());
            let cpu = (!request.cpus.is_empty()).then(|| request.cpus[i % request.cpus.len()]);
            let thread = thread::Builder::new()
                .spawn_scoped(scope, move || serve(cpu, &jobs, tally, stop, &finished))
                .map_err(|error| format!("could start only {i} of {most} threads: {error}"))?;
            doors.push(door);
            threads.push(thread);
        }
        drop(finished);
        let crew = Crew { doors, tallies: &tallies, stop: &stop, left, timer };
        let mut samples = Samples::default();
        for at in 0..combinations.len() {
            if at > 0 && deadline.passed() {
                break;
            }
            let ((lane, reader), threads) = combinations[(request.rotation + at) % combinations.len()];
            let (reads, ticks) = crew.count(reader.as_ref(), threads as usize, window_ns)?;
            let staleness = crew.sample(reader.as_ref(), threads as usize, sampling_ns)?;
            samples.windows.push(Window { lane: *lane, threads, reads, ticks, staleness });
        }
        drop(crew);
        let mut watched = Disturbance::default();
        for (i, thread) in threads.into_iter().enumerate() {
            let mut suffered = thread.join().map_err(|_| "a reading thread panicked".to_owned())?;
            if i >= request.cpus.len() {
                // Steal on a CPU counts once, however many threads share it.
                suffered.steal_ms = None;
            }
            watched.merge(&suffered);
        }
        Ok((samples, watched))
    })
}

/// A clock with its name in the request.
type Named = (Lane, Box<dyn Reader>);

/// A clock as read by a thread: a chunk at a time, so that the virtual call is not on the path of each read.
trait Reader: Sync {
    /// Reads so many times.
    fn chunk(&self);

    /// Reads once, then the source, and returns by how much the source is ahead.
    fn stale_by_ns(&self) -> i64;
}

/// A clock over its source.
struct Over<C, S> {
    clock: C,
    source: S,
}

impl<C: TickSource + Sync, S: TickSource + Sync> Reader for Over<C, S> {
    fn chunk(&self) {
        for _ in 0..CHUNK {
            opaque(self.clock.read());
        }
    }

    fn stale_by_ns(&self) -> i64 {
        let shown = self.clock.read();
        self.source.read().wrapping_sub(shown) as i64
    }
}

/// Reads made by a thread, on its own cache lines.
#[repr(align(128))]
#[derive(Default)]
struct Tally(AtomicU64);

/// A thread's job until it is stopped.
#[derive(Clone, Copy)]
struct Job<'a> {
    reader: &'a dyn Reader,
    /// Staleness samples to take; none where reads are counted.
    samples: usize,
}

/// A thread's main loop: one job after another, asleep between them.
fn serve(
    cpu: Option<u32>,
    jobs: &Receiver<Job<'_>>,
    tally: &Tally,
    stop: &AtomicBool,
    finished: &Sender<Vec<i64>>,
) -> Disturbance {
    let watch = Watch::pinned(cpu);
    for job in jobs {
        let mut stale = Vec::with_capacity(job.samples);
        let mut reads = 0;
        while !stop.load(Relaxed) {
            job.reader.chunk();
            reads += CHUNK;
            tally.0.store(reads, Relaxed);
            if stale.len() < job.samples {
                stale.push(job.reader.stale_by_ns());
            }
        }
        if finished.send(stale).is_err() {
            break;
        }
    }
    watch.finish()
}

/// Threads waiting for jobs, as seen by the dispatcher.
struct Crew<'a> {
    doors: Vec<Sender<Job<'a>>>,
    tallies: &'a [Tally],
    stop: &'a AtomicBool,
    left: Receiver<Vec<i64>>,
    timer: Timer,
}

impl<'a> Crew<'a> {
    /// Reads of `threads` threads in a window of about `window_ns`, and the window in timer ticks.
    fn count(&self, reader: &'a dyn Reader, threads: usize, window_ns: u64) -> Result<(u64, u64), String> {
        self.begin(Job { reader, samples: 0 }, threads)?;
        self.await_all(threads, window_ns / 4);
        let (reads_before, start) = (self.tallied(threads), self.timer.now());
        thread::sleep(Duration::from_nanos(window_ns));
        let (reads, end) = (self.tallied(threads), self.timer.now());
        self.end(threads)?;
        Ok((reads.saturating_sub(reads_before), end.saturating_sub(start)))
    }

    /// Staleness of values as observed by `threads` threads, with counts.
    fn sample(&self, reader: &'a dyn Reader, threads: usize, window_ns: u64) -> Result<Vec<(i64, u64)>, String> {
        self.begin(Job { reader, samples: (MOST_SAMPLES / threads.max(1)).max(1) }, threads)?;
        thread::sleep(Duration::from_nanos(window_ns));
        let mut counts = BTreeMap::<i64, u64>::new();
        self.end(threads)?.into_iter().flatten().for_each(|ns| *counts.entry(ns).or_default() += 1);
        Ok(counts.into_iter().collect())
    }

    fn begin(&self, job: Job<'a>, threads: usize) -> Result<(), String> {
        self.tallies.iter().for_each(|tally| tally.0.store(0, Relaxed));
        self.stop.store(false, Relaxed);
        self.doors[..threads]
            .iter()
            .try_for_each(|door| door.send(job))
            .map_err(|_| "a reading thread ended".to_owned())
    }

    /// Waits until every thread has read, but not for long: with more threads than CPUs they take turns.
    fn await_all(&self, threads: usize, longest_ns: u64) {
        const LOOK_EVERY: Duration = Duration::from_micros(50);
        let deadline = Deadline::after_ns(self.timer, longest_ns);
        while !deadline.passed() && self.tallies[..threads].iter().any(|tally| tally.0.load(Relaxed) == 0) {
            thread::sleep(LOOK_EVERY);
        }
    }

    fn tallied(&self, threads: usize) -> u64 {
        self.tallies[..threads].iter().map(|tally| tally.0.load(Relaxed)).sum()
    }

    fn end(&self, threads: usize) -> Result<Vec<Vec<i64>>, String> {
        self.stop.store(true, Relaxed);
        (0..threads).map(|_| self.left.recv().map_err(|_| "a reading thread ended".to_owned())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::timer::TimerSpec;
    use chronoscope_clock::FakeClock;

    fn reader(clock: &'static FakeClock, granularity_ns: u64) -> Box<dyn Reader> {
        Box::new(Over { clock: Granular::over(clock, Duration::from_nanos(granularity_ns)), source: clock })
    }

    fn fake(read_cost_ns: u64) -> &'static FakeClock {
        let clock = Box::leak(Box::new(FakeClock::new()));
        clock.set_read_cost(Duration::from_nanos(read_cost_ns));
        clock
    }

    #[test]
    fn a_value_is_as_stale_as_the_granularity_lets_it_be() {
        let reader = reader(fake(100), 1_000);
        let stale: Vec<i64> = (0..50).map(|_| reader.stale_by_ns()).collect();
        // The source's read after the call takes 100 ns by itself.
        assert_eq!((stale.iter().min(), stale.iter().max()), (Some(&100), Some(&1_000)));
    }

    #[test]
    fn a_fresh_value_is_as_stale_as_one_read_takes() {
        let clock = fake(30);
        let bare: Box<dyn Reader> = Box::new(Over { clock, source: clock });
        assert!((0..50).all(|_| bare.stale_by_ns() == 30));
    }

    #[test]
    fn a_round_reads_every_clock_by_every_number_of_threads() {
        let lanes = [0, 1_000].map(|granularity_ns| Lane::Granular { granularity_ns });
        let clocks = lanes.map(|_| fake(10));
        let readers = lanes.into_iter().zip(clocks.map(|clock| reader(clock, 10))).collect::<Vec<_>>();
        let request = Request { lanes: lanes.to_vec(), threads: vec![1, 3], cpus: Vec::new(), rotation: 3 };
        let timer = Timer::new(TimerSpec::SystemCall).unwrap();
        let (samples, _) = round(&request, &readers, timer, 40).unwrap();
        let first = samples.windows.first().unwrap();
        assert_eq!((first.lane, first.threads), (lanes[1], 3), "it begins where the rotation says");
        assert!(samples.windows.iter().all(|window| window.ticks >= SHORTEST_WINDOW_NS));
        assert!(samples.windows.len() < 4 || clocks.iter().all(|clock| clock.elapsed() > Duration::ZERO));
    }

    #[test]
    fn no_threads_do_nothing() {
        let request = Request { lanes: Vec::new(), threads: Vec::new(), cpus: vec![0], rotation: 0 };
        let timer = Timer::new(TimerSpec::SystemCall).unwrap();
        assert_eq!(round(&request, &[], timer, 1).unwrap().0, Samples::default());
    }
}
