//! What the system's timer costs and resolves on one thread, on half of the CPUs, and on all: two figures each.
//!
//! # Sources
//! A. Shipilëv, "Nanotrusting the Nanotime", 2014, <https://shipilev.net/blog/2014/nanotrusting-nanotime/>, prints these blocks for the JVM on four
//! systems: latency, the average time of a read, and granularity, the average time until a reading differs from the last.

use std::time::{Duration, Instant};

use chronoscope_harness::literature::measure::{GRANULARITY, LATENCY};
use chronoscope_harness::literature::{Article, Figure, figures};
use chronoscope_harness::quantity::{RATIO, TIME};
use chronoscope_harness::record::study::{Estimate, StudyRecord};
use chronoscope_harness::stats::over_processes;
use chronoscope_harness::{Bencher, Study};
use chronoscope_render::text::counted;

use super::runtime_operations::threads;
use crate::reading::doubt;
use crate::{Block, Chart, Conclusions, Experiment, Panel, RuntimeOperations, Series, Spot, Topic, Unit, Value};

const NAME: &str = "timers";

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: NAME,
    about: "What the timer costs and resolves, on one thread, half of the CPUs and all",
    study: |cpus, _| study(cpus),
    conclude,
    in_runtimes: Some(&IN_RUNTIMES),
};

pub(super) const IN_RUNTIMES: RuntimeOperations =
    RuntimeOperations { experiment: NAME, cases: &CASES, compared: &[], tokens: &[0], shares: &SHARES };

const READ: &str = "a read";
const STEP: &str = "a read until the value changes";
const CASES: [&str; 2] = [READ, STEP];
const SHARES: [u32; 2] = [2, 1];
/// A step that takes at most this many times as long as a read is a read.
const AS_LONG: f64 = 1.5;

fn study(cpus: u32) -> Study {
    Study::new("experiment timers")
        .threads(threads(&SHARES, cpus))
        .case(READ, |b| b.iter(Instant::now))
        .case(STEP, until_it_changes)
        .processes(12)
        .budget(Duration::from_secs(12))
}

/// Reads until the value differs from the last of the operation before.
fn until_it_changes(b: &mut Bencher<'_>) {
    let mut last = Instant::now();
    b.iter(|| {
        let now = loop {
            let now = Instant::now();
            if now != last {
                break now;
            }
        };
        last = now;
        now
    });
}

fn time(record: &StudyRecord, case: &str, threads: u32) -> Option<Estimate> {
    record.cell(case, 0, threads)?.time_ns
}

/// The numbers of threads that were tried, ascending.
fn tried(record: &StudyRecord) -> Vec<u32> {
    let mut threads = record.study().plan.threads.clone();
    threads.sort_unstable();
    threads.dedup();
    threads
}

fn on(threads: u32) -> String {
    counted(u64::from(threads), "thread", "threads")
}

fn conclude(record: &StudyRecord) -> Conclusions {
    let (naive, model) = (naive(record), model(record));
    Conclusions {
        experiment: EXPERIMENT.name.to_owned(),
        charts: chart(record, [&naive, &model]).into_iter().collect(),
        question: "What does the timer cost and resolve, however many threads read it?".into(),
        passed: None,
        naive,
        model,
        published: published(record),
    }
}

fn chart(record: &StudyRecord, [naive, model]: [&Block; 2]) -> Option<Chart> {
    let of = |name: &str, case: &str| {
        let points =
            tried(record).into_iter().map(|threads| Spot::of_cell(f64::from(threads), record.cell(case, 0, threads)));
        Series::of(name, points)
    };
    let series = vec![of("latency", READ), of("granularity", STEP)];
    let panel = Panel::over("threads", "time of one operation", Unit::Ns, series);
    let sentences = naive.main().into_iter().chain(model.main()).collect();
    Chart::of(Topic::Times, "Latency and granularity of the timer", sentences, vec![panel])
}

fn naive(record: &StudyRecord) -> Block {
    let mut block = Block::default();
    let row = |threads: u32| {
        let value = |case: &str| Value::time(record.cell(case, 0, threads));
        vec![Value::Count(u64::from(threads)), value(READ), value(STEP)]
    };
    let rows = tried(record).into_iter().map(row).collect();
    block.table("", &["threads", "latency: a read", "granularity: until the value changes"], rows);
    block.conclude(match time(record, STEP, 1) {
        Some(step) => format!("the timer moves in steps of {}", TIME.amount(&step)),
        None => "nothing: the timer was not read on one thread".to_owned(),
    });
    block
}

