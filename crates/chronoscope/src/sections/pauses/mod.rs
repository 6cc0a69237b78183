//! How long pauses really take.

pub mod estimate;
pub mod measure;
pub mod report;
pub mod rules;
pub mod task;
pub mod view;

use crate::engine::task::{Served, served};

/// What workers do for it.
pub const TASKS: &[Served] = &[served::<task::Request>()];
