//! The sections of a run: each measures, sums up, and shows itself as tables.

pub(crate) mod accuracy;
pub(crate) mod builds;
pub(crate) mod compile;
pub(crate) mod difference;
pub(crate) mod duration;
pub(crate) mod empty;
pub(crate) mod one_clock;
pub(crate) mod peers;
pub(crate) mod scaling;
