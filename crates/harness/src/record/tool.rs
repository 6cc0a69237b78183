#[cfg(feature = "read")]
use serde::Deserialize;
use serde::Serialize;

/// The program that wrote a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}
