use core::fmt;
use core::ops::RangeInclusive;
use core::sync::atomic::{
    AtomicU8, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use crate::os::{self, OsClock};
use crate::uuid::GROUPS;
use crate::{Unavailable, clock};

/// The boot, and its time namespace, that instants are counted in: two [`Instant`](crate::Instant)s are comparable if
/// these are equal.
///
/// A serialised instant carries one. Raw numbers ([`Ticks`](crate::Ticks), [`Anchor`](crate::Anchor),
/// [`Instant::as_nanos`](crate::Instant::as_nanos)) carry none: store one with them.
///
/// # Guarantees
/// New with each start of the kernel. [`current`](Self::current) is correct right after a fork, `setns` or `unshare`, and after a
/// restore from a checkpoint on another boot. Different boots can have equal ids in three cases: virtual machines
/// started from one snapshot, a process restored on a boot less than a millisecond older or younger, and a time namespace that
/// reuses the number of one that has ended.
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
    /// This process's, now. The first call asks the system, and so does each in a time namespace; later ones read two clocks,
    /// and ask again only if the monotonic clock's zero has moved by the wall clock, as in a suspend, when that is set, and in
    /// another boot. On Linux they then make no system call, unless the kernel's data cannot be read
    /// ([`Clock::trust`](crate::Clock::trust)): then one, for the time namespace.
    ///
    /// # Errors
    /// [`Unavailable`] on systems that do not tell, and if `/proc` is missing or a sandbox forbids reading it.
    pub fn current() -> Result<Self, Unavailable> {
        static KNOWN: Known = Known::new();
        let time_namespace = if clock::is_outside_time_namespaces() { 0 } else { os::time_namespace()? };
        // Inside one, a restored process may go on with the times of its old boot.
        let uuid = if time_namespace == 0 { KNOWN.or_ask(zero_ns(), os::boot_uuid)? } else { os::boot_uuid()? };
        Ok(Self { uuid, time_namespace })
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

/// The boot that was found, and when it began by the wall clock: as long as that stays, it is this one.
struct Known {
    state: AtomicU8,
    uuid: [AtomicU64; 2],
    zero_ns: AtomicU64,
}

const NOTHING: u8 = 0;
const BEING_WRITTEN: u8 = 1;
const WRITTEN: u8 = 2;
/// More than lies between reads in a row, unless the thread is stopped among them.
const SAME_ZERO_NS: u64 = 1_000_000;

impl Known {
    const fn new() -> Self {
        Self { state: AtomicU8::new(NOTHING), uuid: [const { AtomicU64::new(0) }; 2], zero_ns: AtomicU64::new(0) }
    }

    /// The boot, where the monotonic clock's zero is now within `zero_ns`, read before this.
    fn or_ask(
        &self,
        zero_ns: Option<RangeInclusive<u64>>,
        ask: impl FnOnce() -> Result<u128, Unavailable>,
    ) -> Result<u128, Unavailable> {
        let known = self.uuid();
        let last_ns = self.zero_ns.load(Relaxed);
        let is_same = |now: &RangeInclusive<u64>| {
            now.start().saturating_sub(SAME_ZERO_NS) <= last_ns && last_ns <= now.end().saturating_add(SAME_ZERO_NS)
        };
        if let Some(uuid) = known.filter(|_| zero_ns.as_ref().is_some_and(is_same)) {
            return Ok(uuid);
        }
        let uuid = ask()?;
        let is_narrow = |now: &RangeInclusive<u64>| now.end() - now.start() <= SAME_ZERO_NS;
        let Some(zero_ns) = zero_ns.filter(is_narrow).map(|now| *now.start()) else { return Ok(uuid) };
        // The id is written once, by one thread: it is never half of one and half of another.
        if self.state.compare_exchange(NOTHING, BEING_WRITTEN, Relaxed, Relaxed).is_ok() {
            self.uuid[0].store((uuid >> 64) as u64, Relaxed);
            self.uuid[1].store(uuid as u64, Relaxed);
            self.zero_ns.store(zero_ns, Relaxed);
            self.state.store(WRITTEN, Release);
        } else if known == Some(uuid) {
            self.zero_ns.store(zero_ns, Relaxed);
        }
        Ok(uuid)
    }

    fn uuid(&self) -> Option<u128> {
        let [high, low] = [&self.uuid[0], &self.uuid[1]];
        let is_written = self.state.load(Acquire) == WRITTEN;
        is_written.then(|| u128::from(high.load(Relaxed)) << 64 | u128::from(low.load(Relaxed)))
    }
}

/// The earliest and the latest that the wall clock can have shown at the monotonic clock's zero.
fn zero_ns() -> Option<RangeInclusive<u64>> {
    let read = |clock| os::try_read_ns(clock).ok();
    let before = read(OsClock::Monotonic)?;
    let wall = read(OsClock::Realtime)?;
    let after = read(OsClock::Monotonic)?;
    Some(wall.saturating_sub(after)..=wall.saturating_sub(before))
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

    #[test]
    fn the_system_is_asked_once_and_again_when_the_zero_has_moved() {
        let known = Known::new();
        let asked = core::cell::Cell::new(0);
        let boot = |zero_ns: Option<u64>, uuid| {
            known.or_ask(zero_ns.map(|ns| ns - 200..=ns), || {
                asked.set(asked.get() + 1);
                Ok(uuid)
            })
        };
        let zero_ns = 1_700_000_000_000_000_000;
        for jitter_ns in [0, 300, SAME_ZERO_NS - 300, 0] {
            assert_eq!((boot(Some(zero_ns + jitter_ns), 7), asked.get()), (Ok(7), 1));
        }
        // A thread that was stopped between the reads of the clocks cannot tell, and must not ask in a sandbox.
        let stopped = known.or_ask(Some(zero_ns - 50_000_000..=zero_ns), || Err(Unavailable::because("a sandbox")));
        assert_eq!(stopped, Ok(7));
        // Somebody has set the wall clock back.
        let zero_ns = zero_ns - 3_600_000_000_000;
        for _ in 0..3 {
            assert_eq!((boot(Some(zero_ns), 7), asked.get()), (Ok(7), 2));
        }
        // A checkpoint restored on another boot, and again on the first.
        for asked_by_now in [3, 4] {
            assert_eq!((boot(Some(zero_ns + 60_000_000_000), 8), asked.get()), (Ok(8), asked_by_now));
        }
        assert_eq!((boot(Some(zero_ns), 9), asked.get()), (Ok(7), 4), "the boot that began then");
        // Where clocks do not tell, the system does.
        assert_eq!((boot(None, 9), asked.get()), (Ok(9), 5));
        assert_eq!(
            known.or_ask(None, || Err(Unavailable::because("a sandbox"))),
            Err(Unavailable::because("a sandbox"))
        );
    }

    #[test]
    fn who_reads_while_another_writes_asks() {
        let known = Known::new();
        let or_ask = |uuid| known.or_ask(Some(1..=1), || Ok(uuid));
        // A signal handler comes first, and writes.
        let outer = known.or_ask(Some(1..=1), || or_ask(2));
        assert_eq!((outer, or_ask(3)), (Ok(2), Ok(2)));
        known.state.store(BEING_WRITTEN, Relaxed);
        assert_eq!(or_ask(3), Ok(3));
    }

    #[test]
    fn a_zero_that_was_read_badly_is_not_kept() {
        let known = Known::new();
        let or_ask = |least, uuid| known.or_ask(Some(least..=SAME_ZERO_NS + 1), || Ok(uuid));
        assert_eq!([or_ask(0, 1), or_ask(1, 2), or_ask(0, 3)], [Ok(1), Ok(2), Ok(2)]);
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
