//! The smallest step observed on each clock.

pub mod estimate;
pub mod measure;
pub mod task;
