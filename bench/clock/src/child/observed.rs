//! What an accuracy process prints: one JSON object of this shape.

use serde::{Deserialize, Serialize};

/// One process's observations.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Observed {
    /// Where our clock's rate came from at the end.
    pub(crate) rate_source: String,
    pub(crate) state: String,
    pub(crate) turns: u64,
    /// Brackets checked against the stated bound, and those that kept to it.
    pub(crate) checks: u64,
    pub(crate) within: u64,
    /// Of those, the brackets around the first read after a pause.
    pub(crate) first_within: u64,
    /// By how much the worst bracket left the bound; 0 if none did.
    pub(crate) worst_excess_ns: u64,
    /// The largest error among the narrowest bracket of each turn, which is as wide as this at most.
    pub(crate) max_error_ns: u64,
    pub(crate) widest_narrowest_ns: u64,
    /// The bound stated in the first turn after 1 s, and the largest and the middle one from then on.
    pub(crate) bound_at_1s_ns: u64,
    pub(crate) bound_after_1s_max_ns: u64,
    pub(crate) bound_after_1s_median_ns: u64,
    /// Turns from 1 s on, and those among them with a stated bound of at most 250 ns.
    pub(crate) turns_after_1s: u64,
    pub(crate) turns_with_narrow_bound: u64,
    /// Our clock's own word on its rate, at the end of each window.
    pub(crate) stated_rate_error_ppb: Vec<u64>,
    pub(crate) rates: Vec<RateError>,
}

/// How a clock's rate differed from that of `CLOCK_MONOTONIC`, window by window.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct RateError {
    pub(crate) clock: String,
    pub(crate) windows_ppm: Vec<f64>,
    /// How far the brackets at both ends leave the largest of them uncertain.
    pub(crate) uncertain_ppm: f64,
}
