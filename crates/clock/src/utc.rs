use core::time::Duration;

use crate::Unavailable;
use crate::os::{self, KernelTime, STA_NANO};

/// The earliest and the latest that UTC can be now, from the maximum error that the kernel keeps for its clock.
///
/// Two machines agree on the order of two events if one interval ends before the other begins:
/// [`is_before`](UtcInterval::is_before). A program that waits out its interval knows that its time is in everybody's
/// past.
///
/// # Units
/// Nanoseconds since 1970-01-01 00:00 UTC without leap seconds, as Unix counts.
///
/// # Guarantees
/// The interval contains UTC at some moment between call and return. It is the kernel's time ± its maximum error, widened
/// by:
/// - what the kernel's NTP loop has yet to slew (not `adjtime`'s, which OpenNTPD uses);
/// - what may have accrued since the kernel last raised the maximum error, which it does by 500 µs (500 ppm) each second:
///   a full second's worth plus a tick of 10 ms;
/// - rounding, of the error to 1 µs and of the time to 1 ns or 1 µs;
/// - around a leap second that the kernel was told of and has not yet cleared, 1 s either way: the clock then repeats or
///   skips a second, and systems number it differently.
///
/// It assumes that
/// - *the daemon's error is right.* chronyd and ntpd state root delay ÷ 2 + root dispersion, which holds if the servers
///   are right; chronyd omits an offset that it is slewing itself. **Some daemons state 0** whenever they adjust the
///   clock, systemd-timesyncd and phc2sys among them: the interval then omits the error of network or hardware, and
///   nothing in the kernel shows it;
/// - *the clock drifts by less than 500 ppm* between the daemon's updates, and the kernel ticks at least every 10 ms:
///   after a suspend or a pause of the virtual machine the interval may be wrong until the next update;
/// - *nobody smears.* Servers that smear a leap second are off by up to a second for a day, and do not say so.
///
/// # Platform
/// Linux: one system call, `clock_adjtime` or `adjtimex`, unprivileged and read-only; a seccomp filter may forbid it
/// (Docker's default allows it). macOS: `ntp_gettime` and `ntp_adjtime`, compiled and checked against the kernel's
/// source, never run. Elsewhere unavailable.
///
/// # Errors
/// [`Unavailable`] if nobody disciplines the clock: before the daemon has synchronised, after somebody sets the clock by hand, and once the maximum error has grown to 16 s, nine hours after the daemon's last update. Also if a sandbox forbids the call, and on other systems.
///
/// # Sources
/// Corbett et al., "Spanner: Google's globally-distributed database" (OSDI 2012), TrueTime; AWS ClockBound. Linux
/// kernel/time/ntp.c: `second_overflow`, `__do_adjtimex`, `ntp_clear`; adjtimex(2); RFC 1589. XNU
/// bsd/kern/kern_ntptime.c. What daemons state: chrony reference.c and sys_timex.c, ntpd ntp_loopfilter.c, systemd
/// timesyncd-manager.c, linuxptp sysclk.c.
///
/// # Examples
/// ```
/// match chronoscope_clock::utc() {
///     Ok(now) => println!("UTC is known to {:?}", now.width()),
///     Err(unavailable) => println!("UTC is not known: {unavailable}"),
/// }
/// ```
pub fn utc() -> Result<UtcInterval, Unavailable> {
    interval_of(os::kernel_time()?)
}

/// An interval that contains UTC: from [`utc`], or received from another machine.
///
/// # Units
/// Nanoseconds since 1970-01-01 00:00 UTC without leap seconds, as Unix counts.
///
/// # Guarantees
/// Never ends before it begins, even deserialised.
///
/// # Examples
/// ```
/// use chronoscope_clock::UtcInterval;
///
/// let here = UtcInterval::new(1_700_000_000_000_000_000, 1_700_000_000_000_400_000).unwrap();
/// let there = UtcInterval::new(1_700_000_000_000_300_000, 1_700_000_000_000_600_000).unwrap();
/// assert!(!here.is_before(there) && !here.is_after(there), "they overlap, so nobody can say");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "Unchecked"))]
pub struct UtcInterval {
    earliest_unix_ns: u64,
    latest_unix_ns: u64,
}

