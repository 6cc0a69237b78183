//! The rules that look across sections, at other conclusions, or at how the run went.

pub mod causality;
pub mod clocks;
pub mod hiccups;
pub mod intervals;
pub mod machine;
pub mod remedies;
pub mod runtimes;

use chronoscope_harness::rule::Rule;

use crate::document::Record;

/// All of them.
pub fn rules() -> impl Iterator<Item = &'static Rule<Record>> {
    of_sections().chain(machine::RULES)
}

/// Those of what sections measured.
pub fn of_sections() -> impl Iterator<Item = &'static Rule<Record>> {
    [clocks::RULES, intervals::RULES, causality::RULES, runtimes::RULES, hiccups::RULES].into_iter().flatten()
}
