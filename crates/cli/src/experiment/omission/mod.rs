//! What stamps around a part of a loop claim when there are more threads than CPUs.

mod figures;
mod says;

use std::time::Duration;

use chronoscope_measure::record::study::StudyRecord;
use chronoscope_measure::{Study, consume_cpu};

use super::conclusions::Conclusions;
use super::reading::Reading;

/// The case; what it does is a parameter, for loops of unlike lengths have batches of their own.
const CASE: &str = "setup(); work()";
const LOOP: &str = "loop";

/// A loop whose work is stamped and whose set-up is not.
struct Loop {
    /// The parameter's value.
    name: &'static str,
    setup_tokens: u64,
    work_tokens: u64,
    /// Whether the set-up ends by giving the CPU away.
    yields: bool,
}

/// In tokens, which take as long as a multiplication and an addition, 1.1 to 1.5 ns: the names say it roughly, and the
/// record exactly.
const LOOPS: [Loop; 4] = [
    Loop { name: "set-up 10 µs, work 10 µs", setup_tokens: 8_000, work_tokens: 8_000, yields: false },
    Loop { name: "set-up 10 µs and a yield, work 10 µs", setup_tokens: 8_000, work_tokens: 8_000, yields: true },
    Loop { name: "set-up 100 µs, work 1 µs", setup_tokens: 80_000, work_tokens: 800, yields: false },
    Loop { name: "set-up 4 ms, work 8 ms", setup_tokens: 3_200_000, work_tokens: 6_400_000, yields: false },
];

/// `cpus`: how many the threads will have.
pub(super) fn study(cpus: u32) -> Study {
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
        .forks(6)
        .rounds(2)
        .budget(Duration::from_secs(20))
}

/// One thread, half the CPUs, as many as there are, twice and four times as many.
fn threads(cpus: u32) -> Vec<u32> {
    let mut threads = vec![1, cpus / 2, cpus, cpus.saturating_mul(2), cpus.saturating_mul(4)];
    threads.retain(|threads| *threads > 0);
    threads.sort_unstable();
    threads.dedup();
    threads
}

pub(super) fn conclude(record: &StudyRecord) -> Conclusions {
    let record = Reading(record);
    let figures: Vec<figures::Figures> = LOOPS.iter().map(|each| figures::of(record, each.name)).collect();
    Conclusions {
        experiment: "omission",
        question: "How often per second can `setup(); work()` be done, if only work() counts? Threads 1 to 4 per CPU."
            .into(),
        naive: says::naive(&figures),
        model: says::model(record, &figures),
        published: says::published(record, &figures),
    }
}

#[cfg(test)]
mod tests;
