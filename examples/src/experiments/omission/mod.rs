//! The rate claimed by timestamps around part of a loop, with more threads than CPUs.
//!
//! # Sources
//! A. Shipilëv, "Nanotrusting the Nanotime", 2014, <https://shipilev.net/blog/2014/nanotrusting-nanotime/>: the loop,
//! and the rates claimed for it by JMH's invocation-level fixtures.

mod cases;
mod charts;
mod figures;
mod says;

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use chronoscope_harness::record::study::StudyRecord;
use chronoscope_harness::{Study, consume_cpu};
use chronoscope_render::text::counted;

use self::cases::{CASE, LOOP};
use crate::{Conclusions, Experiment};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "omission",
    about: "What timestamps around part of a loop claim with more threads than CPUs",
    study: |cpus, _| study(cpus),
    conclude,
    in_runtimes: None,
};

/// A loop with timestamps around its work but not its set-up.
struct Loop {
    /// The parameter's value.
    name: &'static str,
    setup: Length,
    work: Length,
    /// Whether the set-up ends by yielding the CPU.
    yields: bool,
}

/// How much is done.
#[derive(Clone, Copy)]
enum Length {
    /// Tokens, whose time depends on the machine and is reported with the run.
    Tokens(u64),
    /// About so long, in tokens of which each process finds out how long they take.
    Time(Duration),
}

impl Length {
    fn tokens(self) -> u64 {
        match self {
            Self::Tokens(tokens) => tokens,
            // A float-to-int cast saturates.
            Self::Time(time) => (time.as_secs_f64() * 1e9 / token_ns()) as u64,
        }
    }
}

/// What a token takes in this process: the fastest of a few tries, which no other thread interrupted.
fn token_ns() -> f64 {
    const TOKENS: u64 = 200_000;
    const TRIES: u32 = 7;
    static FOUND: OnceLock<f64> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let tries = (0..TRIES).map(|_| {
            let began = Instant::now();
            consume_cpu(TOKENS);
            began.elapsed().as_secs_f64() * 1e9 / TOKENS as f64
        });
        tries.fold(f64::INFINITY, f64::min).max(f64::MIN_POSITIVE)
    })
}

/// The lengths of the first three, at about a nanosecond a token, match published runs; those of the last are the article's.
const LOOPS: [Loop; 4] = [
    Loop {
        name: "set-up 8000 tokens, work 8000",
        setup: Length::Tokens(8_000),
        work: Length::Tokens(8_000),
        yields: false,
    },
    Loop {
        name: "set-up 8000 tokens and a yield, work 8000",
        setup: Length::Tokens(8_000),
        work: Length::Tokens(8_000),
        yields: true,
    },
    Loop {
        name: "set-up 80000 tokens, work 800",
        setup: Length::Tokens(80_000),
        work: Length::Tokens(800),
        yields: false,
    },
    Loop {
        name: "set-up 5 ms, work 10 ms",
        setup: Length::Time(Duration::from_millis(5)),
        work: Length::Time(Duration::from_millis(10)),
        yields: false,
    },
];

/// `cpus`: the number of CPUs available to the threads.
fn study(cpus: u32) -> Study {
    Study::new("experiment omission")
        .threads(threads(cpus))
        .parameter(LOOP, LOOPS.iter().map(|each| each.name))
        .case(CASE, |b| {
            let name: String = b.parameter(LOOP);
            let Some(this) = LOOPS.iter().find(|each| each.name == name) else { panic!("there is no loop {name}") };
            let (setup, work) = (this.setup.tokens(), this.work.tokens());
            b.iter_with_unmeasured_setup_beware_of_omission(
                || {
                    consume_cpu(setup);
                    if this.yields {
                        std::thread::yield_now();
                    }
                },
                |()| consume_cpu(work),
            );
        })
        .processes(6)
        .rounds(2)
        .budget(Duration::from_secs(20))
}

/// One thread, half as many as CPUs, as many, twice and four times as many.
fn threads(cpus: u32) -> Vec<u32> {
    let mut threads = vec![1, cpus / 2, cpus, cpus.saturating_mul(2), cpus.saturating_mul(4)];
    threads.retain(|threads| *threads > 0);
    threads.sort_unstable();
    threads.dedup();
    threads
}

fn conclude(record: &StudyRecord) -> Conclusions {
    // The record's own loops: an earlier build may have used others.
    let loops = record.study().plan.parameters.iter().filter(|parameter| parameter.name == LOOP);
    let figures: Vec<figures::Figures> =
        loops.flat_map(|parameter| &parameter.values).map(|name| figures::of(record, name)).collect();
    Conclusions {
        experiment: EXPERIMENT.name.to_owned(),
        charts: charts::claims(record, &figures).into_iter().collect(),
        question: question(&record.study().plan.threads, record.cpus()),
        passed: None,
        naive: says::naive(&figures),
        model: says::model(record, &figures),
        published: says::published(record, &figures),
    }
}

fn question(threads: &[u32], cpus: u32) -> String {
    let asked = "How often per second can `setup(); work()` be done, if only work() counts?";
    let cpus = counted(u64::from(cpus), "CPU", "CPUs");
    match (threads.iter().min(), threads.iter().max()) {
        (Some(least), Some(most)) if least < most => format!("{asked} With {least} to {most} threads on {cpus}."),
        (Some(least), _) => format!("{asked} With {} on {cpus}.", counted(u64::from(*least), "thread", "threads")),
        _ => asked.to_owned(),
    }
}

#[cfg(test)]
mod tests;
