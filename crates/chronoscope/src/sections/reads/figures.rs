//! The figures of consecutive reads.

use super::plan::READS;
use super::report::{GAP_NS, Reads, lost};
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
        find: share_lost,
    }],
};

/// The share of time lost while the worst clock was read, in percent.
fn share_lost(reads: &[Reads], _: Option<&ClockId>) -> Result<Bounds, Absent> {
    let lost = lost(reads);
    let (reads, gaps) =
        lost.first().ok_or_else(|| Absent::NotMeasured("gaps between reads were not observed".to_owned()))?;
    let lost_pct = gaps.share_of_time * 100.0;
    let words = format!("{} of the time reading {} lost in gaps over {}", percent(lost_pct), reads.clock, ns(GAP_NS));
    Ok(Bounds::exactly(words, lost_pct))
}
