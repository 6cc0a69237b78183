//! The rules that look across sections, at other conclusions, or at how the run went.

pub mod clocksource_changed;
pub mod computing_held_up;
pub mod cpu_throttled;
pub mod declared_resolution;
pub mod intervals;
pub mod machine;
pub mod noise;
pub mod non_causal_read;
pub mod of_parts;
pub mod os_clock_on_slow_path;
pub mod remedies;
pub mod runtime_failed;
pub mod timer_slack;

/// All of them but those of [`noise`], whose findings come last.
pub fn rules() -> impl Iterator<Item = &'static of_parts::RuleOfParts> {
    let sections = [
        cpu_throttled::RULES,
        os_clock_on_slow_path::RULES,
        intervals::RULES,
        non_causal_read::RULES,
        runtime_failed::RULES,
        computing_held_up::RULES,
        declared_resolution::RULES,
        timer_slack::RULES,
        clocksource_changed::RULES,
    ];
    sections.into_iter().flatten().chain(machine::RULES)
}
