//! Rendering of experiments, and code shared with other study pages.

pub(crate) mod against;
pub(crate) mod options;
pub(crate) mod show;

#[cfg(test)]
pub(crate) mod synthetic;
