//! Deliberate faults: the kernel stopped in its update, slews, switched clocksources, restores, and threads stopped at
//! every step of locating the data.

use core::sync::atomic::Ordering::SeqCst;
use core::time::Duration;
use std::boxed::Box;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::vec::Vec;

use proptest::prelude::*;

#[cfg(target_arch = "x86_64")]
use super::fake_kernel::Clocksource;
use super::fake_kernel::FakeKernel;
use crate::exact::read::{Monotonic, Realtime};
use crate::exact::step::at_step;
use crate::exact::{Exact, LOOKS, SEARCH_AGAIN_NS, Step, mode};
use crate::trust::{RateSource, Reason};

type Clock = Exact<&'static FakeKernel>;

fn clock() -> (&'static FakeKernel, &'static Clock) {
    let kernel = FakeKernel::new();
    (kernel, Box::leak(Box::new(Exact::new(kernel))))
}

/// Reads in both orders and expects the system's time, to the nanosecond: the simulated machine's time is frozen meanwhile.
#[track_caller]
fn assert_exact(kernel: &'static FakeKernel, clock: &Clock) {
    use crate::exact::Machine;
    let truth = kernel.system_call_ns();
    assert_eq!(clock.read::<true>(), truth);
    assert_eq!(clock.read::<false>(), truth);
    assert_eq!(clock.take::<true>().ns, truth);
    let apart = [clock.read_as::<Monotonic, true>(), clock.read_as::<Monotonic, false>()];
    assert_eq!(apart, [Duration::from_nanos(truth); 2]);
    let wall = [clock.read_as::<Realtime, true>(), clock.read_as::<Realtime, false>()];
    assert_eq!(wall, [Duration::from_nanos(kernel.realtime_by_system_call_ns()); 2]);
}

#[track_caller]
fn assert_source(clock: &Clock, source: RateSource) {
    assert_eq!(clock.take::<true>().source, source);
}

#[test]
fn the_first_reading_finds_the_data_and_the_next_ones_use_them() {
    let (kernel, clock) = clock();
    assert_exact(kernel, clock);
    assert_source(clock, RateSource::KernelData);
    kernel.pass(12_345);
    assert_exact(kernel, clock);
    assert_eq!(kernel.locates.load(SeqCst), 1);
    assert!((clock.counter_hz().unwrap() - 2.5e9).abs() < 1_000.0);
}

/// Counters of 1, 3, 24 and 26 ticks, of 41.67 ns and 279 ns, and scaled ones.
#[test]
fn a_reading_is_less_than_its_step_old_whatever_the_counters_step() {
    for thousandths in [1_000, 3_000, 24_000, 26_000, 28_731, 33_333, 104_175, 697_500] {
        let (kernel, clock) = clock();
        kernel.run_in_steps_of(thousandths);
        let step_ns = clock.step_ns(&clock.take::<true>()).unwrap();
        let period_ns = thousandths as f64 * 0.4e-3;
        assert!(step_ns as f64 >= period_ns && step_ns as f64 <= period_ns * 1.02 + 2.0, "{step_ns} for {period_ns}");
        for _ in 0..20_000 {
            let taken = clock.take::<true>();
            // A nanosecond more for what is cut off.
            let age_ns = kernel.true_ns() - taken.ns as f64;
            assert!((0.0..(step_ns + 1) as f64).contains(&age_ns), "{age_ns} of {step_ns}");
        }
    }
}

#[test]
fn the_step_of_another_machines_counter_is_measured_anew() {
    let (kernel, clock) = clock();
    let step_ns = || clock.step_ns(&clock.take::<true>()).map(|ns| ns as f64);
    assert_eq!(step_ns(), None, "while the counter is frozen");
    for thousandths in [26_000, 1_000, 697_500] {
        kernel.run_in_steps_of(thousandths);
        clock.look_again();
        assert!(step_ns() >= Some(thousandths as f64 * 0.4e-3), "{:?}", step_ns());
    }
}

