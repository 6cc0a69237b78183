//! From all sections to the first screen: which clock to use, and what can be timed.

pub mod report;
pub mod trust;
pub mod verdict;
pub mod view;
