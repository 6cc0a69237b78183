//! The cases and their comparisons.

pub(super) const CONSUME: &str = "baseline: consume";
pub(super) const RETURN_42: &str = "baseline: consume, return 42";
pub(super) const RETURN_FIELD: &str = "baseline: consume, return a field";
pub(super) const BASELINES: [&str; 3] = [CONSUME, RETURN_42, RETURN_FIELD];
pub(super) const PLAIN: &str = "plain v++";
pub(super) const VOLATILE: &str = "volatile v++";
pub(super) const PLAIN_SHARED: &str = "plain v++, one line";
pub(super) const VOLATILE_SHARED: &str = "volatile v++, one line";
/// What both harnesses have, a native one and a runtime's probe: each thread writes a field of its own.
pub(super) const OWN: [&str; 5] = [CONSUME, RETURN_42, RETURN_FIELD, PLAIN, VOLATILE];
