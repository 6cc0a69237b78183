//! The shortest interval that two reads of a clock time correctly.

pub mod empty;
pub mod measure;
pub mod task;
