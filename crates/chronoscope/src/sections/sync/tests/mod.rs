//! Code shared by this section's tests: a report of a machine in order.

mod chrony;
mod daemon;
mod discipline;
mod kernel;
mod ptp;
mod rules;
mod slew;
mod view;

use chronoscope_sources::os::KernelDiscipline;

use super::bound::{Bound, BoundBasis};
use super::chrony::{Chrony, ChronyLeap};
use super::daemon::{Daemon, DaemonKind};
use super::discipline::{Discipline, DisciplineState};
use super::kernel::Kernel;
use super::ptp::{PtpDevice, PtpKind, PtpOffset, Timescale};
use super::report::SyncReport;
use super::slew::{Declared, Observed, Slew};
use super::step::WallStep;
use crate::document::Record;
use crate::rules::tests::blank;
use crate::rules::tests::conclude;
use crate::screen::{View, findings};
use chronoscope_harness::record::Known;
use chronoscope_render::Width;
use chronoscope_render::page::Page;

/// A kernel that corrects by +12 ppm and was told that it is synchronised.
fn told() -> KernelDiscipline {
    let mut told = KernelDiscipline::default();
    told.status = 0x2000;
    told.frequency_scaled_ppm = 12 * 65_536;
    told.tick_us = 10_000;
    told.adjtime_us = Some(0);
    told.max_error_us = 900;
    told.est_error_us = 20;
    told.time_constant = 7;
    told.tai_offset_s = 37;
    told
}

fn kernel() -> Kernel {
    super::kernel::kernel(&told(), Known::Value(1_406_000))
}

fn unsynchronised() -> Kernel {
    let mut told = told();
    (told.status, told.state, told.max_error_us) = (0x2040, 5, 16_000_000);
    super::kernel::kernel(&told, Known::Unavailable("nobody disciplines it".to_owned()))
}

/// chronyd that follows a server at 192.0.2.7 and holds the kernel's correction right.
fn chrony() -> Chrony {
    Chrony {
        reference_id: "C0000207".to_owned(),
        reference: Some("192.0.2.7".to_owned()),
        stratum: 3,
        ahead_ns: -6_523.0,
        last_offset_ns: -6_747.0,
        rms_offset_ns: 35_832.0,
        correction_ppm: 12.0,
        residual_ppm: 0.001,
        skew_ppm: 0.129,
        root_delay_ns: 1_363_902.0,
        root_dispersion_ns: 110_073.0,
        update_interval_s: 64.2,
        leap: ChronyLeap::Normal,
    }
}

fn daemon(kind: DaemonKind, steers: Option<bool>) -> Daemon {
    Daemon { kind, pid: Some(721), steers, command: Some(kind.name().to_owned()) }
}

fn ptp(clock_name: &str) -> PtpDevice {
    PtpDevice {
        device: "ptp0".to_owned(),
        clock_name: Known::Value(clock_name.to_owned()),
        offset: Known::Value(PtpOffset { low_ns: 36_999_998_200, high_ns: 37_000_001_900, timescale: Timescale::Tai }),
    }
}

/// The document of a run with only `report`, and the conclusions from it.
fn document(report: SyncReport) -> Record {
    let mut record = blank();
    record.content.sections.sync.report = Some(report);
    record.findings = conclude(&record);
    record
}

fn page(report: &SyncReport, columns: usize) -> String {
    let mut page = Page::with_width(Width::of_columns(columns));
    let record = document(report.clone());
    super::view::show(&mut page, &record);
    findings::concerning(&mut page, &record, "sync");
    anstream::adapter::strip_str(&page.finish()).to_string()
}

pub fn well() -> SyncReport {
    SyncReport {
        discipline: Discipline {
            state: DisciplineState::Disciplined,
            by: Some(DaemonKind::Chronyd),
            evidence: vec![
                "chronyd follows 192.0.2.7 at stratum 3".to_owned(),
                "the kernel says synchronised".to_owned(),
            ],
        },
        bound: Known::Value(Bound { error_ns: 798_547.0, basis: BoundBasis::Chrony }),
        slew: Slew {
            declared: Known::Value(Declared { at_start_ppm: 12.0, at_end_ppm: 12.0 }),
            observed: Known::Value(Observed { ppm: 12.05, low_ppm: 11.95, high_ppm: 12.15, over_ns: 1_000_700_000 }),
            transient_ppm: Known::Value(0.0),
        },
        step: Known::Value(WallStep { low_ns: -51, high_ns: 48 }),
        kernel: Known::Value(kernel()),
        chrony: Known::Value(chrony()),
        timesyncd: Known::Unavailable("it has not synchronised since boot".to_owned()),
        daemons: Known::Value(vec![daemon(DaemonKind::Chronyd, Some(true))]),
        ptp: Known::Value(Vec::new()),
    }
}

#[test]
fn a_driver_that_shows_the_host_is_told_from_hardware() {
    assert_eq!(ptp("KVM virtual PTP").kind(), PtpKind::Host);
    assert_eq!(ptp("hyperv").kind(), PtpKind::Host);
    assert_eq!(ptp("mlx5_ptp").kind(), PtpKind::Hardware);
    assert_eq!(ptp("").kind(), PtpKind::Hardware);
}

/// Output can be read back, and conforms to the schema.
#[test]
fn a_report_survives_json_and_keeps_its_schema() {
    let schema = serde_json::to_value(schemars::schema_for!(SyncReport)).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut bare = well();
    bare.kernel = Known::Unavailable("refused".to_owned());
    bare.ptp = Known::Value(vec![ptp("igb")]);
    for report in [well(), bare] {
        let value = serde_json::to_value(&report).unwrap();
        assert!(validator.is_valid(&value), "{value}");
        assert_eq!(serde_json::from_value::<SyncReport>(value).unwrap(), report);
    }
}

/// Examines this machine, whatever it is: nothing is unexplained or contradictory.
#[test]
fn this_machine_is_looked_at() {
    let report = super::measure::observe(|| std::thread::sleep(std::time::Duration::from_millis(20)));
    if let Some(seen) = report.slew.observed.value() {
        assert!(seen.low_ppm <= seen.ppm && seen.ppm <= seen.high_ppm, "{seen:?}");
        assert!(seen.over_ns >= 10_000_000, "{seen:?}");
    }
    let is_undisciplined = report.discipline.state == DisciplineState::NotDisciplined;
    let record = document(report);
    let is_told = record.findings.iter().any(|finding| finding.is(super::rules::WALL_CLOCK_UNDISCIPLINED));
    assert_eq!(is_told, is_undisciplined);
}

#[test]
fn what_was_not_seen_has_a_reason() {
    let record = blank();
    assert_eq!(conclude(&record), []);
    let text = crate::screen::terminal(&record, View::named("sync"));
    assert!(text.contains("not tested: it was not part of the plan"), "{text}");
}
