//! The study harness: measures the cost of operations as a function of backoff and threads, with direct comparisons.
//!
//! A [`Study`] holds cases; its plan lists the cells: case × parameters × threads × backoff. Worker processes visit
//! every cell at most once per round, in an order that changes between rounds; during a visit the cell's threads run
//! batches, each timed as a whole. Estimates use visits that two interference probes mark as quiet; their intervals are
//! over processes. Data moves one way: [`study`] → plan → [`worker`] (in the worker: [`crew`], [`phases`], [`bencher`])
//! → messages ([`protocol`]) → [`run`] → [`estimate`] → [`StudyRecord`](crate::record::study::StudyRecord).

mod bencher;
mod case;
mod cell_set;
#[expect(missing_docs, reason = "a row tells what it is about")]
pub mod compare;
#[expect(missing_docs, reason = "a row tells what it is about")]
pub mod conclusions;
mod cpu_time;
mod crew;
mod edges;
mod error;
mod estimate;
mod kept_states;
mod launch;
mod memory;
mod phases;
mod protocol;
mod rally;
#[expect(missing_docs, reason = "a row tells what it is about")]
pub mod rules;
mod run;
mod schedule;
#[expect(clippy::module_inception, reason = "the noun of the file is the noun of the room")]
mod study;
mod time_left;
mod told;
pub mod words;
mod worker;

pub use bencher::Bencher;
pub use case::Group;
pub use error::StudyError;
pub use protocol::VARIABLE as WORKER_VARIABLE;
pub use run::StudyObserver;
pub use study::{Study, StudyOptions};

/// Defaults of a study.
pub mod defaults {
    pub use super::schedule::LAYOUTS;
    pub use super::study::{BUDGETS, CELL_BUDGET, FORKS};
    pub use super::worker::LONGEST_BATCHES;
}
