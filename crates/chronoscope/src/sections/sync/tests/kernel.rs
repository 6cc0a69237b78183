use std::collections::BTreeSet;

use proptest::prelude::*;

use super::super::kernel::{ClockState, StatusFlag, kernel};
use super::*;

fn with(change: impl FnOnce(&mut KernelDiscipline)) -> Kernel {
    let mut told = told();
    change(&mut told);
    kernel(&told, Known::Value(1))
}

#[test]
fn each_flag_is_read_alone_and_with_all_others() {
    let mut names = BTreeSet::new();
    for bit in 0..16 {
        let found = with(|told| told.status = 1 << bit);
        assert_eq!(found.flags.len(), 1, "bit {bit}");
        assert!(names.insert(found.flags[0].name()), "bit {bit}");
    }
    assert_eq!(with(|told| told.status = 0xffff).flags.len(), 16);
    assert_eq!(with(|told| told.status = 0).flags, []);
    let names: Vec<&str> = with(|told| told.status = 0x2051).flags.iter().map(|flag| flag.name()).collect();
    assert_eq!(names, ["PLL", "INS", "UNSYNC", "NANO"]);
}

#[test]
fn it_is_synchronised_unless_a_flag_or_the_state_says_no() {
    for (status, state, is_synchronised) in [
        (0x2001, 0, true),
        (0x2011, 1, true),
        (0x2021, 2, true),
        (0x2011, 3, true),
        (0x2011, 4, true),
        (0x2041, 5, false),
        (0x2040, 0, false),
        (0x3001, 5, false),
        (0x1000, 0, false),
        (0x2001, 5, false),
        (0x2001, 6, false),
        (0x2001, -1, false),
    ] {
        let found = with(|told| (told.status, told.state) = (status, state));
        assert_eq!(found.is_synchronised(), is_synchronised, "{status:#x} {state}");
    }
    assert_eq!(with(|told| told.state = 3).state, ClockState::InLeapSecond);
}

#[test]
fn rates_come_in_ppm() {
    assert_eq!(kernel(&told(), Known::Value(1)).slew_ppm(), 12.0);
    assert_eq!(with(|told| told.frequency_scaled_ppm = -32_768_000).frequency_ppm, -500.0);
    // 10 001 µs in place of 10 000 is 100 ppm.
    let longer = with(|told| told.tick_us = 10_001);
    assert!((longer.tick_ppm - 100.0).abs() < 1e-6 && (longer.correction_ppm() - 112.0).abs() < 1e-6);
    let shifted = with(|told| told.tai_offset_s = 0);
    assert_eq!((kernel(&told(), Known::Value(1)).tai_offset_s, shifted.tai_offset_s), (Some(37), None));
}

/// The kernel's own arithmetic: it takes one part in 2^(2 + constant) at the start of a second, and shows the rest.
#[test]
fn the_loop_slews_what_the_kernel_computes() {
    for (constant, offset_ns) in [(0, 4_000_000_i64), (2, 1_600_000), (7, -51_200_000), (10, 4_096_000_000)] {
        let chunk = offset_ns >> (2 + constant);
        let found = with(|told| (told.offset_ns, told.time_constant) = (offset_ns - chunk, constant));
        assert!((found.offset_slew_ppm() - chunk as f64 / 1_000.0).abs() < 1e-6, "{constant} {offset_ns}");
    }
    assert_eq!(with(|told| (told.offset_ns, told.status) = (100, 0x2104)).offset_slew_ppm(), 0.0, "PPS");
}

#[test]
fn adjtime_slews_half_a_millisecond_per_second() {
    for (left_us, ppm) in [(2_000_000, 500.0), (-600, -500.0), (120, 120.0), (-3, -3.0), (0, 0.0)] {
        let found = with(|told| told.adjtime_us = Some(left_us));
        assert_eq!(found.offset_slew_ppm(), ppm, "{left_us}");
        assert_eq!(found.to_slew_ns(), left_us * 1_000);
    }
    assert_eq!(with(|told| told.adjtime_us = None).to_slew_ns(), 0);
}

#[test]
fn a_pulse_is_told_where_there_is_a_signal() {
    let found = with(|told| {
        told.status = 0x2106;
        (told.pps_frequency_scaled_ppm, told.pps_stability_scaled_ppm, told.pps_jitter_ns) = (65_536, 32_768, 900);
    });
    assert_eq!(found.pps, Some(super::super::kernel::Pps { frequency_ppm: 1.0, stability_ppm: 0.5, jitter_ns: 900 }));
    assert!(found.has(StatusFlag::PpsTime) && !found.has(StatusFlag::Pll));
    assert_eq!(kernel(&told(), Known::Value(1)).pps, None);
}

proptest! {
    #[test]
    fn no_numbers_panic(numbers: [i64; 9], status: i32, state: i32) {
        let found = with(|told| {
            (told.status, told.state) = (status, state);
            (told.frequency_scaled_ppm, told.tick_us, told.offset_ns) = (numbers[0], numbers[1], numbers[2]);
            (told.adjtime_us, told.max_error_us, told.est_error_us) = (Some(numbers[3]), numbers[4], numbers[5]);
            (told.time_constant, told.pps_jitter_ns, told.tai_offset_s) = (numbers[6], numbers[7], numbers[8] as i32);
        });
        prop_assert!(found.slew_ppm().is_finite());
        let mut report = well();
        report.kernel = Known::Value(found);
        prop_assert!(!page(&report, 118).is_empty());
    }
}
