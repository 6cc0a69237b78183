//! Experiments that teach: each asks a question whose obvious answer is wrong, measures it with the harness's public
//! API, and contrasts the obvious answer, the model's answer, and published figures.
//!
//! An [`Experiment`] builds a [`Study`](chronoscope_harness::Study), as any benchmark does, and derives [`Conclusions`]
//! from the study's record: a pure function, so a saved record gives the same conclusions as the run. Nothing here
//! prints.
//!
//! # Platform
//! Linux on x86-64 and aarch64, as `chronoscope-harness`.
//!
//! # Examples
//! ```
//! use chronoscope_examples::Experiment;
//!
//! let experiment = Experiment::from_name("volatile").unwrap();
//! let study = experiment.study(2, &[]);
//! assert_eq!(study.name(), "experiment volatile");
//! ```
#![forbid(unsafe_code)]

mod chart;
mod conclusions;
mod experiments;
mod reading;
#[cfg(test)]
mod synthetic;

pub use chart::{Chart, Level, Panel, Series, Spot, Topic, Unit};
pub use conclusions::{Block, Conclusions, Grid, Item, Statement, Value};
pub use experiments::{Experiment, RuntimeOperations};
