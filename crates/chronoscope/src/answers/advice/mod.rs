//! How to measure an interval here, and which findings answer a symptom: pure functions of a document.

pub mod interval_advice;
pub mod locking;
pub mod methods;
pub mod repetitions;
pub mod report;
pub mod symptoms;
pub mod usable_clocks;

#[cfg(test)]
mod tests;
