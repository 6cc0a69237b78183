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

/// All of them but those of [`noise`], whose findings come last.
pub fn rules() -> impl Iterator<Item = &'static of_parts::RuleOfParts> {
    let sections = [clocks::RULES, intervals::RULES, causality::RULES, runtimes::RULES, hiccups::RULES];
    sections.into_iter().flatten().chain(machine::RULES)
}
