//! Everything that can be measured: a folder per section, with its options, plan, measurement, report, rules and view.

pub mod causality;
pub mod clocks;
pub mod hiccups;
pub mod pace;
pub mod pauses;
pub mod reads;
pub mod runtimes;
pub mod scaling;
pub mod sync;
