//! Reads per second on one CPU and on several at once.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::arguments::SectionName;
use crate::cpus;
use crate::failure::Failure;
use crate::rounds::Rounds;
use crate::size::Size;
use crate::spread::Spread;
use crate::subject::Subject;
use crate::subjects::{self, *};
use crate::table;
use crate::workers;

const SUBJECTS: &[&str] = &[
    RDTSC,
    RDTSC_ORDERED,
    STD,
    QUANTA,
    MINSTANT,
    COARSETIME,
    UNORDERED,
    ORDERED,
    GRANULAR,
    ADAPTIVE,
    GRANULAR_100,
    GRANULAR_0,
    FULL_RESOLUTION,
];

/// What the section saw.
#[derive(Debug, Serialize)]
pub(crate) struct Threads {
    rounds: usize,
    subjects: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    by_threads: Vec<Cell>,
}

#[derive(Debug, Serialize)]
struct Cell {
    threads: usize,
    /// Millions of reads per second, all threads together.
    mreads_per_s: Option<Spread>,
    /// That, by what one thread does in the same round.
    scaling: Option<Spread>,
    /// That, by the scaling of the bare counter in the same round.
    scaling_to_rdtsc: Option<Spread>,
}

/// The rounds of one process: one table per number of threads, all taken in the same rounds.
pub(crate) fn work_off(size: &Size) -> Result<Vec<Rounds>, Failure> {
    let cpus = cpus::allowed()?;
    let subjects = subjects::named(SUBJECTS)?;
    let counts = cpus::thread_counts(cpus.len());
    // A subject on one thread and on several, next to each other in time.
    let pairs: Vec<(usize, usize)> =
        (0..subjects.len()).flat_map(|at| counts.iter().map(move |threads| (at, *threads))).collect();
    let labels: Vec<String> = pairs.iter().map(|(at, threads)| format!("{}/{threads}", subjects[*at].name)).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut windows = 0;
    let rounds = Rounds::interleave("threads", &labels, size.threads.rounds, |pair| {
        let (at, threads) = pairs[pair];
        // One thread alone takes each CPU in turn from round to round.
        let first = windows / pairs.len();
        windows += 1;
        let on: Vec<usize> = (0..threads).map(|thread| cpus[(first + thread) % cpus.len()]).collect();
        window(&subjects[at], &on, size.threads_window)
    })?;
    let of_count = |(place, threads): (usize, &usize)| Rounds {
        of: threads.to_string(),
        subjects: subjects.iter().map(|subject| subject.name.into()).collect(),
        values: rounds
            .values
            .iter()
            .map(|round| round[place..].iter().step_by(counts.len()).copied().collect())
            .collect(),
    };
    Ok(counts.iter().enumerate().map(of_count).collect())
}

/// Millions of reads per second of one thread on each of `cpus`, together, over `length`.
fn window(subject: &Subject, cpus: &[usize], length: Duration) -> Result<f64, Failure> {
    let (stop, gate) = (AtomicBool::new(false), Barrier::new(cpus.len() + 1));
    let reader = |cpu: usize| {
        let bound = cpus::bind(cpu);
        gate.wait();
        bound?;
        let begun = Instant::now();
        let reads = subject.reads_until(&stop);
        Ok(reads as f64 / begun.elapsed().as_secs_f64() / 1e6)
    };
    thread::scope(|scope| {
        let readers: Vec<_> = cpus.iter().map(|cpu| scope.spawn(move || reader(*cpu))).collect();
        gate.wait();
        thread::sleep(length);
        stop.store(true, Relaxed);
        let rates = readers.into_iter().map(|reader| {
            reader.join().unwrap_or_else(|_| Err(Failure::because(format!("a thread of {} panicked", subject.name))))
        });
        rates.sum()
    })
}

pub(crate) fn measure(size: &Size) -> Result<Threads, Failure> {
    let parts = workers::rounds(SectionName::Threads, size.threads, size)?;
    let alone = parts.first().ok_or_else(|| Failure::because("no process measured anything"))?;
    let cell = |rounds: &Rounds, name: &str| {
        let scaling = |name: &str| -> Vec<f64> {
            rounds.values(name).zip(alone.values(name)).map(|(together, alone)| together / alone).collect()
        };
        let (own, counter) = (scaling(name), scaling(RDTSC));
        Cell {
            threads: rounds.of.parse().unwrap_or(0),
            mreads_per_s: rounds.spread(name),
            scaling_to_rdtsc: Spread::of(own.iter().zip(&counter).map(|(own, counter)| own / counter)),
            scaling: Spread::of(own),
        }
    };
    let row =
        |name: &String| Row { name: name.clone(), by_threads: parts.iter().map(|rounds| cell(rounds, name)).collect() };
    Ok(Threads { rounds: alone.values.len(), subjects: alone.subjects.iter().map(row).collect() })
}

impl Threads {
    /// The scaling of `subject` to `threads` threads, by that of the bare counter.
    pub(crate) fn scaling_to_rdtsc(&self, subject: &str, threads: usize) -> Option<Spread> {
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
                cells.push(table::or_dash(cell.mreads_per_s.map(|rate| rate.show(1))));
                if cell.threads > 1 {
                    cells.push(table::or_dash(cell.scaling.map(|scaling| scaling.show(2))));
                    cells.push(table::or_dash(cell.scaling_to_rdtsc.map(|scaling| scaling.show(2))));
                }
            }
            cells
        });
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        format!(
            "{}\n\n{} rounds, quartiles in brackets. Scaling is the rate of all threads by that of one, within each round;\n\
             what the bare counter does not reach of the number of threads is the machine's, not the clock's.",
            table::numbers(&headings, rows),
            self.rounds,
        )
    }
}
