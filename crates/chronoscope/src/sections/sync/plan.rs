use std::time::Duration;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::part::{Part, PartRow};
use crate::plan::{Depth, PlanError, within};

pub const SYNC: Part = Part::Sync;

pub const PARTS: &[PartRow] = &[PartRow::of_check(SYNC, "discipline of the wall clock", 11)];

/// A shorter time cannot distinguish a slew of 10 ppm from none; a longer one averages over several updates of a
/// daemon.
const OVER: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(60));

/// Options of the look at the wall clock.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {
    /// Observe both clocks for this long, 10 ms to 1 min [default: the length of the run, 1s]
    #[arg(long, value_name = "TIME", value_parser = over, allow_hyphen_values = true, conflicts_with = "duration")]
    pub over: Option<Duration>,
}

fn over(text: &str) -> Result<Duration, String> {
    chronoscope_bench::time(text, "10 ms to 1 min")
}

/// How long to observe the slew.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SyncPlan {
    /// Observation time, in milliseconds; null for the time of the part.
    pub over_ms: Option<u64>,
}

/// # Errors
/// Which option is invalid, and what is accepted.
pub fn plan(options: &Options) -> Result<SyncPlan, PlanError> {
    let Some(over) = options.over else { return Ok(SyncPlan::default()) };
    // At most a minute, so it fits.
    Ok(SyncPlan { over_ms: Some(within(over, OVER, "--over")?.as_millis() as u64) })
}

pub const fn time_alone(depth: Depth) -> Duration {
    match depth {
        Depth::Quick => Duration::from_millis(100),
        Depth::Normal => Duration::from_secs(1),
        Depth::Thorough => Duration::from_secs(10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_out_of_range_is_refused_with_the_range() {
        let plan = |ms| plan(&Options { over: Some(Duration::from_millis(ms)) }).map_err(|error| error.to_string());
        assert_eq!(plan(10), Ok(SyncPlan { over_ms: Some(10) }));
        assert_eq!(plan(60_000), Ok(SyncPlan { over_ms: Some(60_000) }));
        assert!(plan(9).is_err() && plan(60_001).is_err());
    }
}
