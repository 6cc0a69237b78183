use core::time::Duration;

use super::Slot;

/// Events are kept in at most this many blocks of equal length.
const MOST_BLOCKS: usize = 64;
const MOST_PAIRS: usize = MOST_BLOCKS * (MOST_BLOCKS - 1) / 2;
/// Events that took less than this share of their time all started at once, but for rounding.
const AT_ONCE: f64 = 1e-9;

/// How well a rate was kept: the slope of a line through all events, which no single event, stall or backlog decides. By
/// the two ends alone, a last event 15 µs late reads as 5 ppm over 3 s; by least squares, a stall of 50 ms early in 10 s
/// reads as 37 ppm.
///
/// Takes the least late event of each block, and the median of the slopes between all pairs of blocks. Up to 64 events
/// are a block each.
///
/// A median holds only while most blocks are on time: a backlog of three quarters of the run starts almost at once, and
/// its own slope is a rate of millions. Once more than a quarter of the blocks are late by more than a period, the rate
/// is that of the first block and the last: events over the time that they took.
///
/// # Units
/// Parts per million of the requested rate.
///
/// # Guarantees
/// Memory of fixed size. Events left out and a schedule that moved count in full. Backlogs in less than a quarter of the
/// time change nothing; those in more count by what is left of them at the end.
///
/// # Sources
/// The median of pairwise slopes: P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau", 1968.
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
#[derive(Clone, Debug)]
pub struct RateFit {
    blocks: [Block; MOST_BLOCKS],
    len: usize,
    /// Events of a block, and those that the last one has.
    per_block: u64,
    in_last: u64,
    events: u64,
    pub(super) skipped: u64,
    pub(super) slipped: Duration,
    /// When the first event and the last were intended.
    ends_ns: Option<(i64, i64)>,
    /// By how much the schedule had moved before the first event already.
    slipped_before: Duration,
}

/// The event of a block that was least late: when it was intended, and how late it was, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Block {
    intended: f64,
    late: f64,
}

impl Block {
    fn better(self, other: Self) -> Self {
        if other.late < self.late { other } else { self }
    }
}

impl Default for RateFit {
    fn default() -> Self {
        Self::new()
    }
}

