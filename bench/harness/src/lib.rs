//! What the benchmark and its peers' processes share: the operations, and what a peer's process is told.

pub mod operation;
pub mod orders;
