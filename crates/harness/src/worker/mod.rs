//! Worker processes: the program starts itself again for its measurements.
//!
//! Address layout, page colour and the luck of the CPU's frequency differ from process to process, so an estimate over
//! several of them includes what a single one hides. A worker may also die, of a forbidden instruction say, without
//! taking along what has been measured.
//!
//! The coordinator writes one request as JSON to the worker's standard input; the worker answers on its standard output and
//! ends.

mod failure;
mod launcher;
mod serve;

pub use failure::WorkerFailure;
pub use launcher::{Launch, Launcher};
pub use serve::serve_if_asked;

/// The first argument of a program that is to be a worker.
const ARGUMENT: &str = "__chronoscope-worker";
