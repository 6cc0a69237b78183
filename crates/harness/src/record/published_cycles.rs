use serde::{Deserialize, Serialize};

/// A published cost of `rdtsc`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PublishedCycles {
    /// The microarchitecture.
    pub microarchitecture: String,
    /// Cycles per `rdtsc`.
    pub cycles: f64,
    /// The publication.
    pub source: String,
}
