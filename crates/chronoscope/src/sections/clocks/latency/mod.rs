//! The cost of reading each clock: a study that is built in.

pub mod interference;
pub mod measure;
