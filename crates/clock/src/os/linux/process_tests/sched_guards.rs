//! Guards of a thread's scheduling on a real kernel: afterwards everything is what it was before the first of them, whatever
//! the thread may still do by then, and in whatever order they go.

use core::cell::RefCell;
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{assert, assert_eq, eprintln, thread, thread_local, vec::Vec};

use proptest::prelude::*;

use super::check::{Checked, ensure, ensure_of};
use super::child::holds_in_child;
use super::fresh::{SKIPPED, in_fresh_process};
use super::here;
use super::seccomp::refuse;
use crate::os::wait::{self, Scheduling};
use crate::pause::{Internal, NotRestored, Pauser, RealTime, Sealed, SystemTimer, TimeSlice, Timer, TimerSlack};

const NOBODY: u32 = 65_534;
const PRIORITIES: u64 = 10;

fn policy() -> i32 {
    // SAFETY: takes a number; 0 is the calling thread.
    unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) as i32 }
}

/// Gives up every privilege, for the rest of this process.
fn become_nobody() -> bool {
    // SAFETY: takes numbers.
    unsafe { libc::setresgid(NOBODY, NOBODY, NOBODY) == 0 && libc::setresuid(NOBODY, NOBODY, NOBODY) == 0 }
}

fn leaves_but_for_the_flag(leave: impl FnOnce() -> Option<NotRestored>) -> Checked {
    let slack = TimerSlack::current();
    ensure(policy() == libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, "entered")?;
    let told = leave();
    let left = policy() == libc::SCHED_OTHER | libc::SCHED_RESET_ON_FORK;
    ensure_of(left, "left, but for a flag", [policy() as u64, 0, 0])?;
    ensure(told.is_none_or(NotRestored::is_only_reset_on_fork), "and it is told")?;
    ensure(slack.is_ok(), "the slack can be asked for")?;
    // Who enters with the flag leaves with it, and nothing is missing.
    if let Ok(again) = RealTime::enter() {
        ensure(again.restore().is_ok() && policy() == libc::SCHED_OTHER | libc::SCHED_RESET_ON_FORK, "again")?;
    }
    Ok(())
}

fn after_privileges_were_lost(leave: fn(RealTime) -> Option<NotRestored>) {
    holds_in_child(|| {
        let Ok(real_time) = RealTime::enter() else {
            eprintln!("{SKIPPED}no privilege for real-time policies");
            return Ok(());
        };
        if !become_nobody() {
            eprintln!("{SKIPPED}not root");
            return Ok(());
        }
        leaves_but_for_the_flag(|| leave(real_time))
    });
}

#[test]
fn a_thread_that_lost_its_privileges_leaves_real_time() {
    in_fresh_process(here!(a_thread_that_lost_its_privileges_leaves_real_time), || {
        after_privileges_were_lost(|real_time| {
            drop(real_time);
            None
        });
        after_privileges_were_lost(|real_time| Some(real_time.restore().expect_err("the flag cannot be cleared")));
    });
}

#[test]
fn a_thread_that_became_nicer_meanwhile_leaves_real_time_and_stays_so() {
    in_fresh_process(here!(a_thread_that_became_nicer_meanwhile_leaves_real_time_and_stays_so), || {
        for loses_privileges in [false, true] {
            holds_in_child(|| {
                // Another guard that remembers how the thread was scheduled.
                let _slice = TimeSlice::request(Duration::from_micros(300));
                let Ok(real_time) = RealTime::enter() else {
                    eprintln!("{SKIPPED}no privilege for real-time policies");
                    return Ok(());
                };
                let nice = 17;
                // SAFETY: takes numbers; 0 is the calling thread.
                ensure(unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, nice) } == 0, "a nicer thread")?;
                if loses_privileges && !become_nobody() {
                    eprintln!("{SKIPPED}not root");
                    return Ok(());
                }
                let told = real_time.restore();
                ensure_of(policy() & !libc::SCHED_RESET_ON_FORK == libc::SCHED_OTHER, "left", [policy() as u64, 0, 0])?;
                ensure(told.map_or_else(NotRestored::is_only_reset_on_fork, |()| true), "and it is told")?;
                ensure(wait::nice() == Some(nice), "as nice as was chosen")
            });
        }
    });
}

