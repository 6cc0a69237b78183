use core::time::Duration;

use hdrhistogram::Histogram;

use super::histogram;
use super::looks::Looks;
use chronoscope_clock::Instant;

/// How late the looks of a stretch of time were.
///
/// # Units
/// The histogram's values are nanoseconds, to a thousandth of each, up to 18 minutes; longer ones count as that. A look in time is
/// late by what it takes to read the clock, or to wake up. It takes 256 KiB.
///
/// # Examples
/// ```
/// use chronoscope_sources::hiccups::{HiccupObserver, HiccupRecorder};
///
/// let recorder = HiccupRecorder::start(HiccupObserver::sleeping())?;
/// let seen = recorder.stop();
/// println!("{} looks, the latest by {:?}", seen.histogram().len(), seen.longest());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct HiccupInterval {
    start: Instant,
    end: Instant,
    looks: Histogram<u64>,
}

impl HiccupInterval {
    /// An empty one, whose memory is there: whoever records into it waits for no page.
    pub(super) fn starting_at(start: Instant) -> Self {
        let mut looks = histogram::empty();
        looks.reset();
        Self { start, end: start, looks }
    }

    /// Empties it, in place.
    pub(super) fn restart_at(&mut self, start: Instant) {
        self.begin_at(start);
        self.looks.reset();
    }

    pub(super) fn record(&mut self, looks: &Looks) {
        looks.record(&mut self.looks);
        self.end = looks.woke;
    }

    /// Says when it began, which is when it ends so far.
    pub(super) fn begin_at(&mut self, start: Instant) {
        (self.start, self.end) = (start, start);
    }

    pub(super) fn end_at(&mut self, end: Instant) {
        self.end = end;
    }

    /// Adds a later interval.
    pub fn merge(&mut self, later: &Self) {
        // Bounds are the same in all, which is what adding can fail of.
        let _ = self.looks.add(&later.looks);
        (self.start, self.end) = (self.start.min(later.start), self.end.max(later.end));
    }

    /// When it began.
    #[must_use]
    pub fn start(&self) -> Instant {
        self.start
    }

    /// When it ended: not before `start`.
    #[must_use]
    pub fn end(&self) -> Instant {
        self.end
    }

    /// How late each look was, in nanoseconds.
    #[must_use]
    pub fn histogram(&self) -> &Histogram<u64> {
        &self.looks
    }

    /// How late the latest was.
    #[must_use]
    pub fn longest(&self) -> Duration {
        Duration::from_nanos(self.looks.max())
    }
}
