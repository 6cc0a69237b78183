//! Timestamps for log lines: formatters for [`tracing_subscriber::fmt`](mod@tracing_subscriber::fmt). [`Monotonic`]
//! writes the program's own instants, [`Utc`] their date and time.
//!
//! # Examples
//! ```
//! use chronoscope_clock::log_time::Monotonic;
//!
//! tracing_subscriber::fmt().with_timer(Monotonic::new()).with_writer(std::io::stderr).init();
//! tracing::info!("ready"); // 1234.567890123 s  INFO rust_out: ready
//! ```

use core::fmt;
use core::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use core::time::Duration;
use std::time::UNIX_EPOCH;

use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;

use crate::{AtomicInstant, Clock, Instant, Now, Unavailable, WallAnchor, nanos};

/// How often to check whether the wall clock was set.
const CHECKED_EVERY: Duration = Duration::from_secs(1);

/// Writes seconds of `CLOCK_MONOTONIC` with nine digits, as [`Instant`] is displayed: comparable with every instant the
/// program prints, and with the logs of other processes of the same boot.
///
/// # Guarantees
/// Those of the clock.
///
/// # Examples
/// ```
/// use chronoscope_clock::log_time::Monotonic;
///
/// let subscriber = tracing_subscriber::fmt().with_timer(Monotonic::new()).with_writer(std::io::stderr).finish();
/// tracing::subscriber::with_default(subscriber, || tracing::info!("ready"));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Monotonic<C = Clock> {
    clock: C,
}

impl Monotonic {
    /// Times by [`Clock::or_system`].
    #[must_use]
    pub const fn new() -> Self {
        Self::with_clock(Clock::or_system())
    }
}

impl<C> Monotonic<C> {
    /// Times by `clock`: a cheaper one, or a [`FakeClock`](crate::FakeClock) in a test that compares output.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::{Granular, log_time::Monotonic};
    /// use std::time::Duration;
    ///
    /// static CLOCK: Granular = Granular::new(Duration::from_micros(1));
    /// let _subscriber = tracing_subscriber::fmt().with_timer(Monotonic::with_clock(&CLOCK)).finish();
    /// ```
    #[must_use]
    pub const fn with_clock(clock: C) -> Self {
        Self { clock }
    }
}

impl<C: Now> FormatTime for Monotonic<C> {
    fn format_time(&self, writer: &mut Writer<'_>) -> fmt::Result {
        write!(writer, "{}", self.clock.now())
    }
}

/// Writes UTC by RFC 3339 with nanoseconds: `2026-11-22T07:10:32.123456789Z`. Each time is an instant of [`Clock`] plus a
/// constant from a [`WallAnchor`].
///
/// # Guarantees
/// - Times keep the order and distances of the instants, even while the wall clock is slewed.
/// - Once somebody *sets* the wall clock (or after a suspend, which the monotonic clock does not count), times follow
///   within a second of logging: the first line a second or more after the last check takes a new anchor, in some
///   microseconds, and keeps it if the old one no longer agrees within the bounds of both. No other line waits for that,
///   or for anything.
///
/// # Platform
/// Windows: to 100 ns, the step of the standard library's `SystemTime`.
///
/// # Examples
/// ```
/// use chronoscope_clock::log_time::Utc;
///
/// let subscriber = tracing_subscriber::fmt().with_timer(Utc::new()?).with_writer(std::io::stderr).finish();
/// tracing::subscriber::with_default(subscriber, || tracing::info!("ready"));
/// # Ok::<(), chronoscope_clock::Unavailable>(())
/// ```
#[derive(Debug)]
pub struct Utc {
    anchored: Anchored<Clock, fn() -> Result<WallAnchor, Unavailable>>,
}

impl Utc {
    /// Takes the first anchor.
    ///
    /// # Errors
    /// As [`WallAnchor::take`].
    pub fn new() -> Result<Self, Unavailable> {
        let anchor: fn() -> _ = || WallAnchor::take(Clock::or_system());
        Ok(Self { anchored: Anchored::new(Clock::or_system(), anchor)? })
    }
}

impl FormatTime for Utc {
    fn format_time(&self, writer: &mut Writer<'_>) -> fmt::Result {
        write_utc(self.anchored.unix_ns(), writer)
    }
}

fn write_utc(unix_ns: u64, writer: &mut Writer<'_>) -> fmt::Result {
    let time = UNIX_EPOCH.checked_add(Duration::from_nanos(unix_ns)).ok_or(fmt::Error)?;
    write!(writer, "{}", humantime::format_rfc3339_nanos(time))
}

/// A clock with an anchor, kept current by its readers.
#[derive(Debug)]
struct Anchored<C, W> {
    clock: C,
    anchor: W,
    /// The one word that every time is made of, so that no time is half of one anchor and half of another: what to add to an
    /// instant, wrapping.
    offset_ns: AtomicU64,
    /// The rest of the anchor, for the next look alone. Half of one anchor and half of another lead at worst to one more.
    taken_at: AtomicInstant,
    half_width_ns: AtomicU64,
    next_look: AtomicInstant,
}

