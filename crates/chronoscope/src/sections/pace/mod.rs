//! Events at a fixed rate: their lateness, and what caused it.

pub mod answer_reader;
pub mod answers;
pub mod command;
pub mod consumer;
pub mod estimate;
pub mod group;
pub mod measure;
pub mod objective;
pub mod patience;
pub mod plan;
pub mod rate;
pub mod report;
pub mod rules;
pub mod slo;
pub mod view;
pub mod words;
