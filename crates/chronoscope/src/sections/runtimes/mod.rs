//! What language runtimes see of the time.

pub mod estimate;
pub mod measure;
pub mod place;
pub mod plan;
pub mod probe;
pub mod report;
pub mod rules;
pub mod view;