#[test]
fn a_thread_that_never_had_privileges_leaves_real_time() {
    in_fresh_process(here!(a_thread_that_never_had_privileges_leaves_real_time), || {
        holds_in_child(|| {
            let limit = libc::rlimit { rlim_cur: PRIORITIES, rlim_max: PRIORITIES };
            // SAFETY: the kernel reads `limit`. Where it refuses, the limit that there is may do.
            unsafe { libc::setrlimit(libc::RLIMIT_RTPRIO, &limit) };
            become_nobody();
            match Pauser::new().enter_real_time() {
                Ok(()) => {}
                Err(unavailable) => {
                    eprintln!("{SKIPPED}RLIMIT_RTPRIO cannot be raised here ({unavailable})");
                    return ensure(policy() == libc::SCHED_OTHER, "refused, and nothing changed");
                }
            }
            ensure(policy() & libc::SCHED_FIFO == 0, "a dropped pauser leaves")?;
            let mut pauser = Pauser::new();
            ensure(pauser.enter_real_time().is_ok() && pauser.leave_real_time().is_ok(), "with the flag from before")
        });
    });
}

#[test]
fn pausers_dropped_front_to_back_restore_the_slack() {
    let before = TimerSlack::current().unwrap();
    let pausers: Vec<Pauser> = (0..2).map(|_| Pauser::new()).collect();
    drop(pausers);
    assert_eq!(TimerSlack::current(), Ok(before));
}

#[test]
fn slack_beyond_32_bits_is_restored() {
    let long = Duration::from_secs(if cfg!(target_pointer_width = "64") { 5 } else { 3 });
    let _long = TimerSlack::set(long).unwrap();
    assert_eq!(TimerSlack::current(), Ok(long));
    drop(TimerSlack::set(Duration::from_nanos(1)).unwrap());
    assert_eq!(TimerSlack::current(), Ok(long));
}

#[test]
fn a_schedule_has_short_slices_unless_the_thread_has_chosen() {
    in_fresh_process(here!(a_schedule_has_short_slices_unless_the_thread_has_chosen), || {
        let (timer, before) = (SystemTimer::new(), wait::scheduling().unwrap().runtime_ns);
        let Some(short) = timer.shorten_slices(Internal) else {
            eprintln!("{SKIPPED}no time slices here");
            return;
        };
        assert_eq!(wait::scheduling().unwrap().runtime_ns, 100_000);
        assert!(timer.shorten_slices(Internal).is_none(), "one is enough");
        drop(short);
        assert_eq!(wait::scheduling().unwrap().runtime_ns, before);
        let _chosen = TimeSlice::request(Duration::from_millis(3)).unwrap();
        assert!(timer.shorten_slices(Internal).is_none(), "what was chosen holds");
    });
}

#[test]
fn a_thread_that_another_takes_the_cpu_from_is_preempted() {
    in_fresh_process(here!(a_thread_that_another_takes_the_cpu_from_is_preempted), || {
        // SAFETY: all of its bytes may be zero; the macro sets one of its bits; the kernel reads it. 0 is the calling thread.
        let bound = unsafe {
            let mut cpus: libc::cpu_set_t = core::mem::zeroed();
            libc::CPU_SET(libc::sched_getcpu() as usize, &mut cpus);
            libc::sched_setaffinity(0, size_of_val(&cpus), &raw const cpus)
        };
        assert_eq!(bound, 0);
        thread::spawn(|| {
            loop {
                core::hint::spin_loop();
            }
        });
        let before = wait::preemptions().unwrap_or(0);
        let began = std::time::Instant::now();
        while wait::preemptions().unwrap_or(0) == before {
            if began.elapsed() > Duration::from_secs(60) {
                assert_eq!(wait::preemptions(), None, "a minute next to a thread that never sleeps");
                eprintln!("{SKIPPED}the kernel counts no preemptions");
                return;
            }
        }
    });
}

