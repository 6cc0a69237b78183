//! The studies of this benchmark in one run: latency, work and threads.

use bench_clock::studies;
use bench_clock::subjects::{NOTHING, RDTSC, STD};
use bench_clock::work::TURNS;
use bench_common::study;
use bench_common::{Failure, Run, Section, Table, Value};
use chronoscope_harness::record::study::{Cell, StudyRecord};
use chronoscope_harness::stats::over_processes;
use chronoscope_harness::{Study, StudyOptions};

fn record_of(run: &Run, study: &Study, quick_seconds: f64) -> Result<StudyRecord, Failure> {
    run.now(study.name());
    study::run(study, &run.pick(StudyOptions::default(), study::options((quick_seconds, 3))))
}

pub(crate) fn latency(run: &Run, section: &mut Section) -> Result<(), Failure> {
    section.study(&record_of(run, &studies::latency()?, 1.0)?);
    Ok(())
}

/// What a read adds inside real work.
pub(crate) fn work(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let record = record_of(run, &studies::work()?, 1.0)?;
    let (confidence, turns) = (record.study().plan.confidence, f64::from(TURNS));
    let of = |name: &str| record.study().cells.iter().find(|cell| cell.case == name);
    let mut table = Table::new(1, "read | ns a turn | adds ns | × what std adds");
    for cell in &record.study().cells {
        let loops: Vec<&Cell> = [Some(cell), of(NOTHING), of(STD)].into_iter().flatten().collect();
        let adds = over_processes(&loops[..2], confidence, |ns| (ns[0] - ns[1]) / turns);
        let to_std = over_processes(&loops, confidence, |ns| (ns[0] - ns[1]) / (ns[2] - ns[1]));
        table.row([
            cell.case.as_str().into(),
            Value::estimate(cell.time_ns.map(|ns| ns.times(turns.recip())), 1),
            Value::estimate(adds.filter(|_| cell.case != NOTHING), 1),
            Value::estimate(to_std.filter(|_| ![NOTHING, STD].contains(&cell.case.as_str())), 2),
        ]);
    }
    section.table(table);
    section.say(basis(&record));
    Ok(())
}

/// Reads per second on one CPU and on several at once.
pub(crate) fn threads(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let record = record_of(run, &studies::threads()?, 1.0)?;
    let confidence = record.study().plan.confidence;
    let read_of = |cell: &Cell| cell.parameters.get(studies::READ).cloned().unwrap_or_default();
    let of = |read: &str, threads: u32| {
        record.study().cells.iter().find(|cell| cell.threads == threads && read_of(cell) == read)
    };
    let mut table = Table::new(2, &format!("read | threads | M/s | scaling | × {RDTSC}'s scaling"));
    for cell in &record.study().cells {
        let (read, threads) = (read_of(cell), cell.threads);
        let all = f64::from(threads);
        let loops: Vec<&Cell> =
            [of(&read, 1), Some(cell), of(RDTSC, 1), of(RDTSC, threads)].into_iter().flatten().collect();
        let scaling = over_processes(&loops[..2], confidence, |ns| all * ns[0] / ns[1]);
        let to_counter = over_processes(&loops, confidence, |ns| (ns[0] / ns[1]) / (ns[2] / ns[3]));
        table.row([
            read.into(),
            threads.to_string().into(),
            Value::estimate(cell.throughput_per_s.map(|per_s| per_s.times(1e-6)), 1),
            Value::estimate(scaling.filter(|_| threads > 1), 2),
            Value::estimate(to_counter.filter(|_| threads > 1), 2),
        ]);
    }
    section.table(table);
    section.say(basis(&record));
    Ok(())
}

fn basis(record: &StudyRecord) -> String {
    let confidence = (record.study().confidence() * 1e3).round() / 10.0;
    format!(
        "{} processes, {} rounds each. In brackets: {confidence} % intervals, over processes.",
        record.study().processes.len(),
        record.study().plan.rounds
    )
}
