//! Keeps a counter's clock to the system's: without a thread, without waiting, without a step.
//!
//! Readers use the current [`Segment`](published::Segment). The reader that finds itself past its end looks at the
//! [`Reference`] and publishes the next one; whoever else comes by meanwhile reads on at the least rate that the next
//! one may have. So times never go backwards, whatever the reference says and however long the writer is kept away.

mod baseline;
mod published;
mod reference;
mod steering;
#[cfg(not(loom))]
mod system;

use baseline::Baseline;
use published::Published;
pub(crate) use reference::Reference;
use steering::{Standing, begin, follow, hold, is_just_before};
#[cfg(not(loom))]
pub(crate) use system::System;

use crate::sync::{
    Alone, AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};
use crate::trust::{RateSource, Reason, Reasons, TrustState};
use crate::{Anchor, Line, Ticks};

/// The longest segment, in nanoseconds. The kernel may slew by 500 ppm: 125 ns in this time.
const LONGEST_SEGMENT_NS: u64 = 250_000;
/// What the kernel may change its rate by between two looks: `MAXFREQ` in include/linux/timex.h.
const SLEW_PPM: u64 = 500;
/// A writer that has not finished after this is taken for dead: it was in another process before a fork.
const STALE_LOCK_NS: u64 = 200_000_000;
/// How often a fallback looks whether the counter has become fit again.
const RECHECK_NS: u64 = 10_000_000_000;
/// How far apart the first two brackets lie where nothing declares the rate.
const FIRST_BASELINE_NS: u64 = 20_000;
/// Turns of the slow path before it gives up and reads the system's clock.
const TURNS: u32 = 8;

/// A clock over a counter, kept to a [`Reference`].
#[derive(Debug)]
pub(crate) struct Discipline<R> {
    published: Published,
    kept: Alone<Kept>,
    pub(crate) reference: R,
}

/// What the writer keeps from one segment to the next. Written under the lock, each word readable at any time.
#[derive(Debug)]
struct Kept {
    /// 0 if free, else the tick at which it was taken, with the lowest bit set.
    lock: AtomicU64,
    source: AtomicU32,
    reasons: AtomicU32,
    /// Whether a foundation was ever laid.
    is_founded: AtomicU32,
    span_log2: AtomicU32,
    full_span_log2: AtomicU32,
    lag_ns: AtomicU64,
    worst_lag_ns: AtomicU64,
    half_width_ns: AtomicU64,
    looks: AtomicU64,
    jumps: AtomicU64,
    /// No time shown from now on may be less: what the last segment before a fallback could show.
    floor_ns: AtomicU64,
    /// The last segment's line, for those who keep counting without trust.
    last_slope: AtomicU64,
    last_tick: AtomicU64,
    /// The largest skew between cores that was not excluded; 0 while none was measured.
    skew_ns: AtomicU64,
    /// When a fallback looks at the counter again, by the system's clock.
    recheck_ns: AtomicU64,
    baseline: [AtomicU64; Baseline::WORDS],
}

/// What to do where the counter cannot be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum OnDistrust {
    /// Read the system's clock.
    ReadSystem,
    /// Go on with the counter at the last rate known.
    KeepCounting,
}

/// What the clock knows of itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Knowledge {
    pub(crate) source: RateSource,
    pub(crate) reasons: Reasons,
    pub(crate) error_bound_ns: u64,
    pub(crate) rate_error_ppb: u64,
    /// By how much the clock runs fast or slow to make good its lag, in parts per billion.
    pub(crate) steering_ppb: u64,
    pub(crate) segment_ns: u64,
    pub(crate) rate: Option<Line>,
    pub(crate) looks: u64,
    pub(crate) jumps: u64,
    pub(crate) worst_lag_ns: u64,
}

impl Knowledge {
    /// The state that source and reasons leave. A clock that counts is at worst degraded: a reason to fall back that
    /// still stands beside a source that counts was overcome.
    pub(crate) fn state(&self) -> TrustState {
        match self.source {
            RateSource::SystemClock => TrustState::Fallback,
            _ => self.reasons.state().min(TrustState::Degraded),
        }
    }
}

