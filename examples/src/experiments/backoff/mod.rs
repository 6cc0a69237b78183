//! The cost of a volatile write as a function of the surrounding work, and why no baseline can be subtracted.
//!
//! # Sources
//! A. Shipilëv, "Nanotrusting the Nanotime", 2014, <https://shipilev.net/blog/2014/nanotrusting-nanotime/>, draws the
//! curve with JMH on a 2 GHz laptop.

mod cases;
mod charts;
mod cost;
mod model;
mod naive;
mod published;

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use chronoscope_harness::Study;
use chronoscope_harness::record::study::StudyRecord;

use self::cases::{CONSUME, OWN, PLAIN, PLAIN_SHARED, RETURN_42, RETURN_FIELD, VOLATILE, VOLATILE_SHARED};
use super::volatile::{on_own_field, plain, volatile};
use crate::{Conclusions, Experiment, RuntimeOperations};

const NAME: &str = "backoff";

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: NAME,
    about: "The cost of a volatile write by the work around it, with three baselines",
    study: |_, _| study(),
    conclude,
    in_runtimes: Some(&IN_RUNTIMES),
};

/// Three baselines, a plain and a volatile increment.
pub(super) const IN_RUNTIMES: RuntimeOperations =
    RuntimeOperations { experiment: NAME, cases: &OWN, compared: &[(VOLATILE, PLAIN)], tokens: &TOKENS, shares: &[1] };

const TOKENS: [u64; 12] = [0, 1, 2, 5, 8, 10, 15, 20, 25, 30, 35, 40];

/// A field written by all threads, on its own cache lines.
#[derive(Default)]
#[repr(align(128))]
struct Field(AtomicU64);

fn study() -> Study {
    Study::new("experiment backoff")
        .backoff(TOKENS)
        .threads([1, 2])
        .case(CONSUME, |b| b.iter(|| ()))
        .case(RETURN_42, |b| b.iter(|| 42_u64))
        .case(RETURN_FIELD, |b| on_own_field(b, |v| v.load(Relaxed)))
        .case(PLAIN, |b| on_own_field(b, plain))
        .case(VOLATILE, |b| on_own_field(b, volatile))
        .case_shared(PLAIN_SHARED, |_| Field::default(), |b, Field(v)| b.iter(|| plain(v)))
        .case_shared(VOLATILE_SHARED, |_| Field::default(), |b, Field(v)| b.iter(|| volatile(v)))
        .compare(VOLATILE, PLAIN)
        .compare(VOLATILE_SHARED, PLAIN_SHARED)
        .budget(Duration::from_secs(20))
}

fn conclude(record: &StudyRecord) -> Conclusions {
    let (naive, model) = (naive::block(record), model::block(record));
    Conclusions {
        experiment: EXPERIMENT.name.to_owned(),
        charts: charts::all(record, &naive, &model),
        question: "What does a volatile increment cost when the program does other work between two of them?".into(),
        passed: None,
        naive,
        model,
        published: published::block(record),
    }
}

#[cfg(test)]
mod tests;
