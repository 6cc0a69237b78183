//! Every way to read the time, in the studies that compare them; and a reading beside the system's.

pub mod bracket;
mod kind_of_work;
pub mod monotonic;
pub mod raw;
pub mod studies;
pub mod subjects;

pub use kind_of_work::Kind;
