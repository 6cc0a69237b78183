//! What a call costs in one thread and in many released together.

pub mod estimate;
pub mod judgement;
pub mod measure;
pub mod report;
pub mod task;
pub mod view;

use crate::engine::task::{Served, served};

/// What workers do for it.
pub const TASKS: &[Served] = &[served::<task::Request>()];