impl UtcInterval {
    /// The interval from `earliest_unix_ns` to `latest_unix_ns`, inclusive. None if it would end before it begins.
    #[must_use]
    pub const fn new(earliest_unix_ns: u64, latest_unix_ns: u64) -> Option<Self> {
        if earliest_unix_ns > latest_unix_ns { None } else { Some(Self { earliest_unix_ns, latest_unix_ns }) }
    }

    /// The earliest that UTC can be, in nanoseconds since 1970.
    #[must_use]
    pub const fn earliest_unix_nanos(self) -> u64 {
        self.earliest_unix_ns
    }

    /// The latest that UTC can be, in nanoseconds since 1970.
    #[must_use]
    pub const fn latest_unix_nanos(self) -> u64 {
        self.latest_unix_ns
    }

    /// The middle: the estimate with the smallest worst-case error.
    #[must_use]
    pub const fn midpoint_unix_nanos(self) -> u64 {
        self.earliest_unix_ns + (self.latest_unix_ns - self.earliest_unix_ns) / 2
    }

    /// From the earliest to the latest.
    #[must_use]
    pub const fn width(self) -> Duration {
        Duration::from_nanos(self.latest_unix_ns - self.earliest_unix_ns)
    }

    /// Whether this certainly came before `other`; false if they overlap.
    #[must_use]
    pub const fn is_before(self, other: Self) -> bool {
        self.latest_unix_ns < other.earliest_unix_ns
    }

    /// Whether this certainly came after `other`; false if they overlap.
    #[must_use]
    pub const fn is_after(self, other: Self) -> bool {
        other.is_before(self)
    }

    /// The earliest as a standard type, rounded down where that is coarser (100 ns on Windows).
    #[must_use]
    #[cfg(feature = "std")]
    pub fn earliest(self) -> std::time::SystemTime {
        std::time::UNIX_EPOCH + Duration::from_nanos(self.earliest_unix_ns)
    }

    /// The latest as a standard type, rounded up where that is coarser.
    #[must_use]
    #[cfg(feature = "std")]
    pub fn latest(self) -> std::time::SystemTime {
        // Its own addition rounds down.
        let up = Duration::from_nanos(SYSTEM_TIME_STEP_NS - 1);
        std::time::UNIX_EPOCH + (Duration::from_nanos(self.latest_unix_ns) + up)
    }
}

/// An interval as it was written down, not checked yet.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Unchecked {
    earliest_unix_ns: u64,
    latest_unix_ns: u64,
}

#[cfg(feature = "serde")]
impl TryFrom<Unchecked> for UtcInterval {
    type Error = &'static str;

    fn try_from(told: Unchecked) -> Result<Self, Self::Error> {
        Self::new(told.earliest_unix_ns, told.latest_unix_ns).ok_or("earliest_unix_ns is later than latest_unix_ns")
    }
}

/// The clock is undisciplined.
const STA_UNSYNC: i32 = 0x40;

/// No leap second is near. 1 to 4: one comes today, is under way, or is over and not yet cleared.
const TIME_OK: i32 = 0;
/// The clock is not synchronised.
const TIME_ERROR: i32 = 5;

/// The maximum error at which Linux gives the clock up (`NTP_PHASE_LIMIT`).
const GIVEN_UP_US: u64 = 16_000_000;
/// For the time since the kernel last raised its error: 500 ppm (`MAXFREQ`) of 1 s plus a tick 10 ms late.
const ACCRUED_NS: u64 = 505_000;
/// The daemon truncates its error to whole microseconds.
const ERROR_UNIT_NS: u64 = 1_000;
/// The step of the standard library's `SystemTime`.
#[cfg(feature = "std")]
const SYSTEM_TIME_STEP_NS: u64 = if cfg!(windows) { 100 } else { 1 };
const SECOND_NS: u64 = 1_000_000_000;
const DAY_NS: u64 = 86_400 * SECOND_NS;

const UNDISCIPLINED: Unavailable = Unavailable::because(
    "this system's clock is not synchronised to UTC: run chronyd with rtcsync, or ntpd, and wait for it to synchronise",
);
const NONSENSE: Unavailable =
    Unavailable::because("the kernel's wall clock is before 1970, or states a negative error");

