//! Code shared by this section's tests: a report of a machine in order.

mod log;
mod observation;
mod rules;
mod view;

use super::report::{HiccupFigures, HiccupWay, Hiccups, HiccupsReport, LogReport, ProgramReport};
use crate::document::Record;
use crate::rules::tests::blank;
use crate::rules::tests::conclude;
use chronoscope_harness::record::{Bin, Histogram, Times};

fn figures(way: HiccupWay) -> HiccupFigures {
    let bins = [(200.0, 208.0, 9_000), (1_024.0, 1_088.0, 90), (31_744.0, 32_768.0, 4), (262_144.0, 278_528.0, 1)];
    let histogram =
        Histogram { bins: bins.map(|(from_ns, to_ns, count)| Bin { from_ns, to_ns, count }).into_iter().collect() };
    let late_ns = |[p50, p90, p99, p999]: [f64; 4]| Times {
        mean: None,
        p50,
        p90,
        p99,
        p999,
        max: 270_000.0,
        histogram: histogram.clone(),
    };
    let spun = HiccupFigures {
        observed_ms: 5_000.0,
        looks: 500_000,
        late_ns: late_ns([204.0, 206.0, 1_050.0, 4_100.0]),
        share_over_10_us: 0.000_5,
        share_over_100_us: 0.000_1,
        share_over_1_ms: 0.0,
    };
    match way {
        HiccupWay::Spin => spun,
        HiccupWay::Sleep => HiccupFigures {
            looks: 5_000,
            late_ns: late_ns([28_000.0, 40_000.0, 90_000.0, 210_000.0]),
            share_over_10_us: 1.0,
            share_over_100_us: 0.002,
            ..spun
        },
    }
}

fn well() -> HiccupsReport {
    let cpu = |way| [0, 1].map(|cpu| Hiccups { cpu: Some(cpu), way, figures: figures(way) });
    HiccupsReport {
        observed_ms: 10_000.0,
        cpus: HiccupWay::ALL.map(cpu).concat(),
        all: HiccupWay::ALL.map(|way| Hiccups { cpu: None, way, figures: figures(way) }).to_vec(),
        ..HiccupsReport::default()
    }
}

fn program() -> ProgramReport {
    ProgramReport { exit_code: Some(3), ..ProgramReport::default() }
}

fn log() -> LogReport {
    LogReport { file: "hiccups.hlog".to_owned(), intervals: 20, reason_ended: None }
}

/// The document of a run with only `report`, and the conclusions from it.
fn document(report: HiccupsReport) -> Record {
    let mut record = blank();
    record.content.sections.hiccups.plan.command = ["make", "-j2"].map(str::to_owned).to_vec();
    record.content.sections.hiccups.report = Some(report);
    record.findings = conclude(&record);
    record
}

/// Output can be read back, and conforms to the schema.
#[test]
fn a_report_survives_json_and_keeps_its_schema() {
    let schema = serde_json::to_value(schemars::schema_for!(HiccupsReport)).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let full = HiccupsReport { program: Some(program()), log: Some(log()), ..well() };
    for report in [well(), full, HiccupsReport::default()] {
        let value = serde_json::to_value(&report).unwrap();
        assert!(validator.is_valid(&value), "{value}");
        assert_eq!(serde_json::from_value::<HiccupsReport>(value).unwrap(), report);
    }
}
