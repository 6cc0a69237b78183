use chronoscope_harness::quantity::ns;

/// The step of a clock in a table; `words` for one that is merely the latency of a read, and for none.
pub fn observed_step(
    moves_in_ns: Option<f64>,
    granularity_ns: Option<f64>,
    is_latency: Option<bool>,
    [latency, unknown]: [&str; 2],
) -> String {
    match (moves_in_ns, granularity_ns, is_latency) {
        (Some(step), ..) => ns(step),
        (None, _, Some(true)) => latency.to_owned(),
        (None, Some(step), _) => ns(step),
        (None, None, _) => unknown.to_owned(),
    }
}