fn interval_of(told: KernelTime) -> Result<UtcInterval, Unavailable> {
    if told.status & STA_UNSYNC != 0 || told.state == TIME_ERROR {
        return Err(UNDISCIPLINED);
    }
    let unit_ns = if told.status & STA_NANO != 0 { 1 } else { 1_000 };
    let (Ok(seconds), Ok(fraction), Ok(max_error_us)) =
        (u64::try_from(told.seconds), u64::try_from(told.fraction), u64::try_from(told.max_error_us))
    else {
        return Err(NONSENSE);
    };
    if max_error_us >= GIVEN_UP_US {
        return Err(UNDISCIPLINED);
    }
    let time_ns = seconds.saturating_mul(SECOND_NS).saturating_add(fraction.saturating_mul(unit_ns));
    let error_ns = (max_error_us * 1_000)
        .saturating_add(ERROR_UNIT_NS + ACCRUED_NS)
        .saturating_add(told.offset.unsigned_abs().saturating_mul(unit_ns));
    // UTC is not before 1970, so stopping at 0 takes nothing away.
    let earliest = time_ns.saturating_sub(error_ns);
    // The time is cut off too.
    let latest = time_ns.saturating_add(error_ns).saturating_add(unit_ns);
    let leap_ns = if told.state != TIME_OK && is_midnight_within(earliest, latest) { SECOND_NS } else { 0 };
    Ok(UtcInterval {
        earliest_unix_ns: earliest.saturating_sub(leap_ns),
        latest_unix_ns: latest.saturating_add(leap_ns),
    })
}

