//! Estimators: pure functions over samples, each naming its source. None of them reads a clock.

mod distribution;
mod median;
mod modes;
mod rate;

pub use distribution::Distribution;
pub use median::{MedianInterval, median_interval};
pub use modes::modes;
pub use rate::rate_upper_95;
