//! Experiments that teach: each asks a question whose obvious answer is wrong, measures it with the public API of the
//! harness, and says what the obvious answer is, what the model says, and what was published.
//!
//! An [`Experiment`] draws up a [`Study`](chronoscope_harness::Study), as any benchmark does, and makes [`Conclusions`] of the study's record: a pure
//! function, so that a saved record yields what the run did. Nothing here prints.
//!
//! # Platform
//! Linux on x86-64 and aarch64, as `chronoscope-harness`.
//!
//! # Examples
//! ```
//! use chronoscope_examples::Experiment;
//!
//! let experiment = Experiment::from_name("volatile").unwrap();
//! let study = experiment.study(2);
//! assert_eq!(study.name(), "experiment volatile");
//! ```
#![forbid(unsafe_code)]

mod conclusions;
mod experiments;
mod reading;
#[cfg(test)]
mod synthetic;

pub use conclusions::{Block, Conclusions, Grid, Item, Statement, Value};
pub use experiments::Experiment;
