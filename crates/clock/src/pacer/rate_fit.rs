use core::time::Duration;

use super::Slot;

const ROOT_OF_12: f64 = 3.464_101_615_137_754_4;
/// Events that took less than this share of their time all started at once, but for rounding.
const AT_ONCE: f64 = 1e-9;

/// How well a rate was kept: a line fitted to the lateness of all events, so that no single event decides. From the two ends
/// alone, one last event that is 15 µs late reads as 5 ppm over 3 s.
///
/// # Units
/// Parts per million of the rate that was asked for.
///
/// # Guarantees
/// Memory of fixed size; nothing is kept of single events. Events that were left out and a schedule that moved count in full.
///
/// # Sources
/// Least squares, kept up to date event by event: B. P. Welford, "Note on a method for calculating corrected sums of squares
/// and products", 1962. Two are put together as in T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae and a pairwise
/// algorithm for computing sample variances", 1979.
///
/// # Examples
/// ```
/// use chronoscope_clock::pacer::{Behind, Pace, Pacer, RateFit};
///
/// let mut fit = RateFit::new();
/// let mut pacer = Pacer::new(Pace::per_second(10_000)?.schedule().take(50), Behind::CatchUp);
/// while let Some(slot) = pacer.next_slot() {
///     fit.add(&slot);
/// }
/// println!("off by {:+.1} ppm", fit.error_ppm().unwrap());
/// # Ok::<(), chronoscope_clock::pacer::ImpossiblePace>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct RateFit {
    events: f64,
    skipped: f64,
    slipped: Duration,
    /// By how much the schedule had moved before the first event already.
    slipped_before: Duration,
    /// Means of when events were intended and of how late they were, in nanoseconds, and sums of squares and products about
    /// them.
    mean_intended: f64,
    mean_late: f64,
    sum_intended: f64,
    sum_product: f64,
    first_intended: f64,
    last_intended: f64,
}

