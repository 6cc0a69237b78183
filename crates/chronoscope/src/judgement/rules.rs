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
use crate::sections::sync::discipline::DisciplineState;
use crate::sections::sync::rules::WALL_CLOCK_UNDISCIPLINED;

/// All of them but those of [`noise`], whose findings come last.
pub fn rules() -> impl Iterator<Item = &'static of_parts::RuleOfParts> {
    let sections = [clocks::RULES, intervals::RULES, causality::RULES, runtimes::RULES, hiccups::RULES];
    sections.into_iter().flatten().chain(machine::RULES)
}

/// Whether a document tells what findings of this kind rest on besides what its parts measured.
pub fn is_told(record: &Record, kind: Kind) -> bool {
    match kind {
        WALL_CLOCK_UNDISCIPLINED => {
            let report = record.content.sync().as_ref();
            report.is_some_and(|report| report.discipline.state != DisciplineState::Unknown)
        }
        machine::TSC_NOT_INVARIANT => record.machine.tsc.class.is_some(),
        noise::CORE_SHARED => noise::is_core_shared(record).is_some(),
        noise::STOLEN_TIME => noise::disturbances(record).any(|disturbance| disturbance.steal_ms.is_some()),
        _ => true,
    }
}
