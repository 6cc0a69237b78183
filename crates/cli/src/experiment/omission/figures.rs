use chronoscope_measure::record::study::{Estimate, OperationPart};
use chronoscope_report::text::ns;

use super::super::reading::Reading;
use super::super::words::times;
use super::{CASE, LOOP};

/// What was seen of one loop.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figures {
    pub(super) name: String,
    /// Operations per second that the machine can do: what one thread does, times the CPUs.
    pub(super) ceiling_per_s: Option<Estimate>,
    pub(super) rows: Vec<Row>,
}

/// At one number of threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) threads: u32,
    pub(super) oversubscribed: bool,
    pub(super) part: Option<OperationPart>,
}

pub(super) fn of(record: Reading<'_>, name: &str) -> Figures {
    let rows: Vec<Row> = record
        .0
        .plan
        .threads
        .iter()
        .map(|threads| {
            let cell = record.with(CASE, LOOP, name, *threads);
            Row { threads: *threads, oversubscribed: *threads > record.cpus(), part: cell.and_then(|cell| cell.part) }
        })
        .collect();
    let alone = rows.iter().find(|row| row.threads == 1).and_then(|row| row.part);
    let ceiling_per_s = alone.map(|part| times(&part.external_per_s, f64::from(record.cpus())));
    Figures { name: name.to_owned(), ceiling_per_s, rows }
}

impl Figures {
    /// The row with one thread.
    pub(super) fn alone(&self) -> Option<OperationPart> {
        self.rows.iter().find(|row| row.threads == 1)?.part
    }

    /// The row with as many threads as there are CPUs, or the most below.
    pub(super) fn full(&self) -> Option<(u32, OperationPart)> {
        let rows = self.rows.iter().filter(|row| !row.oversubscribed);
        rows.filter_map(|row| Some((row.threads, row.part?))).next_back()
    }

    /// The row with the most threads.
    pub(super) fn crowded(&self) -> Option<(u32, OperationPart)> {
        let rows = self.rows.iter().filter(|row| row.oversubscribed);
        rows.filter_map(|row| Some((row.threads, row.part?))).next_back()
    }

    /// The row with this many threads, if there are more than CPUs.
    pub(super) fn crowded_with(&self, threads: u32) -> Option<(u32, OperationPart)> {
        let row = self.rows.iter().find(|row| row.threads == threads && row.oversubscribed)?;
        Some((threads, row.part?))
    }

    /// How many times what the machine can do the claim of `part` is.
    pub(super) fn over_report(&self, part: &OperationPart) -> Option<Estimate> {
        let (ceiling, claimed) = (self.ceiling_per_s?, part.claimed_per_s);
        // Both intervals at their worst: wider than need be, and never too narrow.
        (ceiling.low > 0.0).then(|| Estimate {
            estimate: claimed.estimate / ceiling.estimate,
            low: claimed.low / ceiling.high,
            high: claimed.high / ceiling.low,
            confidence: claimed.confidence.min(ceiling.confidence),
        })
    }

    /// What set-up and work take on one thread, in nanoseconds.
    pub(super) fn lengths_ns(&self) -> Option<(f64, f64)> {
        let part = self.alone()?;
        let (whole_ns, work_ns) = (1e9 / part.external_per_s.estimate, part.part_ns.estimate);
        (whole_ns.is_finite() && whole_ns > work_ns && work_ns > 0.0).then_some((whole_ns - work_ns, work_ns))
    }

    /// The loop's name, and how long its parts are on this machine.
    pub(super) fn title(&self) -> String {
        match self.lengths_ns() {
            Some((setup_ns, work_ns)) => {
                format!("{}: about {} and {} on one thread", self.name, ns(setup_ns), ns(work_ns))
            }
            None => self.name.clone(),
        }
    }

    /// Whether the claim goes on growing when there are more threads than CPUs, and what is done does not.
    pub(super) fn grows_past_saturation(&self) -> bool {
        let (Some((_, full)), Some((_, crowded))) = (self.full(), self.crowded()) else { return false };
        crowded.claimed_per_s.low > full.claimed_per_s.high
            && crowded.inflation.low > full.inflation.high
            && crowded.claimed_per_s.confidence > 0.0
    }
}
