//! The smallest step each clock shows.

pub mod measure;
pub mod task;
