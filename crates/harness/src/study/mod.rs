//! The study harness: measures the cost of operations as a function of backoff and threads, with direct comparisons.
//!
//! A [`Study`] holds cases; its plan lists the cells: case × parameters × threads × backoff. Worker processes run
//! every cell at most once per round, in an order that changes between rounds; during an iteration the cell's threads run
//! batches, each timed as a whole. Estimates use iterations that two interference probes mark as quiet; their intervals are
//! over processes. Data moves one way: [`study`] → plan → [`worker`] (in the worker: [`crew`], [`phases`], [`bencher`])
//! → messages ([`protocol`]) → [`study_run`] → [`estimate`] → [`StudyRecord`](crate::record::study::StudyRecord).

mod affordable;
#[expect(missing_docs, reason = "a row tells what it is about")]
pub mod against;
mod ask;
mod batch_log;
mod bencher;
mod case;
mod case_filter;
mod cell_set;
#[expect(missing_docs, reason = "a row tells what it is about")]
pub mod conclusions;
mod cpu_time;
mod crew;
mod edges;
mod error;
mod estimate;
#[cfg(feature = "estimators")]
mod external;
mod hearing;
mod kept_states;
mod latch;
mod lot;
#[cfg(test)]
pub(crate) mod made_up;
mod matched;
mod memory;
mod observer;
mod options;
mod other_build;
mod outline;
mod phases;
mod protocol;
mod rally;
#[expect(missing_docs, reason = "a row tells what it is about")]
pub mod rules;
mod run;
mod schedule;
#[expect(clippy::module_inception, reason = "the noun of the file is the noun of the room")]
mod study;
mod study_run;
mod time_left;
mod turns;
pub mod words;
mod worker;

pub use bencher::Bencher;
pub use case::Group;
pub use case_filter::{CaseFilter, CasePattern};
pub use error::StudyError;
#[cfg(feature = "estimators")]
pub use external::{ExternalIteration, ExternalStudy};
pub use observer::StudyObserver;
pub use options::StudyOptions;
pub use other_build::OtherBuild;
pub use study::Study;
pub use study_run::{StudyRun, Turn};

/// Defaults of a study.
pub mod defaults {
    pub use super::schedule::LAYOUTS;
    pub use super::study::{BUDGETS, CELL_BUDGET, PROCESSES};
    pub use super::worker::LONGEST_BATCHES;
}
