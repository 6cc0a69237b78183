//! Every way to read the time, in the studies that compare them.

pub mod monotonic;
pub mod studies;
pub mod subjects;
pub mod work;
