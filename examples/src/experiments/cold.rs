//! A read of the system's clock after the thread slept, or moved to another CPU: what was in its caches may be gone.
//!
//! # Sources
//! A. Akinshin, "Stopwatch under the hood", 2016, on counters that stop while a CPU sleeps. No figure of a first read was published there.

use std::hint::black_box;
use std::time::{Duration, Instant};

use chronoscope_clock::Clock;
use chronoscope_harness::literature::Article;
use chronoscope_harness::quantity::{RATIO, TIME};
use chronoscope_harness::record::TscClass;
use chronoscope_harness::record::study::{Estimate, Mode, StudyRecord};
use chronoscope_harness::stats::over_processes;
use chronoscope_harness::{Bencher, Start, Study, pin, rest};

use crate::reading::{MAY_BE_ZERO, doubt};
use crate::{Block, Chart, Conclusions, Experiment, Panel, Series, Spot, Topic, Unit, Value};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "cold",
    about: "The first read of a clock after a sleep, or on another CPU",
    study: |cpus, _| study(cpus),
    conclude,
    in_runtimes: None,
};

/// What a thread does before a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Nothing,
    Asleep(Duration),
    Moved,
}

/// What comes before, its name, and the names of two stamps alone and of a read between them.
struct State {
    before: Before,
    name: &'static str,
    stamps: &'static str,
    read: &'static str,
}

const STATES: [State; 4] = [
    State { before: Before::Nothing, name: "in a row", stamps: "stamps, in a row", read: "read, in a row" },
    State {
        before: Before::Asleep(Duration::from_millis(1)),
        name: "after a sleep of 1 ms",
        stamps: "stamps, after a sleep of 1 ms",
        read: "read, after a sleep of 1 ms",
    },
    State {
        before: Before::Asleep(Duration::from_millis(10)),
        name: "after a sleep of 10 ms",
        stamps: "stamps, after a sleep of 10 ms",
        read: "read, after a sleep of 10 ms",
    },
    State {
        before: Before::Moved,
        name: "on another CPU",
        stamps: "stamps, on another CPU",
        read: "read, on another CPU",
    },
];
/// Reads of a batch: their sum is far above what a stamp resolves.
const READS: u64 = 20;

fn study(cpus: u32) -> Study {
    let allowed = Start::of_this_process().allowed_cpus().to_vec();
    let study = Study::new("experiment cold").mode(Mode::Batch(READS)).processes(12).budget(Duration::from_secs(20));
    let with = |study: Study, State { before, stamps, read, .. }: &State| {
        let (before, of_stamps, of_reads) = (*before, allowed.clone(), allowed.clone());
        study
            .case(*stamps, move |b| stamped(b, before, &of_stamps, || ()))
            .case(*read, move |b| stamped(b, before, &of_reads, Instant::now))
            .compare(*read, *stamps)
    };
    // A thread that has one CPU cannot move.
    STATES.iter().filter(|state| state.before != Before::Moved || cpus > 1).fold(study, with)
}

/// Times each call by two stamps, after what comes before.
fn stamped<O>(b: &mut Bencher<'_>, before: Before, cpus: &[u32], call: impl Fn() -> O) {
    let clock = Clock::or_system();
    b.iter_custom(|operations| {
        let home = Start::of_this_process().allowed_cpus().to_vec();
        let mut sum = Duration::ZERO;
        for turn in 0..operations {
            match before {
                Before::Nothing => {}
                Before::Asleep(length) => rest(length),
                Before::Moved => move_on(turn, cpus),
            }
            let begin = clock.now();
            black_box(call());
            sum += clock.now() - begin;
        }
        if before == Before::Moved {
            pin(&home).unwrap_or_else(|why| panic!("the thread could not return to its CPU: {why}"));
        }
        sum
    });
}

/// Moves to the next of `cpus`.
fn move_on(turn: u64, cpus: &[u32]) {
    // A remainder is below the length.
    let cpu = cpus[(turn % cpus.len().max(1) as u64) as usize];
    pin(&[cpu]).unwrap_or_else(|why| panic!("the thread could not move to CPU {cpu}: {why}"));
}

/// What a read takes more than two stamps.
fn read_ns(record: &StudyRecord, state: &State) -> Option<Estimate> {
    Some(record.point(state.read, state.stamps, 0, 1)?.difference_ns)
}

/// A read in this state over one in a row, each less its stamps, process by process.
fn over_row(record: &StudyRecord, state: &State) -> Option<Estimate> {
    let cell = |case: &str| record.cell(case, 0, 1);
    let cells = [cell(state.read)?, cell(state.stamps)?, cell(STATES[0].read)?, cell(STATES[0].stamps)?];
    over_processes(&cells, record.study().plan.confidence, |ns| (ns[0] - ns[1]) / (ns[2] - ns[3]))
}

fn conclude(record: &StudyRecord) -> Conclusions {
    let (naive, model) = (naive(record), model(record));
    Conclusions {
        experiment: EXPERIMENT.name.to_owned(),
        charts: chart(record, [&naive, &model]).into_iter().collect(),
        question: "What does the first read of CLOCK_MONOTONIC cost, after the thread slept or moved to another CPU?"
            .into(),
        passed: None,
        naive,
        model,
        published: published(record),
    }
}

