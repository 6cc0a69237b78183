#[cfg(feature = "read")]
use serde::Deserialize;
use serde::Serialize;

/// A source's answer, or why there is none. In JSON, the answer itself or `{"unavailable": "why"}`.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::Known;
///
/// let flags: Known<Vec<String>> = serde_json::from_str("[\"tsc\"]")?;
/// assert_eq!(flags, Known::Value(vec!["tsc".to_owned()]));
/// let quota: Known<Option<f64>> = serde_json::from_str("{\"unavailable\": \"hidden\"}")?;
/// assert_eq!(quota.reason(), Some("hidden"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(untagged)]
pub enum Known<T> {
    /// The answer.
    Value(T),
    /// Why it is unavailable, as a clause.
    Unavailable(
        #[serde(with = "unavailable")]
        #[cfg_attr(feature = "schema", schemars(with = "unavailable::Unavailable"))]
        String,
    ),
}

impl<T> Known<T> {
    /// The answer, if there is one.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Unavailable(_) => None,
        }
    }

    /// Why there is no answer, if there is none.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Value(_) => None,
            Self::Unavailable(why) => Some(why),
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

impl<T> Known<Vec<T>> {
    /// All of the answer; nothing where there is none.
    pub fn all(&self) -> &[T] {
        self.value().map_or(&[], Vec::as_slice)
    }
}

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self::Unavailable(String::new())
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

/// A reason in JSON: an object, which no answer is mistaken for.
mod unavailable {
    #[cfg(feature = "read")]
    use serde::{Deserialize, Deserializer};
    use serde::{Serialize, Serializer};

    /// No answer.
    #[derive(Serialize)]
    #[cfg_attr(feature = "read", derive(Deserialize))]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(deny_unknown_fields)]
    pub(super) struct Unavailable {
        /// Why, as a clause.
        unavailable: String,
    }

    pub(super) fn serialize<S: Serializer>(why: &str, serializer: S) -> Result<S::Ok, S::Error> {
        Unavailable { unavailable: why.to_owned() }.serialize(serializer)
    }

    #[cfg(feature = "read")]
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        Ok(Unavailable::deserialize(deserializer)?.unavailable)
    }
}
