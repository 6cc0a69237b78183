//! What chronoscope measures: every raw source of time, pairs of CPUs, hiccups, and the system calls of a process.
//!
//! **No promise of stability**: this crate is published for the tool `chronoscope` and its harness, and changes with them. A
//! program that needs the time uses [`chronoscope_clock`].
//!
//! - [`SourceId`]: every way to read the time on this machine, with static dispatch, and what is known of each; [`arch`], the
//!   CPU's counter; [`os`], the clocks of the system; [`Rate`], the length of a tick.
//! - `causality`: measurements between two CPUs. Feature `observers`, as the next and the last.
//! - `hiccups`: stalls of a thread that only computes, or sleeps.
//! - [`work`]: busy work of a chosen length, and values that the optimiser cannot see through.
//! - [`allocations`]: memory that each thread allocates.
//! - `calls`: stops a process at each system call so that they can be counted. Linux.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod allocations;
pub mod arch;
#[cfg(all(feature = "observers", target_os = "linux"))]
pub mod calls;
#[cfg(feature = "observers")]
pub mod causality;
#[cfg(feature = "observers")]
pub mod hiccups;
pub mod os;
#[cfg(feature = "observers")]
mod padded;
mod rate;
mod source;
pub mod work;

pub use chronoscope_clock::raw::longest_period;
pub use rate::Rate;
pub use source::{Family, Guarantee, Serialised, SourceFacts, SourceId, SourceVisitor, Unit};
