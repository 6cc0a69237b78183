//! Whether the wall clock was set during the observation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::slew::Bracket;

/// By how much `CLOCK_REALTIME` moved against `CLOCK_MONOTONIC`, between these for certain. Both are slewed alike, so it
/// moves only when somebody sets it, or by a leap second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WallStep {
    pub low_ns: i64,
    pub high_ns: i64,
}

impl WallStep {
    /// Whether it was set for certain.
    pub const fn is_step(self) -> bool {
        self.low_ns > 0 || self.high_ns < 0
    }
}

/// By how much the inner clock moved against the outer one from `start` to `end`.
///
/// # Errors
/// Why that cannot be said.
pub fn step(start: Bracket, end: Bracket) -> Result<WallStep, String> {
    let (start, end) = (start.checked()?, end.checked()?);
    // Each difference lies between these, and every value was cut off by up to 1 ns.
    let least = |bracket: Bracket| i128::from(bracket.inner_ns) - i128::from(bracket.after_ns) - 1;
    let most = |bracket: Bracket| i128::from(bracket.inner_ns) - i128::from(bracket.before_ns) + 1;
    let whole = |ns: i128| i64::try_from(ns).unwrap_or(if ns < 0 { i64::MIN } else { i64::MAX });
    Ok(WallStep { low_ns: whole(least(end) - most(start)), high_ns: whole(most(end) - least(start)) })
}
