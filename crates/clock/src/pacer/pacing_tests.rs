use core::cell::{Cell, RefCell};
use core::time::Duration;

use proptest::prelude::*;
use std::vec::Vec;

use super::*;
use crate::pacer::{Late, Pace};
use crate::pause::Target;
use crate::{FakeClock, Now, Unavailable};

const READ_NS: u64 = 10;

fn clock() -> FakeClock {
    let clock = FakeClock::new();
    clock.set_read_cost(Duration::from_nanos(READ_NS));
    clock.set_oversleep(Duration::from_micros(3));
    clock
}

fn pacer(clock: &FakeClock, per_second: u64, behind: Behind) -> Pacer<crate::pacer::Steady, &FakeClock> {
    let pauser = Pauser::with_timer(clock, Target::default());
    Pacer::starting_at(Instant::from_nanos(1_000_000), Pace::per_second(per_second).unwrap().schedule(), behind, pauser)
}

/// Paces `events`, with a stall of `stall` during the event of this number.
fn run(clock: &FakeClock, per_second: u64, behind: Behind, events: usize, stall: (u64, Duration)) -> Vec<Slot> {
    let mut pacer = pacer(clock, per_second, behind);
    (0..events)
        .map(|_| {
            let slot = pacer.next_slot().unwrap();
            if slot.number == stall.0 {
                clock.advance(stall.1);
            }
            let _ = pacer.finish(&slot);
            slot
        })
        .collect()
}

#[test]
fn catching_up_loses_no_event_and_keeps_the_schedule() {
    let clock = clock();
    let slots = run(&clock, 10_000, Behind::CatchUp, 2_000, (100, Duration::from_millis(50)));
    for (number, slot) in slots.iter().enumerate() {
        assert_eq!((slot.number, slot.skipped, slot.slipped), (number as u64, 0, Duration::ZERO));
        assert_eq!(slot.intended.to_bits(), 1_000_000 + number as u64 * 100_000);
        assert!(slot.started >= slot.intended);
    }
    let late: Vec<&Slot> = slots.iter().filter(|slot| slot.late.total > Duration::from_micros(50)).collect();
    // The stall takes as long as 500 events, and each is late by what is left of it.
    assert!((498..=502).contains(&late.len()), "{}", late.len());
    assert!(late.iter().all(|slot| slot.late.by_caller > slot.late.total / 2));
    assert!(slots.last().unwrap().late.total < Duration::from_micros(1));
}

#[test]
fn skipping_counts_what_it_leaves_out() {
    let clock = clock();
    let slots = run(&clock, 10_000, Behind::Skip, 1_000, (100, Duration::from_millis(50)));
    let skipped: u64 = slots.iter().map(|slot| slot.skipped).sum();
    assert!((498..=500).contains(&skipped), "{skipped}");
    let last = slots.last().unwrap();
    assert_eq!(last.number + 1, slots.len() as u64 + skipped);
    assert_eq!(last.intended.to_bits(), 1_000_000 + last.number * 100_000);
    assert!(slots.iter().all(|slot| slot.late.total <= Duration::from_micros(101)));
}

#[test]
fn slipping_moves_the_schedule_and_says_so() {
    let clock = clock();
    let stall = Duration::from_millis(50);
    let slots = run(&clock, 10_000, Behind::Slip, 1_000, (100, stall));
    let last = slots.last().unwrap();
    assert!(last.slipped >= stall - Duration::from_micros(100) && last.slipped <= stall, "{:?}", last.slipped);
    assert_eq!(last.number, 999);
    assert!(slots.iter().all(|slot| slot.late.total < Duration::from_micros(1) && slot.skipped == 0));
    let apart = slots.windows(2).map(|pair| pair[1].intended - pair[0].intended).min().unwrap();
    assert!(apart >= Duration::from_micros(100));
}

#[test]
fn a_stall_shows_in_response_and_not_in_service() {
    let clock = clock();
    let mut pacer = pacer(&clock, 10_000, Behind::CatchUp);
    let times: Vec<Times> = (0..2_000)
        .map(|number| {
            let slot = pacer.next_slot().unwrap();
            if number == 100 {
                clock.advance(Duration::from_millis(50));
            }
            pacer.finish(&slot)
        })
        .collect();
    let long = |of: fn(&Times) -> Duration| times.iter().filter(|times| of(times) > Duration::from_millis(1)).count();
    assert_eq!(long(|times| times.service), 1);
    assert!((488..=492).contains(&long(|times| times.response)), "{}", long(|times| times.response));
}

