//! The sections of a run: each measures, sums up, and shows itself as tables.

pub(crate) mod accuracy;
pub(crate) mod first_use;
pub(crate) mod forks;
pub(crate) mod intervals;
pub(crate) mod latency;
pub(crate) mod litmus;
pub(crate) mod threads;
pub(crate) mod work;
