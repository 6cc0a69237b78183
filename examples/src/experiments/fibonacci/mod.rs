//! An operation that never reaches steady state: the next Fibonacci number, whose digits grow without end.
//!
//! # Sources
//! A. Shipilëv, "Nanotrusting the Nanotime", 2014, <https://shipilev.net/blog/2014/nanotrusting-nanotime/>, on operations
//! without a steady state. The figures of Java and Rust in `says.rs` are ours.

mod cases;
mod charts;
mod decimal;
mod growth;
mod rivals;
mod says;

use std::sync::Mutex;
use std::time::Duration;

use chronoscope_harness::Study;
use chronoscope_harness::record::study::{Mode, StudyRecord};
use chronoscope_render::text::count;
use num_bigint::BigUint;

use self::cases::{CALLS, IN_DECIMAL, TIMED_ALONE, TIMED_OUTSIDE};
use self::decimal::DecimalPair;
use self::rivals::Rivals;
use crate::{Conclusions, Experiment};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "fibonacci",
    about: "An operation that never settles, and three bad answers",
    study: |_, _| study(),
    conclude,
    in_runtimes: None,
};

/// Two consecutive Fibonacci numbers.
struct Pair {
    last: BigUint,
    this: BigUint,
}

impl Pair {
    fn new() -> Self {
        Self { last: BigUint::from(0_u32), this: BigUint::from(1_u32) }
    }

    /// Advances to the next number, and returns its length.
    fn next(&mut self) -> u64 {
        std::mem::swap(&mut self.last, &mut self.this);
        self.this += &self.last;
        self.this.bits()
    }
}

fn study() -> Study {
    Study::new("experiment fibonacci")
        // State persists from batch to batch, so each case has one iteration per process, with as many batches as time
        // allows: a call's index is its position in the process.
        .mode(Mode::Batch(CALLS))
        .rounds(1)
        .iterations(0, 0)
        .processes(6)
        .case_shared(
            TIMED_OUTSIDE,
            |_| Mutex::new(Pair::new()),
            |b, pair| {
                if let Ok(mut pair) = pair.lock() {
                    b.iter(|| pair.next());
                }
            },
        )
        .case_shared(
            TIMED_ALONE,
            |_| Mutex::new(Pair::new()),
            |b, pair| {
                if let Ok(mut pair) = pair.lock() {
                    b.iter_with_unmeasured_setup_beware_of_omission(|| (), |()| pair.next());
                }
            },
        )
        .case_shared(
            IN_DECIMAL,
            |_| Mutex::new(DecimalPair::new()),
            |b, pair| {
                if let Ok(mut pair) = pair.lock() {
                    b.iter(|| pair.next());
                }
            },
        )
        .budget(Duration::from_secs(48))
}

fn conclude(record: &StudyRecord) -> Conclusions {
    let growth = growth::Growth::of(record);
    let (naive, mut model) = (says::naive(record, &growth), says::model(record, &growth));
    let compared = Rivals::of(record).map_or_else(Vec::new, |rivals| rivals.compared());
    rivals::say(&mut model, &compared);
    Conclusions {
        experiment: EXPERIMENT.name.to_owned(),
        charts: charts::call_times(record, &growth, &compared, [&naive, &model]).into_iter().collect(),
        question: format!(
            "How long does the next Fibonacci number take? The numbers never stop growing: {} calls add 209 digits.",
            count(1_000)
        ),
        passed: None,
        naive,
        model,
        published: says::published(record, &growth),
    }
}

#[cfg(test)]
mod tests;