#[test]
fn a_cancelled_wait_leaves_the_event_to_come() {
    let clock = clock();
    let mut pacer = pacer(&clock, 10_000, Behind::CatchUp);
    let cancel = Cancel::new();
    cancel.cancel();
    assert_eq!(pacer.next_slot_or(&cancel), None);
    assert_eq!(pacer.next_slot().map(|slot| slot.number), Some(0));
}

#[test]
fn a_schedule_that_is_over_is_over() {
    let clock = clock();
    let pauser = Pauser::with_timer(&clock, Target::default());
    let two = [Duration::ZERO, Duration::from_micros(5)];
    let mut pacer = Pacer::starting_at(Instant::ZERO, two.into_iter(), Behind::Skip, pauser);
    clock.advance(Duration::from_millis(1));
    let only = pacer.next_slot().unwrap();
    assert_eq!((only.number, only.skipped), (1, 1));
    assert_eq!((pacer.next_slot(), pacer.next_slot()), (None, None));
}

/// A clock whose thread the machine interrupts: each reading of these numbers comes so much later.
struct Interrupted {
    clock: FakeClock,
    readings: Cell<usize>,
    interruptions: Vec<(usize, u64)>,
    seen: RefCell<Vec<Instant>>,
}

impl Interrupted {
    fn by(interruptions: Vec<(usize, u64)>) -> Self {
        Self { clock: clock(), readings: Cell::new(0), interruptions, seen: RefCell::new(Vec::new()) }
    }
}

impl Now for Interrupted {
    fn now(&self) -> Instant {
        let number = self.readings.replace(self.readings.get() + 1);
        let taken = self.interruptions.iter().filter(|(at, _)| *at == number);
        taken.for_each(|(_, ns)| self.clock.advance(Duration::from_nanos(*ns)));
        let now = Now::now(&self.clock);
        self.seen.borrow_mut().push(now);
        now
    }

    fn reading(&self) -> crate::Reading {
        Now::reading(&self.clock)
    }
}

impl crate::pause::Sealed for Interrupted {}

impl Timer for Interrupted {
    fn sleep_until(&self, deadline: Instant, cancel: Option<&Cancel>) -> Result<(), crate::Unavailable> {
        self.clock.sleep_until(deadline, cancel)
    }

    fn is_real_time(&self) -> bool {
        self.clock.is_real_time()
    }
}

/// Waits that never sleep, with nothing done for an event but finishing it.
fn spinning(timer: &Interrupted, per_second: u64, behind: Behind) -> Pacer<crate::pacer::Steady, &Interrupted> {
    let pauser = Pauser::with_timer(timer, Target::default());
    Pacer::starting_at(Instant::from_nanos(10_000), Pace::per_second(per_second).unwrap().schedule(), behind, pauser)
}

#[test]
fn a_late_wake_up_is_not_blamed_on_those_who_inherit_it() {
    let clock = clock();
    let mut pacer = pacer(&clock, 10_000, Behind::CatchUp);
    for number in 0..2_000_u64 {
        // One sleep ends 20 ms late, which 40 µs of work for each event catch up with in some 330 events.
        clock.set_oversleep(Duration::from_millis(if number == 500 { 20 } else { 0 }));
        let Late { total, by_caller, by_machine, by_pacer } = pacer.next_slot().unwrap().late;
        assert_eq!((by_caller, by_machine, by_pacer), (Duration::ZERO, Duration::ZERO, total), "event {number}");
        let is_long = total > Duration::from_millis(1);
        assert!(
            if (500..=800).contains(&number) { is_long } else { (800..850).contains(&number) || !is_long },
            "{number}"
        );
        clock.advance(Duration::from_micros(40));
    }
}

