use core::time::Duration;

use crate::Instant;

/// A gap so long while it spins is a time slice that went to somebody else; two of them so near to each other are the doing of
/// one who wants this CPU all the time.
const LOST_SLICE: Duration = Duration::from_millis(1);
const LOST_AGAIN: Duration = Duration::from_millis(50);
/// Then it spins less for a while, twice as long each time that it finds the other one still there.
const CROWDED: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(30));

/// Whether somebody else wants this CPU all the time. A thread that mostly sleeps is let run when it wakes; one that spins uses
/// up its share and then waits for a whole time slice of the other one's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crowd {
    last_lost: Option<Instant>,
    pub(super) until: Instant,
    next: Duration,
}

impl Crowd {
    pub(super) const NONE: Self = Self { last_lost: None, until: Instant::ZERO, next: CROWDED.0 };

    pub(super) fn is_there(&self, now: Instant) -> bool {
        now < self.until
    }

    /// Whether a slice was lost just now, so that the next one would tell. Then the CPU time of spins is worth a system call.
    pub(super) fn is_suspected(&self, now: Instant) -> bool {
        self.last_lost.is_some_and(|last| now.saturating_duration_since(last) < LOST_AGAIN)
    }

    /// Takes in what a spin that ended `now` met, and how much of its time was not this thread's, where that is known: a
    /// hypervisor that takes the CPU takes it from all threads, and is not met by sleeping.
    pub(super) fn note(&mut self, largest_gap: Duration, taken: Option<Duration>, now: Instant) {
        if largest_gap < LOST_SLICE {
            return;
        }
        let again = self.is_suspected(now) && taken.is_none_or(|taken| taken >= LOST_SLICE / 2);
        self.last_lost = Some(now);
        if again && !self.is_there(now) {
            // Long quiet since the last time is a new beginning.
            if now.saturating_duration_since(self.until) > self.next {
                self.next = CROWDED.0;
            }
            self.until = now.saturating_add(self.next);
            self.next = (self.next * 2).min(CROWDED.1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    const SLICE: Duration = Duration::from_millis(4);

    #[test]
    fn who_loses_time_slices_spins_less() {
        let mut crowd = Crowd::NONE;
        crowd.note(SLICE, None, at(1_000));
        assert!(!crowd.is_there(at(1_001)), "once is an accident");
        crowd.note(SLICE, Some(SLICE), at(1_008));
        assert!(crowd.is_there(at(1_009)) && crowd.is_there(at(3_007)) && !crowd.is_there(at(3_009)));
        crowd.note(SLICE, Some(SLICE), at(3_020));
        crowd.note(SLICE, Some(SLICE), at(3_030));
        assert!(crowd.is_there(at(7_000)) && !crowd.is_there(at(7_100)), "twice as long");
        crowd.note(SLICE, None, at(60_000));
        crowd.note(SLICE, None, at(60_010));
        assert!(crowd.is_there(at(62_000)) && !crowd.is_there(at(62_100)), "as at first, after long quiet");
    }

    #[test]
    fn what_a_hypervisor_takes_is_no_crowd() {
        let mut crowd = Crowd::NONE;
        for ms in (1_000..2_000).step_by(10) {
            crowd.note(SLICE, Some(Duration::from_micros(20)), at(ms));
            assert!(crowd.is_suspected(at(ms + 1)) && !crowd.is_there(at(ms + 1)));
        }
    }
}
