//! Causality: offsets between CPUs, and the one-way litmus.

pub mod estimate;
pub mod litmus;
pub mod measure;
pub mod offset;
pub mod report;
pub mod rules;
pub mod view;
