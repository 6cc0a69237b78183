use core::time::Duration;

use proptest::prelude::*;
use std::vec::Vec;

use super::*;
use crate::pacer::Pace;
use crate::pause::Target;
use crate::{FakeClock, Now};

const READ_NS: u64 = 10;

fn clock() -> FakeClock {
    let clock = FakeClock::new();
    clock.set_read_cost_ns(READ_NS);
    clock.set_oversleep_ns(3_000);
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
                clock.advance(stall.1.as_nanos() as u64);
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
        assert_eq!(slot.intended.as_nanos(), 1_000_000 + number as u64 * 100_000);
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
    assert_eq!(last.intended.as_nanos(), 1_000_000 + last.number * 100_000);
    assert!(slots.iter().all(|slot| slot.late.total <= Duration::from_micros(101)), "no later than one period");
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
                clock.advance(50_000_000);
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
fn who_waits_by_other_means_gets_the_same_events() {
    let clock = clock();
    let mut pacer = pacer(&clock, 10_000, Behind::CatchUp);
    let mut numbers = Vec::new();
    while numbers.len() < 20 {
        match pacer.due() {
            Due::Now(slot) => numbers.push(slot.number),
            Due::At(at) => clock.advance(at.as_nanos() - Now::now(&clock).as_nanos() + 5_000),
            Due::Over => unreachable!(),
        }
    }
    assert_eq!(numbers, (0..20).collect::<Vec<_>>());
}

#[test]
fn a_schedule_that_is_over_is_over() {
    let clock = clock();
    let pauser = Pauser::with_timer(&clock, Target::default());
    let two = [Duration::ZERO, Duration::from_micros(5)];
    let mut pacer = Pacer::starting_at(Instant::ZERO, two.into_iter(), Behind::Skip, pauser);
    clock.advance(1_000_000);
    let only = pacer.next_slot().unwrap();
    assert_eq!((only.number, only.skipped), (1, 1));
    assert_eq!((pacer.next_slot(), pacer.due()), (None, Due::Over));
}

proptest! {
    #[test]
    fn no_event_is_early_lost_or_unaccounted_for(
        per_second in 100_u64..2_000_000,
        work in prop::collection::vec(0_u64..3_000_000, 1..80),
        behind in prop::sample::select(&[Behind::CatchUp, Behind::Skip, Behind::Slip][..]),
        oversleep_ns in 0_u64..100_000,
    ) {
        let clock = clock();
        clock.set_oversleep_ns(oversleep_ns);
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
            prop_assert_eq!(u128::from(slot.intended.as_nanos()), 1_000_000 + planned + slot.slipped.as_nanos());
            clock.advance(work_ns);
            let times = pacer.finish(&slot);
            prop_assert_eq!(times.response, times.service + slot.late.total);
        }
    }
}
