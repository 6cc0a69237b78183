#[cfg(feature = "read")]
use serde::Deserialize;
use serde::Serialize;

/// A value around which differences cluster.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Peak {
    /// The most frequent difference in the cluster.
    pub at_ns: f64,
    /// Share of all differences, zeros included, that belong to it.
    pub share: f64,
}
