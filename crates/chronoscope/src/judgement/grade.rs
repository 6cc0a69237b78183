use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The grade of a conclusion, the graver the later: a check that was not made is neither good nor a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// As it should be.
    Good,
    /// Not checked, or not known.
    Unknown,
    /// Possibly misleading.
    Warning,
    /// Broken.
    Critical,
}