impl<C: Now, W: Fn() -> Result<WallAnchor, Unavailable>> Anchored<C, W> {
    fn new(clock: C, anchor: W) -> Result<Self, Unavailable> {
        let first = anchor()?;
        let anchored = Self {
            offset_ns: AtomicU64::new(0),
            taken_at: AtomicInstant::new(Instant::ZERO),
            half_width_ns: AtomicU64::new(0),
            next_look: AtomicInstant::new(clock.now().saturating_add(CHECKED_EVERY)),
            clock,
            anchor,
        };
        anchored.keep(first);
        Ok(anchored)
    }

    fn unix_ns(&self) -> u64 {
        let now = self.clock.now();
        let look_at = self.next_look.load(Relaxed);
        if now >= look_at {
            self.look(now, look_at);
        }
        now.to_bits().wrapping_add(self.offset_ns.load(Acquire))
    }

    #[cold]
    fn look(&self, now: Instant, look_at: Instant) {
        let next = now.saturating_add(CHECKED_EVERY);
        // One of those who come now looks, and the others take what there is.
        if self.next_look.compare_exchange(look_at, next, Relaxed, Relaxed).is_err() {
            return;
        }
        // A wall clock that has become unreadable leaves the times as they were.
        let Ok(fresh) = (self.anchor)() else { return };
        if !self.kept().agrees_with(fresh) {
            self.keep(fresh);
        }
    }

    fn kept(&self) -> WallAnchor {
        let taken_at = self.taken_at.load(Relaxed);
        let unix_ns = taken_at.to_bits().wrapping_add(self.offset_ns.load(Relaxed));
        WallAnchor::from_parts(taken_at, unix_ns, self.half_width_ns.load(Relaxed))
    }

    fn keep(&self, anchor: WallAnchor) {
        let at = anchor.taken_at();
        let unix_ns = u64::try_from(anchor.unix_nanos(at)).unwrap_or(0);
        self.taken_at.store(at, Relaxed);
        self.half_width_ns.store(nanos::saturating(anchor.error_bound()), Relaxed);
        self.offset_ns.store(unix_ns.wrapping_sub(at.to_bits()), Release);
    }
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::AtomicBool;
    use std::string::{String, ToString};
    use std::sync::Arc;

    use super::*;
    use crate::FakeClock;

    const YEAR_2023: u64 = 1_700_000_000_000_000_000;

    fn written(timer: &impl FormatTime) -> String {
        let mut text = String::new();
        timer.format_time(&mut Writer::new(&mut text)).unwrap();
        text
    }

    /// A wall clock that somebody may set, next to a clock that nobody can.
    struct World {
        clock: FakeClock,
        wall_offset_ns: AtomicU64,
        is_readable: AtomicBool,
        looks: AtomicU64,
    }

    impl World {
        fn new() -> Arc<Self> {
            Arc::new(Self {
                clock: FakeClock::starting_at(Instant::from_nanos(5_000_000_000)),
                wall_offset_ns: AtomicU64::new(YEAR_2023),
                is_readable: AtomicBool::new(true),
                looks: AtomicU64::new(0),
            })
        }

        fn take(&self) -> Result<WallAnchor, Unavailable> {
            self.looks.fetch_add(1, Relaxed);
            if !self.is_readable.load(Relaxed) {
                return Err(Unavailable::because("a test says so"));
            }
            let now = Now::now(&self.clock);
            Ok(WallAnchor::from_parts(now, now.to_bits() + self.wall_offset_ns.load(Relaxed), 50))
        }

        fn anchored(self: &Arc<Self>) -> Anchored<impl Now, impl Fn() -> Result<WallAnchor, Unavailable>> {
            struct Of(Arc<World>);
            impl Now for Of {
                fn now(&self) -> Instant {
                    Now::now(&self.0.clock)
                }
            }
            let world = Arc::clone(self);
            Anchored::new(Of(Arc::clone(self)), move || world.take()).unwrap()
        }
    }

    #[test]
    fn monotonic_times_are_the_programs_own() {
        let clock = FakeClock::starting_at(Instant::from_nanos(1_234_567_890_123));
        assert_eq!(written(&Monotonic::with_clock(&clock)), "1234.567890123 s");
        assert_eq!(written(&Monotonic::with_clock(&clock)), Now::now(&clock).to_string());
        let before = Instant::now();
        let real = written(&Monotonic::new());
        assert!(before.to_string().len() < real.len() || before.to_string() <= real, "{before} {real}");
    }

