//! The smallest step observed on each clock.

pub mod measure;
pub mod task;