/// A machine is moved, or a process restored, onto a counter of any other step: the first reading knows.
#[test]
fn a_reading_is_less_than_its_step_old_when_the_counter_becomes_another() {
    const STEPS: [u64; 7] = [1_000, 3_000, 24_000, 26_000, 28_731, 104_175, 697_500];
    for (before, after) in STEPS.into_iter().flat_map(|before| STEPS.map(|after| (before, after))) {
        let (kernel, clock) = clock();
        for thousandths in [before, after] {
            kernel.run_in_steps_of(thousandths);
            for _ in 0..2_000 {
                let taken = clock.take::<true>();
                let age_ns = kernel.true_ns() - taken.ns as f64;
                let step_ns = clock.step_ns(&taken).unwrap();
                assert!((0.0..(step_ns + 1) as f64).contains(&age_ns), "{before} {after}: {age_ns} of {step_ns}");
            }
            kernel.pass(25_000_000 * 5 / 2); // 25 ms, in which nobody reads
        }
    }
}

#[test]
fn data_that_are_right_at_first_and_wrong_later_are_given_up() {
    let (kernel, clock) = clock();
    assert_exact(kernel, clock);
    let step_ns = || clock.step_ns(&clock.take::<true>());
    step_ns();
    kernel.lie();
    step_ns();
    assert_exact(kernel, clock);
    assert_eq!(clock.reason(), Some(Reason::NoKernelData));
}

#[test]
#[cfg(target_arch = "x86_64")]
fn the_counters_step_counts_under_a_hypervisors_clock_too() {
    for (clocksource, least, most) in [(Clocksource::KvmClock, 280, 290), (Clocksource::HyperV, 300, 400)] {
        let (kernel, clock) = clock();
        kernel.switch(clocksource);
        kernel.run_in_steps_of(697_500);
        let step_ns = clock.step_ns(&clock.take::<true>()).unwrap();
        assert!((least..=most).contains(&step_ns), "{clocksource:?}: {step_ns}");
    }
}

proptest! {
    #[test]
    fn it_is_the_systems_clock_at_any_slew(
        updates in proptest::collection::vec((-100_000_i64..=100_000, 1_u64..100_000_000, 0_u64..5_000), 1..60),
    ) {
        let (kernel, clock) = clock();
        let mut last = 0;
        for (ppm, ticks, back) in updates {
            kernel.pass(ticks);
            assert_exact(kernel, clock);
            let shown = clock.read::<true>();
            prop_assert!(shown >= last);
            last = shown;
            kernel.update(ppm);
            assert_exact(kernel, clock);
            // A core whose counter lags behind that of the update.
            kernel.step_back(back);
            assert_exact(kernel, clock);
            prop_assert!(clock.read::<true>() >= last);
            kernel.pass(back);
        }
        assert_source(clock, RateSource::KernelData);
    }
}

#[test]
fn a_kernel_stopped_in_its_update_costs_one_reading_its_speed_and_nothing_else() {
    let (kernel, clock) = clock();
    assert_exact(kernel, clock);
    kernel.stop_in_update();
    for _ in 0..3 * LOOKS {
        kernel.pass(1_000);
        assert_exact(kernel, clock);
        assert_source(clock, RateSource::SystemClock);
    }
    assert_eq!(clock.reason(), Some(Reason::KernelDataChanging));
    kernel.end_update();
    assert_exact(kernel, clock);
    assert_source(clock, RateSource::KernelData);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn hypervisors_clocksources_are_read_as_the_kernel_reads_them() {
    for (clocksource, source) in
        [(Clocksource::KvmClock, RateSource::KvmClock), (Clocksource::HyperV, RateSource::HyperV)]
    {
        let (kernel, clock) = clock();
        kernel.switch(clocksource);
        for ppm in [0, 500, -100_000, 100_000] {
            kernel.pass(123_457);
            assert_exact(kernel, clock);
            assert_source(clock, source);
            kernel.update(ppm);
            assert_exact(kernel, clock);
        }
        assert!((clock.counter_hz().unwrap() - 2.5e9).abs() < 10.0, "{:?}", clock.counter_hz());
        let step_ns = clock.step_ns(&clock.take::<true>());
        assert_eq!(step_ns, None, "while time is frozen");
        kernel.stop_hypervisors(true);
        assert_exact(kernel, clock);
        assert_source(clock, RateSource::SystemClock);
        // Hyper-V's page is then marked as not offered, kvm-clock's as being updated.
        let is_offered = clocksource == Clocksource::KvmClock;
        let reason = if is_offered { Reason::KernelDataChanging } else { Reason::KernelUsesAnother };
        assert_eq!(clock.reason(), Some(reason));
        kernel.stop_hypervisors(false);
        assert_exact(kernel, clock);
        assert_source(clock, source);
        // Nothing was kept of the other ways of reading.
        for (clocksource, source) in [(Clocksource::Counter, RateSource::KernelData), (clocksource, source)] {
            kernel.switch(clocksource);
            kernel.pass(1_000);
            assert_exact(kernel, clock);
            assert_source(clock, source);
        }
    }
}

/// The quick search leaves the hypervisors' pages alone; a kernel that takes up such a clocksource later is followed.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_hypervisors_page_is_looked_for_once_it_is_needed() {
    for (warms_up, source) in [(false, RateSource::KvmClock), (true, RateSource::SystemClock)] {
        let (kernel, clock) = clock();
        kernel.hide_hypervisors(true);
        if warms_up {
            clock.look_again();
        }
        assert_exact(kernel, clock);
        kernel.hide_hypervisors(false);
        kernel.switch(Clocksource::KvmClock);
        kernel.pass(1_000);
        assert_exact(kernel, clock);
        assert_source(clock, source);
        assert_eq!(kernel.locates.load(SeqCst), if warms_up { 1 } else { 2 });
        clock.look_again();
        assert_source(clock, RateSource::KvmClock);
    }
}

