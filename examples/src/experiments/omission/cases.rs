//! What the study calls its case and its parameter.

/// The case; what it does is a parameter, for loops of unlike lengths have batches of their own.
pub(super) const CASE: &str = "setup(); work()";
pub(super) const LOOP: &str = "loop";
