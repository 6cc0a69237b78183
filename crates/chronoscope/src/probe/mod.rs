//! The machine's language runtimes, measured from inside: time as an engineer's program sees it.
//!
//! For every runtime there is a probe, one source file that its own launcher runs. It answers with raw integers
//! (`probes/PROTOCOL.md`); everything else is done here, with the same estimators as for the machine's own clocks.

mod answer;
mod ask;
mod become_probe;
#[cfg_attr(target_os = "linux", path = "calls/linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "calls/elsewhere.rs")]
mod calls;
mod candidate;
mod claimed_folder;
mod find;
#[cfg(test)]
mod golden_tests;
mod heir;
#[cfg(test)]
mod lists_tests;
pub mod probe_process;
pub mod protocol;
pub mod rates;
mod recipe;
mod run_folder;
pub mod runtime;

pub use answer::Answer;
pub use ask::ProbeRunner;
pub use become_probe::become_if_asked;
pub use candidate::{Candidate, CountedCalls, get_ready, unasked};
pub use find::{RuntimePlace, Surroundings, places};
pub use heir::inherit_if_asked;
pub use run_folder::RunFolder;

/// Why nothing is measured elsewhere.
pub const ON_LINUX_ONLY: &str = "language runtimes are measured, so far, on Linux only";
