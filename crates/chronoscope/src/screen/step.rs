use chronoscope_harness::quantity::ns;

/// In a table, a clock that showed no step.
pub const AS_A_READ: &str = "= read";
/// What that means.
pub const AS_A_READ_MEANS: &str = "= read: no step but that of a read was seen";

/// The step of a clock in a table; `unknown` where none is known.
pub fn observed_step(
    moves_in_ns: Option<f64>,
    granularity_ns: Option<f64>,
    is_latency: Option<bool>,
    unknown: &str,
) -> String {
    match (moves_in_ns, granularity_ns, is_latency) {
        (Some(step), ..) => ns(step),
        (None, _, Some(true)) => AS_A_READ.to_owned(),
        (None, Some(step), _) => ns(step),
        (None, None, _) => unknown.to_owned(),
    }
}
