//! The time that a CPU quota took.

use crate::part::PartReport;

/// What a CPU quota took from some parts of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throttling {
    /// How long it stopped them, each CPU counted on its own.
    pub throttled_ms: f64,
    /// How long they ran.
    pub elapsed_ms: f64,
}

/// What a CPU quota took from the parts in `reports`; None where it took nothing, or that is not counted.
pub fn throttling<'a>(reports: impl IntoIterator<Item = &'a PartReport> + Clone) -> Option<Throttling> {
    let throttled_ms: f64 = reports.clone().into_iter().filter_map(|report| report.throttled_ms).sum();
    let elapsed_ms = reports.into_iter().map(|report| report.elapsed_ms as f64).sum();
    (throttled_ms > 0.0).then_some(Throttling { throttled_ms, elapsed_ms })
}

/// How long the threads of a part waited for others to leave the CPU: the kernel also counts the wait for the next period of a quota.
pub fn waited_for_others_ms(report: &PartReport) -> Option<f64> {
    Some((report.disturbance.waited_ms? - report.throttled_ms.unwrap_or(0.0)).max(0.0))
}
