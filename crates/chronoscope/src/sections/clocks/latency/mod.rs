//! What a read of each clock costs.

pub mod batches;
pub mod estimate;
pub mod interference;
pub mod measure;
pub mod task;
