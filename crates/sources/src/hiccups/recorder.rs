use core::time::Duration;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};

use super::{HiccupInterval, HiccupObserver};
use chronoscope_clock::Instant;
use chronoscope_clock::pause::Cancel;

/// Looks out for hiccups on a thread of its own, until it is stopped or dropped.
///
/// The thread inherits the affinity and the policy of the one that starts it: pin it there to watch one CPU.
///
/// # Guarantees
/// Memory does not grow with time: what is not taken is added up, in a histogram of 256 KiB. The thread that looks allocates
/// nothing: [`take`](Self::take) makes the next histogram on its caller's thread, and swaps the two under a lock. If the caller loses its
/// CPU at that moment, the thread that looks waits, and counts that.
///
/// Not for use across `fork`: the child has no such thread, and [`stop`](Self::stop) would wait for it.
///
/// # Examples
/// A program that reports what held it up, once a minute or, here, once:
/// ```
/// use std::time::Duration;
///
/// use chronoscope_sources::hiccups::{HiccupObserver, HiccupRecorder};
///
/// let recorder = HiccupRecorder::start(HiccupObserver::sleeping())?;
/// std::thread::sleep(Duration::from_millis(300)); // the program's own work
/// let seen = recorder.take();
/// println!("p99.9 {} ns", seen.histogram().value_at_quantile(0.999));
/// assert!(recorder.stop().start() >= seen.end());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct HiccupRecorder {
    cancel: Arc<Cancel>,
    seen: Arc<Mutex<HiccupInterval>>,
    lately: Arc<Lately>,
    thread: Option<JoinHandle<()>>,
    thread_id: Option<u32>,
}

/// What was seen since it was last asked for. Without a lock: whoever asks often must not hold up the thread that looks.
#[derive(Debug, Default)]
struct Lately {
    longest_ns: AtomicU64,
    sum_ns: AtomicU64,
}

/// How late wake-ups were, each by its first look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lateness {
    /// The latest.
    pub longest: Duration,
    /// All of them together.
    pub sum: Duration,
}

impl Lately {
    fn record(&self, late_ns: u64) {
        self.longest_ns.fetch_max(late_ns, Ordering::Relaxed);
        self.sum_ns.fetch_add(late_ns, Ordering::Relaxed);
    }

    /// The sum may lack a wake-up that the longest is of, or the other way round, which the next one then has.
    fn take(&self) -> Lateness {
        let [longest, sum] =
            [&self.longest_ns, &self.sum_ns].map(|of| Duration::from_nanos(of.swap(0, Ordering::Relaxed)));
        Lateness { longest, sum }
    }
}

impl HiccupRecorder {
    /// Starts `observer`; its interval is the recorder's own. Returns when its thread runs: starting it is no hiccup.
    ///
    /// # Errors
    /// Where no thread can be started.
    pub fn start(observer: HiccupObserver) -> io::Result<Self> {
        let cancel = Arc::new(Cancel::new());
        let seen = Arc::new(Mutex::new(HiccupInterval::starting_at(Instant::from_nanos(0))));
        let lately = Arc::new(Lately::default());
        let (until, into, as_well) = (Arc::clone(&cancel), Arc::clone(&seen), Arc::clone(&lately));
        let (begun, begins) = mpsc::sync_channel(1);
        let thread = thread::Builder::new().name("hiccups".into()).spawn(move || {
            let thread_id = thread_id();
            let begin = |start| {
                locked(&into).begin_at(start);
                // Whoever started it waits for it.
                let _ = begun.send(thread_id);
            };
            let end = observer.watch(begin, &until, |looks| {
                as_well.record(looks.late_ns);
                locked(&into).record(looks);
            });
            locked(&into).end_at(end);
        })?;
        // Fails if the thread has panicked, which says so.
        let thread_id = begins.recv().ok().flatten();
        Ok(Self { cancel, seen, lately, thread: Some(thread), thread_id })
    }

    /// The kernel's number of the thread that looks; None where it is not known.
    #[must_use]
    pub fn thread_id(&self) -> Option<u32> {
        self.thread_id
    }

