//! An instant is serialised with the boot that it belongs to, and refused in any other.

use core::fmt;

use serde::ser::{Error as _, SerializeStruct};
use serde::{Deserialize, Serialize, Serializer};

use crate::{BootId, Instant, Unavailable};

/// An instant as it was written, not checked yet.
#[derive(Deserialize)]
#[serde(
    rename = "Instant",
    expecting = "an instant with its boot, {\"boot\": …, \"ns\": …}: a number alone does not say to which boot it belongs"
)]
struct Unchecked {
    boot: BootId,
    ns: i64,
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write(*self, BootId::current(), serializer)
    }
}

fn write<S: Serializer>(instant: Instant, here: Result<BootId, Unavailable>, serializer: S) -> Result<S::Ok, S::Error> {
    let boot = here.map_err(|why| {
        S::Error::custom(format_args!(
            "an instant cannot be serialised with its boot: {why}; to vouch for the boot yourself, serialise as_nanos()"
        ))
    })?;
    let mut written = serializer.serialize_struct("Instant", 2)?;
    written.serialize_field("boot", &boot)?;
    written.serialize_field("ns", &instant.as_nanos())?;
    written.end()
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let told = Unchecked::deserialize(deserializer)?;
        told.believed(BootId::current()).map_err(serde::de::Error::custom)
    }
}

impl Unchecked {
    fn believed(self, here: Result<BootId, Unavailable>) -> Result<Instant, Refused> {
        match here {
            Ok(here) if here == self.boot => Ok(Instant::from_nanos(self.ns)),
            Ok(here) => Err(Refused::Elsewhere { told: self.boot, here }),
            Err(why) => Err(Refused::Unknown(why)),
        }
    }
}

/// Why an instant is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    Elsewhere { told: BootId, here: BootId },
    Unknown(Unavailable),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elsewhere { told, here } => {
                let what = if told.is_same_boot(*here) { "time namespace of this boot" } else { "boot" };
                write!(f, "this instant belongs to another {what} ({told}, and this is {here})")?;
            }
            Self::Unknown(why) => write!(f, "cannot tell whether this instant belongs to this boot: {why}")?,
        }
        f.write_str("; to vouch for it yourself, serialise as_nanos() and deserialise with Instant::from_nanos")
    }
}

#[cfg(all(test, not(miri)))] // reads files
mod tests {
    use super::*;
    use crate::{Anchor, Ticks};
    use std::format;
    use std::string::{String, ToString};

    const ANOTHER: &str = "00000000-0000-4000-8000-000000000001";
    const UNKNOWN: Unavailable = Unavailable::because("unknowable");

