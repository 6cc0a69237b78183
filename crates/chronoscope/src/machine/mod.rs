//! What the machine tells of its clocks.

pub mod rules;
