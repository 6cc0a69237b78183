//! The operating system's monotonic clock, read faster: the same time, causal, with an error bound.
//!
//! Each read states its guarantee:
//!
//! | read | monotonic on a thread | causal between threads | program order | resolution |
//! |---|---|---|---|---|
//! | [`Clock::now`] | as `CLOCK_MONOTONIC` | as `CLOCK_MONOTONIC` | after earlier loads; later ones may run first | the counter's step |
//! | [`Granular::now`] | yes, whatever the counters do | yes, whatever the counters do | – | the granularity, which you choose |
//! | [`Clock::now_fenced`] | as `CLOCK_MONOTONIC` | as `CLOCK_MONOTONIC` | after earlier loads, before later ones | the counter's step |
//! | [`Unordered::now`] | not promised | **no** | – | the counter's step |
//! | [`Granular::recent`] | yes | yes | – | what `now` last returned, in one load |
//!
//! [`Clock::monotonic`] is `now` with its seconds and nanoseconds apart, for a C `timespec`; [`Clock::realtime`] is
//! `CLOCK_REALTIME` by the same data; [`Unordered`] has both, and [`ticks`](Unordered::ticks) at the cost of the bare
//! counter, which [`Clock::duration_of`] converts.
//!
//! All times but `realtime`'s are `CLOCK_MONOTONIC`: computed from the numbers that `clock_gettime` uses where the kernel's data can be read,
//! and read through `clock_gettime` elsewhere. [`Clock::reading`] returns a time and its error bound from one read;
//! [`Clock::trust`] says where readings come from, and why. [`Stopwatch`] times an interval and bounds its error.
//! [`Ticks`] are captured now and converted later by an [`AnchorTable`]. [`WallAnchor`] converts to wall-clock time;
//! [`utc`] returns the earliest and the latest that UTC can be.
//!
//! Code generic over [`Now`] can be given a [`FakeClock`], which stalls, steps back, drifts and coarsens on demand.
//!
//! # Guarantees
//! - Nothing runs before `main`, nor in the background, and no reading depends on when another was taken, except those of
//!   [`Granular`]. The first read takes 10 to 30 µs.
//! - Reads are infallible. They never wait for another thread, and for the kernel only as `clock_gettime` does, while it
//!   updates its data. Stopping a thread, forking, or reading in a signal handler inside a read changes no reading.
//! - After [`Clock::warm_up`] no read makes a system call, unless `clock_gettime` itself does: when the kernel uses a
//!   clocksource that programs cannot read (or a hypervisor stops vouching for its page), or the process may not read the
//!   counter. [`Clock::anchor`] lists its own exception.
//! - Check it on your machine: `chronoscope causality`, `bench/clock`, `lab/run`.
//!
//! # Platform
//! Linux on x86-64 and aarch64. macOS and Windows: the system's clocks and the raw counter; [`Clock`] reads the system's
//! monotonic clock, and says so. Other systems with `std`: `std::time::Instant` and `SystemTime`; without `std` they have
//! no clock, and [`Clock`] panics. `no_std` without the feature `std`. Needs 64-bit atomics (`target_has_atomic = "64"`);
//! other targets do not compile. By default depends on `libc` or `windows-sys` alone. Rust 1.85 or later.
//!
//! # Features
//! - `std` (default): wall-clock types of the standard library ([`WallAnchor::to_system_time`], `UtcInterval::earliest`),
//!   `pacer::Poisson`, scheduling guards ([`pause::TimerSlack`], [`pause::TimeSlice`], [`pause::RealTime`]), and the
//!   monotonic clock of systems without their own code here.
//! - `kernel-data` (default): computes the time from the kernel's own data where they can be read and pass a check;
//!   without it, every read is `clock_gettime`.
//! - `serde`: serialises [`Instant`], [`Reading`] and [`WallAnchor`] with the [`BootId`] of their times, and refuses them
//!   in another boot; [`Ticks`] and [`Anchor`], raw numbers of one boot; [`Elapsed`] and [`UtcInterval`], valid anywhere;
//!   [`Trust`], [`TrustState`], [`RateSource`], [`Reason`], [`Reasons`], [`Distrust`] and [`BootId`]. Not clocks,
//!   stopwatches, tables, [`AtomicInstant`] or other errors.
//! - `tracing-subscriber`: `log_time`, timestamps for log lines.
//! - `hdrhistogram`: `pacer::PaceRecord`, a pacer's record in histograms.
//!
//! Types of other crates are in public signatures under the last two features alone: traits of tracing-subscriber 0.3, and
//! `Histogram` of hdrhistogram 7, whose quantiles and logs would only be copied here. Another major version of either will be
//! a feature of its own, so neither breaks users who do not enable it. They are not re-exported: depend on the
//! version named.
//!
//! What studies clocks and harnesses – raw counters, each clock of the system, pairs of CPUs – is in the crate
//! `chronoscope-sources`.
//!
//! # Examples
//! Replacing the standard library's type:
//! ```
//! use chronoscope_clock::Instant;
//!
//! let start = Instant::now();
//! println!("took {:?}", start.elapsed());
//! ```
//!
//! Timestamps that are cheap to compare across threads, and an interval with its error:
//! ```
//! use chronoscope_clock::{Clock, Granular, Stopwatch};
//! use std::time::Duration;
//!
//! // Timestamps to compare across threads: a microsecond is enough, and costs no fence.
//! static EVENTS: Granular = Granular::new(Duration::from_micros(1));
//! let seen = EVENTS.now();
//!
//! // An interval, and a bound on its error.
//! let stopwatch = Stopwatch::start();
//! assert!(EVENTS.now() >= seen);
//! println!("{} on a clock {}", stopwatch.elapsed()?, Clock::or_system().trust().state);
//! # Ok::<(), chronoscope_clock::BackwardStep>(())
//! ```
#![no_std]
// Links lead to items of features that may be off; they are checked with all features on.
#![cfg_attr(
    not(all(feature = "std", feature = "hdrhistogram", feature = "tracing-subscriber")),
    allow(rustdoc::broken_intra_doc_links, rustdoc::private_intra_doc_links)
)]
// docs.rs says of each item which feature it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(not(target_has_atomic = "64"))]
compile_error!("chronoscope-clock keeps times in 64-bit atomics, which this target does not have");

