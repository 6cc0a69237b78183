use std::thread;
use std::time::Duration;

use super::super::observation::Observation;
use super::{HiccupWay, HiccupsReport};

const TURN: Duration = Duration::from_millis(20);

/// Looks out for some turns of 20 ms, each of which is told to be one, however long it took.
fn observed(cpus: &[u32], spins: bool) -> HiccupsReport {
    let mut observation = Observation::<Vec<u8>>::start(cpus, Some(TURN * 4), None).unwrap();
    if spins {
        observation.spin(Some(TURN * 2));
    }
    for turn in 0..4 {
        assert!(observation.next(TURN * turn) > TURN * turn);
        observation.tend(TURN * turn);
        thread::sleep(TURN);
    }
    observation.finish(TURN * 4).0
}

fn ways(report: &HiccupsReport, cpu: u32) -> Vec<HiccupWay> {
    report.cpus.iter().filter(|row| row.cpu == Some(cpu)).map(|row| row.way).collect()
}

#[test]
fn every_cpu_is_watched_in_both_ways() {
    let allowed = chronoscope_harness::Start::of_this_process().allowed_cpus().to_vec();
    let cpus = &allowed[..allowed.len().min(2)];
    let report = observed(cpus, true);
    for cpu in cpus {
        assert_eq!(ways(&report, *cpu), HiccupWay::ALL, "CPU {cpu}: {report:?}");
    }
    assert_eq!(report.all.len(), 2);
    let looks: u64 = report.cpus.iter().filter(|row| row.way == HiccupWay::Spin).map(|row| row.figures.looks).sum();
    assert_eq!(report.all[0].figures.looks, looks, "of all CPUs");
    let over_time = report.over_time.unwrap();
    for all in &report.all {
        let stalls = over_time.longest.iter().filter(|stall| stall.way == all.way);
        let longest = stalls.map(|stall| stall.late_ns).fold(0.0, f64::max);
        assert_eq!(longest, all.figures.late_ns.max, "one stall has one length: {:?}", over_time.longest);
    }
    assert_eq!((report.reason_unpinned, report.unavailable), (None, Vec::new()));
}

#[test]
fn without_a_spinner_threads_only_sleep() {
    let report = observed(&[], false);
    assert!(report.all.iter().all(|all| all.way == HiccupWay::Sleep), "{report:?}");
}

#[test]
fn where_no_cpu_can_be_had_it_is_observed_all_the_same() {
    let report = observed(&[1_023], false);
    assert!(report.reason_unpinned.is_some_and(|reason| reason.contains("1023")));
    assert!(report.cpus.iter().all(|row| row.cpu.is_none()) && report.cpus.len() == 1, "{:?}", report.cpus);
    assert!(report.unavailable.is_empty());
}
