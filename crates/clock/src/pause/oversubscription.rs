use core::time::Duration;

use crate::Instant;

/// A spin with a gap this long lost a time slice; two within [`LOST_AGAIN`] mean another thread wants this CPU all the time.
const LOST_SLICE: Duration = Duration::from_millis(1);
const LOST_AGAIN: Duration = Duration::from_millis(50);
/// How long it then spins less: doubled, up to a limit, each time the other thread is still there.
const LASTS: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(30));

/// Whether a spin with this largest gap lost its CPU for a time slice.
pub(super) fn lost_slice(largest_gap: Duration) -> bool {
    largest_gap >= LOST_SLICE
}

/// Whether another thread wants this CPU all the time. A thread that mostly sleeps runs when it wakes; one that spins
/// uses up its share and then waits for a whole time slice of the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Oversubscription {
    last_lost: Option<Lost>,
    /// How long the thread has slept since.
    slept: Duration,
    pub(super) until: Instant,
    next: Duration,
    /// Whether `until` has not been seen to pass.
    is_trusted: bool,
}

/// When a spin lost its CPU for a slice, and what the thread had used by then.
#[derive(Clone, Copy, Debug)]
struct Lost {
    at: Instant,
    usage: Usage,
}

/// What the system tells of a thread, if it does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Usage {
    pub(super) cpu: Option<Duration>,
    /// Its involuntary context switches.
    pub(super) preemptions: Option<u64>,
}

impl Oversubscription {
    pub(super) const NONE: Self = Self {
        last_lost: None,
        slept: Duration::ZERO,
        until: Instant::from_nanos(i64::MIN),
        next: LASTS.0,
        is_trusted: false,
    };

    pub(super) fn is_oversubscribed(&self, now: Instant) -> bool {
        now < self.until
    }

