//! The clocks: path, latency, granularity, shortest intervals.

pub mod detail;
pub mod granularity;
pub mod intervals;
pub mod latency;
pub mod library_clock;
pub mod paths;
pub mod report;
pub mod rules;
pub mod view;