    #[test]
    fn utc_is_rfc_3339_with_all_nine_digits() {
        let text = |unix_ns| {
            let mut text = String::new();
            write_utc(unix_ns, &mut Writer::new(&mut text)).unwrap();
            text
        };
        assert_eq!(text(0), "1970-01-01T00:00:00.000000000Z");
        assert_eq!(text(YEAR_2023), "2023-11-14T22:13:20.000000000Z");
        assert_eq!(text(1_709_210_096_123_456_700), "2024-02-29T12:34:56.123456700Z");
        assert!(text(u64::MAX).starts_with("2554-07-21T23:34:33.7095516"));
    }

    #[test]
    fn times_keep_their_distances_until_the_wall_clock_is_set() {
        let world = World::new();
        let anchored = world.anchored();
        let start = anchored.unix_ns();
        assert_eq!(start, YEAR_2023 + 5_000_000_000);
        for second in 1..=20 {
            // Measurements differ within their bounds, and that is no reason to step.
            world.wall_offset_ns.store(YEAR_2023 + 90 * (second % 2), Relaxed);
            world.clock.advance(Duration::from_secs(1));
            assert_eq!(anchored.unix_ns(), start + second * 1_000_000_000);
        }
        world.wall_offset_ns.store(YEAR_2023 - 3_600_000_000_000, Relaxed);
        world.clock.advance(Duration::from_millis(999));
        assert_eq!(anchored.unix_ns(), start + 20_999_000_000);
        world.clock.advance(Duration::from_millis(1));
        assert_eq!(anchored.unix_ns(), start + 21_000_000_000 - 3_600_000_000_000, "an hour back");
        world.clock.advance(Duration::from_millis(1));
        assert_eq!(anchored.unix_ns(), start + 21_001_000_000 - 3_600_000_000_000);
    }

    #[test]
    fn it_is_looked_once_a_second_however_much_is_logged() {
        let world = World::new();
        let anchored = world.anchored();
        for _ in 0..10_000 {
            let _ = anchored.unix_ns();
            world.clock.advance(Duration::from_micros(500));
        }
        assert_eq!(world.looks.load(Relaxed), 1 + 4);
    }

    #[test]
    fn whoever_comes_during_a_look_does_not_wait() {
        let world = World::new();
        let anchored = world.anchored();
        let looking_at = anchored.next_look.load(Relaxed);
        world.clock.advance(Duration::from_secs(1));
        let now = Now::now(&world.clock);
        // Somebody has begun a look and is stopped in it, for ever.
        let next = now + Duration::from_secs(1);
        anchored.next_look.compare_exchange(looking_at, next, Relaxed, Relaxed).unwrap();
        assert_eq!(anchored.unix_ns(), YEAR_2023 + now.to_bits());
        anchored.look(now, looking_at);
        assert_eq!(world.looks.load(Relaxed), 1);
        // A second later somebody else does.
        world.clock.advance(Duration::from_secs(1));
        let _ = anchored.unix_ns();
        assert_eq!(world.looks.load(Relaxed), 2);
    }

    #[test]
    fn a_wall_clock_that_becomes_unreadable_leaves_the_times_as_they_were() {
        let world = World::new();
        let anchored = world.anchored();
        world.is_readable.store(false, Relaxed);
        world.wall_offset_ns.store(0, Relaxed);
        world.clock.advance(Duration::from_secs(7));
        assert_eq!(anchored.unix_ns(), YEAR_2023 + 12_000_000_000);
    }

    #[cfg(any(target_os = "linux", target_os = "macos", windows))]
    #[test]
    #[cfg_attr(miri, ignore = "makes a system call that Miri does not know")]
    fn this_machines_time_is_written() {
        let utc = Utc::new().unwrap();
        // Somebody may set the clock meanwhile, but not every time.
        let agrees = (0..3).any(|_| {
            let before = std::time::SystemTime::now() - Duration::from_millis(1);
            let shown = humantime::parse_rfc3339(&written(&utc)).unwrap();
            let after = std::time::SystemTime::now() + Duration::from_millis(1);
            before <= shown && shown <= after
        });
        assert!(agrees);
    }

    #[test]
    fn a_subscriber_writes_it_before_each_line() {
        let lines = Arc::new(std::sync::Mutex::new(std::vec::Vec::new()));
        struct Lines(Arc<std::sync::Mutex<std::vec::Vec<u8>>>);
        impl std::io::Write for Lines {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                std::io::Write::write(&mut *self.0.lock().unwrap(), bytes)
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let clock = Arc::new(FakeClock::starting_at(Instant::from_nanos(42)));
        let sink = Arc::clone(&lines);
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_timer(Monotonic::with_clock(Arc::clone(&clock)))
            .with_writer(move || Lines(Arc::clone(&sink)))
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!("first");
            clock.advance(Duration::from_secs(1));
            tracing::info!("second");
        });
        let text = String::from_utf8(lines.lock().unwrap().clone()).unwrap();
        let lines: std::vec::Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("0.000000042 s") && lines[0].ends_with("first"), "{text}");
        assert!(lines[1].starts_with("1.000000042 s") && lines[1].ends_with("second"), "{text}");
    }
}
