//! From samples to estimates: pure functions, one file per part of the record.

pub use crate::sections::causality::estimate as causality;
pub use crate::sections::clocks::intervals::estimate as interval;
pub use crate::sections::clocks::latency::{canary, estimate as clock};
pub use crate::sections::clocks::library_clock::estimate as library_clock_of;
pub use crate::sections::contention::estimate as contention;
pub use crate::sections::pauses::estimate as pauses;
pub use crate::sections::reads::estimate as reads_of;
pub use crate::sections::runtimes::estimate as runtime;
pub use crate::sections::thread_release::estimate as release;
pub use chronoscope_harness::machine::KnownCore;
pub use chronoscope_harness::stats::CONFIDENCE;

pub use canary::quiet_rounds_of;
pub use canary::{Quiet, quiet_rounds};
pub use causality::{litmus, pair_offset};
pub use clock::{GranularityEstimate, granularity, latency, step_ns};
pub use contention::monotime;
pub use interval::{
    claimed_interval_ns, confirm, is_tried, quiet_canary_ticks, reason_no_trial, trial_lengths, trials,
};
pub use library_clock_of::library_clock;
pub use pauses::pause;
pub use reads_of::reads;
pub use release::latch;
pub use runtime::{
    CountedCalls, Fork, NATIVE_THREAD_CPU, NativeRounds, native_clock, runtime_clocks, runtime_latch, runtime_loop,
    runtime_pause,
};
#[cfg(test)]
pub use {
    canary::{QUIET_FACTOR, QUIETEST_SHARE, SHARED_SHARES_OF_TURNS},
    interval::{FURTHER_MULTIPLES, TRIAL_MULTIPLES},
};

use crate::record::Spread;
use crate::stats::median_interval;

/// The median of one value per process with its interval. None for no values.
pub fn spread(values: &[f64]) -> Option<Spread> {
    let found = median_interval(values, CONFIDENCE)?;
    Some(Spread { median: found.median, low: found.low, high: found.high, confidence: found.confidence })
}

/// How an estimate and its interval are made, in words for the record.
pub const ESTIMATOR: &str = "median over processes of each process's median batch mean in quiet rounds; interval by the \
    order statistics of the processes' medians (Thompson 1936), distribution-free; percentiles over all batches";
