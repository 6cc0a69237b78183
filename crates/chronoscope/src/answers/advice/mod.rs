//! How to measure an interval here, and what may be behind a symptom: pure functions of a document.

pub mod diagnose;
pub mod exclusions;
pub mod index;
pub mod interval_advice;
pub mod locking;
pub mod looks;
pub mod matching;
pub mod methods;
pub mod repetitions;
pub mod report;
pub mod symptoms;
pub mod usable_clocks;

#[cfg(test)]
mod tests;