#[test]
fn a_clocksource_may_come_and_go() {
    let (kernel, clock) = clock();
    for mode in [1, mode::NONE, 1, 7, 1] {
        kernel.set_mode(mode);
        kernel.pass(77_777);
        assert_exact(kernel, clock);
        let is_counter = mode == 1;
        assert_source(clock, if is_counter { RateSource::KernelData } else { RateSource::SystemClock });
        assert_eq!(clock.reason().is_none(), is_counter);
    }
    assert_eq!(kernel.locates.load(SeqCst), 1, "a system call");
}

#[test]
fn data_that_appear_later_are_found_without_a_system_call() {
    let (kernel, clock) = clock();
    kernel.set_mode(mode::NONE);
    assert_exact(kernel, clock);
    assert_eq!(clock.reason(), Some(Reason::KernelUsesAnother));
    let locates = kernel.locates.load(SeqCst);
    kernel.set_mode(1);
    assert_exact(kernel, clock);
    kernel.pass(SEARCH_AGAIN_NS * 3);
    assert_exact(kernel, clock);
    assert_source(clock, RateSource::KernelData);
    assert_eq!(kernel.locates.load(SeqCst), locates);
}

#[test]
fn data_that_do_not_agree_with_the_system_are_not_used() {
    let (kernel, clock) = clock();
    kernel.lie();
    assert_exact(kernel, clock);
    assert_eq!(clock.reason(), Some(Reason::NoKernelData));
}

/// By the data, and not by the system: that would not notice.
#[track_caller]
fn assert_shows_realtime(clock: &Clock, is_shown: bool) {
    let (_, observed) = clock.memo.0.found();
    assert_eq!(clock.memo.0.shows_realtime(observed), is_shown);
}

#[test]
fn the_wall_clock_is_the_systems_whoever_sets_it() {
    let (kernel, clock) = clock();
    for ahead_ns in [0, 999_999_999, 1_700_000_000_000_000_001, 5] {
        kernel.set_wall(ahead_ns);
        kernel.pass(12_345);
        assert_exact(kernel, clock);
        assert_shows_realtime(clock, true);
        kernel.pass(40_000_000_000);
        assert_exact(kernel, clock);
    }
}

#[test]
fn a_wall_clock_that_lies_otherwise_in_the_data_is_left_to_the_system() {
    let (kernel, clock) = clock();
    kernel.swap_wall();
    for ppm in [0, 500] {
        assert_exact(kernel, clock);
        assert_shows_realtime(clock, false);
        assert_source(clock, RateSource::KernelData);
        kernel.pass(77_777);
        kernel.update(ppm);
    }
}

