//! From all sections to the first screen: which clock to use, and what can be timed.

pub mod causality;
pub mod classes;
pub mod conclude;
pub mod conclusions;
pub mod emulated;
pub mod fast_path;
pub mod first_screen;
pub mod host;
pub mod intervals;
pub mod monotonic;
pub mod report;
pub mod trust;
pub mod verdict_words;
