use super::baseline::Baseline;
use super::published::Segment;
use super::reference::{look_at, look_of};
use super::steering::{Look, Standing, begin, follow, shown_or_held};
use super::{Discipline, Reference};
use crate::Line;
use crate::sync::Ordering::{Relaxed, Release};
use crate::trust::{RateSource, Reason, Reasons};

/// The longest segment, in nanoseconds; the time in which the kernel may leave the clock by 150 ns, see
/// [`SLEW_PPM`](super::knowledge::SLEW_PPM).
const LONGEST_SEGMENT_NS: u64 = 150_000;
/// How often a fallback looks whether the counter has become fit again, and a clock that is kept by brackets whether the
/// kernel still trusts it.
pub(super) const RECHECK_NS: u64 = 10_000_000_000;
/// How far apart the first two brackets lie where nothing declares the rate.
const FIRST_BASELINE_NS: u64 = 20_000;
/// How much shorter than a full segment the first is where the rate rests on so short a baseline, as a power of two.
const FIRST_SPAN_LOG2_LESS: u32 = 3;

/// Stands for the tick at which the lock was taken where the counter may not be readable.
const NO_TICK: u64 = 1;

/// What only the holder of the lock does, and the lock itself.
impl<R: Reference> Discipline<R> {
    /// Takes the lock and returns the tick at which that was. None if another has it.
    pub(super) fn try_lock(&self) -> Option<u64> {
        // Before the first foundation the counter may not be readable.
        let ticks = if self.kept.0.source().is_some() { self.reference.ticks() } else { NO_TICK };
        self.kept.0.try_lock(ticks).then_some(ticks)
    }

    pub(super) fn unlock(&self, ticks: u64) {
        self.kept.0.unlock(ticks);
    }

    /// The time at `ticks` or a moment later, by the current segment or, past its end, by the next, which it publishes.
    /// None if there can be no segment now.
    pub(super) fn shown_after(&self, ticks: u64) -> Option<u64> {
        let Some(last) = self.published.segment() else {
            let (segment, ticks) = self.found()?;
            return Some(segment.line.ns(ticks));
        };
        if last.holds_at(ticks) {
            return Some(last.line.ns(ticks));
        }
        let Some((look, rate)) = self.look(last) else {
            self.leave_counter(last);
            let (segment, ticks) = self.found()?;
            return Some(segment.line.ns(ticks));
        };
        if last.holds_at(look.ticks) {
            return Some(last.line.ns(look.ticks)); // taken on a core that lags: the segment still holds
        }
        // A baseline still short makes the rate unsure: the next look is then taken sooner.
        let span_log2 = self.kept.0.full_span_log2().min(self.kept.0.span_log2() + 1);
        let (next, standing) = follow(last, &look, rate, span_log2);
        self.kept.0.note_look(standing, look.half_width_ns);
        Some(self.publish(next).line.ns(look.ticks))
    }

    /// Where the reference stands now, and its rate. None if the kernel no longer vouches for the counter.
    fn look(&self, last: Segment) -> Option<(Look, Line)> {
        if self.kept.0.source() == Some(RateSource::KernelData) {
            let (line, ticks) = self.reference.kernel_look()?;
            return Some((look_at(line, ticks), line));
        }
        let mut baseline = self.kept.0.baseline();
        let anchor = self.reference.anchor();
        if self.kept.0.is_recheck_due(anchor.reference_ns) {
            self.kept.0.set_recheck(anchor.reference_ns.saturating_add(RECHECK_NS));
            if !self.reference.is_still_fit() {
                return None;
            }
        }
        let look = look_of(anchor, baseline.rate());
        baseline.observe(anchor, (anchor.reference_ns as i64).wrapping_sub(last.line.ns(look.ticks) as i64));
        self.kept.0.set_baseline(&baseline);
        Some((look, baseline.rate()))
    }

    /// Lays the foundation: the best rung of the ladder and the first segment on it, with the tick of its look. None if
    /// that is the system's clock.
    fn found(&self) -> Option<(Segment, u64)> {
        let foundation = self.reference.establish();
        let first = match foundation.source {
            RateSource::SystemClock => Err(Reasons::NONE),
            RateSource::KernelData => match self.reference.kernel_look() {
                Some((line, ticks)) => Ok((look_at(line, ticks), line, span_log2(line))),
                None => Err(Reasons::of(Reason::KernelLeftCounter)),
            },
            _ => self.first_baseline(foundation.rate).ok_or(Reasons::of(Reason::CounterTooSlow)),
        };
        match first {
            Ok((look, rate, first_span_log2)) => {
                self.kept.0.set_full_span_log2(span_log2(rate));
                self.kept.0.note_look(Standing { lag_ns: -1, jumped: false }, look.half_width_ns);
                let first = begin(&look, rate, first_span_log2, self.kept.0.floor_ns.load(Relaxed));
                let segment = self.publish(first);
                self.kept.0.set_source(foundation.source, foundation.reasons);
                Some((segment, look.ticks))
            }
            Err(reasons) => {
                self.kept.0.set_recheck(self.reference.system_ns().saturating_add(RECHECK_NS));
                self.kept.0.set_source(RateSource::SystemClock, foundation.reasons.union(reasons));
                None
            }
        }
    }

    /// The first look and rate on a rung whose offset comes from brackets.
    fn first_baseline(&self, declared: Option<(Line, u64)>) -> Option<(Look, Line, u32)> {
        let first = self.reference.anchor();
        let baseline = match declared {
            Some((rate, error_ppb)) => Baseline::begin(first, rate, error_ppb),
            None => Baseline::between(first, self.reference.anchor_after(first, FIRST_BASELINE_NS)?)?,
        };
        self.kept.0.set_baseline(&baseline);
        self.kept.0.set_recheck(first.reference_ns.saturating_add(RECHECK_NS));
        let rate = baseline.rate();
        // Begin with segments as short as the baseline, doubled from look to look.
        let less = if declared.is_some() { 0 } else { FIRST_SPAN_LOG2_LESS };
        Some((look_of(self.reference.anchor(), rate), rate, span_log2(rate).saturating_sub(less)))
    }

    /// Ends the counting: what may have been shown becomes the floor of all times to come.
    fn leave_counter(&self, last: Segment) {
        // However far past the end others may still be reading on.
        let furthest = last.end().wrapping_add(u64::MAX / 4);
        self.kept.0.floor_ns.store(shown_or_held(last, furthest), Release);
        self.kept.0.add_reason(Reason::KernelLeftCounter);
        self.published.withdraw();
    }

    /// Looks, out of a fallback, whether the counter has become fit again.
    #[cold]
    pub(super) fn look_again(&self) {
        if self.kept.0.try_lock(NO_TICK) {
            self.found();
            self.unlock(NO_TICK);
        }
    }

    fn publish(&self, segment: Segment) -> Segment {
        let segment = self.published.publish(segment);
        self.kept.0.note_segment(segment.line, segment.end(), segment.span.ilog2());
        segment
    }
}

/// The largest power of two of ticks that lasts no longer than [`LONGEST_SEGMENT_NS`].
fn span_log2(rate: Line) -> u32 {
    rate.ticks_in(LONGEST_SEGMENT_NS).max(4).ilog2().min(31)
}
