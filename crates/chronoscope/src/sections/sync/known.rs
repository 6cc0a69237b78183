use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A source's answer, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Known_{T}")]
pub enum Known<T> {
    /// The answer.
    Value(T),
    /// Why it is unavailable, as a clause.
    Unavailable(String),
}

impl<T> Known<T> {
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Unavailable(_) => None,
        }
    }

    /// Derives a value from the answer; keeps the reason if there is none.
    pub fn and_then<U>(&self, follows: impl FnOnce(&T) -> Known<U>) -> Known<U> {
        match self {
            Self::Value(value) => follows(value),
            Self::Unavailable(why) => Known::Unavailable(why.clone()),
        }
    }
}

impl<T, E: ToString> From<Result<T, E>> for Known<T> {
    fn from(result: Result<T, E>) -> Self {
        match result {
            Ok(value) => Self::Value(value),
            Err(reason) => Self::Unavailable(reason.to_string()),
        }
    }
}