fn chart(record: &StudyRecord, [naive, model]: [&Block; 2]) -> Option<Chart> {
    let places = || (0_u32..).map(f64::from);
    let points = places().zip(&STATES).map(|(at, state)| Some(Spot::new(at, read_ns(record, state)?)));
    let names = STATES.iter().map(|state| state.name.to_owned()).collect();
    let series = vec![Series::of("a read, less the stamps around it", points)];
    let panel = Panel { names, ..Panel::over("", "", Unit::DifferenceNs, series) };
    let sentences = naive.main().into_iter().chain(model.main()).collect();
    Chart::of(Topic::Times, "The first read of a clock", sentences, vec![panel])
}

fn naive(record: &StudyRecord) -> Block {
    let mut block = Block::default();
    block.conclude(match read_ns(record, &STATES[0]) {
        Some(found) => {
            format!(
                "a read adds {} to its stamps: so it is when reads follow each other",
                TIME.signed().difference(&found)
            )
        }
        None => "nothing: no read was measured".to_owned(),
    });
    block
}

fn model(record: &StudyRecord) -> Block {
    let mut block = Block::default();
    let rows = STATES.iter().filter(|state| read_ns(record, state).is_some()).map(|state| {
        vec![
            Value::text(state.name),
            Value::time(record.cell(state.stamps, 0, 1)),
            Value::time(record.cell(state.read, 0, 1)),
            Value::or(read_ns(record, state).map(Value::DifferenceNs), "not compared"),
        ]
    });
    let rows: Vec<Vec<Value>> = rows.collect();
    if rows.is_empty() {
        block.conclude("the comparisons are missing: no conclusion");
        return block;
    }
    block.table("", &["a read", "two stamps alone", "with the read between them", "the read"], rows);
    for state in &STATES[1..] {
        let Some(found) = read_ns(record, state) else { continue };
        let name = state.name;
        let took = TIME.signed().difference(&found);
        let times = over_row(record, state).filter(|times| times.is_resolved() && times.low > 0.0);
        let times =
            times.map_or_else(String::new, |times| format!(", {} what a read adds in a row", RATIO.amount(&times)));
        let text = match found.is_resolved() {
            true => format!("{name} the first read adds {took}{times}"),
            false if !found.has_confidence() => format!("{name} the first read adds {took}{}", doubt(&found)),
            false => format!("{name} the first read adds {took}{MAY_BE_ZERO}"),
        };
        block.conclude(text).with("first_read_ns", found);
    }
    block.say("differences and ratios are taken within each process, where what the stamps take is the same");
    block.say(
        "a read by the standard library, between two stamps of the library's own clock: what they take alone is compared with what they take \
         with the read between them. A program that reads its clock rarely pays this price, and no loop of reads shows it",
    );
    block
}

fn published(record: &StudyRecord) -> Block {
    let mut block = Block::default();
    let article = Article::Stopwatch.cited();
    let here = match record.machine.tsc.class {
        Some(TscClass::Invariant) => "here the CPU or the kernel calls it invariant",
        Some(_) => "here the counter is not invariant",
        None => "here the class of the counter is not known",
    };
    block.say(format!("article: {article}: a counter that is constant may stop while its CPU sleeps deeply; {here}"));
    block
}

#[cfg(test)]
mod tests {
    use chronoscope_harness::record::study::Difference;

    use super::*;
    use crate::synthetic::{assert_pages, cell, comparison, interval, record};

    /// Stamps take 30 ns in a row and 90 after anything else; a read adds 25 ns, and `cold` after anything else.
    fn made_up(cold_ns: f64, half: f64) -> StudyRecord {
        let mut made = record(&[0], &[1]);
        for state in &STATES {
            let is_cold = state.before != Before::Nothing;
            let (stamps, read) = if is_cold { (90.0, cold_ns) } else { (30.0, 25.0) };
            made.content.study.cells.push(cell(state.stamps, 0, 1, [stamps; 4]));
            made.content.study.cells.push(cell(state.read, 0, 1, [stamps + read; 4]));
            let points = [(0, interval(read, if is_cold { half } else { 0.1 }), Difference::Slower)];
            made.content.study.comparisons.push(comparison(state.read, state.stamps, 1, &points));
        }
        made
    }

    #[test]
    fn a_thread_moves_from_cpu_to_cpu_and_back() {
        let allowed = Start::of_this_process().allowed_cpus().to_vec();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for (turn, cpu) in (0..).zip(&allowed) {
                    move_on(turn, &allowed);
                    assert_eq!(Start::of_this_process().allowed_cpus(), [*cpu]);
                }
            });
        });
    }

    #[test]
    fn every_kind_of_record_has_its_page() {
        let pages = vec![
            ("a cold read takes longer", made_up(200.0, 5.0)),
            ("it may take nothing", made_up(10.0, 20.0)),
            ("nothing was measured", record(&[0], &[1])),
        ];
        assert_pages("cold", conclude, pages);
    }

    #[test]
    fn a_thread_with_one_cpu_does_not_move() {
        assert_eq!((study(1).cells().len(), study(2).cells().len()), (6, 8));
    }
}
