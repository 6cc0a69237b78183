//! The harness: what operations cost as a function of backoff and threads, compared with each other directly.
//!
//! A [`Study`] holds cases; a plan says which cells there are: case × parameters × threads × backoff. Worker processes visit
//! every cell at most once per round in an order that changes from round to round; in a visit the threads of the cell do batches
//! that are timed from outside. Estimates rest on visits that two canary loops call quiet, and their intervals on the
//! processes. Data moves one way: [`study`] → plan → [`worker`] (in the worker: [`crew`], [`phases`], [`bencher`]) → what it
//! says ([`protocol`]) → [`run`] → [`estimate`] → [`StudyRecord`](crate::record::study::StudyRecord).

mod bencher;
mod case;
#[expect(missing_docs, reason = "a row tells what it is about")]
pub mod compare;
#[expect(missing_docs, reason = "a row tells what it is about")]
pub mod conclusions;
mod crew;
mod edges;
mod error;
mod estimate;

mod launch;
mod phases;
mod protocol;
mod rally;
#[expect(missing_docs, reason = "a row tells what it is about")]
pub mod rules;
mod run;
mod schedule;
#[expect(clippy::module_inception, reason = "the noun of the file is the noun of the room")]
mod study;
mod told;
pub mod words;
mod worker;

pub use bencher::Bencher;
pub use case::Group;
pub use error::StudyError;
pub use protocol::VARIABLE as WORKER_VARIABLE;
pub use run::StudyObserver;
pub use study::{Study, StudyOptions};

/// What a study does unless it says otherwise.
pub mod defaults {
    pub use super::schedule::LAYOUTS;
    pub use super::study::{BUDGETS, CELL_BUDGET, FORKS};
    pub use super::worker::LONGEST_BATCHES;
}
