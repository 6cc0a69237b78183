use chronoscope_harness::record::study::{Estimate, OperationPart, StudyRecord};
use chronoscope_render::text::ns;

use super::cases::{CASE, LOOP};

/// The measurements of one loop.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figures {
    pub(super) name: String,
    /// The machine's capacity in operations per second: one thread's rate times the number of CPUs.
    pub(super) ceiling_per_s: Option<Estimate>,
    pub(super) rows: Vec<Row>,
}

/// The measurement at one thread count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) threads: u32,
    pub(super) oversubscribed: bool,
    pub(super) part: Option<OperationPart>,
}

pub(super) fn of(record: &StudyRecord, name: &str) -> Figures {
    let row = |threads: &u32| Row {
        threads: *threads,
        oversubscribed: *threads > record.cpus(),
        part: record.cell_with(CASE, LOOP, name, *threads).and_then(|cell| cell.part),
    };
    let rows: Vec<Row> = record.study().plan.threads.iter().map(row).collect();
    let alone = rows.iter().find(|row| row.threads == 1).and_then(|row| row.part);
    let ceiling_per_s = alone.map(|part| part.external_per_s.times(f64::from(record.cpus())));
    Figures { name: name.to_owned(), ceiling_per_s, rows }
}

impl Figures {
    /// The row with one thread.
    pub(super) fn alone(&self) -> Option<OperationPart> {
        self.rows.iter().find(|row| row.threads == 1)?.part
    }

    /// The row with as many threads as CPUs, or the most below.
    pub(super) fn full(&self) -> Option<(u32, OperationPart)> {
        self.measured(false).next_back()
    }

    /// The row with the most threads.
    pub(super) fn oversubscribed(&self) -> Option<(u32, OperationPart)> {
        self.measured(true).next_back()
    }

    /// The rows with more threads than CPUs, or those with no more.
    pub(super) fn measured(&self, oversubscribed: bool) -> impl DoubleEndedIterator<Item = (u32, OperationPart)> {
        let rows = self.rows.iter().filter(move |row| row.oversubscribed == oversubscribed);
        rows.filter_map(|row| Some((row.threads, row.part?)))
    }

    /// The claim of `part` as a multiple of the machine's capacity.
    pub(super) fn over_report(&self, part: &OperationPart) -> Option<Estimate> {
        part.claimed_per_s.over(&self.ceiling_per_s?)
    }

    /// Between which rates so many threads must claim: where a thread that waits for a CPU does so between the stamps as often as it is there, each
    /// claims no more than its CPU does, and where it waits outside them only, as if it had a CPU of its own.
    pub(super) fn predicted(&self, threads: u32, cpus: u32) -> Option<[Estimate; 2]> {
        let of_one = Estimate::certain(1e9).over(&self.alone()?.part_ns)?;
        Some([of_one.times(f64::from(cpus.min(threads))), of_one.times(f64::from(threads))])
    }

    /// How many times as long the stamps say that an operation takes with more threads than CPUs as with one for each.
    pub(super) fn average_grows(&self) -> Option<Estimate> {
        self.oversubscribed()?.1.part_ns.over(&self.full()?.1.part_ns)
    }

    /// The loop's name, with the lengths of set-up and work on one thread of this machine.
    pub(super) fn title(&self) -> String {
        let lengths_ns = self.alone().map(|part| (1e9 / part.external_per_s.estimate, part.part_ns.estimate));
        match lengths_ns {
            Some((whole_ns, work_ns)) if whole_ns.is_finite() && whole_ns > work_ns && work_ns > 0.0 => {
                format!("{}: about {} and {} on one thread", self.name, ns(whole_ns - work_ns), ns(work_ns))
            }
            _ => self.name.clone(),
        }
    }

    /// Whether, with more threads than CPUs, the claim keeps growing while the actual rate does not.
    pub(super) fn grows_past_saturation(&self) -> bool {
        let (Some((_, full)), Some((_, oversubscribed))) = (self.full(), self.oversubscribed()) else { return false };
        oversubscribed.claimed_per_s.low > full.claimed_per_s.high
            && oversubscribed.inflation.low > full.inflation.high
            && oversubscribed.claimed_per_s.has_confidence()
    }
}

/// The ratio of the claimed to the actual rate.
///
/// The interval is of the quotient within each iteration, where common disturbances cancel out. If it reaches zero, the
/// quotient is only an upper bound, and the separate intervals of claim and actual rate are more informative. Part of
/// an operation takes no longer than the whole, so a claim is never below the actual rate.
pub(super) fn claim_over_done(part: &OperationPart) -> Estimate {
    let OperationPart { inflation, claimed_per_s: claimed, external_per_s: done, .. } = part;
    let bound = claimed.over(done).filter(|_| inflation.low <= 0.0 && claimed.low > 0.0);
    let found = bound.unwrap_or(*inflation);
    Estimate { low: found.low.max(1.0).min(found.estimate), ..found }
}

/// Whether a quotient is known to exceed 1.
pub(super) fn is_more_than_one(quotient: &Estimate) -> bool {
    quotient.has_confidence() && quotient.low > 1.0
}

/// The share of one thread's time between the timestamps, from the same two means that the page shows.
pub(super) fn stamped_share(alone: &OperationPart) -> Option<f64> {
    let share = alone.part_ns.estimate * alone.external_per_s.estimate / 1e9;
    (share > 0.0 && share <= 1.0).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::part;

    fn of(estimate: f64, low: f64, high: f64) -> Estimate {
        Estimate { estimate, low, high, confidence: 0.999 }
    }

    #[test]
    fn no_claim_lies_below_what_was_done() {
        let wide = OperationPart { inflation: of(2.33, 0.30, 4.36), ..part(154e3, 69.7e3, 0.5) };
        let found = claim_over_done(&wide);
        assert_eq!((found.estimate, found.low, found.high), (2.33, 1.0, 4.36));
        assert!(!is_more_than_one(&found));
        assert!(is_more_than_one(&claim_over_done(&part(154e3, 69.7e3, 0.5))));
        assert!(!is_more_than_one(&Estimate { confidence: 0.0, ..of(2.0, 2.0, 2.0) }), "one process");
    }

    #[test]
    fn two_intervals_say_more_than_a_quotient_that_reaches_zero() {
        let part = OperationPart {
            claimed_per_s: of(5.45e6, 4.27e6, 6.62e6),
            external_per_s: of(28.1e3, 11.4e3, 44.7e3),
            inflation: of(213.0, 0.0, 476.0),
            ..part(5.45e6, 28.1e3, 0.01)
        };
        let found = claim_over_done(&part);
        assert!((found.estimate - 193.95).abs() < 0.01, "{found:?}");
        assert!((found.low - 95.5).abs() < 0.1 && (found.high - 580.7).abs() < 0.1, "{found:?}");
        assert!(is_more_than_one(&found));
        let idle = OperationPart { external_per_s: of(28.1e3, 0.0, 60e3), ..part };
        assert_eq!(claim_over_done(&idle).high, 476.0, "not by zero");
    }

    #[test]
    fn the_share_is_that_of_the_means_shown() {
        // 7.30 of 14.3 µs; the median share over batches is a different number.
        let alone = OperationPart {
            part_ns: of(7_300.0, 2_700.0, 11_910.0),
            timed_share: 0.5,
            ..part(142e3, 1e9 / 14_300.0, 0.5)
        };
        assert!((stamped_share(&alone).unwrap() - 7.3 / 14.3).abs() < 1e-9);
    }
}
