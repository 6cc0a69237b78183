//! The figures of consecutive reads.

use super::lost::{GAP_NS, losses, reason_hidden};
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
        find: share_lost,
    }],
};

/// The share of time lost, in percent.
fn share_lost(all: &[Reads], _: Option<&ClockId>) -> Result<Bounds, Absent> {
    let lost = losses(all);
    let hidden = || all.iter().find_map(|reads| reason_hidden(reads, GAP_NS));
    let unknown = || hidden().unwrap_or_else(|| "gaps between reads were not observed".to_owned());
    let loss = lost.first().ok_or_else(|| Absent::NotMeasured(unknown()))?;
    let lost_pct = loss.gaps.share_of_time * 100.0;
    let clock = &loss.reads.clock;
    let words = format!("{} of the time reading {clock} lost in gaps over {}", percent(lost_pct), ns(GAP_NS));
    Ok(Bounds::exactly(words, lost_pct))
}
