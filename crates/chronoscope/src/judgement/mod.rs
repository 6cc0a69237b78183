//! What follows from all that a document holds.

pub mod rules;
