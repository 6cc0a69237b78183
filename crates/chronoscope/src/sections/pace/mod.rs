//! Events at a fixed rate: their lateness, and what caused it.

pub mod command;
pub mod consumer;
pub mod measure;
pub mod rate;
pub mod report;
pub mod rules;
pub mod seen;
pub mod view;
pub mod words;
