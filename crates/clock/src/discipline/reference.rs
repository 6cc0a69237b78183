use super::steering::Look;
use crate::trust::{RateSource, Reasons};
use crate::{Anchor, Line};

/// What a counter's clock is kept to: supplied by the system, or by a test.
pub(crate) trait Reference {
    /// The counter, ordered after everything before the call.
    fn ticks(&self) -> u64;

    /// The system's clock in nanoseconds, in whatever way still works.
    fn system_ns(&self) -> u64;

    /// Finds the best rung of the ladder. Called at first, and again when a look says that the old one is gone.
    fn establish(&self) -> Foundation;

    /// The kernel's conversion data and a tick at which they held, where the foundation is that. None once they no
    /// longer convert this counter.
    fn kernel_look(&self) -> Option<(Line, u64)>;

    /// Whether the kernel still lists the counter as fit; asked now and then where its own data do not tell.
    fn is_still_fit(&self) -> bool;

    /// The narrowest of a few brackets around the system's clock.
    fn anchor(&self) -> Anchor;

    /// An anchor at least `ns` after `earlier`. None if the system's clock does not get there.
    fn anchor_after(&self, earlier: Anchor, ns: u64) -> Option<Anchor> {
        (0..MOST_ANCHORS)
            .map(|_| self.anchor())
            .find(|anchor| anchor.reference_ns.saturating_sub(earlier.reference_ns) >= ns)
    }
}

/// Anchors after which a system clock counts as standing still; each takes a tenth of a microsecond or more.
const MOST_ANCHORS: u32 = 100_000;

/// What the ladder found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Foundation {
    pub(crate) source: RateSource,
    pub(crate) reasons: Reasons,
    /// The rate that the source declares, and how far it may be off in parts per billion. None where it is measured.
    pub(crate) rate: Option<(Line, u64)>,
}

impl Foundation {
    pub(crate) const fn fallback(reasons: Reasons) -> Self {
        Self { source: RateSource::SystemClock, reasons, rate: None }
    }
}

/// The kernel's line, looked at where the counter stands now.
pub(super) fn look_at(line: Line, ticks: u64) -> Look {
    Look { ticks, fixed: line.fixed(ticks), half_width_ns: 0 }
}

/// An anchor as a look.
pub(super) fn look_of(anchor: Anchor, rate: Line) -> Look {
    // One more for the reference's rounding down.
    let half_width_ns = rate.length_ns(anchor.half_width_ticks) + 1;
    Look { ticks: anchor.ticks, fixed: u128::from(anchor.reference_ns) << Line::FRACTION_BITS, half_width_ns }
}
