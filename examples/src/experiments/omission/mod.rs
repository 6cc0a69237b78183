//! The rate claimed by timestamps around part of a loop, with more threads than CPUs.
//!
//! # Sources
//! A. Shipilëv, "Nanotrusting the Nanotime", 2014, <https://shipilev.net/blog/2014/nanotrusting-nanotime/>: the loop,
//! and the rates claimed for it by JMH's invocation-level fixtures.

mod cases;
mod charts;
mod figures;
mod says;

use std::time::Duration;

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
};

/// A loop with timestamps around its work but not its set-up.
struct Loop {
    /// The parameter's value.
    name: &'static str,
    setup_tokens: u64,
    work_tokens: u64,
    /// Whether the set-up ends by yielding the CPU.
    yields: bool,
}

/// In tokens, whose length depends on the machine and is reported with the run. At about a nanosecond each, these
/// lengths match published runs.
const LOOPS: [Loop; 4] = [
    Loop { name: "set-up 8000 tokens, work 8000", setup_tokens: 8_000, work_tokens: 8_000, yields: false },
    Loop { name: "set-up 8000 tokens and a yield, work 8000", setup_tokens: 8_000, work_tokens: 8_000, yields: true },
    Loop { name: "set-up 80000 tokens, work 800", setup_tokens: 80_000, work_tokens: 800, yields: false },
    Loop {
        name: "set-up 3200000 tokens, work 6400000",
        setup_tokens: 3_200_000,
        work_tokens: 6_400_000,
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
            b.iter_with_unmeasured_setup_beware_of_omission(
                || {
                    consume_cpu(this.setup_tokens);
                    if this.yields {
                        std::thread::yield_now();
                    }
                },
                |()| consume_cpu(this.work_tokens),
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
