//! Which way each clock takes: register, vDSO, system call.

pub mod measure;
pub mod task;
