//! Why something could not be measured.

use std::fmt;

use serde::{Serialize, Serializer};

/// What was tried and why it failed, as one sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(String);

impl Failure {
    /// This one.
    pub fn because(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Failure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Self(why)
    }
}
