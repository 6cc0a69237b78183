//! The time lost while clocks were read one read after another: how much of it, while which clock was read, over which
//! gaps, and who took it. Whoever tells of lost time asks here, so one run has one figure.

use chronoscope_harness::estimators::reads::Gaps;
use chronoscope_harness::estimators::steps::FEWEST_CHANGES;
use chronoscope_harness::quantity::ns;

use super::report::Reads;

/// Longer gaps are interruptions, not the clock's cost: their time is lost.
pub const GAP_NS: f64 = 10_000.0;
/// A larger share lost merits a warning.
const GRAVE: f64 = 0.05;
/// The share of the lost time that the kernel must account for before it is attributed to the machine.
const LEAST_WITNESSED: f64 = 0.25;
/// Whoever took at least this share of the lost time took most of it.
pub const MOST: f64 = 0.5;

/// The time lost in gaps while one clock was read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss<'a> {
    /// The clock's reads.
    pub reads: &'a Reads,
    /// Its gaps over [`GAP_NS`].
    pub gaps: &'a Gaps,
}

impl Loss<'_> {
    /// The time lost.
    pub fn lost_ns(&self) -> f64 {
        self.gaps.share_of_time * self.reads.span_ns
    }

    /// The part of it for which the thread waited for its CPU; None where that is not counted.
    pub fn waited_ns(&self) -> Option<f64> {
        self.reads.disturbance.waited_ms.map(|ms| ms * 1e6)
    }

    /// The part of it that the hypervisor gave to others; None where that is not counted.
    pub fn stolen_ns(&self) -> Option<f64> {
        self.reads.disturbance.steal_ms.map(|ms| ms * 1e6)
    }

    /// What the kernel counted of it.
    pub fn counted_ns(&self) -> f64 {
        self.waited_ns().unwrap_or(0.0) + self.stolen_ns().unwrap_or(0.0)
    }

    /// Whether the kernel accounts for a substantial part of it. Where it counts run-queue waits, those and stolen time must
    /// make up that part: a switch to a kernel thread takes microseconds, and does not explain a gap of a millisecond.
    pub fn is_witnessed(&self) -> bool {
        match self.waited_ns() {
            Some(_) => self.counted_ns() >= self.lost_ns() * LEAST_WITNESSED,
            None => {
                self.reads.disturbance.involuntary_switches.is_some_and(|switches| switches > 0)
                    || self.counted_ns() > 0.0
            }
        }
    }

    /// Whether so much was lost, and corroborated by the kernel: an uncorroborated gap may be the clock's.
    pub fn is_grave(&self) -> bool {
        self.gaps.share_of_time > GRAVE && self.is_witnessed()
    }
}

/// What was lost while each clock was read that shows it, the first of which is the run's figure: the clock that lost most,
/// among those of a grave loss if there is any.
pub fn losses(all: &[Reads]) -> Vec<Loss<'_>> {
    let is_sound = |loss: &Loss<'_>| {
        loss.reads.span_ns > 0.0 && loss.reads.maximum_ns.is_finite() && (0.0..=1.0).contains(&loss.gaps.share_of_time)
    };
    let losses = all.iter().filter_map(|reads| {
        let gaps = reads.shown_gaps().find(|gaps| gaps.above_ns == GAP_NS)?;
        Some(Loss { reads, gaps })
    });
    let mut losses: Vec<_> = losses.filter(is_sound).collect();
    let rank = |loss: &Loss<'_>| (loss.is_grave(), loss.gaps.share_of_time);
    losses.sort_by(|a, b| {
        let ((a_is_grave, a), (b_is_grave, b)) = (rank(a), rank(b));
        b_is_grave.cmp(&a_is_grave).then(b.total_cmp(&a))
    });
    losses
}

/// Why gaps over `above_ns` cannot be told from what the clock itself puts between two readings; None if they can.
pub fn reason_hidden(reads: &Reads, above_ns: f64) -> Option<String> {
    if reads.shows_gaps_above(above_ns) {
        return None;
    }
    let (step, clock) = (reads.step_ns(), &reads.clock);
    Some(match step {
        _ if step.is_infinite() => format!("{clock} did not advance"),
        _ if step > 0.0 && reads.changes() < FEWEST_CHANGES => {
            let times = if reads.changes() == 1 { "once".to_owned() } else { format!("{} times", reads.changes()) };
            format!("{clock} moved {times}, which does not tell its steps")
        }
        _ if step > 0.0 => format!("{clock} moves in steps of {} or more", ns(step)),
        _ => format!("a read of {clock} takes {}", ns(reads.p50_ns)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::estimators::reads::{Samples, reads};
    use chronoscope_harness::record::Disturbance;
    use chronoscope_sources::Rate;

    fn reason(differences: Vec<(i64, u64)>) -> String {
        let samples = Samples { differences, ..Samples::default() };
        let found = reads("CLOCK_MONOTONIC_COARSE".into(), &samples, Rate::NANOSECONDS, Disturbance::default());
        reason_hidden(&found.unwrap(), GAP_NS).unwrap()
    }

    #[test]
    fn a_step_of_which_few_changes_were_seen_is_not_told() {
        // The process was stopped for three of its ticks.
        assert_eq!(
            reason(vec![(0, 1_000_000), (12_000_000, 1)]),
            "CLOCK_MONOTONIC_COARSE moved once, which does not tell its steps"
        );
        assert_eq!(
            reason(vec![(0, 1_000_000), (4_000_000, 6), (12_000_000, 1)]),
            "CLOCK_MONOTONIC_COARSE moves in steps of 4.00 ms or more"
        );
    }
}