    /// How late wake-ups were since the last time that this was asked. [`take`](Self::take) has them all the same.
    #[must_use = "it is not kept"]
    pub fn take_lateness(&self) -> Lateness {
        self.lately.take()
    }

    /// What was seen since the last time, up to the last look.
    #[must_use = "it is not kept"]
    pub fn take(&self) -> HiccupInterval {
        // Made before the lock: the thread that looks waits for the swap alone.
        let mut taken = HiccupInterval::starting_at(Instant::from_nanos(0));
        let mut seen = locked(&self.seen);
        taken.begin_at(seen.end());
        core::mem::swap(&mut *seen, &mut taken);
        taken
    }

    /// Ends the thread, whatever it waits for; what was seen since the last time.
    pub fn stop(self) -> HiccupInterval {
        self.finish().0
    }

    /// As [`stop`](Self::stop), with what [`take_lateness`](Self::take_lateness) would tell.
    pub fn finish(mut self) -> (HiccupInterval, Lateness) {
        self.end();
        (self.take(), self.take_lateness())
    }

    fn end(&mut self) {
        self.cancel.cancel();
        // A thread that panicked has said so.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Drop for HiccupRecorder {
    fn drop(&mut self) {
        self.end();
    }
}

/// # Sources
/// proc(5), "/proc/thread-self": a link to the folder of the thread that reads it, whose name is its number.
fn thread_id() -> Option<u32> {
    std::fs::read_link("/proc/thread-self").ok()?.file_name()?.to_str()?.parse().ok()
}

fn locked(seen: &Mutex<HiccupInterval>) -> MutexGuard<'_, HiccupInterval> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_clock::Clock;

    fn now() -> Instant {
        Clock::or_system().now()
    }

    #[test]
    #[cfg_attr(miri, ignore)] // makes system calls that Miri does not know
    fn what_was_taken_is_not_seen_again() {
        let began = now();
        let recorder = HiccupRecorder::start(HiccupObserver::sleeping()).unwrap();
        let mut seen = recorder.take();
        while seen.histogram().len() < 50 {
            thread::sleep(Duration::from_millis(20));
            let next = recorder.take();
            assert_eq!(next.start(), seen.end());
            seen.merge(&next);
        }
        let rest = recorder.stop();
        assert!(began <= seen.start() && seen.start() < seen.end());
        assert_eq!(rest.start(), seen.end());
        let looks = seen.histogram().len() + rest.histogram().len();
        let whole = rest.end().saturating_duration_since(seen.start());
        assert!(u128::from(looks).abs_diff(whole.as_millis()) <= 1, "{looks} in {whole:?}");
    }

    #[test]
    fn what_came_lately_is_told_once() {
        let lately = Lately::default();
        [3, 9, 4].into_iter().for_each(|ns| lately.record(ns));
        let told = Lateness { longest: Duration::from_nanos(9), sum: Duration::from_nanos(16) };
        assert_eq!([lately.take(), lately.take()], [told, Lateness::default()]);
    }

    #[test]
    #[cfg_attr(miri, ignore)] // makes system calls that Miri does not know
    fn the_latest_wake_up_is_the_latest_of_all_looks() {
        let recorder = HiccupRecorder::start(HiccupObserver::sleeping()).unwrap();
        thread::sleep(Duration::from_millis(30));
        let thread_id = recorder.thread_id();
        let (seen, lately) = recorder.finish();
        let highest = seen.histogram().highest_equivalent(u64::try_from(lately.longest.as_nanos()).unwrap());
        assert_eq!(u128::from(highest), seen.longest().as_nanos());
        assert!(lately.sum >= lately.longest);
        assert_eq!(thread_id.is_some(), cfg!(target_os = "linux"));
    }

    #[test]
    #[cfg_attr(miri, ignore)] // makes system calls that Miri does not know
    fn a_recorder_that_waits_for_an_hour_is_stopped_all_the_same() {
        for observer in [HiccupObserver::sleeping(), HiccupObserver::spinning()] {
            let seldom = observer.every(Duration::from_secs(3_600));
            drop(HiccupRecorder::start(seldom).unwrap());
            let seen = HiccupRecorder::start(seldom).unwrap().stop();
            assert!(seen.histogram().is_empty() && seen.start() <= seen.end());
        }
    }
}
