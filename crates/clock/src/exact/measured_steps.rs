use core::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

/// The steps in which the counter and the system's clock move, as measured here, and when that was.
///
/// Several threads may measure at once, and each value is right on its own, so no model of threads needs to know of them.
#[derive(Debug)]
pub(super) struct MeasuredSteps {
    /// In 1/[`FRACTION`](super::convert::FRACTION) ticks.
    counter: AtomicU64,
    /// In nanoseconds, above it the mode in which it was measured.
    system: AtomicU64,
    /// When a reading last asked, to a millisecond.
    asked_ns: AtomicU64,
    measured_ns: AtomicU64,
}

const UNMEASURED: u64 = 0;
/// How often it is noted that somebody asks.
const NOTED_EVERY_NS: i64 = 1_000_000;
/// A machine that is moved, or a process that is restored, takes no reading for longer than this.
const PAUSE_NS: i64 = 20_000_000;
/// The oldest measurement that is believed of a machine whose readings never pause.
const OLDEST_NS: i64 = 1_000_000_000;
const MODE_SHIFT: u32 = 56;
const DOES_NOT_MOVE: u64 = (1 << MODE_SHIFT) - 1;

impl MeasuredSteps {
    pub(super) const fn new() -> Self {
        let [counter, system, asked_ns, measured_ns] = [const { AtomicU64::new(UNMEASURED) }; 4];
        Self { counter, system, asked_ns, measured_ns }
    }

    /// Whether the steps are to be measured again before a reading of this time is given its bound: after a pause in which
    /// the machine may have become another, and every second.
    #[inline]
    pub(super) fn are_due(&self, now_ns: u64) -> bool {
        !self.are_noted(now_ns) && self.are_old(now_ns)
    }

    /// Whether a reading was noted within the last millisecond. If so, no measurement is due. Call this before loading the step.
    #[inline]
    pub(super) fn are_noted(&self, now_ns: u64) -> bool {
        self.unasked_ns(now_ns) <= NOTED_EVERY_NS
    }

    /// For how long no reading has asked. Another thread may have noted a later time.
    #[inline]
    fn unasked_ns(&self, now_ns: u64) -> i64 {
        now_ns.wrapping_sub(self.asked_ns.load(Acquire)) as i64
    }

    #[cold]
    fn are_old(&self, now_ns: u64) -> bool {
        let since_measured_ns = now_ns.wrapping_sub(self.measured_ns.load(Relaxed)) as i64;
        if self.unasked_ns(now_ns) > PAUSE_NS || since_measured_ns > OLDEST_NS {
            return true;
        }
        self.asked_ns.store(now_ns, Relaxed);
        false
    }

    /// Notes that the steps were measured, for a reading of this time; whoever sees that sees them.
    pub(super) fn note(&self, now_ns: u64) {
        self.measured_ns.store(now_ns, Relaxed);
        self.asked_ns.store(now_ns, Release);
    }

    /// Of a counter that may be another machine's, nothing is known.
    pub(super) fn forget(&self) {
        self.counter.store(UNMEASURED, Relaxed);
        self.asked_ns.store(0, Relaxed);
    }

    #[inline]
    pub(super) fn counter(&self) -> Option<u64> {
        let known = self.counter.load(Relaxed);
        (known != UNMEASURED).then_some(known)
    }

    /// Doubt widens: what was measured once stays possible.
    pub(super) fn widen_counter(&self, step: u64) {
        self.counter.fetch_max(step, Relaxed);
    }

    /// The step of the system's clock in this mode of the kernel: None if it was not measured, Some(None) if it did not move.
    #[inline]
    pub(super) fn system(&self, mode: u32) -> Option<Option<u64>> {
        Self::system_of(self.system.load(Relaxed), mode)
    }

    #[inline]
    fn system_of(known: u64, mode: u32) -> Option<Option<u64>> {
        let step_ns = known & DOES_NOT_MOVE;
        let is_known = known != UNMEASURED && known >> MODE_SHIFT == u64::from(mode as u8);
        is_known.then_some((step_ns != DOES_NOT_MOVE).then_some(step_ns))
    }

    pub(super) fn widen_system(&self, mode: u32, step_ns: Option<u64>) {
        let _ = self.system.fetch_update(Relaxed, Relaxed, |known| {
            let widest = match Self::system_of(known, mode).flatten() {
                Some(known) => step_ns.unwrap_or(known).max(known),
                None => step_ns.unwrap_or(DOES_NOT_MOVE),
            };
            Some(u64::from(mode as u8) << MODE_SHIFT | widest.min(DOES_NOT_MOVE))
        });
    }
}
