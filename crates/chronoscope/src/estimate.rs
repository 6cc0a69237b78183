//! Code shared by every section's estimators.

use chronoscope_harness::record::Spread;
use chronoscope_harness::stats::{CONFIDENCE, median_interval};

/// The median of one value per process with its interval. None for no values.
pub fn spread(values: &[f64]) -> Option<Spread> {
    median_interval(values, CONFIDENCE)
}

/// The method of an estimate and its interval, in words for the record.
pub const ESTIMATOR: &str = "median over processes of each process's median batch mean in quiet rounds; interval by the \
    order statistics of the processes' medians (Thompson 1936), distribution-free; percentiles over all batches";
