use core::time::Duration;

use hdrhistogram::Histogram;

use super::{RateFit, Slot, Times};
use crate::nanos;

/// Over three days: longer than any time of a run of a day, with a stall as long.
const LONGEST_NS: u64 = 1 << 48;
const DIGITS: u8 = 3;

/// A pacer's events in histograms of nanoseconds: how late they started, and how long they took for their users
/// (response) and for the system (service).
///
/// # Guarantees
/// Response times count from the intended start, so time spent waiting behind a slow event is in them. Values are kept to
/// a thousandth, up to 78 hours; longer ones count as at least that. Nothing is allocated after construction.
///
/// # Examples
/// ```
/// use chronoscope_clock::pacer::{Behind, Pace, PaceRecord, Pacer};
///
/// let mut pacer = Pacer::new(Pace::per_second(10_000)?.schedule().take(50), Behind::CatchUp);
/// let mut record = PaceRecord::new();
/// while let Some(slot) = pacer.next_slot() {
///     // The work.
///     record.add(&slot, pacer.finish(&slot));
/// }
/// assert_eq!(record.events(), 50);
/// println!("p99 {} ns, {} ns of service", record.response().value_at_quantile(0.99), record.service().value_at_quantile(0.99));
/// # Ok::<(), chronoscope_clock::pacer::ImpossiblePace>(())
/// ```
#[derive(Clone, Debug)]
pub struct PaceRecord {
    lateness: Histogram<u64>,
    response: Histogram<u64>,
    service: Histogram<u64>,
    rate: RateFit,
    /// By caller, machine and pacer.
    late: [Duration; 3],
}

impl Default for PaceRecord {
    fn default() -> Self {
        Self::new()
    }
}

impl PaceRecord {
    /// An empty record. 960 KiB.
    #[must_use]
    pub fn new() -> Self {
        let empty = || Histogram::new_with_bounds(1, LONGEST_NS, DIGITS).expect("bounds that the histogram allows");
        Self { lateness: empty(), response: empty(), service: empty(), rate: RateFit::new(), late: [Duration::ZERO; 3] }
    }

    /// Adds an event that took `times`.
    pub fn add(&mut self, slot: &Slot, times: Times) {
        self.lateness.saturating_record(nanos::saturating(slot.late.total));
        self.response.saturating_record(nanos::saturating(times.response));
        self.service.saturating_record(nanos::saturating(times.service));
        self.rate.add(slot);
        self.add_late([slot.late.by_caller, slot.late.by_machine, slot.late.by_pacer]);
    }

    fn add_late(&mut self, late: [Duration; 3]) {
        self.late.iter_mut().zip(late).for_each(|(sum, more)| *sum += more);
    }

    /// Adds another thread's record.
    pub fn merge(&mut self, other: &Self) {
        // Bounds are the same in all, which is what adding can fail of.
        let _ = self.lateness.add(&other.lateness);
        let _ = self.response.add(&other.response);
        let _ = self.service.add(&other.service);
        self.rate.merge(&other.rate);
        self.add_late(other.late);
    }

    /// Events started.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.lateness.len()
    }

    /// Events left out.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.rate.skipped
    }

    /// How far the schedule moved in total; of several threads, the largest.
    #[must_use]
    pub fn slipped(&self) -> Duration {
        self.rate.slipped
    }

    /// How well the rate was kept.
    #[must_use]
    pub fn rate(&self) -> &RateFit {
        &self.rate
    }

    /// From the intended to the actual start.
    #[must_use]
    pub fn lateness(&self) -> &Histogram<u64> {
        &self.lateness
    }

    /// From the intended start to the end.
    #[must_use]
    pub fn response(&self) -> &Histogram<u64> {
        &self.response
    }

    /// From the actual start to the end. On its own it omits waiting: coordinated omission.
    #[must_use]
    pub fn service(&self) -> &Histogram<u64> {
        &self.service
    }

    /// The total lateness of all events by cause: caller, machine, pacer, as [`Late`](super::Late) tells them apart.
    #[must_use]
    pub fn late_by(&self) -> (Duration, Duration, Duration) {
        self.late.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Instant;
    use crate::pacer::Late;

    fn slot(late_ns: u64) -> Slot {
        let late = Late { total: Duration::from_nanos(late_ns), ..Late::default() };
        let started = Instant::from_bits(1_000 + late_ns);
        Slot { number: 0, intended: Instant::from_nanos(1_000), started, late, skipped: 2, slipped: Duration::ZERO }
    }

    #[test]
    fn a_merged_record_is_that_of_all() {
        let (mut one, mut other) = (PaceRecord::new(), PaceRecord::new());
        one.add(&slot(500), slot(500).times(Instant::from_nanos(1_700)));
        other.add(&slot(0), slot(0).times(Instant::from_nanos(1_100)));
        one.merge(&other);
        assert_eq!((one.events(), one.skipped()), (2, 4));
        assert_eq!((one.response().max(), one.service().max()), (700, 200));
    }

    #[test]
    fn what_is_longer_than_the_longest_is_kept_as_that() {
        let mut record = PaceRecord::new();
        record.add(&slot(i64::MAX as u64 - 1_000), slot(0).times(Instant::from_nanos(i64::MAX)));
        assert_eq!(record.events(), 1);
        assert!(record.response().max() >= LONGEST_NS);
    }

    #[test]
    fn a_time_of_a_day_is_kept() {
        let mut record = PaceRecord::new();
        let day = Duration::from_secs(24 * 3_600);
        record.add(&slot(0), slot(0).times(Instant::from_nanos(1_000) + day));
        let ns = u64::try_from(day.as_nanos()).unwrap();
        assert_eq!(record.response().max(), record.response().highest_equivalent(ns));
        assert!(record.response().high() > 3 * ns);
    }
}