impl RateFit {
    /// Nothing seen yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            blocks: [Block { intended: 0.0, late: 0.0 }; MOST_BLOCKS],
            len: 0,
            per_block: 1,
            in_last: 1,
            events: 0,
            skipped: 0,
            slipped: Duration::ZERO,
            ends_ns: None,
            slipped_before: Duration::ZERO,
        }
    }

    /// Adds an event.
    pub fn add(&mut self, slot: &Slot) {
        let intended_ns = slot.intended.as_nanos();
        let event = Block { intended: intended_ns as f64, late: slot.late.total.as_nanos() as f64 };
        if self.in_last < self.per_block {
            self.blocks[self.len - 1] = self.blocks[self.len - 1].better(event);
            self.in_last += 1;
        } else {
            if self.len == MOST_BLOCKS {
                halve(&mut self.blocks);
                self.len = MOST_BLOCKS / 2;
                self.per_block *= 2;
            }
            self.blocks[self.len] = event;
            self.len += 1;
            self.in_last = 1;
        }
        self.count(1, slot.skipped, slot.slipped, (intended_ns, intended_ns), slot.slipped);
    }

    /// Adds another thread's events of the same schedule.
    pub fn merge(&mut self, other: &Self) {
        let Some(ends_ns) = other.ends_ns else { return };
        let mut both = [Block::default(); 2 * MOST_BLOCKS];
        let mut len = self.len + other.len;
        both[..self.len].copy_from_slice(&self.blocks[..self.len]);
        both[self.len..len].copy_from_slice(&other.blocks[..other.len]);
        both[..len].sort_unstable_by(|one, other| one.intended.total_cmp(&other.intended));
        self.per_block = self.per_block.max(other.per_block);
        if len > MOST_BLOCKS {
            halve(&mut both[..len]);
            len = len.div_ceil(2);
            self.per_block *= 2;
        }
        self.blocks[..len].copy_from_slice(&both[..len]);
        self.len = len;
        // The next event begins a block.
        self.in_last = self.per_block;
        self.count(other.events, other.skipped, other.slipped, ends_ns, other.slipped_before);
    }

    fn count(&mut self, events: u64, skipped: u64, slipped: Duration, ends_ns: (i64, i64), slipped_before: Duration) {
        self.events += events;
        self.skipped = self.skipped.saturating_add(skipped);
        self.slipped = self.slipped.max(slipped);
        let (first, last) = self.ends_ns.unwrap_or(ends_ns);
        if self.ends_ns.is_none() || ends_ns.0 < first {
            self.slipped_before = slipped_before;
        }
        self.ends_ns = Some((first.min(ends_ns.0), last.max(ends_ns.1)));
    }

    /// The rate's deviation from the requested one; negative if too slow. None without events, or if all were intended or
    /// all started at the same time.
    #[must_use]
    pub fn error_ppm(&self) -> Option<f64> {
        let slope = self.slope()?;
        let slipped_since = self.slipped.saturating_sub(self.slipped_before).as_nanos() as f64;
        let asked = (self.taken_ns() - slipped_since).max(f64::MIN_POSITIVE);
        let kept = self.events as f64 / (self.events as f64 + self.skipped as f64);
        // As one minus the product of what is nearly one, small differences keep their digits.
        let slower = slope + self.slipped.as_nanos() as f64 / asked * (1.0 + slope);
        (1.0 + slower > AT_ONCE).then(|| (kept / (1.0 + slower) - 1.0) * 1e6)
    }

    /// The worst error of that if each clock reading may be off by `clock_error`. Excludes the scatter of the events
    /// themselves.
    #[must_use]
    pub fn error_bound_ppm(&self, clock_error: Duration) -> Option<f64> {
        let clock_error_ns = clock_error.max(Duration::from_nanos(1)).as_nanos() as f64;
        // More than half of the slopes are between blocks at least this far apart, so their median is off by no more than
        // twice the error over it. The upper of two medians is that of exactly half of the pairs, which are too few.
        let distance_ns = self.lower_median(|one, other| other.intended - one.intended)?;
        Some(2.0 * clock_error_ns / distance_ns * 1e6)
    }

    /// How much longer the events took than they should have, as a share.
    fn slope(&self) -> Option<f64> {
        if self.is_mostly_backlog() { self.slope_of_ends() } else { self.median(slope) }
    }

    /// Whether more than a quarter of the blocks are late by more than a period, each event of them.
    fn is_mostly_backlog(&self) -> bool {
        let period_ns = self.taken_ns() / self.events.saturating_sub(1).max(1) as f64;
        4 * self.blocks[..self.len].iter().filter(|block| block.late > period_ns).count() > self.len
    }

    /// The slope from the first block to the last; None if they were intended at the same time.
    fn slope_of_ends(&self) -> Option<f64> {
        let blocks = self.blocks[..self.len].iter().copied();
        let first = blocks.clone().min_by(|one, other| one.intended.total_cmp(&other.intended))?;
        let last = blocks.max_by(|one, other| one.intended.total_cmp(&other.intended))?;
        (last.intended > first.intended).then(|| slope(first, last))
    }

    /// From when the first event was intended to when the last was.
    fn taken_ns(&self) -> f64 {
        self.ends_ns.map_or(0.0, |(first, last)| last.abs_diff(first) as f64)
    }

    /// The median over all pairs of blocks intended at different times, the earlier first; of an even number, the upper of
    /// the two in the middle.
    fn median(&self, of: impl Fn(Block, Block) -> f64) -> Option<f64> {
        self.ranked(of, |len| len / 2)
    }

    fn lower_median(&self, of: impl Fn(Block, Block) -> f64) -> Option<f64> {
        self.ranked(of, |len| (len - 1) / 2)
    }

    /// The value of that rank, of however many there are.
    fn ranked(&self, of: impl Fn(Block, Block) -> f64, rank: impl Fn(usize) -> usize) -> Option<f64> {
        let mut values = [0.0; MOST_PAIRS];
        let mut len = 0;
        for (at, one) in self.blocks[..self.len].iter().enumerate() {
            for other in &self.blocks[at + 1..self.len] {
                if other.intended != one.intended {
                    let (earlier, later) = if other.intended > one.intended { (*one, *other) } else { (*other, *one) };
                    values[len] = of(earlier, later);
                    len += 1;
                }
            }
        }
        let values = &mut values[..len];
        (len > 0).then(|| *values.select_nth_unstable_by(rank(len), f64::total_cmp).1)
    }
}

fn slope(earlier: Block, later: Block) -> f64 {
    (later.late - earlier.late) / (later.intended - earlier.intended)
}

/// Makes one block of each two, in place.
fn halve(blocks: &mut [Block]) {
    for pair in 0..blocks.len().div_ceil(2) {
        let (one, other) = (blocks[2 * pair], blocks.get(2 * pair + 1).copied());
        blocks[pair] = other.map_or(one, |other| one.better(other));
    }
}

#[cfg(all(test, not(miri)))] // thousands of events, and nothing in them is unsafe: too slow to interpret
mod tests {
    use proptest::prelude::*;
    use std::vec::Vec;

    use super::*;
    use crate::Instant;
    use crate::pacer::Late;

