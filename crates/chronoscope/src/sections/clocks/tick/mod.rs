//! The tick of a clock, also where a read takes longer: the lattice on which its readings lie.

pub mod measure;
pub mod task;