#[test]
fn ticks_are_converted_at_the_present_rate() {
    let (kernel, clock) = clock();
    assert_eq!(clock.ns_of_ticks(2_500_000_000), Some(999_999_940)); // 0.4 ns in 24 bits
    assert_eq!(clock.ns_of_ticks(0), Some(0));
    assert_eq!(clock.ns_of_ticks(u64::MAX), Some(((u128::from(u64::MAX) * 6_710_886) >> 24) as u64));
    kernel.update(100_000);
    assert_eq!(clock.ns_of_ticks(2_500_000), Some((2_500_000 * (6_710_886 + 671_088)) >> 24));
    #[cfg(target_arch = "x86_64")]
    for clocksource in [Clocksource::KvmClock, Clocksource::HyperV] {
        kernel.switch(clocksource);
        assert_eq!(clock.ns_of_ticks(2_500_000_001).map(|ns| ns / 4), Some(250_000_000));
        kernel.stop_hypervisors(true);
        assert_eq!(clock.ns_of_ticks(2_500_000_001).map(|ns| ns / 4), Some(250_000_000), "the rate is known");
        kernel.stop_hypervisors(false);
    }
    kernel.set_mode(mode::NONE);
    assert_eq!(clock.ns_of_ticks(1), None);
}

#[test]
fn a_time_namespace_is_left_to_the_system() {
    let (kernel, clock) = clock();
    assert_exact(kernel, clock);
    kernel.enter_time_namespace();
    assert_exact(kernel, clock);
    assert_eq!(clock.reason(), Some(Reason::TimeNamespace));
    clock.look_again();
    assert_exact(kernel, clock);
    assert_eq!(clock.reason(), Some(Reason::TimeNamespace));
}

#[test]
fn a_forbidden_counter_is_never_read_and_may_be_allowed_later() {
    let (kernel, clock) = clock();
    kernel.forbid_counter(true);
    assert_exact(kernel, clock);
    assert_eq!(clock.reason(), Some(Reason::CounterForbidden));
    kernel.forbid_counter(false);
    clock.look_again();
    assert_exact(kernel, clock);
    assert_source(clock, RateSource::KernelData);
}

/// Seconds of the simulated machine.
const SECOND: u64 = 2_500_000_000;

#[test]
fn a_failure_that_may_pass_is_tried_again_at_growing_intervals_until_warmed_up() {
    let (kernel, clock) = clock();
    kernel.run_out_of_files(true);
    assert_exact(kernel, clock);
    for seconds in [1, 4, 16, 64, 256, 1024, 1024] {
        let attempts = kernel.locates.load(SeqCst);
        kernel.pass((seconds * 1_000 - 150) * (SECOND / 1_000));
        assert_exact(kernel, clock);
        assert_eq!(kernel.locates.load(SeqCst), attempts, "not before {seconds} s");
        kernel.pass(SECOND / 2);
        assert_exact(kernel, clock);
        assert_eq!(kernel.locates.load(SeqCst), attempts + 1, "after {seconds} s");
    }
    kernel.run_out_of_files(false);
    kernel.pass(1_025 * SECOND);
    assert_exact(kernel, clock);
    assert_source(clock, RateSource::KernelData);

    let (kernel, clock) = self::clock();
    kernel.run_out_of_files(true);
    clock.look_again();
    kernel.pass(100 * SECOND);
    assert_exact(kernel, clock);
    assert_eq!(kernel.locates.load(SeqCst), 1, "a system call after a warm-up");
}

#[test]
fn a_thread_that_may_not_read_the_counter_does_not_decide_for_ever() {
    let (kernel, clock) = clock();
    kernel.forbid_counter(true);
    assert_exact(kernel, clock);
    kernel.pass(2 * SECOND);
    assert_exact(kernel, clock);
    kernel.forbid_counter(false);
    kernel.pass(5 * SECOND);
    assert_exact(kernel, clock);
    assert_source(clock, RateSource::KernelData);
}

#[test]
fn what_is_switched_off_stays_off() {
    for reads_before in [false, true] {
        let (kernel, clock) = clock();
        if reads_before {
            assert_exact(kernel, clock);
        }
        clock.switch_off();
        for _ in 0..3 {
            assert_exact(kernel, clock);
            assert_eq!(clock.reason(), Some(Reason::SwitchedOff));
            clock.look_again();
            kernel.pass(10 * SECOND);
        }
    }
}

#[test]
fn a_process_restored_on_another_kernel_reads_the_systems_clock() {
    let (kernel, clock) = clock();
    assert_exact(kernel, clock);
    for restores in 1..=65 {
        kernel.restore_elsewhere();
        assert_exact(kernel, clock);
        assert_eq!(clock.reason(), Some(Reason::Restored));
        kernel.pass(SEARCH_AGAIN_NS * 3);
        kernel.update(restores);
        assert_exact(kernel, clock);
        clock.look_again();
        assert_exact(kernel, clock);
        // Where a jump cannot be told from a function's beginning it is told from the next jump.
        assert!(cfg!(target_arch = "aarch64") || clock.reason() == Some(Reason::Restored));
    }
}