macro_rules! constructor {
    ($($const:tt)?) => {
        impl<R> Discipline<R> {
            /// A clock that has not been read yet; the first read lays its foundation.
            pub(crate) $($const)? fn new(reference: R) -> Self {
                let kept = Kept {
                    lock: AtomicU64::new(0),
                    source: AtomicU32::new(RateSource::SystemClock as u32),
                    reasons: AtomicU32::new(0),
                    is_founded: AtomicU32::new(0),
                    span_log2: AtomicU32::new(0),
                    full_span_log2: AtomicU32::new(0),
                    lag_ns: AtomicU64::new(0),
                    worst_lag_ns: AtomicU64::new(0),
                    half_width_ns: AtomicU64::new(0),
                    looks: AtomicU64::new(0),
                    jumps: AtomicU64::new(0),
                    floor_ns: AtomicU64::new(0),
                    last_slope: AtomicU64::new(0),
                    last_tick: AtomicU64::new(0),
                    skew_ns: AtomicU64::new(0),
                    recheck_ns: AtomicU64::new(0),
                    baseline: [
                        AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0),
                        AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0),
                        AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0),
                    ],
                };
                Self { published: Published::empty(), kept: Alone(kept), reference }
            }
        }
    };
}

#[cfg(not(loom))]
constructor!(const);
#[cfg(loom)]
constructor!();

impl<R: Reference> Discipline<R> {
    /// The time in nanoseconds at the tick that `counter` returns.
    ///
    /// # Ordering
    /// As `counter`, as long as the segment lasts; the one read in a few hundred microseconds that looks at the
    /// reference is ordered.
    #[inline(always)]
    pub(crate) fn read(&self, counter: impl FnOnce() -> u64, on_distrust: OnDistrust) -> u64 {
        match self.published.read(counter) {
            Ok(ns) => ns,
            Err(_) => self.read_past_end(on_distrust),
        }
    }

    /// Lays the foundation if none was laid, and says whether times come from the counter.
    pub(crate) fn is_counting(&self) -> bool {
        self.read(|| self.reference.ticks(), OnDistrust::ReadSystem);
        self.source() != RateSource::SystemClock
    }

    pub(crate) fn reasons(&self) -> Reasons {
        Reasons::from_bits(self.kept.0.reasons.load(Relaxed))
    }

    /// Takes in what a measurement between cores found. The largest bound counts: each speaks of its own pair.
    pub(crate) fn learn_skew(&self, not_excluded_ns: u64, is_broken: bool) {
        self.kept.0.skew_ns.fetch_max(not_excluded_ns.max(1), Relaxed);
        if is_broken {
            self.kept.0.reasons.fetch_or(Reasons::of(Reason::SkewBetweenCores).bits(), Relaxed);
        }
    }

    pub(crate) fn skew_not_excluded_ns(&self) -> Option<u64> {
        Some(self.kept.0.skew_ns.load(Relaxed)).filter(|ns| *ns != 0)
    }

    /// Whether a segment is there, and so the counter known to be readable.
    #[inline(always)]
    pub(crate) fn is_published(&self) -> bool {
        self.published.is_some()
    }

    /// The counter, or where it does not count nanoseconds of the system's clock.
    #[cold]
    pub(crate) fn ticks(&self) -> Ticks {
        let is_counting = self.is_counting();
        Ticks::from_raw(if is_counting { self.reference.ticks() } else { self.reference.system_ns() })
    }

