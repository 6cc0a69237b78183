use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A value around which differences gather.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Peak {
    /// The most frequent difference around it.
    pub at_ns: f64,
    /// Share of all differences, those of zero included, that belong to it.
    pub share: f64,
}
