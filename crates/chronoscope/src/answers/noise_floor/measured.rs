use chronoscope_harness::quantity::reach;
use chronoscope_harness::record::Estimate;
use chronoscope_harness::record::study::{Leading, StudyRecord};
use chronoscope_harness::stats::confidence_of_each;

use super::report::{IdenticalPair, NoiseFloor};

/// Under a smaller limit on CPU time than this, in CPUs, a single busy thread is stopped in every period.
const QUOTA_OF_ONE_THREAD: f64 = 1.0;
/// Half-widths beyond the farther end that a difference takes to be told 19 times in 20: by half-widths of 3.3 to 3.9 standard errors,
/// as at 99.9 % of one to ten pairs, 1.6 standard errors (the one-sided 95 % point of a normal distribution) are 0.5 at most.
const POWER: f64 = 0.5;

impl NoiseFloor {
    /// What a study of identical operations tells: each of its comparisons is of an operation with a second copy of itself.
    pub fn of(record: &StudyRecord) -> Self {
        let plan = &record.study().plan;
        let wanted = confidence_of_each(plan.confidence, plan.comparisons.len());
        let pairs: Vec<IdenticalPair> =
            plan.comparisons.iter().map(|(copy, operation)| pair(record, copy, operation, wanted)).collect();
        let false_alarms = pairs.iter().filter(|pair| pair.is_false_alarm).count() as u32;
        let probe = record.study().interference_probe.unwrap_or_default();
        let quota = record.machine.cpu_quota.value().copied().flatten();
        let mut floor = Self {
            processes: plan.processes,
            confidence: plan.confidence,
            processes_needed: needed(wanted),
            floor_pct: None,
            pairs,
            false_alarms,
            iterations: probe.iterations,
            iterations_quiet: probe.iterations_quiet,
            cpu_quota: quota.filter(|quota| *quota <= QUOTA_OF_ONE_THREAD),
        };
        floor.floor_pct = floor.worst().and_then(|pair| pair.told_pct).map(reach);
        floor
    }
}

fn pair(record: &StudyRecord, copy: &str, operation: &str, wanted: f64) -> IdenticalPair {
    let point = record.point(copy, operation, 0, 1);
    let ratio = point.map(|point| point.ratio);
    let is_finite = |ratio: &Estimate| ratio.low.is_finite() && ratio.high.is_finite();
    let interval = ratio.filter(Estimate::has_interval).filter(is_finite);
    let farthest = |ratio: Estimate| (ratio.low - 1.0).abs().max((ratio.high - 1.0).abs());
    let told_pct = interval.map(|ratio| 100.0 * (farthest(ratio) + POWER * ratio.half_width()));
    // The confidence attained is computed from binomials: equal up to rounding.
    let is_sure = told_pct.is_some() && interval.is_some_and(|ratio| ratio.confidence >= wanted - f64::EPSILON);
    IdenticalPair {
        operation: operation.to_owned(),
        time_ns: record.cell(operation, 0, 1).and_then(|cell| cell.time_ns),
        leads: point.map_or(Leading::Typical, |point| point.leads),
        ratio,
        told_pct,
        processes: point.map_or(0, |point| point.pairs),
        is_sure,
        is_false_alarm: is_sure && interval.is_some_and(|ratio| !ratio.holds(1.0)),
        has_states: point.is_some_and(|point| point.has_states),
    }
}

/// The fewest values whose range holds their median with this confidence: it does with a probability of 1 − 2/2ⁿ.
fn needed(confidence: f64) -> u32 {
    (2.0 / (1.0 - confidence)).log2().ceil().clamp(2.0, 1e3) as u32
}