    /// Records a wait that slept for `slept`, then spun until `now` with a largest gap of `largest_gap`; returns whether a time in
    /// which another thread wants this CPU begins or ends. Asks for the `usage` only after a lost slice, to tell another thread from a
    /// hypervisor, against which sleeping does not help. A hypervisor preempts no thread; whether the time that it took counts as the
    /// thread's own depends on the kernel.
    pub(super) fn note(
        &mut self,
        slept: Duration,
        largest_gap: Duration,
        usage: impl FnOnce() -> Usage,
        now: Instant,
    ) -> bool {
        self.slept = self.slept.saturating_add(slept);
        let is_over = self.is_trusted && !self.is_oversubscribed(now);
        self.is_trusted &= !is_over;
        if !lost_slice(largest_gap) {
            if is_over {
                // One more slice tells that the other thread is still there.
                (self.last_lost, self.slept) = (Some(Lost { at: now, usage: usage() }), Duration::ZERO);
            }
            return is_over;
        }
        let lost = Lost { at: now, usage: usage() };
        let again = self.last_lost.is_some_and(|last| {
            let passed = lost.at.saturating_duration_since(last.at);
            // What of it was neither slept nor this thread's own; all of the gap where that is not told.
            let own = last.usage.cpu.zip(lost.usage.cpu).map(|(before, after)| after.saturating_sub(before));
            let taken = own.map_or(largest_gap, |own| passed.saturating_sub(self.slept).saturating_sub(own));
            let preempted = lost.usage.preemptions.is_none_or(|after| last.usage.preemptions != Some(after));
            passed < LOST_AGAIN && taken >= LOST_SLICE / 2 && preempted
        });
        (self.last_lost, self.slept) = (Some(lost), Duration::ZERO);
        let begins = again && !self.is_oversubscribed(now);
        let changes = begins || is_over;
        if begins {
            // Long quiet since the last time is a new beginning.
            if now.saturating_duration_since(self.until) > self.next {
                self.next = LASTS.0;
            }
            self.until = now.saturating_add(self.next);
            self.next = (self.next * 2).min(LASTS.1);
            self.is_trusted = true;
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    const SLICE: Duration = Duration::from_millis(4);
    const NOTHING_TOLD: Usage = Usage { cpu: None, preemptions: None };

    fn lost(load: &mut Oversubscription, ms: u64) -> bool {
        load.note(Duration::ZERO, SLICE, || NOTHING_TOLD, at(ms))
    }

    #[test]
    fn who_loses_time_slices_spins_less() {
        let mut load = Oversubscription::NONE;
        assert!(!lost(&mut load, 1_000));
        assert!(!load.is_oversubscribed(at(1_001)), "once is an accident");
        assert!(lost(&mut load, 1_008) && !lost(&mut load, 1_012), "it begins once");
        assert!(
            load.is_oversubscribed(at(1_009))
                && load.is_oversubscribed(at(3_007))
                && !load.is_oversubscribed(at(3_009))
        );
        lost(&mut load, 3_020);
        lost(&mut load, 3_030);
        assert!(load.is_oversubscribed(at(7_000)) && !load.is_oversubscribed(at(7_100)), "twice as long");
        lost(&mut load, 60_000);
        lost(&mut load, 60_010);
        assert!(
            load.is_oversubscribed(at(62_000)) && !load.is_oversubscribed(at(62_100)),
            "as at first, after long quiet"
        );
    }

    #[test]
    fn one_slice_more_tells_that_the_other_is_still_there() {
        let mut load = Oversubscription::NONE;
        lost(&mut load, 1_000);
        lost(&mut load, 1_008);
        load.note(Duration::ZERO, Duration::ZERO, || unreachable!("nothing to tell apart"), at(3_000));
        assert!(load.note(Duration::ZERO, Duration::ZERO, || NOTHING_TOLD, at(3_009)), "it ends");
        assert!(!load.note(Duration::ZERO, Duration::ZERO, || unreachable!("asked once"), at(3_010)));
        assert!(!load.is_oversubscribed(at(3_010)));
        lost(&mut load, 3_020);
        assert!(load.is_oversubscribed(at(7_019)) && !load.is_oversubscribed(at(7_021)), "and for longer");
        load.note(Duration::ZERO, Duration::ZERO, || NOTHING_TOLD, at(7_021));
        lost(&mut load, 7_200);
        assert!(!load.is_oversubscribed(at(7_201)), "long after it, once is an accident");
    }

    /// Every 10 ms a slice is lost; the thread's usage shows whether to another thread.
    fn slices(own_ms: u64, slept: Duration, preemptions: impl Fn(u64) -> Option<u64>) -> Oversubscription {
        let mut load = Oversubscription::NONE;
        for number in 0..10 {
            let cpu = Some(Duration::from_millis(number * own_ms));
            load.note(slept, SLICE, || Usage { cpu, preemptions: preemptions(number) }, at(1_000 + number * 10));
        }
        load
    }

    #[test]
    fn what_a_hypervisor_takes_is_no_oversubscription() {
        assert!(
            !slices(10, Duration::ZERO, |_| None).is_oversubscribed(at(1_091)),
            "all of the time was the thread's own, as far as it knows"
        );
        assert!(!slices(4, Duration::from_millis(6), |_| None).is_oversubscribed(at(1_091)), "or slept");
        assert!(slices(6, Duration::ZERO, |_| None).is_oversubscribed(at(1_091)), "4 of 10 ms were somebody else's");
        assert!(slices(2, Duration::from_millis(4), |_| None).is_oversubscribed(at(1_091)));
        let stolen = slices(6, Duration::ZERO, |_| Some(7));
        assert!(
            !stolen.is_oversubscribed(at(1_091)),
            "not the thread's own, as far as it knows, and nobody preempted it"
        );
        assert!(slices(6, Duration::ZERO, |number| Some(7 + number)).is_oversubscribed(at(1_091)));
    }

    #[test]
    fn the_usage_is_asked_for_only_behind_a_lost_slice() {
        let mut load = Oversubscription::NONE;
        load.note(Duration::ZERO, LOST_SLICE - Duration::from_nanos(1), || unreachable!(), at(1));
    }
}
