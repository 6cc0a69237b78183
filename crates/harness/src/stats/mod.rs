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

pub use autocorrelation::{autocorrelation, effective_sample_size};
pub use bootstrap::bootstrap;
pub use changepoints::changepoints;
pub use distribution::Distribution;
pub use equivalence::{Comparison, compare, holm};
pub use hiding::{Hiding, Shape, hiding};
pub use hierarchy::{HierarchicalMean, hierarchical_mean};
pub use interval::Interval;
pub use interval::t_two_sided;
pub use line::{StraightLine, straight_line};
pub use mean::mean_interval;
pub use median::{MedianInterval, median_interval};
pub use modes::{modes, modes_of};
pub use outliers::{Mark, marks};
pub use paired::{Paired, paired};
pub use rate::rate_upper_95;
pub use steady::{Segment, Steadiness, Steady, steady_state};
pub use summary::median;

/// The confidence of every interval.
pub const CONFIDENCE: f64 = 0.999;