#[test]
fn an_interruption_is_not_blamed_on_those_who_inherit_it() {
    let timer = Interrupted::by(Vec::from([(20_250, 3_000_000)]));
    let mut pacer = spinning(&timer, 200_000, Behind::CatchUp);
    let late: Vec<Late> = (0..3_000).map(|_| pacer.next_slot().unwrap().late).collect();
    let blamed = late.iter().enumerate().find(|(_, late)| late.by_caller > Duration::ZERO);
    assert_eq!(blamed, None);
    let (machine, pacer): (Duration, Duration) =
        (late.iter().map(|late| late.by_machine).sum(), late.iter().map(|late| late.by_pacer).sum());
    // 600 events are intended while it lasts, and the last of them is hardly late.
    assert!(machine > Duration::from_millis(800) && pacer < machine / 50, "{machine:?} {pacer:?}");
}

#[test]
fn a_gap_that_ended_before_the_deadline_made_nothing_late() {
    let quiet = Interrupted::by(Vec::new());
    let mut pacer = spinning(&quiet, 10_000, Behind::CatchUp);
    let started = pacer.next_slot().unwrap().started;
    let before = quiet.seen.borrow().iter().position(|seen| *seen == started).unwrap();
    // Some 9 µs before the deadline.
    let timer = Interrupted::by(Vec::from([(before - 900, 5_000)]));
    let mut pacer = spinning(&timer, 10_000, Behind::CatchUp);
    let late = pacer.next_slot().unwrap().late;
    assert_eq!(late.by_machine, Duration::ZERO, "{late:?}");
}

#[test]
fn a_slow_clock_is_not_an_interruption() {
    let clock = clock();
    clock.set_read_cost(Duration::from_micros(3));
    let mut pacer = pacer(&clock, 10_000, Behind::CatchUp);
    for _ in 0..100 {
        let late = pacer.next_slot().unwrap().late;
        assert_eq!((late.by_caller, late.by_machine), (Duration::ZERO, Duration::ZERO), "{late:?}");
    }
}

/// A thread that shares its CPU with one that never sleeps: after a slice of its own it waits for one of the other's, and so it does
/// when it wakes before the other has run for as long as itself.
struct Shared {
    clock: FakeClock,
    last: Cell<Instant>,
    ran: Cell<Duration>,
    cpu: Cell<Duration>,
    /// How often shorter slices were asked for.
    asked: Cell<u32>,
}

impl Shared {
    const SLICE: Duration = Duration::from_millis(4);

    fn new() -> Self {
        let clock = clock();
        clock.set_read_cost(Duration::from_nanos(50));
        let last = Cell::new(Now::now(&clock));
        Self { clock, last, ran: Cell::default(), cpu: Cell::default(), asked: Cell::default() }
    }

    fn lose_a_slice(&self) {
        self.clock.advance(Self::SLICE);
        self.ran.set(Duration::ZERO);
    }
}

impl Now for Shared {
    fn now(&self) -> Instant {
        let since = Now::now(&self.clock).saturating_duration_since(self.last.get());
        self.cpu.set(self.cpu.get() + since);
        self.ran.set(self.ran.get() + since);
        if self.ran.get() >= Self::SLICE {
            self.lose_a_slice();
        }
        self.last.set(Now::now(&self.clock));
        self.last.get()
    }

    fn reading(&self) -> crate::Reading {
        Now::reading(&self.clock)
    }
}

impl crate::pause::Sealed for Shared {
    fn shorten_slices(&self, _: crate::pause::Internal) -> Option<crate::pause::TimeSlice> {
        self.asked.set(self.asked.get() + 1);
        None
    }
}

impl Timer for Shared {
    fn sleep_until(&self, deadline: Instant, cancel: Option<&Cancel>) -> Result<(), Unavailable> {
        let began = self.now();
        self.clock.sleep_until(deadline, cancel)?;
        let left = self.ran.get().saturating_sub(Now::now(&self.clock) - began);
        self.ran.set(left);
        if !left.is_zero() {
            self.lose_a_slice();
        }
        self.last.set(Now::now(&self.clock));
        Ok(())
    }

    fn cpu_time(&self) -> Option<Duration> {
        Some(self.cpu.get())
    }

    fn is_real_time(&self) -> bool {
        false
    }
}

