//! Causality: offsets between CPUs, and the one-way litmus.

pub mod estimate;
pub mod litmus;
pub mod measure;
pub mod offset;
pub mod report;
pub mod rules;
pub mod view;

use crate::engine::task::{Served, served};

/// What workers do for it.
pub const TASKS: &[Served] = &[served::<offset::Request>(), served::<litmus::Request>()];
