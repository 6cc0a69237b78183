//! The clocks: path, latency, granularity, shortest intervals.

pub mod detail;
pub mod granularity;
pub mod intervals;
pub mod latency;
pub mod library_clock;
pub mod paths;
pub mod report;
pub mod rules;
pub mod view;

use crate::engine::task::{Served, served};

/// What workers do for it.
pub const TASKS: &[Served] = &[
    served::<paths::task::Request>(),
    served::<latency::task::Request>(),
    served::<granularity::task::Request>(),
    served::<intervals::empty::Request>(),
    served::<intervals::task::Request>(),
    served::<library_clock::task::Request>(),
];
