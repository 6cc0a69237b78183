//! What causal times cost when many threads ask for them.

pub mod estimate;
pub mod granularity_list;
pub mod measure;
pub mod report;
pub mod task;
pub mod view;

use crate::engine::task::{Served, served};

/// What workers do for it.
pub const TASKS: &[Served] = &[served::<task::Request>()];
