//! The distribution of consecutive reads.

pub mod estimate;
pub mod measure;
pub mod report;
pub mod task;
pub mod view;
