//! Reads per second on one CPU and on several at once.

use bench_common::study;
use chronoscope_harness::record::study::{self as record, Estimate, StudyRecord};
use chronoscope_harness::stats::over_processes;
use chronoscope_harness::{Mode, Study};
use serde::Serialize;

use crate::cpus;
use crate::failure::Failure;
use crate::size::Size;
use crate::subjects::{self, *};
use crate::table;

const SUBJECTS: &[&str] =
    &[RDTSC, RDTSC_ORDERED, STD, QUANTA, MINSTANT, COARSETIME, UNORDERED, ORDERED, GRANULAR, GRANULAR_100, GRANULAR_0];

/// What the section saw.
#[derive(Debug, Serialize)]
pub(crate) struct Threads {
    subjects: Vec<Row>,
    #[serde(skip)]
    record: StudyRecord,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    by_threads: Vec<Cell>,
}

#[derive(Debug, Serialize)]
struct Cell {
    threads: u32,
    /// Millions of reads per second, all threads together.
    mreads_per_s: Option<Estimate>,
    /// That, by what one thread does in the same process.
    scaling: Option<Estimate>,
    /// That, by the scaling of the bare counter in the same process.
    scaling_to_rdtsc: Option<Estimate>,
}

/// The parameter that names the read: so a read on one thread and on several are next to each other in a round.
const READ: &str = "read";
/// Visits of each cell per process: few and long, so that what adapts to contention has adapted.
const ROUNDS: u32 = 12;

/// Every read on one thread and on several.
pub(crate) fn study() -> Result<Study, Failure> {
    let counts = cpus::thread_counts(cpus::allowed()?.len()).into_iter().map(|threads| threads as u32);
    let subjects = subjects::named(SUBJECTS)?;
    let names: Vec<&str> = subjects.iter().map(|subject| subject.name).collect();
    let study = Study::new("threads").mode(Mode::Throughput).threads(counts).rounds(ROUNDS).parameter(READ, names);
    Ok(study.case("reads", move |bencher| {
        let name: String = bencher.parameter(READ);
        match subjects.iter().find(|subject| subject.name == name) {
            Some(subject) => subject.reads(bencher),
            None => panic!("there is no read called {name}"),
        }
    }))
}

pub(crate) fn measure(size: &Size) -> Result<Threads, Failure> {
    eprintln!("bench-clock: threads, {} s", size.threads.budget.as_secs());
    let record = study::run("bench-clock", &study()?, size.threads)?;
    let names: Vec<&str> = subjects::named(SUBJECTS)?.iter().map(|subject| subject.name).collect();
    let row = |name: &&str| Row {
        name: (*name).to_owned(),
        by_threads: record.plan.threads.iter().filter_map(|threads| cell(&record, name, *threads)).collect(),
    };
    Ok(Threads { subjects: names.iter().map(row).collect(), record })
}

fn cell(record: &StudyRecord, name: &str, threads: u32) -> Option<Cell> {
    let of = |name: &str, threads: u32| {
        let is_of = |cell: &&record::Cell| {
            cell.threads == threads && cell.parameters.get(READ).is_some_and(|read| read == name)
        };
        record.cells.iter().find(is_of)
    };
    let (alone, together) = (&of(name, 1)?.forks[..], of(name, threads)?);
    let (confidence, all) = (record.plan.confidence, f64::from(threads));
    let scaling_to_rdtsc = of(RDTSC, 1).zip(of(RDTSC, threads)).and_then(|(counter_alone, counter)| {
        let cells = [alone, &together.forks, &counter_alone.forks, &counter.forks];
        over_processes(&cells, confidence, |ns| (ns[0] / ns[1]) / (ns[2] / ns[3]))
    });
    Some(Cell {
        threads,
        mreads_per_s: together.throughput_per_s.map(|per_s| study::divided(per_s, 1e6)),
        scaling: over_processes(&[alone, &together.forks], confidence, |ns| all * ns[0] / ns[1]),
        scaling_to_rdtsc,
    })
}

impl Threads {
    /// The scaling of `subject` to `threads` threads, by that of the bare counter.
    pub(crate) fn scaling_to_rdtsc(&self, subject: &str, threads: u32) -> Option<Estimate> {
        let row = self.subjects.iter().find(|row| row.name == subject)?;
        row.by_threads.iter().find(|cell| cell.threads == threads)?.scaling_to_rdtsc
    }

    pub(crate) fn show(&self) -> String {
        let counts = self.subjects.first().map(|row| &row.by_threads[..]).unwrap_or_default();
        let mut headings = vec!["read".to_owned()];
        for cell in counts {
            headings.push(format!("{} thread{}, M/s", cell.threads, if cell.threads == 1 { "" } else { "s" }));
            if cell.threads > 1 {
                headings.push(format!("scaling to {}", cell.threads));
                headings.push(format!("× scaling of {RDTSC}"));
            }
        }
        let rows = self.subjects.iter().map(|row| {
            let mut cells = vec![row.name.clone()];
            for cell in &row.by_threads {
                cells.push(table::or_dash(cell.mreads_per_s.map(|rate| study::show(&rate, 1))));
                if cell.threads > 1 {
                    cells.push(table::or_dash(cell.scaling.map(|scaling| study::show(&scaling, 2))));
                    cells.push(table::or_dash(cell.scaling_to_rdtsc.map(|scaling| study::show(&scaling, 2))));
                }
            }
            cells
        });
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        format!(
            "{}\n\n{}\n\
             Scaling is the rate of all threads by that of one, within each process; one thread runs on the last CPU. What the bare\n\
             counter does not reach of the number of threads is the machine's, not the clock's.",
            table::numbers(&headings, rows),
            study::basis(&self.record),
        )
    }
}