/// The share of events of a third of a second that are late by a millisecond and more, and the median lateness.
fn beside_a_busy_thread(per_second: u64) -> (f64, Duration) {
    let timer = Shared::new();
    let mut pauser = Pauser::with_timer(&timer, crate::pacer::TARGET);
    pauser.calibrate();
    let start = timer.now() + Duration::from_micros(100);
    let schedule = Pace::per_second(per_second).unwrap().schedule().before(Duration::from_millis(333));
    let mut pacer = Pacer::starting_at(start, schedule, Behind::CatchUp, pauser);
    let mut late: Vec<Duration> = core::iter::from_fn(|| pacer.next_slot()).map(|slot| slot.late.total).collect();
    late.sort_unstable();
    let very_late = late.iter().filter(|late| **late >= Duration::from_millis(1)).count();
    (very_late as f64 / late.len() as f64, late[late.len() / 2])
}

#[test]
fn beside_a_busy_thread_events_are_late_by_microseconds_and_not_by_time_slices() {
    for per_second in [1_000, 10_000, 100_000, 1_000_000] {
        let (very_late, median) = beside_a_busy_thread(per_second);
        assert!(very_late < 0.01 && median < Duration::from_micros(30), "{per_second}: {very_late} {median:?}");
    }
}

#[test]
fn a_schedule_that_shares_its_cpu_asks_for_short_slices() {
    let timer = Shared::new();
    let mut pauser = Pauser::with_timer(&timer, crate::pacer::TARGET);
    pauser.calibrate();
    assert_eq!(timer.asked.get(), 0, "a pause of its own changes nothing of the thread's");
    let pacer = Pacer::starting_at(timer.now(), Pace::per_second(1_000).unwrap().schedule(), Behind::CatchUp, pauser);
    assert_eq!(timer.asked.get(), 1);
    drop(pacer);
    // Found out by a calibration of its own.
    let quiet = Pauser::with_timer(&timer, crate::pacer::TARGET);
    let mut pacer =
        Pacer::starting_at(timer.now(), Pace::per_second(1_000).unwrap().schedule(), Behind::CatchUp, quiet);
    assert_eq!(timer.asked.get(), 1);
    pacer.pauser().calibrate();
    assert_eq!(timer.asked.get(), 2);
    // Found out on the way.
    let mut spinning = Pacer::starting_at(
        timer.now(),
        Pace::per_second(700_000).unwrap().schedule(),
        Behind::CatchUp,
        Pauser::with_timer(&timer, crate::pacer::TARGET),
    );
    assert_eq!(timer.asked.get(), 2);
    assert!((0..300_000).any(|_| spinning.next_slot().is_some() && timer.asked.get() > 2));
}

#[test]
fn who_comes_late_to_the_first_event_is_late_by_oneself() {
    let clock = clock();
    let mut pacer = pacer(&clock, 10_000, Behind::CatchUp);
    clock.advance(Duration::from_micros(1_500));
    let late = pacer.next_slot().unwrap().late;
    assert!(late.by_caller >= Duration::from_micros(500) && late.total - late.by_caller < Duration::from_micros(1));
}

#[test]
fn where_nothing_was_done_an_interruption_between_events_is_the_machines() {
    let clock = clock();
    let mut pacer = pacer(&clock, 10_000, Behind::CatchUp);
    for number in 0..1_000 {
        let slot = pacer.next_slot().unwrap();
        if number == 100 {
            clock.advance(Duration::from_millis(50));
        }
        let _ = pacer.finish(&slot);
        pacer.worked(Duration::ZERO);
        assert_eq!(slot.late.by_caller, Duration::ZERO);
        let late = slot.late;
        let is_long = late.by_machine > Duration::from_micros(900);
        assert!(
            if (101..=590).contains(&number) { is_long } else { (591..=595).contains(&number) || !is_long },
            "{slot:?}"
        );
    }
}

/// How late the caller alone would have made the last event, by `held` and `apart` of each: the worst that any run of events
/// up to it adds up to.
#[cfg(feature = "std")]
fn callers(held: &[i64], apart: &[i64]) -> i64 {
    let from = |first: usize| held[first..].iter().zip(&apart[first..]).map(|(held, apart)| held - apart).sum::<i64>();
    (0..held.len()).map(from).max().unwrap_or(0).max(0)
}

