//! A clock faster than the operating system's that is still causal and knows its own error, and the raw sources of time
//! under it.
//!
//! Every read has a named guarantee, and the guarantee holds:
//!
//! | read | monotonic on a thread | causal between threads | program order | resolution |
//! |---|---|---|---|---|
//! | [`Clock::now`] | yes | yes | keeps its place | 1 ns |
//! | [`Granular::now`] | yes | yes, whatever the counters do | – | the granularity, 1 µs unless you choose |
//! | [`Adaptive::now`] | yes | yes, whatever the counters do | – | fine alone, coarser in a crowd |
//! | [`FullResolution::now`] | yes | wrong by less than the granularity | – | 1 ns |
//! | [`Unordered::now`] | yes | **no** | – | 1 ns |
//! | [`Granular::recent`] | yes | yes | – | a load of what `now` returned last |
//!
//! All of them are on the timescale of `CLOCK_MONOTONIC` and follow its slewing. [`Clock::trust`] says how far they may be
//! off at the moment, and whether, why and how much to trust them. [`Stopwatch`] gives an interval with the bound of its
//! error; [`Ticks`] with an [`AnchorTable`] are captured now and converted later; [`WallAnchor`] leads to wall-clock time.
//!
//! Code that asks for the trait [`Now`] can be given a [`FakeClock`], which stalls, steps back, drifts and coarsens on
//! demand. Code that studies clocks finds the raw sources as [`SourceId`] and [`TickSource`]: the CPU's counter with and
//! without a fence, and every clock of the system, by static dispatch.
//!
//! # Guarantees
//! - Nothing runs before `main` or in the background. The first read takes some 10 to 40 µs.
//! - Reads are infallible and wait for nobody: they are safe in a signal handler and after `fork`.
//! - The guarantees can be checked on your machine: [`causality::litmus`], `chronoscope causality`, and `bench/clock`.
//!
//! # Platform
//! Linux on x86-64 and aarch64. On macOS and Windows the system's clocks and the raw counter can be read, and [`Clock`]
//! reads the system's monotonic clock and says so; elsewhere every source but the counter reports [`Unavailable`] with
//! its reason. The crate is `no_std` without its feature `std`, and depends on `libc` or, on Windows, `windows-sys` alone.
//!
//! # Features
//! - `std` (default): [`causality`] and [`WallAnchor::to_system_time`].
//! - `kernel-data` (default): converts by the kernel's own data where they can be read and pass a check; without it the
//!   clock is kept to `clock_gettime` by brackets.
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