    fn slot(number: u64, intended_ns: u64, late_ns: u64) -> Slot {
        let (intended, total) = (Instant::from_bits(intended_ns), Duration::from_nanos(late_ns));
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
    fn a_stall_that_was_caught_up_with_is_no_other_rate() {
        // 50 ms, of which each later event makes up for half a period.
        let late =
            |number: u64| if number < 2_500 { 0 } else { 50_000_000_u64.saturating_sub((number - 2_500) * 500_000) };
        let slots = (0..10_000).map(|number| slot(number, number * 1_000_000, late(number)));
        let error_ppm = fit(slots).error_ppm().unwrap();
        assert!(error_ppm.abs() < 1e-6, "{error_ppm} ppm; least squares say more than 70");
    }

    /// A stall after a quarter of the run, which lasts `share` of the run; all events due by then start at once.
    fn stalled(events: u64, period_ns: u64, share: f64) -> RateFit {
        let begins = events / 4 * period_ns;
        let ends = begins + (share * (events * period_ns) as f64) as u64;
        fit((0..events).map(|number| {
            let at = number * period_ns;
            slot(number, at, if at > begins { ends.saturating_sub(at) } else { 0 })
        }))
    }

    /// Seen: 400 events in 4 s, 300 of them in one burst, read as 3 350 177 per second.
    #[test]
    fn a_burst_of_most_events_is_not_taken_for_the_rate() {
        for events in [40, 64, 400, 100_000] {
            for percent in 5..=70 {
                let error_ppm = stalled(events, 10_000_000, f64::from(percent) / 100.0).error_ppm().unwrap();
                assert!(error_ppm.abs() < 1.0, "{error_ppm} ppm: {percent} % of {events} events in one burst");
            }
        }
    }

    #[test]
    fn a_burst_that_outlasts_the_run_counts_as_events_over_time() {
        // The last of 4 s of events starts after 4.9 s.
        let error_ppm = stalled(400, 10_000_000, 0.975).error_ppm().unwrap();
        assert!((error_ppm / 1e6 - (3.99 / 4.9 - 1.0)).abs() < 1e-3, "{error_ppm} ppm");
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
    fn the_bound_holds_where_exactly_half_of_the_slopes_are_long() {
        // Six slopes, three of them between events at least 800 ns apart; the readings are off by 70 ns at most.
        let slots = [(100, 0), (200, 26), (300, 70), (1_100, 0)];
        let fit = fit(slots.iter().zip(0..).map(|(&(intended, late), number)| slot(number, intended, late)));
        let bound_ppm = fit.error_bound_ppm(Duration::from_nanos(100)).unwrap();
        let slope_ppm = fit.slope().unwrap() * 1e6;
        assert!(slope_ppm.abs() <= bound_ppm, "{slope_ppm} beyond {bound_ppm}");
    }

    #[test]
    fn nothing_has_no_rate() {
        assert_eq!(RateFit::new().error_ppm(), None);
        assert_eq!(fit([slot(0, 7, 3)]).error_ppm(), None);
        assert_eq!(RateFit::new().error_bound_ppm(Duration::ZERO), None);
    }

    proptest! {
        #[test]
        fn a_bounded_error_of_readings_stays_within_the_bound(
            late in prop::collection::vec(0_u64..=200, 3..300),
            apart in prop::collection::vec(1_u64..2_000_000, 300),
        ) {
            let mut intended_ns = 0;
            let slots = late.iter().zip(apart).enumerate().map(|(number, (late, apart))| {
                intended_ns += apart * 100;
                slot(number as u64, intended_ns, *late)
            });
            let fit = fit(slots);
            let bound_ppm = fit.error_bound_ppm(Duration::from_nanos(100)).unwrap();
            let slope_ppm = fit.slope().unwrap() * 1e6;
            prop_assert!(slope_ppm.abs() <= bound_ppm * 1.000_001, "{} beyond {}", slope_ppm, bound_ppm);
        }

        #[test]
        fn few_events_put_together_are_the_whole(
            late in prop::collection::vec(0_u64..49_000, 2..64),
            cut in 0_usize..64,
        ) {
            let slots: Vec<Slot> = late
                .iter()
                .enumerate()
                .map(|(number, late)| slot(number as u64, 1_000_000 + number as u64 * 50_000, *late))
                .collect();
            let (one, other) = slots.split_at(cut.min(slots.len()));
            let mut merged = fit(other.iter().copied());
            merged.merge(&fit(one.iter().copied()));
            prop_assert_eq!(merged.error_ppm(), fit(slots.iter().copied()).error_ppm());
        }

        #[test]
        fn shards_put_together_tell_the_rate_of_each(ppm in -400_i64..400, of in 1_u64..8, events in 100_u64..5_000) {
            let mut whole = RateFit::new();
            for shard in 0..of {
                let slots = (0..events).map(|event| {
                    let intended_ns = (event * of + shard) * 20_000;
                    slot(event, 1_000_000_000 + intended_ns, (1_000_000 + intended_ns as i64 * ppm / 1_000_000) as u64)
                });
                whole.merge(&fit(slots));
            }
            let error_ppm = whole.error_ppm().unwrap();
            let expected_ppm = (1.0 / (1.0 + ppm as f64 * 1e-6) - 1.0) * 1e6;
            // Lateness is in whole nanoseconds.
            prop_assert!((error_ppm - expected_ppm).abs() < 2.0, "{} for {}", error_ppm, expected_ppm);
        }
    }
}
