//! From all sections to the first screen: which clock to use, and what can be timed.

pub mod advice;
pub mod causality;
pub mod compare;
pub mod conclude;
pub mod conclusions;
pub mod fast_path;
pub mod first_screen;
pub mod gate;
pub mod host;
pub mod intervals;
pub mod monotonic;
pub mod report;
pub mod since;
pub mod trust;
pub mod verdict_words;
