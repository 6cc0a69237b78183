// What the writer notes down and nobody's order depends on: no need to lead a model checker through it.
use core::sync::atomic::{AtomicU32 as Word32, AtomicU64 as Word};

use super::baseline::Baseline;
use super::steering::Standing;
use crate::Line;
use crate::sync::{
    AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
    const_fn,
};
use crate::trust::{RateSource, Reason, Reasons};

/// A lag from which on the clock is said to lag, in nanoseconds: more than NTP's slewing brings about.
const LAGGING_NS: u64 = 1_000;
/// A writer that has not finished after this is taken for dead: it was in another process before a fork.
const STALE_LOCK_NS: u64 = 200_000_000;
/// The state before the first foundation.
const UNFOUNDED: u32 = u32::MAX;

/// Reasons that outlive a foundation, as they were seen and do not come from it: a time from before a jump cannot be
/// compared with one from after it, however well the clock runs now.
const STICKY: Reasons = Reasons::of(Reason::Jumped).with(Reason::KernelLeftCounter).with(Reason::SkewBetweenCores);

/// What the writer keeps from one segment to the next. Written under the lock, each word readable at any time.
#[derive(Debug)]
pub(super) struct Kept {
    /// 0 if free, else the tick at which it was taken, with the lowest bit set.
    lock: AtomicU64,
    /// The rung in use, or [`UNFOUNDED`].
    source: AtomicU32,
    /// No time shown from now on may be less: what the last segment before a fallback could show.
    pub(super) floor_ns: AtomicU64,
    reasons: Word32,
    span_log2: Word32,
    full_span_log2: Word32,
    lag_ns: Word,
    worst_lag_ns: Word,
    half_width_ns: Word,
    looks: Word,
    jumps: Word,
    /// The last segment's rate and end, for those who keep counting without trust.
    last_slope: Word,
    last_end: Word,
    /// The largest skew between cores that was not excluded; 0 while none was measured.
    skew_ns: Word,
    /// When to ask the kernel again whether the counter is fit, by the system's clock.
    recheck_ns: Word,
    baseline: [Word; Baseline::WORDS],
}

impl Kept {
    const_fn! {
        pub(super) fn new() -> Self {
            Self {
                lock: AtomicU64::new(0),
                source: AtomicU32::new(UNFOUNDED),
                floor_ns: AtomicU64::new(0),
                reasons: Word32::new(0),
                span_log2: Word32::new(0),
                full_span_log2: Word32::new(0),
                lag_ns: Word::new(0),
                worst_lag_ns: Word::new(0),
                half_width_ns: Word::new(0),
                looks: Word::new(0),
                jumps: Word::new(0),
                last_slope: Word::new(0),
                last_end: Word::new(0),
                skew_ns: Word::new(0),
                recheck_ns: Word::new(0),
                baseline: [const { Word::new(0) }; Baseline::WORDS],
            }
        }
    }

    /// The rung in use. None before the first foundation.
    pub(super) fn source(&self) -> Option<RateSource> {
        RateSource::ALL.get(self.source.load(Acquire) as usize).copied()
    }

    /// Notes the rung and what is to be known of it.
    pub(super) fn set_source(&self, source: RateSource, reasons: Reasons) {
        self.reasons.store(reasons.bits() | self.reasons.load(Relaxed) & STICKY.bits(), Relaxed);
        self.source.store(source as u32, Release);
    }

    pub(super) fn reasons(&self) -> Reasons {
        Reasons::from_bits(self.reasons.load(Relaxed))
    }

    pub(super) fn add_reason(&self, reason: Reason) {
        self.reasons.fetch_or(Reasons::of(reason).bits(), Relaxed);
    }

    /// Takes the lock; false if another has it and may still be alive.
    pub(super) fn try_lock(&self, ticks: u64) -> bool {
        let holder = self.lock.load(Relaxed);
        if holder != 0 {
            let age = ticks.wrapping_sub(holder);
            if age > u64::MAX / 2 || self.rate().length_ns(age) < STALE_LOCK_NS {
                return false;
            }
        }
        self.lock.compare_exchange(holder, ticks | 1, AcqRel, Relaxed).is_ok()
    }

    pub(super) fn is_locked(&self) -> bool {
        self.lock.load(Relaxed) != 0
    }