#[test]
fn slack_outlives_real_time() {
    let slack = Duration::from_micros(7);
    let _slack = TimerSlack::set(slack).unwrap();
    let Ok(real_time) = RealTime::enter() else { return };
    assert_eq!(real_time.restore().is_ok(), may_clear_reset_on_fork());
    assert_eq!(TimerSlack::current(), Ok(slack));
}

/// Whether this process may do what takes CAP_SYS_NICE.
fn may_clear_reset_on_fork() -> bool {
    let asked = thread::spawn(|| {
        let now = wait::scheduling().expect("asked");
        wait::set_scheduling(&now.with_reset_on_fork()).expect("set");
        wait::set_scheduling(&now).is_ok()
    });
    asked.join().expect("an answer")
}

/// Held for what its drop does.
#[derive(Debug)]
#[allow(dead_code)]
enum Guard {
    Slack(TimerSlack),
    Slice(TimeSlice),
    RealTime(RealTime),
    Pauser(std::boxed::Box<Pauser>),
}

#[derive(Clone, Copy, Debug)]
enum GuardKind {
    SlackUs(u64),
    SliceUs(u64),
    RealTime,
    Pauser,
    PauserInRealTime,
}

fn take(kind: GuardKind) -> Option<Guard> {
    match kind {
        GuardKind::SlackUs(us) => TimerSlack::set(Duration::from_micros(us)).map(Guard::Slack).ok(),
        GuardKind::SliceUs(us) => TimeSlice::request(Duration::from_micros(us)).map(Guard::Slice).ok(),
        GuardKind::RealTime => RealTime::enter().map(Guard::RealTime).ok(),
        GuardKind::Pauser => Some(Guard::Pauser(Pauser::new().into())),
        GuardKind::PauserInRealTime => {
            let mut pauser = Pauser::new();
            let _ = (pauser.enter_real_time(), pauser.enter_real_time());
            Some(Guard::Pauser(pauser.into()))
        }
    }
}

fn any_kind() -> impl Strategy<Value = GuardKind> {
    prop_oneof![
        (1_u64..9_000).prop_map(GuardKind::SlackUs),
        (100_u64..9_000).prop_map(GuardKind::SliceUs),
        Just(GuardKind::RealTime),
        Just(GuardKind::Pauser),
        Just(GuardKind::PauserInRealTime),
    ]
}

/// The kernel's state of the calling thread.
fn state() -> (Scheduling, u64) {
    (wait::scheduling().expect("asked"), wait::timer_slack_ns().expect("asked"))
}

fn is_restored(found: (Scheduling, u64), expected: (Scheduling, u64)) -> bool {
    let flagged = (expected.0.with_reset_on_fork(), expected.1);
    found == expected || found == flagged && !may_clear_reset_on_fork()
}

