//! The figures of consecutive reads.

use super::plan::READS;
use super::report::Reads;
use crate::clock_id::ClockId;
use crate::figures::figure::Figures;
use crate::figures::limit::{Absent, Bounds, Limit, Takes};
use chronoscope_harness::quantity::{ns, percent};
use chronoscope_harness::study_rules::NOISY_MACHINE;

pub static FIGURES: Figures<[Reads]> = Figures {
    kinds: &[],
    of: |_| Vec::new(),
    limits: &[Limit {
        option: "max-lost",
        help: "At most this share of time is lost in gaps over 10 µs, e.g. 1%",
        takes: Takes::Share,
        parts: &[READS],
        mend: NOISY_MACHINE.mend,
        find: lost,
    }],
};

/// Gaps of this length count as lost time, as for the finding `noisy_machine`.
const GAP_NS: f64 = 10_000.0;

/// The share of time lost in gaps while the worst clock was read, in percent.
fn lost(reads: &[Reads], _: Option<&ClockId>) -> Result<Bounds, Absent> {
    let lost = reads.iter().filter_map(|reads| {
        let gaps = reads.shown_gaps().find(|gaps| gaps.above_ns == GAP_NS)?;
        Some((&reads.clock, gaps.share_of_time * 100.0))
    });
    let worst = lost.max_by(|(_, a), (_, b)| a.total_cmp(b));
    let (clock, lost_pct) =
        worst.ok_or_else(|| Absent::NotMeasured("gaps between reads were not observed".to_owned()))?;
    let words = format!("{} of the time reading {clock} lost in gaps over {}", percent(lost_pct), ns(GAP_NS));
    Ok(Bounds::exactly(words, lost_pct))
}
