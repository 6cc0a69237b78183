//! How experiments are shown, and what other pages of studies share with that.

pub(crate) mod against;
pub(crate) mod show;

#[cfg(test)]
pub(crate) mod synthetic;
