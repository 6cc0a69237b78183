//! The rules that look across sections, at other conclusions, or at how the run went.

pub mod causality;
pub mod clocks;
pub mod hiccups;
pub mod intervals;
pub mod machine;
pub mod noise;
pub mod of_parts;
pub mod remedies;
pub mod runtimes;

use chronoscope_harness::finding::Kind;

use crate::document::Record;
use crate::judgement::rules::intervals::INTERVAL_NEAR_LATENCY;
use crate::sections::runtimes::rules::{RUNTIME_NOT_PARALLEL, WALL_CLOCK_FOR_INTERVALS};
use crate::sections::sync::discipline::DisciplineState;
use crate::sections::sync::rules::{WALL_CLOCK_ERROR_UNKNOWN, WALL_CLOCK_UNDISCIPLINED};

/// All of them but those of [`noise`], whose findings come last.
pub fn rules() -> impl Iterator<Item = &'static of_parts::RuleOfParts> {
    let sections = [clocks::RULES, intervals::RULES, causality::RULES, runtimes::RULES, hiccups::RULES];
    sections.into_iter().flatten().chain(machine::RULES)
}

/// Whether a document tells what findings of this kind rest on besides what its parts measured.
pub fn is_told(record: &Record, kind: Kind) -> bool {
    let state = record.content.sync().as_ref().map(|report| report.discipline.state);
    match kind {
        WALL_CLOCK_UNDISCIPLINED => state.is_some_and(|state| state != DisciplineState::Unknown),
        WALL_CLOCK_ERROR_UNKNOWN => state == Some(DisciplineState::Disciplined),
        machine::FREQUENCY_MISDECLARED => record.machine.tsc.frequency.is_some(),
        machine::BETTER_CLOCKSOURCE_AVAILABLE => record.machine.clocksource.current.is_some(),
        INTERVAL_NEAR_LATENCY => record.content.judgement.as_ref().is_some_and(|all| !all.questions.is_empty()),
        // What a check's short form of the runtimes does not ask.
        WALL_CLOCK_FOR_INTERVALS | RUNTIME_NOT_PARALLEL => {
            record.content.sections.runtimes.plan.as_ref().is_some_and(|plan| plan.clocks && !plan.quick_starters)
        }
        machine::TSC_NOT_INVARIANT => record.machine.tsc.class.is_some(),
        noise::CORE_SHARED => noise::is_core_shared(record).is_some(),
        noise::STOLEN_TIME => noise::disturbances(record).any(|disturbance| disturbance.steal_ms.is_some()),
        _ => true,
    }
}