    pub(crate) fn knowledge(&self) -> Knowledge {
        let is_counting = self.is_counting();
        let kept = &self.kept.0;
        let rate = Line::from_parts(kept.last_slope.load(Relaxed), 0);
        let segment_ns = rate.length_ns(1 << kept.span_log2.load(Relaxed));
        let rate_error_ppb = match self.source() {
            RateSource::KernelData | RateSource::SystemClock => 0,
            _ => self.baseline().error_ppb(),
        };
        // While a segment lasts the kernel may change its rate, and the clock's own may be off; one for rounding.
        let per_segment = u128::from(segment_ns) * (u128::from(rate_error_ppb) + u128::from(SLEW_PPM) * 1_000);
        let drift_ns = per_segment.div_ceil(1_000_000_000) as u64;
        let lag_ns = (kept.lag_ns.load(Relaxed) as i64).unsigned_abs();
        let error_bound_ns =
            if is_counting { lag_ns + kept.half_width_ns.load(Relaxed) + drift_ns + 2 } else { self.floor_lead_ns() };
        Knowledge {
            source: self.source(),
            reasons: self.reasons(),
            error_bound_ns,
            rate_error_ppb,
            steering_ppb: lag_ns.saturating_mul(1_000_000_000) / segment_ns.max(1),
            segment_ns: if is_counting { segment_ns } else { RECHECK_NS },
            rate: is_counting.then_some(rate),
            looks: kept.looks.load(Relaxed),
            jumps: kept.jumps.load(Relaxed),
            worst_lag_ns: kept.worst_lag_ns.load(Relaxed),
        }
    }

    fn source(&self) -> RateSource {
        let at = self.kept.0.source.load(Relaxed) as usize;
        RateSource::ALL.get(at).copied().unwrap_or(RateSource::SystemClock)
    }

    /// By how much times in fallback are ahead of the system's clock, so that they do not go back.
    fn floor_lead_ns(&self) -> u64 {
        self.kept.0.floor_ns.load(Relaxed).saturating_sub(self.reference.system_ns())
    }

    /// The read that the current segment does not answer.
    #[cold]
    #[inline(never)]
    fn read_past_end(&self, on_distrust: OnDistrust) -> u64 {
        for _ in 0..TURNS {
            if self.kept.0.is_founded.load(Acquire) != 0 && self.source() == RateSource::SystemClock {
                return self.read_without_counter(on_distrust);
            }
            let Some(ticks) = self.try_lock() else {
                // Somebody is at it. Before the first segment there is only the system's clock to read.
                if let Some(last) = self.published.segment() {
                    return match self.published.read(|| self.reference.ticks()) {
                        Ok(ns) => ns,
                        Err(_) => hold(last, self.reference.ticks()),
                    };
                }
                if self.kept.0.is_founded.load(Acquire) == 0 {
                    return self.reference.system_ns();
                }
                continue;
            };
            let shown = self.shown(ticks);
            if shown.is_none() {
                self.refresh();
            }
            self.unlock();
            if let Some(ns) = shown.or_else(|| self.shown(self.reference.ticks())) {
                return ns;
            }
        }
        self.read_without_counter(on_distrust)
    }

    /// What the current segment shows at `ticks`, also on a core whose counter lags a little behind the one that made it.
    fn shown(&self, ticks: u64) -> Option<u64> {
        let just_before = || self.published.segment().filter(|segment| is_just_before(*segment, ticks));
        self.published.read(|| ticks).ok().or_else(|| just_before().map(|segment| segment.line.ns(ticks)))
    }

    /// Looks at the reference and publishes the next segment. Under the lock.
    fn refresh(&self) {
        let kept = &self.kept.0;
        kept.looks.fetch_add(1, Relaxed);
        let Some(last) = self.published.segment() else { return self.found() };
        let source = self.source();
        let (look, rate) = if source == RateSource::KernelData {
            match self.reference.kernel_look() {
                Some((line, ticks)) => (reference::look_at(line, ticks), line),
                None => {
                    self.leave_counter();
                    return self.found();
                }
            }
        } else {
            let mut baseline = self.baseline();
            let anchor = self.reference.anchor();
            let look = reference::look_of(anchor, baseline.rate());
            let shown_ns = (last.line.fixed(look.ticks) >> Line::FRACTION_BITS) as u64;
            baseline.observe(anchor, (anchor.reference_ns as i64).wrapping_sub(shown_ns as i64));
            self.keep_baseline(&baseline);
            (look, baseline.rate())
        };
        if look.ticks.wrapping_sub(last.start) <= u64::from(last.span) {
            return; // taken on a core that lags: the segment still holds
        }
        // A baseline still short makes the rate unsure: the next look is then taken sooner.
        let span_log2 = kept.full_span_log2.load(Relaxed).min(kept.span_log2.load(Relaxed) + 1);
        let (next, standing) = follow(last, &look, rate, span_log2);
        self.note(standing, look.half_width_ns);
        self.publish(next);
    }

