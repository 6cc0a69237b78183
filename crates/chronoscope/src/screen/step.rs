use chronoscope_harness::estimators::tick::Step;
use chronoscope_harness::quantity::ns;

/// In a table, a clock that showed no step.
pub const AS_A_READ: &str = "= read";
/// What that means.
pub const AS_A_READ_MEANS: &str = "= read: the smallest step seen is no longer than a read";

/// The step of a clock in a table; `unknown` where none is known.
pub fn observed_step(step: Option<Step>, unknown: &str) -> String {
    match step.map(Step::moves_in_ns) {
        Some(Some(step_ns)) => ns(step_ns),
        Some(None) => AS_A_READ.to_owned(),
        None => unknown.to_owned(),
    }
}
