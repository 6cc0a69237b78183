use serde::{Deserialize, Serialize};

/// A value around which differences cluster.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Peak {
    /// The most frequent difference in the cluster.
    pub at_ns: f64,
    /// Share of all differences, zeros included, that belong to it.
    pub share: f64,
}
