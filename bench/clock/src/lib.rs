//! Every way to read the time, in the studies that compare them.

mod clock_bound;
pub mod monotonic;
pub mod studies;
pub mod subjects;
pub mod work;
