//! The names of the study's case and parameter.

/// The case; its work is a parameter, since loops of different lengths need batches of their own.
pub(super) const CASE: &str = "setup(); work()";
pub(super) const LOOP: &str = "loop";
