//! The path of each clock: register, vDSO, system call.

pub mod measure;
pub mod task;
