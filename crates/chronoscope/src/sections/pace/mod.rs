//! Events at a fixed rate: their lateness, and what caused it.

pub mod command;
pub mod estimate;
pub mod measure;
pub mod plan;
pub mod rate;
pub mod report;
pub mod rules;
pub mod view;
pub mod words;
