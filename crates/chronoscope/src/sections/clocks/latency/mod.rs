//! What a read of each clock costs.

pub mod batches;
pub mod canary;
pub mod estimate;
pub mod measure;
pub mod task;