#[test]
fn a_read_within_every_step_of_another_is_right() {
    let (kernel, clock) = clock();
    let (steps, seen) = channel();
    at_step(move |step| {
        // As a signal handler would: on this thread, in the middle of it.
        assert_exact(kernel, clock);
        steps.send(step).unwrap();
    });
    assert_exact(kernel, clock);
    clock.look_again();
    at_step(|_| {});
    let seen: Vec<Step> = seen.try_iter().collect();
    assert!(Step::ALL.iter().all(|step| seen.contains(step)), "{seen:?}");
}

/// A thread that starts locating the data and stops at a step until released.
struct Parked {
    stopped: Receiver<()>,
    go_on: Sender<()>,
    thread: thread::JoinHandle<()>,
}

impl Parked {
    fn at(step: Step, kernel: &'static FakeKernel, clock: &'static Clock) -> Self {
        let ((stop, stopped), (go_on, gone)) = (channel(), channel());
        let thread = thread::spawn(move || {
            let mut is_first = true;
            at_step(move |reached| {
                if reached == step && core::mem::take(&mut is_first) {
                    stop.send(()).unwrap();
                    let _ = gone.recv();
                }
            });
            clock.look_again();
            assert_exact(kernel, clock);
        });
        Self { stopped, go_on, thread }
    }
}

#[derive(Clone, Copy, Debug)]
enum Meanwhile {
    Nothing,
    Publications(u32),
    Restores(u32),
    Switched,
}

#[test]
fn a_thread_stopped_at_any_step_spoils_no_reading() {
    let publications = [1, 2, 3, 65].map(Meanwhile::Publications);
    let restores = [1, 2, 3, 65].map(Meanwhile::Restores);
    let meanwhile = [Meanwhile::Nothing, Meanwhile::Switched].into_iter().chain(publications).chain(restores);
    for (step, meanwhile) in Step::ALL.into_iter().flat_map(|step| meanwhile.clone().map(move |other| (step, other))) {
        for first_use in [false, true] {
            let (kernel, clock) = clock();
            if !first_use {
                assert_exact(kernel, clock);
            }
            let parked = Parked::at(step, kernel, clock);
            parked.stopped.recv().unwrap();
            // Whoever else reads, now and later, and on a thread of its own.
            let check = || {
                kernel.pass(5_000);
                assert_exact(kernel, clock);
                thread::spawn(move || assert_exact(kernel, clock)).join().unwrap();
            };
            check();
            match meanwhile {
                Meanwhile::Nothing => {}
                Meanwhile::Publications(count) => (0..count).for_each(|ppm| {
                    clock.look_again();
                    kernel.update(i64::from(ppm));
                    check();
                }),
                Meanwhile::Restores(count) => (0..count).for_each(|_| {
                    kernel.restore_elsewhere();
                    check();
                }),
                Meanwhile::Switched => {
                    kernel.set_mode(mode::NONE);
                    check();
                    kernel.set_mode(1);
                }
            }
            check();
            parked.go_on.send(()).unwrap();
            parked.thread.join().unwrap();
            check();
            kernel.pass(SEARCH_AGAIN_NS * 3);
            check();
            if !matches!(meanwhile, Meanwhile::Restores(_)) {
                assert_source(clock, RateSource::KernelData);
            }
        }
    }
}

#[test]
fn a_thread_stopped_for_ever_at_every_step_keeps_nobody_waiting() {
    let (kernel, clock) = clock();
    let parked: Vec<Parked> = Step::ALL
        .into_iter()
        .cycle()
        .take(65)
        .map(|step| {
            let parked = Parked::at(step, kernel, clock);
            parked.stopped.recv().unwrap();
            parked
        })
        .collect();
    assert_exact(kernel, clock);
    assert_source(clock, RateSource::KernelData);
    kernel.restore_elsewhere();
    assert_exact(kernel, clock);
    for parked in parked {
        drop(parked.go_on);
        parked.thread.join().unwrap();
        assert_exact(kernel, clock);
    }
}
