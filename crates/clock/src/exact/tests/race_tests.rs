//! Readers, a kernel that changes its data, and first uses at once, with weak memory: for an interpreter that tries many
//! schedules (`.ci/run miri`), and for the processor.

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use super::fake_kernel::FakeKernel;
use crate::exact::read::Realtime;
use crate::exact::{Exact, Machine};

const READS: u32 = if cfg!(miri) { 12 } else { 20_000 };

#[test]
fn readings_lie_between_the_systems_while_the_kernel_changes_its_data() {
    let kernel = FakeKernel::new();
    let clock = Exact::new(kernel);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut ppm = 100_000;
            while !done.load(Relaxed) {
                kernel.pass(777);
                kernel.update(ppm);
                ppm = -ppm;
                thread::yield_now();
            }
        });
        let readers = [0, 1].map(|_| {
            scope.spawn(|| {
                for _ in 0..READS {
                    let before = kernel.system_call_ns();
                    let shown = [clock.read::<true>(), clock.read::<false>(), clock.take::<true>().ns];
                    let after = kernel.system_call_ns();
                    let wall_before = kernel.realtime_by_system_call_ns();
                    let wall = clock.read_as::<Realtime, false>().as_nanos() as u64;
                    assert!((wall_before..=kernel.realtime_by_system_call_ns()).contains(&wall));
                    assert!(shown.iter().all(|ns| (before..=after).contains(ns)), "{before} {shown:?} {after}");
                }
            })
        });
        for reader in readers {
            reader.join().unwrap();
        }
        done.store(true, Relaxed);
    });
}

#[test]
fn first_uses_at_once_are_all_right() {
    for _ in 0..if cfg!(miri) { 2 } else { 200 } {
        let kernel = FakeKernel::new();
        let clock = Exact::new(kernel);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let truth = kernel.system_call_ns();
                    assert_eq!(clock.read::<true>(), truth);
                    clock.look_again();
                    assert_eq!(clock.read::<false>(), truth);
                });
            }
        });
    }
}