    /// Lays the foundation: the best rung of the ladder, and the first segment on it. Under the lock.
    fn found(&self) {
        let kept = &self.kept.0;
        let foundation = self.reference.establish();
        kept.source.store(foundation.source as u32, Relaxed);
        kept.reasons.store(foundation.reasons.bits() | kept.reasons.load(Relaxed) & STICKY.bits(), Relaxed);
        let floor_ns = kept.floor_ns.load(Relaxed);
        let outcome = match foundation.source {
            RateSource::SystemClock => Err(Reasons::NONE),
            RateSource::KernelData => self
                .reference
                .kernel_look()
                .map(|(line, ticks)| (reference::look_at(line, ticks), line, span_log2(line)))
                .ok_or(Reasons::of(Reason::KernelLeftCounter)),
            _ => self.first_baseline(foundation.rate),
        };
        match outcome {
            Ok((look, rate, span_log2)) => {
                kept.full_span_log2.store(self::span_log2(rate), Relaxed);
                self.note(Standing { lag_ns: -1, jumped: false }, look.half_width_ns);
                self.publish(begin(&look, rate, span_log2, floor_ns));
            }
            Err(reasons) => {
                kept.source.store(RateSource::SystemClock as u32, Relaxed);
                kept.reasons.fetch_or(reasons.bits(), Relaxed);
                kept.recheck_ns.store(self.reference.system_ns().saturating_add(RECHECK_NS), Relaxed);
            }
        }
        kept.is_founded.store(1, Release);
    }

    /// The first look and rate on a rung whose offset comes from brackets.
    fn first_baseline(&self, declared: Option<(Line, u64)>) -> Result<(steering::Look, Line, u32), Reasons> {
        let first = self.reference.anchor();
        let too_slow = Reasons::of(Reason::CounterTooSlow);
        let baseline = match declared {
            Some((rate, error_ppb)) => Baseline::begin(first, rate, error_ppb),
            None => {
                let later = loop {
                    let anchor = self.reference.anchor();
                    if anchor.reference_ns.saturating_sub(first.reference_ns) >= FIRST_BASELINE_NS {
                        break anchor;
                    }
                };
                Baseline::between(first, later).ok_or(too_slow)?
            }
        };
        self.keep_baseline(&baseline);
        let anchor = self.reference.anchor();
        let look = reference::look_of(anchor, baseline.rate());
        // Begin with segments as short as the baseline, doubled from look to look.
        let full = span_log2(baseline.rate());
        Ok((look, baseline.rate(), if declared.is_some() { full } else { full.saturating_sub(4) }))
    }

    /// Ends the counting: what may have been shown becomes the floor of all times to come. Under the lock.
    fn leave_counter(&self) {
        let kept = &self.kept.0;
        if let Some(last) = self.published.segment() {
            kept.floor_ns.store(hold(last, last.end().wrapping_add(u64::MAX / 4)), Release);
            kept.last_tick.store(last.end(), Relaxed);
        }
        kept.reasons.fetch_or(Reasons::of(Reason::KernelLeftCounter).bits(), Relaxed);
        self.published.withdraw();
    }

    fn publish(&self, segment: published::Segment) {
        let kept = &self.kept.0;
        kept.span_log2.store(segment.span.ilog2(), Relaxed);
        kept.last_slope.store(segment.line.slope(), Relaxed);
        self.published.publish(segment);
    }

