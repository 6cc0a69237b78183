//! Estimators: pure functions over samples, each naming its source. None of them reads a clock.

mod autocorrelation;
mod bootstrap;
mod changepoints;
mod distribution;
mod equivalence;
mod hiding;
mod hierarchy;
mod hinge;
mod interval;
mod line;
mod mean;
mod median;
mod modes;
mod outliers;
mod paired;
mod random;
mod rate;
mod steady;
mod summary;
mod trend;
mod welch;

pub use autocorrelation::{autocorrelation, effective_sample_size};
pub use bootstrap::bootstrap;
pub use changepoints::changepoints;
pub use distribution::Distribution;
pub use equivalence::{compare, holm};
pub use hiding::{Hiding, hiding};
pub use hierarchy::variance_components;
pub use line::{StraightLine, straight_line};
pub use mean::mean_interval;
pub use median::median_interval;
pub use modes::{modes, modes_of};
pub use outliers::outliers;
pub use paired::{Paired, paired};
pub use rate::rate_upper_95;
pub use steady::{Segment, Steadiness, Steady, steady_state};
pub use summary::median;
pub use welch::{Welch, geometric_mean, welch_ratio};

/// The confidence of every interval.
pub const CONFIDENCE: f64 = 0.999;
