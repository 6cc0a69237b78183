use chronoscope_harness::finding::{Finding, Severity};
use chronoscope_harness::record::{Bin, Disturbance};

use super::super::plan::HICCUPS;
use super::super::report::{LongestStall, StallCause, StallsOverTime};
use super::super::rules::{HICCUPS_UNPINNED, WOKEN_LATE};
use super::{HiccupFigures, HiccupWay, HiccupsReport, document, well};
use crate::document::{Outcome, PartReport};
use crate::judgement::rules::computing_held_up::COMPUTING_HELD_UP;
use crate::rules::tests::conclude;

/// What is concluded if a CPU saw this.
fn found(cpu: u32, way: HiccupWay, change: impl Fn(&mut HiccupFigures)) -> Vec<Finding> {
    document(changed(cpu, way, change)).findings.clone()
}

fn changed(cpu: u32, way: HiccupWay, change: impl Fn(&mut HiccupFigures)) -> HiccupsReport {
    let mut report = well();
    report
        .cpus
        .iter_mut()
        .filter(|row| row.cpu == Some(cpu) && row.way == way)
        .for_each(|row| change(&mut row.figures));
    report
}

#[test]
fn a_machine_in_order_has_no_findings() {
    assert_eq!(document(well()).findings, []);
    assert_eq!(document(HiccupsReport::default()).findings, []);
}

#[test]
fn a_cpu_that_holds_up_work_is_named_and_much_of_it_is_a_warning() {
    for (share, severity) in [(0.000_9, None), (0.001, Some(Severity::Notice)), (0.01, Some(Severity::Warning))] {
        let found = found(1, HiccupWay::Spin, |figures| figures.share_over_10_us = share);
        assert_eq!(found.first().map(|finding| finding.severity), severity, "{share}");
        assert!(found.iter().all(|finding| finding.is(COMPUTING_HELD_UP)), "{found:?}");
        assert!(found.iter().all(|finding| finding.subject.as_deref() == Some("CPU 1")), "{found:?}");
    }
}

/// As in a guest whose clocksource is an HPET that the hypervisor emulates: a read takes 13.9 µs.
#[test]
fn a_clock_that_is_slow_to_read_holds_up_nobody() {
    let slow = |from_ns: f64| {
        found(1, HiccupWay::Spin, move |figures| {
            figures.share_over_10_us = 0.996;
            figures.late_ns.histogram.bins = vec![Bin { from_ns, to_ns: from_ns + 1_000.0, count: 900 }];
        })
    };
    assert_eq!(slow(13_900.0), []);
    assert_eq!(slow(40.0)[0].severity, Severity::Warning);
}

#[test]
fn the_worst_of_several_cpus_is_told() {
    let mut report = changed(0, HiccupWay::Spin, |figures| figures.share_over_10_us = 0.002);
    let worse =
        changed(1, HiccupWay::Spin, |figures| (figures.share_over_10_us, figures.late_ns.max) = (0.04, 7_000_000.0));
    report.cpus[1] = worse.cpus[1].clone();
    let finding = &document(report).findings[0];
    assert_eq!(finding.subject.as_deref(), Some("CPUs 0, 1"));
    assert!(finding.evidence.summary.contains("4.00"), "{finding:?}");
}

#[test]
fn what_the_hypervisor_took_is_mentioned() {
    let mut record = document(changed(0, HiccupWay::Spin, |figures| figures.share_over_10_us = 0.5));
    let disturbance = Disturbance { steal_ms: Some(120.0), ..Disturbance::default() };
    let (outcome, reason) = (Outcome::Done, None);
    record.content.parts.push(PartReport {
        part: HICCUPS,
        outcome,
        reason,
        elapsed_ms: 10_000,
        throttled_ms: None,
        clocksource: None,
        disturbance,
    });
    let finding = conclude(&record).into_iter().find(|finding| finding.is(COMPUTING_HELD_UP)).unwrap();
    let end = "; over the whole run the hypervisor took 120 ms, counted in ticks of 10 ms";
    assert!(finding.evidence.summary.ends_with(end), "{finding:?}");
    assert!(finding.advice.iter().any(|advice| advice.contains("dedicated")), "{finding:?}");
}

#[test]
fn late_wake_ups_are_a_warning() {
    let at = |share| found(0, HiccupWay::Sleep, move |figures| figures.share_over_1_ms = share);
    assert_eq!(at(0.000_9), []);
    let found = at(0.001);
    assert!(found.len() == 1 && found[0].is(WOKEN_LATE) && found[0].severity == Severity::Warning, "{found:?}");
}

/// A thread that other threads hold up finds its CPU busy; one that waits for its timer does not.
#[test]
fn fewer_threads_are_advised_where_threads_were_seen_to_hold_others_up() {
    let is_advised = |cause: Option<(u32, f64, StallCause)>| {
        let stall = |(cpu, late_ns, cause)| LongestStall {
            from_ms: 0.0,
            way: HiccupWay::Sleep,
            cpu: Some(cpu),
            late_ns,
            cause,
        };
        let over_time = cause.map(|of| StallsOverTime { interval_ms: 100.0, longest: vec![stall(of)] });
        let late = changed(0, HiccupWay::Sleep, |figures| figures.share_over_1_ms = 0.01);
        let found = document(HiccupsReport { over_time, ..late }).findings;
        assert!(found.len() == 1 && found[0].is(WOKEN_LATE) && !found[0].advice.is_empty(), "{found:?}");
        found[0].advice.iter().any(|advice| advice.contains("busy threads"))
    };
    assert!(is_advised(Some((0, 3e6, StallCause::OtherThreads))));
    for other in
        [(0, 3e6, StallCause::Unexplained), (0, 9e5, StallCause::OtherThreads), (1, 3e6, StallCause::OtherThreads)]
    {
        assert!(!is_advised(Some(other)), "{other:?}");
    }
    assert!(!is_advised(None), "an earlier version did not keep the causes");
}

#[test]
fn what_could_not_be_pinned_is_told_with_the_reason() {
    let mut report = well();
    report.reason_unpinned = Some("not permitted".to_owned());
    report.cpus.iter_mut().for_each(|row| row.cpu = None);
    let found = document(report).findings.clone();
    assert!(found.len() == 1 && found[0].is(HICCUPS_UNPINNED), "{found:?}");
    assert!(found[0].evidence.summary.contains("permitted"));
}

#[test]
fn one_hiccup_is_no_rule() {
    // A stop of 5 ms: 500 looks of 10 µs, and 5 of a millisecond.
    let stop_ns = 5_000_000.0;
    let found_of = |way, looks: u64, over_10_us: f64, over_1_ms: f64| {
        found(0, way, |figures| {
            (figures.looks, figures.observed_ms, figures.late_ns.max) = (looks, 100.0, stop_ns);
            (figures.share_over_10_us, figures.share_over_1_ms) = (over_10_us, over_1_ms);
        })
    };
    assert_eq!(found_of(HiccupWay::Spin, 10_000, 0.05, 0.04), []);
    assert_eq!(found_of(HiccupWay::Sleep, 100, 1.0, 0.04), []);
    assert!(found_of(HiccupWay::Spin, 10_000, 0.25, 0.2)[0].is(COMPUTING_HELD_UP));
    assert!(found_of(HiccupWay::Sleep, 100, 1.0, 0.25)[0].is(WOKEN_LATE));
}