impl RateFit {
    /// Nothing seen yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            events: 0.0,
            skipped: 0.0,
            slipped: Duration::ZERO,
            slipped_before: Duration::ZERO,
            mean_intended: 0.0,
            mean_late: 0.0,
            sum_intended: 0.0,
            sum_product: 0.0,
            first_intended: 0.0,
            last_intended: 0.0,
        }
    }

    /// Adds an event.
    pub fn add(&mut self, slot: &Slot) {
        let intended = slot.intended.as_nanos() as f64;
        let one = Self {
            events: 1.0,
            skipped: slot.skipped as f64,
            slipped: slot.slipped,
            slipped_before: slot.slipped,
            mean_intended: intended,
            mean_late: slot.late.total.as_nanos() as f64,
            first_intended: intended,
            last_intended: intended,
            ..Self::new()
        };
        self.merge(&one);
    }

    /// Adds all that another thread saw of the same schedule.
    pub fn merge(&mut self, other: &Self) {
        if other.events == 0.0 {
            return;
        }
        if self.events == 0.0 {
            *self = *other;
            return;
        }
        let events = self.events + other.events;
        let (apart, later) = (other.mean_intended - self.mean_intended, other.mean_late - self.mean_late);
        let weight = self.events * other.events / events;
        self.sum_intended += other.sum_intended + apart * apart * weight;
        self.sum_product += other.sum_product + apart * later * weight;
        self.mean_intended += apart * other.events / events;
        self.mean_late += later * other.events / events;
        self.events = events;
        self.skipped += other.skipped;
        self.slipped = self.slipped.max(other.slipped);
        if other.first_intended < self.first_intended {
            (self.first_intended, self.slipped_before) = (other.first_intended, other.slipped_before);
        }
        self.last_intended = self.last_intended.max(other.last_intended);
    }

    /// By how much the rate differs from what was asked for: negative if too slow. None of events that were all intended or all
    /// started at the same time, or of none.
    #[must_use]
    pub fn error_ppm(&self) -> Option<f64> {
        if self.sum_intended <= 0.0 {
            return None;
        }
        // How much longer the events took than they should have, as a share.
        let slope = self.sum_product / self.sum_intended;
        let taken = self.last_intended - self.first_intended;
        let slipped_since = self.slipped.saturating_sub(self.slipped_before).as_nanos() as f64;
        let asked = (taken - slipped_since).max(f64::MIN_POSITIVE);
        let kept = self.events / (self.events + self.skipped);
        // As one minus the product of what is nearly one, small differences keep their digits.
        let slower = slope + self.slipped.as_nanos() as f64 / asked * (1.0 + slope);
        (1.0 + slower > AT_ONCE).then(|| (kept / (1.0 + slower) - 1.0) * 1e6)
    }

    /// How far that may be off where each reading of the clock may be off by `clock_error`, at worst: the first half of the
    /// events too early by that and the second too late. How much the events themselves scatter is not in it.
    #[must_use]
    pub fn error_bound_ppm(&self, clock_error: Duration) -> Option<f64> {
        let taken = self.last_intended - self.first_intended;
        (self.sum_intended > 0.0 && taken > 0.0).then(|| {
            // The error times the sum of distances from the mean, over that of their squares: at most the root of n over the latter
            // (Cauchy, Schwarz), and so at most any number's mean with it over that number. Of events at equal distances it is this
            // number itself.
            let equal = ROOT_OF_12 / taken;
            let per_ns = (self.events / self.sum_intended / equal + equal) / 2.0;
            clock_error.max(Duration::from_nanos(1)).as_nanos() as f64 * per_ns * 1e6
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::vec::Vec;

    use super::*;
    use crate::Instant;
    use crate::pacer::Late;

    fn slot(number: u64, intended_ns: u64, late_ns: u64) -> Slot {
        let (intended, total) = (Instant::from_nanos(intended_ns), Duration::from_nanos(late_ns));
        let late = Late { total, ..Late::default() };
        Slot { number, intended, started: intended + total, late, skipped: 0, slipped: Duration::ZERO }
    }

    fn fit(slots: impl IntoIterator<Item = Slot>) -> RateFit {
        let mut fit = RateFit::new();
        slots.into_iter().for_each(|slot| fit.add(&slot));
        fit
    }

    #[test]
    fn one_late_last_event_is_no_other_rate() {
        const EVENTS: u64 = 30_000;
        let late = |number| if number == EVENTS - 1 { 15_000 } else { 20 };
        let slots = (0..EVENTS).map(|number| slot(number, 1_000_000_000 + number * 100_000, late(number)));
        let error_ppm = fit(slots).error_ppm().unwrap();
        assert!(error_ppm.abs() < 0.01, "{error_ppm} ppm; its end points alone say 5");
    }

    #[test]
    fn a_slower_rate_is_told_to_its_digits() {
        let slots = (0..10_000_u64).map(|number| slot(number, 5_000_000_000 + number * 1_000_000, number / 2));
        let error_ppm = fit(slots).error_ppm().unwrap();
        // Half a nanosecond each millisecond.
        assert!((error_ppm + 0.5).abs() < 1e-3, "{error_ppm}");
    }

    #[test]
    fn what_was_left_out_counts() {
        let mut slots: Vec<Slot> = (0..900).map(|number| slot(number, number * 1_000, 0)).collect();
        slots[450].skipped = 100;
        let error_ppm = fit(slots).error_ppm().unwrap();
        assert!((error_ppm + 100_000.0).abs() < 1.0, "{error_ppm}");
    }

    #[test]
    fn a_schedule_that_moved_is_a_slower_one() {
        let moved = |number: u64| Duration::from_nanos(if number >= 500 { 250_000 } else { 0 });
        let slots = (0..1_001_u64).map(|number| {
            let at = slot(number, number * 1_000 + moved(number).as_nanos() as u64, 0);
            Slot { slipped: moved(number), ..at }
        });
        let error_ppm = fit(slots).error_ppm().unwrap();
        assert!(
            (error_ppm + 200_000.0).abs() < 1.0,
            "{error_ppm}: a million nanoseconds of events took a quarter more"
        );
    }

    #[test]
    fn what_the_schedule_moved_before_the_first_event_counts_in_full() {
        let slipped = Duration::from_micros(5_000);
        let slots = (0..1_001_u64).map(|number| Slot { slipped, ..slot(number, 5_001_000 + number * 1_000, 0) });
        let error_ppm = fit(slots).error_ppm().unwrap();
        assert!((error_ppm + 1e6 * 5.0 / 6.0).abs() < 1.0, "{error_ppm}: a millisecond of events took six");
    }

    #[test]
    fn events_that_all_started_at_once_have_no_rate() {
        for (events, apart_ns) in [(2, 1), (7, 333), (1_000, 777_777), (100_000, 1)] {
            let slots = (0..events).map(|number| slot(number, number * apart_ns, (events - number) * apart_ns));
            assert_eq!(fit(slots).error_ppm(), None, "{events} {apart_ns}");
        }
    }

    #[test]
    fn nothing_has_no_rate() {
        assert_eq!(RateFit::new().error_ppm(), None);
        assert_eq!(fit([slot(0, 7, 3)]).error_ppm(), None);
        assert_eq!(RateFit::new().error_bound_ppm(Duration::ZERO), None);
    }

    proptest! {
        #[test]
        fn a_bounded_error_of_readings_stays_within_the_bound(late in prop::collection::vec(0_u64..=200, 3..300)) {
            let slots = late.iter().enumerate().map(|(number, late)| slot(number as u64, number as u64 * 10_000, *late));
            let fit = fit(slots);
            let bound_ppm = fit.error_bound_ppm(Duration::from_nanos(100)).unwrap();
            let error_ppm = fit.error_ppm().unwrap();
            // With few events, half of them weigh a little more.
            let room = 1.0 + 2.0 / late.len() as f64;
            prop_assert!(error_ppm.abs() <= bound_ppm * room * 1.001, "{} beyond {}", error_ppm, bound_ppm);
        }

        #[test]
        fn however_events_are_spread_the_bound_holds(
            apart in prop::collection::vec((0_u64..2_000_000).prop_map(|ns| if ns > 1_900_000 { ns * 1_000 } else { ns / 100 }), 3..300),
        ) {
            let intended: Vec<u64> = apart.iter().scan(0, |at, apart| { *at += apart + 1; Some(*at) }).collect();
            let mean = intended.iter().sum::<u64>() as f64 / intended.len() as f64;
            let late = |at: u64| if (at as f64) < mean { 0 } else { 20 };
            let fit = fit(intended.iter().enumerate().map(|(number, at)| slot(number as u64, *at, late(*at))));
            let slope_ppm = fit.sum_product / fit.sum_intended * 1e6;
            let bound_ppm = fit.error_bound_ppm(Duration::from_nanos(10)).unwrap();
            prop_assert!(slope_ppm.abs() <= bound_ppm * (1.0 + 1e-9), "{} beyond {}", slope_ppm, bound_ppm);
        }

        #[test]
        fn parts_put_together_are_the_whole(
            late in prop::collection::vec(0_u64..49_000, 2..200),
            cut in 0_usize..200,
        ) {
            let slots: Vec<Slot> =
                late.iter().enumerate().map(|(number, late)| slot(number as u64, 1_000_000 + number as u64 * 50_000, *late)).collect();
            let (one, other) = slots.split_at(cut.min(slots.len()));
            let mut merged = fit(one.iter().copied());
            merged.merge(&fit(other.iter().copied()));
            let (whole, merged) = (fit(slots.iter().copied()).error_ppm().unwrap(), merged.error_ppm().unwrap());
            prop_assert!((whole - merged).abs() <= whole.abs() * 1e-6 + 1e-6, "{} {}", whole, merged);
        }
    }
}
