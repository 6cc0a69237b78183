//! What an accuracy process prints: one JSON object of this shape.

use serde::{Deserialize, Serialize};

/// One process's observations.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Observed {
    /// Our clock's own word on itself at the end.
    pub(crate) state: String,
    /// Readings of our clock between two of `CLOCK_MONOTONIC`, and how many of them did not lie between the two.
    pub(crate) checks: u64,
    pub(crate) outside: u64,
    /// How far outside the worst lay; 0 if none did.
    pub(crate) worst_ns: u64,
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
