//! What only those need who study clocks: the bare counter, and what is seen between two CPUs.

pub use chronoscope_clock::TickSource;
pub use chronoscope_sources::arch::{Counter, NAME_ORDERED, NAME_UNORDERED, NAME_WITH_PROCESSOR_ID, WithProcessorId};
pub use chronoscope_sources::causality::litmus;