    fn refusal<T: for<'de> Deserialize<'de> + fmt::Debug>(text: &str) -> String {
        serde_json::from_str::<T>(text).unwrap_err().to_string()
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    mod where_the_boot_is_known {
        use super::*;
        use crate::{Reading, WallAnchor};
        use core::time::Duration;
        use proptest::prelude::*;

        fn here() -> String {
            BootId::current().unwrap().to_string()
        }

        proptest! {
            #[test]
            fn it_survives_text_and_bytes(ns: i64) {
                let instant = Instant::from_nanos(ns);
                let text = serde_json::to_string(&instant).unwrap();
                prop_assert_eq!(&text, &format!(r#"{{"boot":"{}","ns":{ns}}}"#, here()));
                prop_assert_eq!(serde_json::from_str::<Instant>(&text).unwrap(), instant);
                let bytes = postcard::to_allocvec(&instant).unwrap();
                prop_assert_eq!(postcard::from_bytes::<Instant>(&bytes).unwrap(), instant);
            }

            #[test]
            fn no_bytes_are_a_panic(bytes: std::vec::Vec<u8>) {
                let _ = postcard::from_bytes::<Instant>(&bytes);
                let _ = serde_json::from_slice::<Instant>(&bytes);
            }
        }

        #[test]
        fn another_boot_is_refused() {
            let refused = refusal::<Instant>(&format!(r#"{{"boot":"{ANOTHER}","ns":1}}"#));
            assert!(
                [ANOTHER, &here(), "another boot", "from_nanos"].iter().all(|word| refused.contains(word)),
                "{refused}"
            );
            let bytes = postcard::to_allocvec(&(ANOTHER, 1_i64)).unwrap();
            assert!(postcard::from_bytes::<Instant>(&bytes).is_err());
            let own = postcard::to_allocvec(&(here(), 1_i64)).unwrap();
            assert_eq!(postcard::from_bytes::<Instant>(&own).unwrap(), Instant::from_nanos(1));
            let of_namespace = refusal::<Instant>(&format!(r#"{{"boot":"{}/time:4","ns":1}}"#, here()));
            assert!(of_namespace.contains("namespace"), "{of_namespace}");
        }

        #[test]
        fn what_holds_an_instant_is_refused_with_it() {
            let wall = WallAnchor::from_parts(Instant::from_nanos(1_000), 1_700_000_000_000_000_000, 50);
            let reading = Reading::exact(Instant::from_nanos(2_000)).with_offset(Duration::from_nanos(3));
            let texts = [serde_json::to_string(&wall).unwrap(), serde_json::to_string(&reading).unwrap()];
            assert_eq!(serde_json::from_str::<WallAnchor>(&texts[0]).unwrap(), wall);
            assert_eq!(serde_json::from_str::<Reading>(&texts[1]).unwrap(), reading);
            let [foreign_wall, foreign_reading] = texts.map(|text| text.replace(&here(), ANOTHER));
            assert!(refusal::<WallAnchor>(&foreign_wall).contains(ANOTHER));
            assert!(refusal::<Reading>(&foreign_reading).contains(ANOTHER));
            let bytes = postcard::to_allocvec(&(wall, reading)).unwrap();
            assert_eq!(postcard::from_bytes::<(WallAnchor, Reading)>(&bytes).unwrap(), (wall, reading));
        }
    }

    #[test]
    fn what_is_missing_or_malformed_is_named() {
        for (text, word) in [
            (format!(r#"{{"boot":"{ANOTHER}"}}"#), "missing field `ns`"),
            (String::from(r#"{"ns":1}"#), "missing field `boot`"),
            (String::from(r#"{"boot":"yesterday","ns":1}"#), "the id of a boot"),
            (String::from(r#"{"boot":7,"ns":1}"#), "the id of a boot"),
            (format!(r#"{{"boot":"{ANOTHER}","ns":0.5}}"#), "i64"),
            (format!(r#"{{"boot":"{ANOTHER}","ns":9223372036854775808}}"#), "i64"),
            (String::from("{}"), "missing field"),
            (String::from("[1]"), "the id of a boot"),
            // A number alone, and nothing.
            (String::from("1234"), "an instant with its boot"),
            (String::from("\"1234\""), "an instant with its boot"),
            (String::from("null"), "an instant with its boot"),
            (String::from("[]"), "an instant with its boot"),
        ] {
            let refused = refusal::<Instant>(&text);
            assert!(refused.contains(word), "{text}: {refused}");
        }
    }

    #[test]
    fn where_nobody_knows_the_boot_nothing_is_written_and_nothing_believed() {
        let told: Unchecked = serde_json::from_str(&format!(r#"{{"boot":"{ANOTHER}","ns":1}}"#)).unwrap();
        let refused = told.believed(Err(UNKNOWN)).unwrap_err().to_string();
        assert!(refused.contains("unknowable") && refused.contains("from_nanos"), "{refused}");
        let mut text = std::vec::Vec::new();
        let outcome = write(Instant::ZERO, Err(UNKNOWN), &mut serde_json::Serializer::new(&mut text));
        let refused = outcome.unwrap_err().to_string();
        assert!(refused.contains("unknowable") && refused.contains("as_nanos"), "{refused}");
        assert!(text.is_empty());
    }

    #[test]
    fn counters_are_numbers() {
        assert_eq!(serde_json::to_string(&Ticks::from_raw(7)).unwrap(), "7");
        assert_eq!(serde_json::from_str::<Ticks>("7").unwrap(), Ticks::from_raw(7));
        let anchor = Anchor { ticks: 1, reference_ns: 2, half_width_ticks: 3, error_ns: 4 };
        let text = serde_json::to_string(&anchor).unwrap();
        assert_eq!(serde_json::from_str::<Anchor>(&text).unwrap(), anchor);
        let bytes = postcard::to_allocvec(&(Ticks::from_raw(7), anchor)).unwrap();
        assert_eq!(postcard::from_bytes::<(Ticks, Anchor)>(&bytes).unwrap(), (Ticks::from_raw(7), anchor));
    }
}
