//! The machine: which processor it has, and findings about it and its clocks.

pub mod processor;
pub mod rules;
