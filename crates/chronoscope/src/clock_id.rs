use std::borrow::Cow;
use std::fmt;

use chronoscope_clock::SourceId;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// A clock, from the plan to the document: a source, or the name that another build, another architecture or a runtime gave
/// to one of its own. It is written as its name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ClockId {
    /// A source that this build can read, or knows.
    Known(SourceId),
    /// Any other: it can be shown, and nothing is known of it but what its document says.
    Other(String),
}

impl ClockId {
    /// The source, if this build knows it.
    pub const fn known(&self) -> Option<SourceId> {
        match self {
            Self::Known(id) => Some(*id),
            Self::Other(_) => None,
        }
    }

    /// The source to read.
    ///
    /// # Errors
    /// That this build knows no such clock.
    pub fn source(&self) -> Result<SourceId, String> {
        self.known().ok_or_else(|| format!("this build knows no clock called {self}"))
    }

    /// The name under which reports show it.
    pub fn name(&self) -> &str {
        match self {
            Self::Known(id) => id.name(),
            Self::Other(name) => name,
        }
    }

    /// Whether it is the CPU's counter, read by an instruction of its own.
    pub fn is_counter(&self) -> bool {
        self.known().is_some_and(SourceId::is_counter)
    }

    /// Whether it may be set, and so step back.
    pub fn is_settable(&self) -> bool {
        self.known().is_some_and(|id| id.facts().is_settable)
    }
}

impl Default for ClockId {
    fn default() -> Self {
        Self::Other(String::new())
    }
}

impl fmt::Display for ClockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl From<SourceId> for ClockId {
    fn from(id: SourceId) -> Self {
        Self::Known(id)
    }
}

impl From<&str> for ClockId {
    fn from(name: &str) -> Self {
        SourceId::from_name(name).map_or_else(|| Self::Other(name.to_owned()), Self::Known)
    }
}

impl From<&ClockId> for String {
    fn from(clock: &ClockId) -> Self {
        clock.name().to_owned()
    }
}

impl PartialEq<SourceId> for ClockId {
    fn eq(&self, id: &SourceId) -> bool {
        self.known() == Some(*id)
    }
}

#[cfg(test)]
impl PartialEq<&str> for ClockId {
    fn eq(&self, name: &&str) -> bool {
        self.name() == *name
    }
}

impl JsonSchema for ClockId {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clock_is_written_and_read_as_its_name() {
        let others = ["isb; cntvct", "lfence; rdtsc", "granular 100 ns", ""].map(ClockId::from);
        for clock in SourceId::all().map(ClockId::Known).chain(others) {
            let written = serde_json::to_value(&clock).unwrap();
            assert_eq!(written, clock.name());
            assert_eq!(serde_json::from_value::<ClockId>(written).unwrap(), clock);
            assert_eq!(ClockId::from(clock.name()), clock);
        }
    }

    #[test]
    fn a_clock_that_this_build_does_not_know_is_shown_and_not_read() {
        let sundial = serde_json::from_str::<ClockId>("\"sundial\"").unwrap();
        assert_eq!(format!("{sundial:<9}|"), "sundial  |");
        assert_eq!(sundial.source(), Err("this build knows no clock called sundial".to_owned()));
        assert!(!sundial.is_counter() && !sundial.is_settable());
    }
}
