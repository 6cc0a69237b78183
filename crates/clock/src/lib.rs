//! The operating system's monotonic clock, read faster: the same time, causal, with a bound on its error.
//!
//! Each read has a guarantee of its own:
//!
//! | read | monotonic on a thread | causal between threads | program order | resolution |
//! |---|---|---|---|---|
//! | [`Clock::now`] | as `CLOCK_MONOTONIC` | as `CLOCK_MONOTONIC` | keeps its place | 1 ns |
//! | [`Granular::now`] | yes, whatever the counters do | yes, whatever the counters do | – | the granularity, 1 µs unless you choose |
//! | [`Adaptive::now`] | yes, whatever the counters do | yes, whatever the counters do | – | fine when uncontended, coarser under contention |
//! | [`FullResolution::now`] | wrong by less than the granularity | wrong by less than the granularity | – | 1 ns |
//! | [`Unordered::now`] | not promised | **no** | – | 1 ns |
//! | [`Granular::recent`] | yes | yes | – | what `now` last returned, by one load |
//!
//! All of them are `CLOCK_MONOTONIC`: where the kernel's own data can be read, computed from the numbers that
//! `clock_gettime` itself uses; elsewhere, read through `clock_gettime`. [`Clock::reading`] returns a time and the
//! bound of its error from one read; [`Clock::trust`] says where readings come from, and why. [`Stopwatch`] times an
//! interval and bounds its error; [`Ticks`] are captured now and converted later by an [`AnchorTable`]; [`WallAnchor`]
//! converts to wall-clock time; [`utc`] returns the earliest and the latest that UTC can be.
//!
//! Code that is generic over [`Now`] can be given a [`FakeClock`], which stalls, steps back, drifts and coarsens on
//! demand.
//!
//! # Guarantees
//! - Nothing runs before `main` or in the background, and no state can go stale. The first read takes some 10 µs, on
//!   kernels before 6.11 longer in a process with thousands of mappings.
//! - Reads are infallible. They wait for no thread of any program, and for the kernel only as `clock_gettime` does, while
//!   it is updating its data. No reading changes because a thread is stopped anywhere, the
//!   process forks anywhere, or a signal handler reads inside a read.
//! - After [`Clock::warm_up`] no read makes a system call, except where `clock_gettime` itself is one: the kernel keeps
//!   time by a clocksource that programs cannot read (a hypervisor that stops vouching for its page among them), or the
//!   process may not read the counter. [`Clock::anchor`] says what it may ask beyond that.
//! - You can check this on your own machine: `causality::litmus` (feature `sources`), `chronoscope causality`,
//!   `bench/clock`, `lab/run`.
//!
//! # Platform
//! Linux on x86-64 and aarch64. On macOS and Windows the system's clocks and the raw counter can be read; [`Clock`]
//! reads the system's monotonic clock there, and says so. On any other system with `std`, times are read through
//! `std::time::Instant` and `SystemTime`; without `std` such a system has no clock to read, and [`Clock`] panics.
//! Without its feature `std` the crate is `no_std`; it needs atomics of 64 bits (`target_has_atomic = "64"`), and a target
//! without them is refused with that reason. By default it depends on `libc` or `windows-sys` alone. Rust 1.85 or later.
//!
//! # Features
//! - `std` (default): wall-clock types of the standard library ([`WallAnchor::to_system_time`], `UtcInterval::earliest`),
//!   `pacer::Poisson`, guards that change how a thread is scheduled ([`pause::TimerSlack`], [`pause::TimeSlice`],
//!   [`pause::RealTime`]), and the monotonic clock of systems that have no file of their own here.
//! - `kernel-data` (default): computes the time from the kernel's own data where they can be read and pass a check;
//!   without it, every read is `clock_gettime`.
//! - `serde`: serialises [`Instant`], [`Reading`] and [`WallAnchor`], which hold the [`BootId`] that their times belong to and
//!   are refused in another; [`Ticks`], [`Anchor`] and `Rate`, raw numbers of one boot; [`Elapsed`] and [`UtcInterval`], which
//!   mean the same everywhere; what a clock says of itself, [`Trust`], [`TrustState`], [`RateSource`], [`Reason`], [`Reasons`] and
//!   [`Distrust`]; and [`BootId`] itself. Not clocks, stopwatches, tables, sources and [`AtomicInstant`], nor other errors.
//! - `tracing-subscriber`: `log_time`, times for the lines of a log.
//! - `hdrhistogram`: `pacer::PaceRecord`, what a pacer saw in histograms.
//! - `sources`: for who studies clocks. `SourceId`, every way to read the time with static dispatch; `arch`, the CPU's counter
//!   with and without a fence; `os`, every clock of the system; `Rate`; with `std` also `causality`, measurements
//!   between two CPUs.
//! - `work`: for who writes a harness. Busy work of a chosen length, and values that the optimiser cannot see through.
//! - `calls`: holds the system calls of a process so that they can be counted. Linux.
//!
//! # Examples
//! In place of the standard library's type:
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
    not(all(
        feature = "std",
        feature = "hdrhistogram",
        feature = "sources",
        feature = "work",
        feature = "tracing-subscriber"
    )),
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

mod adaptive;
mod anchor;
mod anchor_table;
#[cfg(feature = "sources")]
pub mod arch;
#[cfg(not(feature = "sources"))]
#[allow(dead_code, unreachable_pub, unused_imports)]
// what `sources` alone shows; with it nothing here is allowed to be dead
mod arch;
mod atomic_instant;
mod boot_id;
#[cfg(all(target_os = "linux", feature = "calls"))]
pub mod calls;
#[cfg(all(feature = "std", feature = "sources"))]
pub mod causality;
mod clock;
mod exact;
mod fake;
mod granular;
mod instant;
#[cfg(feature = "serde")]
mod instant_serde;
#[cfg(feature = "tracing-subscriber")]
pub mod log_time;
mod nanos;
mod now;
#[cfg(feature = "sources")]
pub mod os;
#[cfg(not(feature = "sources"))]
#[allow(dead_code, unreachable_pub, unused_imports)] // as above
mod os;
pub mod pacer;
pub mod pause;
mod pointers;
#[cfg(feature = "sources")]
mod rate;
#[cfg(any(test, target_os = "macos", windows))]
mod ratio;
mod reading;
#[cfg(feature = "sources")]
mod source;
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
#[cfg(feature = "work")]
pub mod work;

pub use adaptive::Adaptive;
pub use anchor::Anchor;
pub use anchor_table::{AnchorTable, ConvertError};
pub use atomic_instant::AtomicInstant;
pub use boot_id::BootId;
pub use clock::{Clock, Unordered};
pub use fake::{FakeClock, FakeView};
pub use granular::{FullResolution, Granular};
pub use instant::Instant;
pub use now::Now;
#[cfg(feature = "sources")]
pub use rate::Rate;
pub use reading::Reading;
#[cfg(feature = "sources")]
pub use source::{Family, Guarantee, Serialised, SourceFacts, SourceId, SourceVisitor, Unit};
pub use stopwatch::{BackwardStep, Elapsed, Stopwatch};
pub use tick_source::TickSource;
pub use ticks::Ticks;
pub use trust::{Distrust, RateSource, Reason, Reasons, Trust, TrustState};
pub use unavailable::Unavailable;
pub use utc::{UtcInterval, utc};
pub use wall::WallAnchor;
