//! Worker processes: the program restarts itself to measure.
//!
//! Address layout, page colour and CPU frequency differ by chance between processes, so an estimate over several
//! includes variation that a single one hides. A worker may also die, for example from an illegal instruction, without
//! discarding earlier results.
//!
//! The coordinator writes one JSON request to the worker's standard input; the worker answers on its standard output
//! and exits.

mod failure;
mod launcher;
mod serve;

pub use failure::WorkerFailure;
pub use launcher::{Launch, Launcher};
pub use serve::serve_if_asked;

/// The first argument of a program started as a worker.
const ARGUMENT: &str = "__chronoscope-worker";
