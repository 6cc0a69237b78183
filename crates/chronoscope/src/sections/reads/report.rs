use crate::clock_id::ClockId;
use chronoscope_harness::estimators::reads::{self, Gaps};

/// The distribution of the differences between consecutive reads of one clock.
pub type Reads = reads::Reads<ClockId>;

/// Longer gaps are interruptions, not the clock's cost: their time is lost.
pub const GAP_NS: f64 = 10_000.0;

/// The gaps in which time was lost while each clock was read that shows them, those of the worst first.
pub fn lost(all: &[Reads]) -> Vec<(&Reads, &Gaps)> {
    let is_sound = |(reads, gaps): &(&Reads, &Gaps)| {
        reads.span_ns > 0.0 && reads.maximum_ns.is_finite() && (0.0..=1.0).contains(&gaps.share_of_time)
    };
    let mut lost: Vec<_> = all
        .iter()
        .filter_map(|reads| Some((reads, reads.shown_gaps().find(|gaps| gaps.above_ns == GAP_NS)?)))
        .filter(is_sound)
        .collect();
    lost.sort_by(|(_, a), (_, b)| b.share_of_time.total_cmp(&a.share_of_time));
    lost
}
