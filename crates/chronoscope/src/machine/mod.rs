//! Findings about the machine and its clocks.

pub mod rules;
