//! Estimators: pure functions over samples, each naming its source. None of them reads a clock.

mod distribution;
mod equivalence;
mod hiding;
mod hinge;
mod line;
mod median;
mod over_processes;
mod paired;
#[cfg(test)]
mod random;
mod rate;
mod states;
mod summary;
mod t_quantile;
mod trend;
mod two_draws;

pub use distribution::Distribution;
pub use equivalence::{compare, confidence_of_each};
pub use hiding::{Hiding, hiding};
pub use line::{StraightLine, straight_line};
pub use median::{median, median_interval};
pub use over_processes::over_processes;
pub use paired::{Paired, paired};
#[cfg(test)]
pub(crate) use random::Random;
pub use rate::rate_upper_95;
pub use states::{FEWEST_FOR_STATES, states};
pub use trend::trend;
pub use two_draws::two_draws;

/// The confidence of every interval, if there are enough processes for it.
pub const CONFIDENCE: f64 = 0.999;