    fn note(&self, standing: Standing, half_width_ns: u64) {
        let kept = &self.kept.0;
        let lag_ns = standing.lag_ns.unsigned_abs();
        kept.lag_ns.store(standing.lag_ns as u64, Relaxed);
        kept.half_width_ns.store(half_width_ns, Relaxed);
        kept.worst_lag_ns.fetch_max(lag_ns, Relaxed);
        if standing.jumped {
            kept.jumps.fetch_add(1, Relaxed);
            kept.reasons.fetch_or(Reasons::of(Reason::Jumped).bits(), Relaxed);
        }
        // What a segment cannot make good is what the kernel slews faster than the clock follows.
        let lagging = Reasons::of(Reason::Lagging).bits();
        if lag_ns > LONGEST_SEGMENT_NS >> 8 && !standing.jumped {
            kept.reasons.fetch_or(lagging, Relaxed);
        } else {
            kept.reasons.fetch_and(!lagging, Relaxed);
        }
    }

    #[inline(never)]
    fn read_without_counter(&self, on_distrust: OnDistrust) -> u64 {
        let kept = &self.kept.0;
        let floor_ns = kept.floor_ns.load(Acquire);
        let slope = kept.last_slope.load(Relaxed);
        if on_distrust == OnDistrust::KeepCounting && slope != 0 {
            let past_end = self.reference.ticks().wrapping_sub(kept.last_tick.load(Relaxed));
            let past_end = if past_end > u64::MAX / 2 { 0 } else { past_end };
            return floor_ns.saturating_add(Line::from_parts(slope, 0).length_ns(past_end));
        }
        let ns = self.reference.system_ns();
        if ns > kept.recheck_ns.load(Relaxed) && self.try_lock_at(1).is_some() {
            self.found();
            self.unlock();
        }
        ns.max(floor_ns)
    }

    /// Takes the lock and returns the tick at which that was. None if another has it.
    fn try_lock(&self) -> Option<u64> {
        if self.kept.0.is_founded.load(Relaxed) == 0 {
            // The counter may not be readable; the foundation tells.
            return self.try_lock_at(1);
        }
        let ticks = self.reference.ticks();
        self.try_lock_at(ticks)
    }

    fn try_lock_at(&self, ticks: u64) -> Option<u64> {
        let lock = &self.kept.0.lock;
        let holder = lock.load(Relaxed);
        if holder != 0 {
            let rate = Line::from_parts(self.kept.0.last_slope.load(Relaxed), 0);
            let age = ticks.wrapping_sub(holder);
            if age > u64::MAX / 2 || rate.length_ns(age) < STALE_LOCK_NS {
                return None;
            }
        }
        lock.compare_exchange(holder, ticks | 1, AcqRel, Relaxed).ok().map(|_| ticks)
    }

    fn unlock(&self) {
        self.kept.0.lock.store(0, Release);
    }

    fn baseline(&self) -> Baseline {
        let mut words = [0; Baseline::WORDS];
        words.iter_mut().zip(&self.kept.0.baseline).for_each(|(word, kept)| *word = kept.load(Relaxed));
        Baseline::from_words(words)
    }

    fn keep_baseline(&self, baseline: &Baseline) {
        let kept = self.kept.0.baseline.iter();
        kept.zip(baseline.to_words()).for_each(|(kept, word)| kept.store(word, Relaxed));
    }

    /// An anchor of the counter to this clock's own time: for times that are captured now and converted later.
    pub(crate) fn anchor(&self) -> Anchor {
        let ns = self.read(|| self.reference.ticks(), OnDistrust::ReadSystem);
        match self.published.segment() {
            Some(segment) => {
                let ticks = self.reference.ticks();
                let shown = self.published.read(|| ticks).unwrap_or_else(|_| segment.line.ns(ticks));
                Anchor { ticks, reference_ns: shown.max(ns), half_width_ticks: 0 }
            }
            None => self.reference.anchor(),
        }
    }
}

/// Reasons that outlive a foundation, as they were seen and do not come from it.
const STICKY: Reasons = Reasons::of(Reason::Jumped).with(Reason::KernelLeftCounter).with(Reason::SkewBetweenCores);

/// The largest power of two of ticks that lasts no longer than [`LONGEST_SEGMENT_NS`].
fn span_log2(rate: Line) -> u32 {
    rate.ticks_in(LONGEST_SEGMENT_NS).max(4).ilog2().min(31)
}
