//! A source is written by its name, and read by any name that it had.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::SourceId;

impl Serialize for SourceId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for SourceId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::from_name(&name)
            .ok_or_else(|| D::Error::custom(format_args!("{name:?} is not the name of a clock that this build knows")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_is_read_back_by_its_name() {
        for id in SourceId::all() {
            let written = serde_json::to_string(&id).unwrap();
            assert_eq!(written, serde_json::to_string(id.name()).unwrap());
            assert_eq!(serde_json::from_str::<SourceId>(&written).unwrap(), id);
        }
        assert!(serde_json::from_str::<SourceId>("\"sundial\"").is_err());
    }
}