#[cfg(feature = "std")] // which the other schedule, `Poisson`, needs
proptest! {
    #[test]
    fn the_callers_part_is_what_it_would_be_on_an_ideal_machine(
        per_second in 20_000_u64..500_000,
        events in prop::collection::vec((0_u64..60_000, 0_u64..60_000), 1..60),
        interruptions in prop::collection::vec((0_usize..30_000, 0_u64..400_000), 0..5),
        poisson: bool,
        behind in prop::sample::select(&[Behind::CatchUp, Behind::Skip, Behind::Slip][..]),
    ) {
        let timer = Interrupted::by(interruptions);
        let pace = Pace::per_second(per_second).unwrap();
        let schedule: Vec<Duration> = match poisson {
            false => pace.schedule().take(2_000).collect(),
            true => crate::pacer::Poisson::new(pace, per_second).take(2_000).collect(),
        };
        let start = Instant::from_nanos(10_000);
        let pauser = Pauser::with_timer(&timer, Target::default());
        let mut pacer = Pacer::starting_at(start, schedule.into_iter(), behind, pauser);
        let (mut held, mut apart) = (Vec::new(), Vec::new());
        let (mut last_started, mut last_intended) = (start, start);
        for (work_ns, oversleep_ns) in events {
            timer.clock.set_oversleep(Duration::from_nanos(oversleep_ns));
            let readings = timer.readings.get();
            let Some(slot) = pacer.next_slot() else { break };
            let called = timer.seen.borrow()[readings];
            held.push(called.saturating_duration_since(last_started).as_nanos() as i64);
            apart.push((slot.intended - last_intended).as_nanos() as i64);
            let Late { total, by_caller, by_machine, by_pacer } = slot.late;
            prop_assert_eq!(total, slot.started - slot.intended);
            prop_assert_eq!(by_caller + by_machine + by_pacer, total);
            prop_assert_eq!(by_caller.as_nanos() as i64, callers(&held, &apart));
            (last_started, last_intended) = (slot.started, slot.intended);
            timer.clock.advance(Duration::from_nanos(work_ns));
        }
    }
}

proptest! {
    #[test]
    fn nothing_done_is_nothing_blamed_on_the_caller(
        per_second in 1_000_u64..1_000_000,
        oversleeps in prop::collection::vec(0_u64..5_000_000, 1..200),
        behind in prop::sample::select(&[Behind::CatchUp, Behind::Skip, Behind::Slip][..]),
    ) {
        let clock = clock();
        let mut pacer = pacer(&clock, per_second, behind);
        for oversleep_ns in oversleeps {
            clock.set_oversleep(Duration::from_nanos(oversleep_ns));
            let slot = pacer.next_slot().unwrap();
            prop_assert_eq!(slot.late.by_caller, Duration::ZERO);
            let _ = pacer.finish(&slot);
        }
    }

    #[test]
    fn no_event_is_early_lost_or_unaccounted_for(
        per_second in 100_u64..2_000_000,
        work in prop::collection::vec(0_u64..3_000_000, 1..80),
        behind in prop::sample::select(&[Behind::CatchUp, Behind::Skip, Behind::Slip][..]),
        oversleep_ns in 0_u64..100_000,
    ) {
        let clock = clock();
        clock.set_oversleep(Duration::from_nanos(oversleep_ns));
        let mut pacer = pacer(&clock, per_second, behind);
        let mut started = 0_u64;
        for work_ns in work {
            let slot = pacer.next_slot().unwrap();
            prop_assert!(slot.started >= slot.intended);
            prop_assert_eq!(slot.started - slot.intended, slot.late.total);
            prop_assert_eq!(slot.late.by_caller + slot.late.by_machine + slot.late.by_pacer, slot.late.total);
            started += slot.skipped;
            prop_assert_eq!(slot.number, started);
            started += 1;
            let planned = slot.number as u128 * 1_000_000_000 / u128::from(per_second);
            prop_assert_eq!(u128::from(slot.intended.to_bits()), 1_000_000 + planned + slot.slipped.as_nanos());
            clock.advance(Duration::from_nanos(work_ns));
            let times = pacer.finish(&slot);
            prop_assert_eq!(times.response, times.service + slot.late.total);
        }
    }
}
