use std::time::Duration;

use chronoscope_sources::hiccups::HiccupInterval;

/// What was seen in intervals that need not adjoin.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The length of all of them.
    pub observed: Duration,
    seen: Option<HiccupInterval>,
}

impl Tally {
    pub fn add(&mut self, interval: &HiccupInterval) {
        self.observed += interval.end().saturating_duration_since(interval.start());
        self.merge_histogram(interval);
    }

    /// Adds another tally.
    pub fn merge(&mut self, other: &Self) {
        self.observed += other.observed;
        if let Some(seen) = &other.seen {
            self.merge_histogram(seen);
        }
    }

    fn merge_histogram(&mut self, interval: &HiccupInterval) {
        match &mut self.seen {
            Some(seen) => seen.merge(interval),
            None => self.seen = Some(interval.clone()),
        }
    }

    /// A lateness as it is counted: to a thousandth.
    pub fn as_counted(&self, late_ns: u64) -> u64 {
        self.lateness().map_or(late_ns, |seen| seen.highest_equivalent(late_ns.clamp(1, seen.high())))
    }

    /// How late looks were; None without any.
    pub fn lateness(&self) -> Option<&hdrhistogram::Histogram<u64>> {
        self.seen.as_ref().map(HiccupInterval::histogram).filter(|seen| !seen.is_empty())
    }
}
