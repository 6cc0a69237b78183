//! The first screen of a check, as data: what a new user asks first, answered by pure rules.

pub mod conclude;
pub mod noise;
pub mod report;
pub mod trust;
pub mod uses;
