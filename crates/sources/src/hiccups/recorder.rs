use std::io;
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
    thread: Option<JoinHandle<()>>,
}

impl HiccupRecorder {
    /// Starts `observer`; its interval is the recorder's own. Returns when its thread runs: starting it is no hiccup.
    ///
    /// # Errors
    /// Where no thread can be started.
    pub fn start(observer: HiccupObserver) -> io::Result<Self> {
        let cancel = Arc::new(Cancel::new());
        let seen = Arc::new(Mutex::new(HiccupInterval::starting_at(Instant::from_nanos(0))));
        let (until, into) = (Arc::clone(&cancel), Arc::clone(&seen));
        let (begun, begins) = mpsc::sync_channel(1);
        let thread = thread::Builder::new().name("hiccups".into()).spawn(move || {
            let begin = |start| {
                locked(&into).begin_at(start);
                // Whoever started it waits for it.
                let _ = begun.send(());
            };
            let end = observer.watch(begin, &until, |looks| locked(&into).record(looks));
            locked(&into).end_at(end);
        })?;
        // Fails if the thread has panicked, which says so.
        let _ = begins.recv();
        Ok(Self { cancel, seen, thread: Some(thread) })
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
    pub fn stop(mut self) -> HiccupInterval {
        self.end();
        self.take()
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

fn locked(seen: &Mutex<HiccupInterval>) -> MutexGuard<'_, HiccupInterval> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

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