#[cfg(any(test, loom, feature = "std"))]
extern crate std;

mod anchor;
mod anchor_table;
mod arch;
mod atomic_instant;
mod boot_id;
mod clock;
mod exact;
mod fake;
mod granular;
mod instant;
#[cfg(feature = "serde")]
mod instant_serde;
mod lattice;
#[cfg(feature = "tracing-subscriber")]
pub mod log_time;
mod nanos;
mod now;
mod os;
pub mod pacer;
pub mod pause;
mod pointers;
#[cfg(any(test, target_os = "macos", windows))]
mod ratio;
#[doc(hidden)]
pub mod raw;
mod reading;
#[cfg(feature = "std")]
mod std_instant;
#[cfg(all(test, feature = "std"))]
mod std_parity_tests;
mod stopwatch;
mod sync;
#[cfg(feature = "serde")]
mod text_serde;
mod tick_source;
mod ticks;
mod trust;
mod unavailable;
mod utc;
mod uuid;
mod wall;

pub use anchor::Anchor;
pub use anchor_table::{AnchorTable, ConvertError};
pub use atomic_instant::AtomicInstant;
pub use boot_id::BootId;
pub use clock::{Clock, Unordered};
pub use fake::{FakeClock, FakeView};
pub use granular::Granular;
pub use instant::Instant;
pub use now::Now;
pub use reading::Reading;
pub use stopwatch::{BackwardStep, Elapsed, Stopwatch};
pub use tick_source::TickSource;
pub use ticks::Ticks;
pub use trust::{Distrust, RateSource, Reason, Reasons, Trust, TrustState};
pub use unavailable::Unavailable;
pub use utc::{UtcInterval, utc};
pub use wall::WallAnchor;
