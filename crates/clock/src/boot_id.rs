use core::fmt;
use core::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use crate::uuid::GROUPS;
use crate::{Unavailable, os};

/// The boot, and its time namespace, that instants are counted in: two [`Instant`](crate::Instant)s are comparable if
/// these are equal.
///
/// A serialised instant carries one. Raw numbers ([`Ticks`](crate::Ticks), [`Anchor`](crate::Anchor),
/// [`Instant::as_nanos`](crate::Instant::as_nanos)) carry none: store one with them.
///
/// # Guarantees
/// New with each start of the kernel. The boot is asked for once per process, the time namespace each time, as a fork,
/// `setns` or `unshare` may change it. So a process restored from a checkpoint on another boot keeps its old boot, whose
/// times the restoring tool may or may not have continued. Equal ids prove nothing for virtual machines started from one
/// snapshot, or if a time namespace reuses the number of one that has ended.
///
/// # Platform
/// Linux: `/proc/sys/kernel/random/boot_id`, and the number of `/proc/self/ns/time` outside the initial time namespace; a
/// container may be shown its own boot. macOS: the sysctl `kern.bootsessionuuid`, compiled and not run. Other systems do
/// not tell.
///
/// # Sources
/// random(4), time_namespaces(7); `PROC_TIME_INIT_INO` of include/linux/proc_ns.h.
///
/// # Examples
/// ```
/// use chronoscope_clock::BootId;
///
/// match BootId::current() {
///     Ok(boot) => println!("{boot}"), // 8412f05d-1b4b-473c-9f13-cc0648db16e1
///     Err(unavailable) => println!("nobody knows which boot this is: {unavailable}"),
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BootId {
    uuid: u128,
    /// 0 for the initial one.
    time_namespace: u64,
}

const NAMESPACE: &str = "/time:";

impl BootId {
    /// This process's, now. A few system calls the first time, one later.
    ///
    /// # Errors
    /// [`Unavailable`] on systems that do not tell, and if `/proc` is missing or a sandbox forbids reading it.
    pub fn current() -> Result<Self, Unavailable> {
        static KNOWN: AtomicBool = AtomicBool::new(false);
        static UUID: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
        // Whoever comes first stores what everybody else would.
        if !KNOWN.load(Acquire) {
            let uuid = os::boot_uuid()?;
            UUID[0].store((uuid >> 64) as u64, Relaxed);
            UUID[1].store(uuid as u64, Relaxed);
            KNOWN.store(true, Release);
        }
        let [high, low] = [&UUID[0], &UUID[1]].map(|half| u128::from(half.load(Relaxed)));
        Ok(Self { uuid: high << 64 | low, time_namespace: os::time_namespace()? })
    }

    /// Whether both are of the same boot, in any time namespace.
    #[must_use]
    pub const fn is_same_boot(self, other: Self) -> bool {
        self.uuid == other.uuid
    }

    /// From what [`Display`](fmt::Display) writes.
    #[cfg(any(test, feature = "serde"))]
    fn parse(text: &str) -> Option<Self> {
        let (uuid, time_namespace) = match text.split_once(NAMESPACE) {
            None => (text, 0),
            Some((uuid, number)) if number.bytes().all(|digit| digit.is_ascii_digit()) => {
                (uuid, number.parse().ok().filter(|number| *number > 0)?)
            }
            Some(_) => return None,
        };
        Some(Self { uuid: crate::uuid::parse_uuid(uuid.as_bytes())?, time_namespace })
    }
}

impl fmt::Display for BootId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = 128;
        for (at, length) in GROUPS.into_iter().enumerate() {
            left -= 4 * length;
            let group = self.uuid >> left & ((1 << (4 * length)) - 1);
            write!(f, "{}{group:0length$x}", if at > 0 { "-" } else { "" })?;
        }
        if self.time_namespace == 0 { Ok(()) } else { write!(f, "{NAMESPACE}{}", self.time_namespace) }
    }
}

impl fmt::Debug for BootId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BootId({self})")
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for BootId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for BootId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::text_serde::deserialize(
            deserializer,
            "the id of a boot: a UUID, with /time: and a number in a time namespace",
            Self::parse,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::string::ToString;

    const TEXT: &str = "8412f05d-1b4b-473c-9f13-cc0648db16e1";

    #[test]
    fn what_is_no_id_is_none() {
        for text in [
            "",
            "8412f05d",
            &TEXT[1..],
            &TEXT.replace('-', ""),
            &TEXT.replace('8', "g"),
            &TEXT.replace("8412", "+412"),
            &(TEXT.to_string() + "-"),
            &(TEXT.to_string() + " "),
            &(TEXT.to_string() + NAMESPACE),
            &(TEXT.to_string() + "/time:0"),
            &(TEXT.to_string() + "/time:+7"),
            &(TEXT.to_string() + "/time:18446744073709551616"),
            &(TEXT.to_string() + "/time:7/time:7"),
            "8412f05d1-b4b-473c-9f13-cc0648db16e1",
        ] {
            assert_eq!(BootId::parse(text), None, "{text}");
        }
        assert_eq!(BootId::parse(&TEXT.to_ascii_uppercase()), BootId::parse(TEXT), "macOS");
    }

    #[test]
    fn namespaces_of_one_boot_are_told_apart() {
        let [initial, other] = [TEXT.to_string(), TEXT.to_string() + "/time:4026532201"].map(|text| {
            let id = BootId::parse(&text).unwrap();
            assert_eq!(id.to_string(), text);
            id
        });
        assert!(initial != other && initial.is_same_boot(other));
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    #[test]
    #[cfg_attr(miri, ignore = "reads files")]
    fn this_boot_is_always_the_same() {
        let boot = BootId::current().unwrap();
        assert_eq!(BootId::current(), Ok(boot));
        assert_eq!(std::thread::spawn(BootId::current).join().unwrap(), Ok(boot));
        assert_eq!(os::boot_uuid(), Ok(boot.uuid));
        assert_ne!(boot.uuid, 0);
    }

    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    #[test]
    fn a_system_that_does_not_say_is_no_boot() {
        assert!(BootId::current().is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(uuid: u128, time_namespace: u64) {
            let id = BootId { uuid, time_namespace };
            prop_assert_eq!(BootId::parse(&id.to_string()), Some(id));
        }

        #[test]
        fn no_text_is_a_panic(text: std::string::String) {
            let _ = BootId::parse(&text);
        }
    }
}
