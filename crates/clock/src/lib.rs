//! A clock faster than the operating system's that is the same clock, causal, and says its own error; and the raw sources
//! of time under it.
//!
//! Every read has a named guarantee, and the guarantee holds:
//!
//! | read | monotonic on a thread | causal between threads | program order | resolution |
//! |---|---|---|---|---|
//! | [`Clock::now`] | as `CLOCK_MONOTONIC` | as `CLOCK_MONOTONIC` | keeps its place | 1 ns |
//! | [`Granular::now`] | yes, whatever the counters do | yes, whatever the counters do | – | the granularity, 1 µs unless you choose |
//! | [`Adaptive::now`] | yes, whatever the counters do | yes, whatever the counters do | – | fine alone, coarser in a crowd |
//! | [`FullResolution::now`] | wrong by less than the granularity | wrong by less than the granularity | – | 1 ns |
//! | [`Unordered::now`] | not promised | **no** | – | 1 ns |
//! | [`Granular::recent`] | yes | yes | – | a load of what `now` returned last |
//!
//! All of them are `CLOCK_MONOTONIC`: computed, wherever the kernel's own data can be read, from the numbers by which
//! `clock_gettime` computes it, and read by `clock_gettime` elsewhere. [`Clock::reading`] gives a time and the bound of its
//! error from one read; [`Clock::trust`] says where readings come from and why. [`Stopwatch`] gives an interval with its
//! bound; [`Ticks`] with an [`AnchorTable`] are captured now and converted later; [`WallAnchor`] leads to wall-clock time, and
//! [`utc`] says between which times UTC lies.
//!
//! Code that asks for the trait [`Now`] can be given a [`FakeClock`], which stalls, steps back, drifts and coarsens on
//! demand. Code that studies clocks finds the raw sources as [`SourceId`] and [`TickSource`]: the CPU's counter with and
//! without a fence, and every clock of the system, by static dispatch.
//!
//! # Guarantees
//! - Nothing runs before `main` or in the background, and nothing is kept that could age. The first read takes some 10 µs.
//! - Reads are infallible and wait for nobody: a thread stopped anywhere, a `fork` anywhere and a signal handler that reads
//!   within a read change no reading.
//! - After [`Clock::warm_up`] no read makes a system call, except `clock_gettime` where the kernel keeps time by a clocksource
//!   that programs cannot read, as after a restore from a checkpoint on another kernel.
//! - The guarantees can be checked on your machine: [`causality::litmus`], `chronoscope causality`, `bench/clock`, `lab/run`.
//!
//! # Platform
//! Linux on x86-64 and aarch64. On macOS and Windows the system's clocks and the raw counter can be read, and [`Clock`]
//! reads the system's monotonic clock and says so. Every other system with `std` is read through `std::time::Instant` and
//! `SystemTime`; without `std` there is no clock there, and [`Clock`] panics. The crate is `no_std` without its feature `std`,
//! and depends on `libc` or, on Windows, `windows-sys` alone.
//!
//! # Features
//! - `std` (default): [`causality`] and [`WallAnchor::to_system_time`].
//! - `kernel-data` (default): computes the time from the kernel's own data where they can be read and pass a check; without it
//!   every read is `clock_gettime`.
//! - `serde`: instants, ticks, anchors and what a clock says of itself.
//!
//! # Examples
//! ```
//! use chronoscope_clock::{Clock, Granular, Stopwatch};
//! use std::time::Duration;
//!
//! // Times on different threads, to be compared: a microsecond is enough, and no fence is paid for.
//! static EVENTS: Granular = Granular::new(Duration::from_micros(1));
//! let seen = EVENTS.now();
//!
//! // An interval, and how wrong it may be.
//! let stopwatch = Stopwatch::start();
//! assert!(EVENTS.now() >= seen);
//! println!("{} on a clock {}", stopwatch.elapsed()?, Clock::or_system().trust().state);
//! # Ok::<(), chronoscope_clock::BackwardStep>(())
//! ```
//!
//! A loop over any source, compiled for each:
//! ```
//! use chronoscope_clock::{SourceId, TickSource, os::OsClock};
//!
//! struct ReadTwice;
//! impl chronoscope_clock::SourceVisitor for ReadTwice {
//!     type Output = bool;
//!     fn visit<S: TickSource>(self, source: S) -> bool {
//!         let first = source.read();
//!         source.read() >= first
//!     }
//! }
//! if let Ok(never_stepped_back) = SourceId::Os(OsClock::Monotonic).visit(ReadTwice) {
//!     assert!(never_stepped_back);
//! }
//! ```
#![no_std]
// Links lead to items of features that may be off; they are checked with all features on.
#![cfg_attr(not(all(feature = "std", feature = "hdrhistogram")), allow(rustdoc::broken_intra_doc_links))]

#[cfg(any(test, loom, feature = "std"))]
extern crate std;

mod adaptive;
mod anchor;
mod anchor_table;
pub mod arch;
mod atomic_instant;
#[cfg(feature = "std")]
pub mod causality;
mod clock;
mod exact;
mod fake;
mod granular;
mod instant;
mod now;
pub mod os;
pub mod pacer;
pub mod pause;
mod rate;
#[cfg(any(test, target_os = "macos", windows))]
mod ratio;
mod reading;
mod source;
mod stopwatch;
mod sync;
mod ticks;
mod trust;
mod unavailable;
mod utc;
mod wall;

pub use adaptive::Adaptive;
pub use anchor::Anchor;
pub use anchor_table::{AnchorTable, ConvertError};
pub use atomic_instant::AtomicInstant;
pub use clock::{Clock, Unordered};
pub use fake::{FakeClock, FakeView};
pub use granular::{DEFAULT_GRANULARITY_NS, FullResolution, Granular};
pub use instant::Instant;
pub use now::Now;
pub use rate::Rate;
pub use reading::Reading;
pub use source::{Guarantee, Serialised, SourceId, SourceVisitor, TickSource, Unit};
pub use stopwatch::{BackwardStep, Elapsed, Stopwatch};
pub use ticks::Ticks;
pub use trust::{Distrust, RateSource, Reason, Reasons, Trust, TrustState};
pub use unavailable::Unavailable;
pub use utc::{UtcInterval, utc};
pub use wall::WallAnchor;
