//! What the benchmark and its peers' processes share: the operations.

pub mod operation;
