//! Whether the wall clock was set during the observation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::slew::Bracket;

/// Certain bounds on how far `CLOCK_REALTIME` moved relative to `CLOCK_MONOTONIC`. Both are slewed alike, so it moves
/// only when set, or by a leap second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WallStep {
    pub low_ns: i64,
    pub high_ns: i64,
}

impl WallStep {
    /// Whether it was certainly set.
    pub const fn is_step(self) -> bool {
        self.low_ns > 0 || self.high_ns < 0
    }
}

/// How far the inner clock moved relative to the outer one from `start` to `end`.
///
/// # Errors
/// Why that is unknown.
pub fn step(start: Bracket, end: Bracket) -> Result<WallStep, String> {
    let (start, end) = (start.checked()?, end.checked()?);
    // Each difference is within these, and every value was truncated by up to 1 ns.
    let least = |bracket: Bracket| i128::from(bracket.inner_ns) - i128::from(bracket.after_ns) - 1;
    let most = |bracket: Bracket| i128::from(bracket.inner_ns) - i128::from(bracket.before_ns) + 1;
    let whole = |ns: i128| i64::try_from(ns).unwrap_or(if ns < 0 { i64::MIN } else { i64::MAX });
    Ok(WallStep { low_ns: whole(least(end) - most(start)), high_ns: whole(most(end) - least(start)) })
}
