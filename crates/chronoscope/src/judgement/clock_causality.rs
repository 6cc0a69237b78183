//! Whether each clock went backwards between CPUs, or why that is unknown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::Facts;
use crate::clock_id::ClockId;
use crate::part::Outcome;
use crate::sections::causality::plan::LITMUS;
use crate::sections::causality::report::Litmus;
use crate::sections::clocks::report::ClockReport;

/// Whether one clock went backwards between CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClockCausality {
    pub clock: ClockId,
    /// Whether it never did by more than one count of a counter, in the litmus or in messages between CPUs; null if it did not, but observations were too few to
    /// conclude that.
    pub causal: Option<bool>,
    /// Why that is unknown.
    pub reason_unknown: Option<String>,
}

/// Whether `clock` is one that never went backwards; None if unknown.
pub fn is_causal(clocks: &[ClockCausality], clock: &ClockId) -> Option<bool> {
    clocks.iter().find(|of| of.clock == *clock)?.causal
}

/// Each clock of the report.
pub fn of_clocks(facts: &Facts<'_>) -> Vec<ClockCausality> {
    let of_clock = |clock: &ClockReport| {
        let (causal, reason_unknown) = of_clock(clock, facts);
        ClockCausality { clock: clock.name.clone(), causal, reason_unknown }
    };
    facts.clocks().iter().map(of_clock).collect()
}

/// Whether `clock` never went backwards between CPUs, or why that is unknown.
///
/// One backward step of more than a count proves that it does. The opposite takes every pair of the plan, each with enough new values: a
/// repeated value adds hardly any evidence.
fn of_clock(clock: &ClockReport, facts: &Facts<'_>) -> (Option<bool>, Option<String>) {
    let unknown = |reason: String| (None, Some(reason));
    let report = &facts.sections.causality.report;
    let rows: Vec<&Litmus> = report.litmus.iter().filter(|row| row.name == clock.name).collect();
    let mut in_messages = report.pairs.iter().filter(|pair| pair.clock == clock.name);
    if rows.iter().any(|row| row.steps_back()) || in_messages.any(|pair| pair.violations > 0) {
        return (Some(false), None);
    }
    let left_out = || reason_left_out(&clock.name).map(str::to_owned).or_else(|| report.reason_unavailable.clone());
    if !clock.available {
        return (None, left_out());
    }
    if rows.is_empty() {
        return unknown(left_out().unwrap_or_else(|| reason_litmus_missing(facts)));
    }
    let planned = facts.sections.causality.plan.litmus_pairs.iter();
    let was_run = |pair: &&(u32, u32)| rows.iter().any(|row| (row.writer, row.reader) == **pair);
    if let Some((writer, reader)) = planned.clone().find(|pair| !was_run(pair)) {
        return unknown(format!("CPU {writer} to CPU {reader} not observed: {}", reason_litmus_missing(facts)));
    }
    match rows.iter().find(|row| !row.is_telling()) {
        Some(row) if row.observations == 0 => {
            unknown(format!("no observation from CPU {} to CPU {}", row.writer, row.reader))
        }
        Some(row) => unknown(format!(
            "new values seen from CPU {} to CPU {}: {}, too few to tell; a verdict takes {}",
            row.writer,
            row.reader,
            row.fresh,
            Litmus::FEWEST_NEW_VALUES
        )),
        None => (Some(true), None),
    }
}

/// Why no litmus tests this clock; None if one may.
fn reason_left_out(clock: &ClockId) -> Option<&'static str> {
    match clock {
        ClockId::Known(id) if !id.facts().is_shared_timeline => Some("it counts CPU time, which threads do not share"),
        ClockId::Known(id) if id.facts().traps_under_hypervisor => {
            Some("left out: the litmus covers cheaper ordered reads of the same counter")
        }
        ClockId::Ptp(_) => Some("it can be set, and is not tested"),
        ClockId::Known(_) | ClockId::Other(_) => None,
    }
}

/// Why litmus results are missing.
fn reason_litmus_missing(facts: &Facts<'_>) -> String {
    match facts.parts.iter().find(|report| report.part == LITMUS) {
        None => "the litmus was not part of the plan".to_owned(),
        Some(report) if report.outcome == Outcome::Done => "the litmus skipped it".to_owned(),
        Some(report) => report.reason.clone().unwrap_or_else(|| "the litmus gave no reason".to_owned()),
    }
}