fn model(record: &StudyRecord) -> Block {
    let mut block = Block::default();
    let confidence = record.study().plan.confidence;
    let over = |cases: [(&str, u32); 2]| {
        let cells = [record.cell(cases[0].0, 0, cases[0].1)?, record.cell(cases[1].0, 0, cases[1].1)?];
        over_processes(&cells, confidence, |ns| ns[0] / ns[1])
    };
    if let Some(times) = over([(STEP, 1), (READ, 1)]) {
        let found = RATIO.amount(&times);
        block
            .conclude(match times {
                _ if !times.has_confidence() => format!("a change takes {found} as long as a read{}", doubt(&times)),
                _ if times.high <= AS_LONG => {
                    format!("a change takes {found} as long as a read: what was seen are reads, and the step is no longer than one")
                }
                _ if times.low > AS_LONG => format!("a change takes {found} as long as a read: the timer moves in steps"),
                _ => format!("a change takes {found} as long as a read: whether it is a step is inconclusive"),
            })
            .with("step_over_read", times);
    }
    for threads in tried(record).into_iter().filter(|threads| *threads > 1) {
        let Some(times) = over([(READ, threads), (READ, 1)]) else { continue };
        let found = RATIO.amount(&times);
        let who = on(threads);
        block
            .conclude(match times {
                _ if !times.has_confidence() => {
                    format!("{who}: a read takes {found} as long as on one{}", doubt(&times))
                }
                _ if times.low > AS_LONG => {
                    format!("{who}: a read takes {found} as long as on one: they share what they read, or lack CPUs")
                }
                _ if times.high <= AS_LONG => {
                    format!("{who}: a read takes {found} as long as on one: no word that they share is seen")
                }
                _ => format!("{who}: a read takes {found} as long as on one"),
            })
            .with("over_one_thread", times);
    }
    if block.items.is_empty() {
        block.conclude("nothing was measured twice: no conclusion");
    }
    block.say("two readings of a clock that moves in steps may be off by up to a step, whatever a read costs");
    block
}

fn published(record: &StudyRecord) -> Block {
    let mut block = Block::default();
    let latency = |figure: &&Figure| figure.article == Article::Nanotrust && figure.measure == LATENCY;
    let row = |figure: &'static Figure| {
        let is_like = |other: &&&Figure| {
            let place = |figure: &Figure| (figure.article, figure.system, figure.hardware, figure.threads);
            other.measure == GRANULARITY && place(other) == place(figure)
        };
        let granularity = figures().iter().find(|other| is_like(&other)).map(|other| Value::text(other.said()));
        vec![
            Value::text(figure.surroundings()),
            Value::or(figure.threads.map(|threads| Value::Count(u64::from(threads))), "–"),
            Value::text(figure.said()),
            Value::or(granularity, "–"),
        ]
    };
    let ours = |threads: u32| {
        let value = |case: &str| Value::time(record.cell(case, 0, threads));
        vec![Value::text("ours"), Value::Count(u64::from(threads)), value(READ), value(STEP)]
    };
    let rows = figures().iter().filter(latency).map(row).chain(tried(record).into_iter().map(ours)).collect();
    block.table("", &["where", "threads", "latency", "granularity"], rows);
    block.say(format!("article: {}; ±: half of a 99.9 % interval", Article::Nanotrust.cited()));
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{assert_pages, cell, record};

    /// A read takes 25 ns, `slower` times that on two threads; until a change it takes `step` times a read.
    fn made_up(step: f64, slower: f64) -> StudyRecord {
        let mut made = record(&[0], &[1, 2]);
        for (threads, times) in [(1, 1.0), (2, slower)] {
            made.content.study.cells.push(cell(READ, 0, threads, [25.0 * times; 4]));
            made.content.study.cells.push(cell(STEP, 0, threads, [25.0 * times * step; 4]));
        }
        made
    }

    #[test]
    fn every_kind_of_record_has_its_page() {
        let pages = vec![
            ("reads hide the step, and threads share nothing", made_up(1.05, 1.02)),
            ("a coarse timer in a shared word", made_up(15.0, 8.0)),
            ("nothing was measured", record(&[], &[])),
        ];
        assert_pages("timers", conclude, pages);
    }

    #[test]
    fn an_operation_ends_where_the_value_changes() {
        assert_eq!(study(4).cells().len(), CASES.len() * 3, "one, two and four threads");
        assert_eq!(study(2).cells().len(), CASES.len() * 2, "half of two is one");
    }
}
