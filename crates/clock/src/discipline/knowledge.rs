use super::writer::RECHECK_NS;
use super::{Discipline, Reference};
use crate::Line;
use crate::sync::Ordering::Relaxed;
#[cfg(feature = "std")]
use crate::trust::Reason;
use crate::trust::{RateSource, Reasons, TrustState};

/// What the kernel may change its rate by between two looks: from one end of NTP's range to the other, twice `MAXFREQ` in
/// include/linux/timex.h.
pub(super) const SLEW_PPM: u64 = 1_000;

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

impl<R: Reference> Discipline<R> {
    pub(crate) fn reasons(&self) -> Reasons {
        self.kept.0.reasons()
    }

    pub(crate) fn knowledge(&self) -> Knowledge {
        let is_counting = self.is_counting();
        let kept = &self.kept.0;
        let source = kept.source().unwrap_or(RateSource::SystemClock);
        let rate = kept.rate();
        let segment_ns = rate.length_ns(1 << kept.span_log2());
        let rate_error_ppb = match source {
            RateSource::KernelData | RateSource::SystemClock => 0,
            _ => kept.baseline().error_ppb(),
        };
        // While a segment lasts the kernel may change its rate, and the clock's own may be off.
        let per_segment = u128::from(segment_ns) * (u128::from(rate_error_ppb) + u128::from(SLEW_PPM) * 1_000);
        let drift_ns = per_segment.div_ceil(1_000_000_000) as u64;
        // One nanosecond each for the rounding of this clock and of its reference.
        let counting_bound_ns = kept.lag_ns() + kept.half_width_ns() + drift_ns + self.held_ns() + 2;
        Knowledge {
            source,
            reasons: kept.reasons(),
            error_bound_ns: if is_counting { counting_bound_ns } else { self.floor_lead_ns() },
            rate_error_ppb,
            steering_ppb: kept.lag_ns().saturating_mul(1_000_000_000) / segment_ns.max(1),
            segment_ns: if is_counting { segment_ns } else { RECHECK_NS },
            rate: is_counting.then_some(rate),
            looks: kept.looks(),
            jumps: kept.jumps(),
            worst_lag_ns: kept.worst_lag_ns(),
        }
    }

    /// How long the clock has gone without the next segment, because whoever makes it is kept away.
    fn held_ns(&self) -> u64 {
        let Some(last) = self.published.segment().filter(|_| self.kept.0.is_locked()) else { return 0 };
        let past_end = self.reference.ticks().wrapping_sub(last.end());
        if past_end > u64::MAX / 2 { 0 } else { last.line.length_ns(past_end) }
    }

    /// By how much times in fallback are ahead of the system's clock, so that they do not go back.
    fn floor_lead_ns(&self) -> u64 {
        self.kept.0.floor_ns.load(Relaxed).saturating_sub(self.reference.system_ns())
    }

    /// Takes in what a measurement between cores found.
    #[cfg(feature = "std")]
    pub(crate) fn learn_skew(&self, not_excluded_ns: u64, is_broken: bool) {
        self.kept.0.note_skew(not_excluded_ns);
        if is_broken {
            self.kept.0.add_reason(Reason::SkewBetweenCores);
        }
    }

    pub(crate) fn skew_not_excluded_ns(&self) -> Option<u64> {
        self.kept.0.skew_ns()
    }
}