    /// Gives the lock back that was taken at `ticks`, unless another has taken it over meanwhile: then it is theirs.
    pub(super) fn unlock(&self, ticks: u64) {
        let _ = self.lock.compare_exchange(ticks | 1, 0, Release, Relaxed);
    }

    /// Notes how the clock stood to its reference at a look.
    pub(super) fn note_look(&self, standing: Standing, half_width_ns: u64) {
        let lag_ns = standing.lag_ns.unsigned_abs();
        self.looks.store(self.looks.load(Relaxed) + 1, Relaxed);
        self.lag_ns.store(lag_ns, Relaxed);
        self.half_width_ns.store(half_width_ns, Relaxed);
        self.worst_lag_ns.store(self.worst_lag_ns.load(Relaxed).max(lag_ns), Relaxed);
        if standing.jumped {
            self.jumps.fetch_add(1, Relaxed);
            self.add_reason(Reason::Jumped);
        }
        if lag_ns > LAGGING_NS && !standing.jumped {
            self.add_reason(Reason::Lagging);
        } else if self.reasons().contains(Reason::Lagging) {
            self.reasons.fetch_and(!Reasons::of(Reason::Lagging).bits(), Relaxed);
        }
    }

    pub(super) fn lag_ns(&self) -> u64 {
        self.lag_ns.load(Relaxed)
    }

    pub(super) fn worst_lag_ns(&self) -> u64 {
        self.worst_lag_ns.load(Relaxed)
    }

    pub(super) fn half_width_ns(&self) -> u64 {
        self.half_width_ns.load(Relaxed)
    }

    pub(super) fn looks(&self) -> u64 {
        self.looks.load(Relaxed)
    }

    pub(super) fn jumps(&self) -> u64 {
        self.jumps.load(Relaxed)
    }

    /// Notes the segment that was published last.
    pub(super) fn note_segment(&self, rate: Line, end: u64, span_log2: u32) {
        self.span_log2.store(span_log2, Relaxed);
        self.last_slope.store(rate.slope(), Relaxed);
        self.last_end.store(end, Relaxed);
    }

    /// The rate of the last segment, as a line through the origin; a slope of 0 before the first.
    pub(super) fn rate(&self) -> Line {
        Line::from_parts(self.last_slope.load(Relaxed), 0)
    }

    /// What the counter has gained since the last segment's end, at its rate. None if there was none.
    pub(super) fn gained_ns(&self, ticks: impl FnOnce() -> u64) -> Option<u64> {
        let rate = self.rate();
        if rate.slope() == 0 {
            return None;
        }
        let past_end = ticks().wrapping_sub(self.last_end.load(Relaxed));
        Some(if past_end > u64::MAX / 2 { 0 } else { rate.length_ns(past_end) })
    }

    pub(super) fn span_log2(&self) -> u32 {
        self.span_log2.load(Relaxed)
    }

    pub(super) fn full_span_log2(&self) -> u32 {
        self.full_span_log2.load(Relaxed)
    }

    pub(super) fn set_full_span_log2(&self, span_log2: u32) {
        self.full_span_log2.store(span_log2, Relaxed);
    }

    pub(super) fn is_recheck_due(&self, system_ns: u64) -> bool {
        system_ns > self.recheck_ns.load(Relaxed)
    }

    pub(super) fn set_recheck(&self, system_ns: u64) {
        self.recheck_ns.store(system_ns, Relaxed);
    }

    pub(super) fn baseline(&self) -> Baseline {
        Baseline::from_words(core::array::from_fn(|at| self.baseline[at].load(Relaxed)))
    }

    pub(super) fn set_baseline(&self, baseline: &Baseline) {
        self.baseline.iter().zip(baseline.to_words()).for_each(|(kept, word)| kept.store(word, Relaxed));
    }

    /// Notes a skew that a measurement could not exclude. The largest counts: each speaks of its own pair of cores.
    #[cfg(feature = "std")]
    pub(super) fn note_skew(&self, not_excluded_ns: u64) {
        self.skew_ns.fetch_max(not_excluded_ns.max(1), Relaxed);
    }

    pub(super) fn skew_ns(&self) -> Option<u64> {
        Some(self.skew_ns.load(Relaxed)).filter(|ns| *ns != 0)
    }
}
