//! From samples to estimates: pure functions, one file per part of the record.

mod canary;
mod causality;
mod clock;
mod interval;
mod latch;
mod library_clock;
mod monotime;
mod pause;
mod reads;
mod runtime;

pub(crate) use canary::quiet_rounds_of;
pub use canary::{KnownCore, Quiet, quiet_rounds};
pub use causality::{litmus, pair_offset};
pub use clock::{GranularityEstimate, granularity, latency, step_ns};
pub use interval::{
    claimed_interval_ns, confirm, is_tried, quiet_canary_ticks, reason_no_trial, trial_lengths, trials,
};
pub use latch::latch;
pub use library_clock::library_clock;
pub use monotime::monotime;
pub use pause::pause;
pub use reads::reads;
pub use runtime::{
    CountedCalls, Fork, NATIVE_THREAD_CPU, NativeRounds, native_name, runtime_clocks, runtime_latch, runtime_loop,
    runtime_pause,
};
#[cfg(test)]
pub(crate) use {
    canary::{QUIET_FACTOR, QUIETEST_SHARE, SHARED_SHARES_OF_TURNS},
    interval::{FURTHER_MULTIPLES, TRIAL_MULTIPLES},
};

use crate::record::Spread;
use crate::stats::median_interval;

/// The confidence of every interval.
pub const CONFIDENCE: f64 = 0.999;

/// The median of one value per process with its interval. None for no values.
fn spread(values: &[f64]) -> Option<Spread> {
    let found = median_interval(values, CONFIDENCE)?;
    Some(Spread { median: found.median, low: found.low, high: found.high, confidence: found.confidence })
}

/// How an estimate and its interval are made, in words for the record.
pub const ESTIMATOR: &str = "median over processes of each process's median batch mean in quiet rounds; interval by the \
    order statistics of the processes' medians (Thompson 1936), distribution-free; percentiles over all batches";
