//! Clock reads whose cost, order and unit are known by name.
//!
//! The crate gives a program the machine's time sources as zero-sized values: the CPU's counter with and without an
//! ordering fence, every clock of the operating system through the C library, and the same clocks through the real
//! system call. All of them are [`TickSource`]s, so code that studies a clock is written once and compiled for each
//! of them without a virtual call on the read path.
//!
//! [`FakeClock`] is a source too: it stalls, steps back, drifts and coarsens on demand, so that code which must
//! notice such faults can be tested for it.
//!
//! # Platform
//! Linux on x86-64 and aarch64. Elsewhere the crate compiles and every source reports [`Unavailable`] with its reason.
//! The crate is `no_std` and depends on `libc` alone.
//!
//! # Examples
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

#[cfg(any(test, feature = "std"))]
extern crate std;

mod anchor;
mod anchor_table;
pub mod arch;
#[cfg(not(loom))]
mod atomic_instant;
#[cfg(all(feature = "std", not(loom)))]
pub mod causality;
#[cfg(not(loom))]
mod clock;
mod discipline;
mod fake;
mod granular;
mod instant;
mod line;
mod now;
pub mod os;
mod rate;
mod source;
mod stopwatch;
mod sync;
mod ticks;
mod trust;
mod unavailable;
mod wall;

pub use anchor::Anchor;
pub use anchor_table::{AnchorTable, ConvertError};
pub use atomic_instant::AtomicInstant;
pub use clock::{Clock, Unordered};
pub use fake::{FakeClock, FakeView};
pub use granular::{DEFAULT_GRANULARITY_NS, FullResolution, Granular};
pub use instant::Instant;
pub use line::Line;
pub use now::Now;
pub use rate::Rate;
pub use source::{Guarantee, Serialised, SourceId, SourceVisitor, TickSource, Unit};
pub use stopwatch::{BackwardStep, Elapsed, Stopwatch, Uncertainty};
pub use ticks::Ticks;
pub use trust::{Distrust, RateSource, Reason, Reasons, Trust, TrustState};
pub use unavailable::Unavailable;
pub use wall::WallAnchor;
