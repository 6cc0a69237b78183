//! Code shared by every section's estimators.

use chronoscope_harness::record::Estimate;
use chronoscope_harness::stats::{CONFIDENCE, median_interval};

/// The median of one value per process with its interval. None for no values.
pub fn median_of(values: &[f64]) -> Option<Estimate> {
    median_interval(values, CONFIDENCE)
}

/// The method of an estimate and its interval, in words for the record.
pub const ESTIMATOR: &str = "median over processes of each process's mean time per read in undisturbed visits; interval by the \
    order statistics of the processes' means (Thompson 1936), distribution-free; percentiles over all batches";
