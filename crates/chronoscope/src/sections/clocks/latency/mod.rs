//! The cost of reading each clock.

pub mod batches;
pub mod estimate;
pub mod interference;
pub mod measure;
pub mod task;