/// Whether a UTC day ends in the interval or less than a second after it; a leap second that the kernel knows of may then
/// be under way.
///
/// Let the day end at N. POSIX numbers an inserted second from N on; Linux sets its clock back at N and so numbers it
/// from N − 1. While the kernel shows t with error e:
/// - before, where t + e reaches N, UTC may be in the inserted second: N − 1 at least;
/// - within (`TIME_OOP`, t from N − 1 to N), UTC may be anywhere from N − 1 to N + 1, and e more;
/// - after, where t − e is below N, UTC may still be in the inserted second: N + 1 at most.
///
/// A deleted second is skipped at N − 1: from there t + e may be a second more, and t − e below N a second less. In each
/// case N is within t ± e or at most a second later, and a second either way is enough.
///
/// The kernel reads the time before its state, so a tick may come between; that makes no difference here.
fn is_midnight_within(earliest: u64, latest: u64) -> bool {
    earliest.div_ceil(DAY_NS) <= latest.saturating_add(SECOND_NS) / DAY_NS
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOON: i64 = 1_700_049_600;
    const MIDNIGHT: i64 = 1_700_006_400;
    const TIME_INS: i32 = 1;
    const TIME_DEL: i32 = 2;
    const TIME_OOP: i32 = 3;
    const TIME_WAIT: i32 = 4;

    fn told(seconds: i64, fraction: i64, max_error_us: i64, state: i32) -> KernelTime {
        KernelTime { seconds, fraction, offset: 0, max_error_us, status: STA_NANO, state }
    }

    fn bounds(told: KernelTime) -> (u64, u64) {
        let interval = interval_of(told).unwrap();
        (interval.earliest_unix_nanos(), interval.latest_unix_nanos())
    }

    #[test]
    fn the_terms_of_the_error_are_those_that_are_documented() {
        // 100 µs of the daemon, 505 µs accrued, 1 µs and 1 ns of rounding.
        let at = NOON as u64 * SECOND_NS + 5;
        assert_eq!(bounds(told(NOON, 5, 100, TIME_OK)), (at - 606_000, at + 606_001));
        // In microseconds the time is cut off by up to one.
        let micro = KernelTime { status: 0, ..told(NOON, 7, 100, TIME_OK) };
        let at = NOON as u64 * SECOND_NS + 7_000;
        assert_eq!(bounds(micro), (at - 606_000, at + 607_000));
        // What is still to be slewed away counts, whichever its sign, in the same unit.
        for offset in [-30, 30] {
            assert_eq!(bounds(KernelTime { offset, ..micro }), (at - 636_000, at + 637_000));
        }
    }

    #[test]
    fn a_clock_that_nobody_disciplines_is_unavailable() {
        let good = told(NOON, 0, 100, TIME_OK);
        assert!(interval_of(good).is_ok());
        for bad in [
            KernelTime { status: STA_UNSYNC | STA_NANO, ..good },
            KernelTime { state: TIME_ERROR, ..good },
            KernelTime { max_error_us: 16_000_000, ..good },
            KernelTime { max_error_us: i64::MAX, ..good },
        ] {
            assert_eq!(interval_of(bad), Err(UNDISCIPLINED), "{bad:?}");
        }
        for bad in [
            KernelTime { max_error_us: -1, ..good },
            KernelTime { seconds: -1, ..good },
            KernelTime { fraction: -1, ..good },
        ] {
            assert_eq!(interval_of(bad), Err(NONSENSE), "{bad:?}");
        }
    }

    /// What UTC may be by either numbering, `elapsed_ns` after the midnight N that it counts from, with a second
    /// inserted there (`inserted` 1), left out (−1), or neither.
    fn numbers(elapsed_ns: i64, inserted: i64) -> [i64; 2] {
        let second = SECOND_NS as i64;
        match inserted {
            1 if elapsed_ns < 0 => [elapsed_ns; 2],
            1 if elapsed_ns < second => [elapsed_ns, elapsed_ns - second],
            1 => [elapsed_ns - second; 2],
            -1 if elapsed_ns < -second => [elapsed_ns; 2],
            -1 => [elapsed_ns + second; 2],
            _ => [elapsed_ns; 2],
        }
    }

    /// What the kernel shows then, and its state.
    fn shown(elapsed_ns: i64, inserted: i64) -> (i64, i32) {
        let second = SECOND_NS as i64;
        let shown = numbers(elapsed_ns, inserted)[1]; // the numbering of Linux
        let state = match inserted {
            1 if elapsed_ns < 0 => TIME_INS,
            1 if elapsed_ns < second => TIME_OOP,
            -1 if elapsed_ns < -second => TIME_DEL,
            _ => TIME_WAIT,
        };
        (shown, state)
    }

    proptest! {
        #[test]
        fn it_contains_the_kernels_time_and_grows_with_the_error(
            seconds in prop_oneof![0..4_000_000_000_i64, any::<i64>()],
            fraction in 0..1_000_000_000_i64,
            offset: i32,
            max_error_us in 0..16_000_000_i64,
            more_us in 0..1_000_000_i64,
            is_nano: bool,
            state in 0..5_i32,
        ) {
            let status = if is_nano { STA_NANO } else { 0 };
            let fraction = if is_nano { fraction } else { fraction / 1_000 };
            let told = KernelTime { seconds, fraction, offset: offset.into(), max_error_us, status, state };
            prop_assume!(seconds >= 0);
            let interval = interval_of(told).unwrap();
            let unit_ns = if is_nano { 1 } else { 1_000 };
            let time = (seconds as u64).saturating_mul(SECOND_NS).saturating_add(fraction as u64 * unit_ns);
            prop_assert!(interval.earliest_unix_nanos() <= time && time <= interval.latest_unix_nanos());
            prop_assert!(UtcInterval::new(interval.earliest_unix_nanos(), interval.latest_unix_nanos()).is_some());
            if let Ok(wider) = interval_of(KernelTime { max_error_us: max_error_us + more_us, ..told }) {
                prop_assert!(wider.earliest_unix_nanos() <= interval.earliest_unix_nanos());
                prop_assert!(wider.latest_unix_nanos() >= interval.latest_unix_nanos());
                prop_assert!(wider.width() >= interval.width());
            }
        }

        /// Two machines around one leap second, whatever each is off by within what it states: UTC by either numbering
        /// is in the interval, and no order is claimed that is not so.
        #[test]
        fn a_leap_second_is_contained_and_never_turns_an_order_round(
            elapsed in prop::array::uniform2(-3_000_000_000..3_000_000_000_i64),
            off in prop::array::uniform2(-0.999..0.999_f64),
            max_error_us in prop::array::uniform2(0..1_500_000_i64),
            inserted in -1..=1_i64,
        ) {
            let interval = |at: usize| {
                let (shown_ns, state) = shown(elapsed[at] + (off[at] * max_error_us[at] as f64 * 1e3) as i64, inserted);
                let unix_ns = MIDNIGHT * SECOND_NS as i64 + shown_ns;
                let state = if inserted == 0 { TIME_OK } else { state };
                let second = SECOND_NS as i64;
                interval_of(told(unix_ns.div_euclid(second), unix_ns.rem_euclid(second), max_error_us[at], state)).unwrap()
            };
            let intervals = [interval(0), interval(1)];
            for at in [0, 1] {
                for number in numbers(elapsed[at], inserted) {
                    let utc = (MIDNIGHT * SECOND_NS as i64 + number) as u64;
                    prop_assert!(intervals[at].earliest_unix_nanos() <= utc, "{:?} {utc}", intervals[at]);
                    prop_assert!(utc <= intervals[at].latest_unix_nanos(), "{:?} {utc}", intervals[at]);
                }
            }
            let [first, second] = intervals;
            prop_assert!(!first.is_before(second) || elapsed[0] < elapsed[1]);
            prop_assert!(!first.is_after(second) || elapsed[0] > elapsed[1]);
        }
    }

    #[test]
    fn a_leap_second_to_come_widens_nothing_until_it_is_near() {
        let quiet = bounds(told(NOON, 0, 100, TIME_OK));
        for state in [TIME_INS, TIME_DEL, TIME_OOP, TIME_WAIT] {
            assert_eq!(bounds(told(NOON, 0, 100, state)), quiet);
        }
        let width_at_midnight = |state| interval_of(told(MIDNIGHT - 1, 0, 100, state)).unwrap().width();
        let (quiet, second) = (Duration::from_nanos(quiet.1 - quiet.0), Duration::from_secs(1));
        assert_eq!(width_at_midnight(TIME_OK), quiet);
        assert_eq!(width_at_midnight(TIME_INS), quiet + 2 * second);
    }

    #[test]
    fn order_is_claimed_where_intervals_do_not_touch() {
        let [early, late] = [(10, 20), (21, 30)].map(|(earliest, latest)| UtcInterval::new(earliest, latest).unwrap());
        assert!(early.is_before(late) && late.is_after(early));
        assert!(!late.is_before(early) && !early.is_after(late));
        let touching = UtcInterval::new(20, 40).unwrap();
        assert!(!early.is_before(touching) && !touching.is_after(early));
        assert_eq!(UtcInterval::new(2, 1), None);
        assert_eq!(early.midpoint_unix_nanos(), 15);
        assert_eq!(early.width(), Duration::from_nanos(10));
        assert_eq!(UtcInterval::new(0, u64::MAX).unwrap().midpoint_unix_nanos(), u64::MAX / 2);
    }

    #[cfg(feature = "std")]
    #[test]
    fn the_standard_librarys_times_are_the_same_or_a_step_outside() {
        let since_1970 = |time: std::time::SystemTime| time.duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
        for (earliest, latest) in [(1_500, 1_500), (1_501, 1_501), (0, u64::MAX), (1_599, 1_700_000_000_000_000_001)] {
            let interval = UtcInterval::new(earliest, latest).unwrap();
            let (outer_earliest, outer_latest) = (since_1970(interval.earliest()), since_1970(interval.latest()));
            let (earliest, latest, step) = (earliest.into(), latest.into(), SYSTEM_TIME_STEP_NS.into());
            assert!(outer_earliest <= earliest && earliest - outer_earliest < step, "{outer_earliest} {earliest}");
            assert!(outer_latest >= latest && outer_latest - latest < step, "{outer_latest} {latest}");
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn it_survives_being_written_and_an_interval_that_is_none_is_refused() {
        let interval = UtcInterval::new(5, 7).unwrap();
        let text = serde_json::to_string(&interval).unwrap();
        assert_eq!(text, r#"{"earliest_unix_ns":5,"latest_unix_ns":7}"#);
        assert_eq!(serde_json::from_str::<UtcInterval>(&text).unwrap(), interval);
        let bytes = postcard::to_allocvec(&interval).unwrap();
        assert_eq!(postcard::from_bytes::<UtcInterval>(&bytes).unwrap(), interval);
        assert!(serde_json::from_str::<UtcInterval>(r#"{"earliest_unix_ns":7,"latest_unix_ns":5}"#).is_err());
    }

    #[test]
    fn this_machine_contains_its_own_wall_clock_or_says_why_not() {
        let wall_ns = || os::try_read_ns(os::OsClock::Realtime);
        // Somebody may set the clock meanwhile, but not every time.
        let is_right = (0..3).any(|_| match (wall_ns(), utc(), wall_ns()) {
            (Ok(before), Ok(now), Ok(after)) => now.earliest_unix_nanos() <= after && before <= now.latest_unix_nanos(),
            (_, Err(unavailable), _) => !unavailable.reason().is_empty(),
            (before, now, after) => panic!("{before:?} {now:?} {after:?}"),
        });
        assert!(is_right);
    }
}