fn holds(living: &[(GuardKind, Guard)], before: (Scheduling, u64)) -> bool {
    let (found, found_slack_ns) = state();
    let is_real_time = living.iter().any(|(kind, guard)| match (kind, guard) {
        (GuardKind::PauserInRealTime, _) => RealTime::enter().is_ok(),
        (_, guard) => matches!(guard, Guard::RealTime(_)),
    });
    let slack_ns = living.iter().rev().find_map(|(kind, _)| match kind {
        GuardKind::SlackUs(us) => Some(us * 1_000),
        GuardKind::Pauser | GuardKind::PauserInRealTime => Some(1),
        _ => None,
    });
    let slice_ns = living.iter().rev().find_map(|(kind, _)| match kind {
        GuardKind::SliceUs(us) => Some(us * 1_000),
        _ => None,
    });
    if is_real_time {
        return found == Scheduling::REAL_TIME;
    }
    let expected = before.0.with_slice_ns(slice_ns.unwrap_or(before.0.runtime_ns));
    is_restored((found, found_slack_ns), (expected, slack_ns.unwrap_or(before.1)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn guards_in_any_order(
        slack_ns in prop_oneof![Just(None), (1_000_u64..1_000_000).prop_map(Some)],
        own_slice_ns in prop_oneof![Just(None), (100_000_u64..9_000_000).prop_map(Some)],
        steps in prop::collection::vec((any_kind(), prop::option::of(any::<usize>())), 0..12),
        unwinds in any::<bool>(),
    ) {
        // In a thread of its own: it is as the others are at first.
        thread::scope(|scope| scope.spawn(|| {
            if let Some(ns) = slack_ns {
                wait::set_timer_slack_ns(ns).expect("set");
            }
            if let Some(ns) = own_slice_ns {
                let now = wait::scheduling().expect("asked");
                if now.runtime_ns > 0 {
                    wait::set_scheduling(&now.with_slice_ns(ns)).expect("set");
                }
            }
            let before = state();
            let ended = catch_unwind(AssertUnwindSafe(|| {
                let mut living: Vec<(GuardKind, Guard)> = Vec::new();
                for (kind, dropped) in steps {
                    living.extend(take(kind).map(|guard| (kind, guard)));
                    assert!(holds(&living, before), "{living:?} {:?}", state());
                    if let Some(at) = dropped.filter(|_| !living.is_empty()) {
                        let _ = living.remove(at % living.len());
                        assert!(holds(&living, before), "{living:?} {:?}", state());
                    }
                }
                if unwinds {
                    // The hook of panics is not told: nothing is wrong.
                    std::panic::resume_unwind(std::boxed::Box::new("on purpose"));
                }
            }));
            if let Some(panicked) = ended.err().filter(|panicked| !panicked.is::<&str>()) {
                std::panic::resume_unwind(panicked);
            }
            assert!(is_restored(state(), before), "{:?} {before:?}", state());
        }).join()).map_err(|_| TestCaseError::fail("in the thread"))?;
    }
}

thread_local! {
    static KEPT: RefCell<Vec<Guard>> = const { RefCell::new(Vec::new()) };
}

#[test]
fn guards_that_outlive_their_thread_are_harmless() {
    for is_kept_first in [false, true] {
        let kinds = [GuardKind::SliceUs(300), GuardKind::RealTime, GuardKind::Pauser, GuardKind::SlackUs(9)];
        thread::spawn(move || {
            // Thread-locals go in the order in which they were first used, or the other way round.
            if is_kept_first {
                KEPT.with_borrow_mut(Vec::clear);
            }
            let guards = kinds.into_iter().filter_map(take).collect();
            KEPT.set(guards);
        })
        .join()
        .unwrap();
    }
}

#[test]
fn one_that_was_forgotten_holds_and_does_not_hinder_the_others() {
    thread::spawn(|| {
        core::mem::forget(TimerSlack::set(Duration::from_micros(3)).unwrap());
        let younger = TimerSlack::set(Duration::from_micros(4)).unwrap();
        assert_eq!(TimerSlack::current(), Ok(Duration::from_micros(4)));
        assert_eq!(younger.restore(), Ok(()));
        assert_eq!(TimerSlack::current(), Ok(Duration::from_micros(3)));
    })
    .join()
    .unwrap();
}

#[test]
fn what_a_sandbox_forbids_is_told() {
    in_fresh_process(here!(what_a_sandbox_forbids_is_told), || {
        holds_in_child(|| {
            let slack = TimerSlack::set(Duration::from_nanos(1)).map_err(drop);
            let real_time = RealTime::enter();
            if !refuse(&[libc::SYS_sched_setattr, libc::SYS_sched_getscheduler, libc::SYS_prctl]) {
                eprintln!("{SKIPPED}the filter is not written for this architecture");
                return Ok(());
            }
            ensure(SystemTimer::new().is_real_time() == real_time.is_ok(), "known without asking")?;
            if let Ok(real_time) = real_time {
                ensure(real_time.restore().is_err_and(|left| left.policy), "it is still real-time")?;
            }
            let slack = slack.map(TimerSlack::restore);
            ensure(matches!(slack, Ok(Err(left)) if left.timer_slack), "the slack stays")
        });
    });
}
