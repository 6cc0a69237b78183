//! The operating system's monotonic clock, read faster: the same time, causal, with a bound on its error. Also the raw
//! sources of time beneath it.
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
//! demand. Code that studies clocks finds the raw sources as [`SourceId`] and [`TickSource`]: the CPU's counter with
//! and without a fence, and every clock of the system, statically dispatched.
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
//! - You can check this on your own machine: [`causality::litmus`], `chronoscope causality`, `bench/clock`, `lab/run`.
//!
//! # Platform
//! Linux on x86-64 and aarch64. On macOS and Windows the system's clocks and the raw counter can be read; [`Clock`]
//! reads the system's monotonic clock there, and says so. On any other system with `std`, times are read through
//! `std::time::Instant` and `SystemTime`; without `std` such a system has no clock to read, and [`Clock`] panics.
//! Without its feature `std` the crate is `no_std`. By default it depends on `libc` or `windows-sys` alone.
//!
//! # Features
//! - `std` (default): [`causality`] and [`WallAnchor::to_system_time`].
//! - `kernel-data` (default): computes the time from the kernel's own data where they can be read and pass a check;
//!   without it, every read is `clock_gettime`.
//! - `serde`: serialises instants, ticks, anchors and what a clock says of itself.
//!
//! # Examples
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
mod pointers;
mod rate;
#[cfg(any(test, target_os = "macos", windows))]
mod ratio;
mod reading;
mod source;
#[cfg(feature = "std")]
mod std_instant;
#[cfg(all(test, feature = "std"))]
mod std_parity;
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
