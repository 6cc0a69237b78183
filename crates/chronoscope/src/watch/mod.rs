//! Follows a running machine: what happens to its clocks, as it happens, at a thousandth of a CPU.
//!
//! A look reads every source once; detectors compare it with the looks before. Detectors are pure: they see samples alone.

pub mod alarm;
pub mod budget;
pub mod command;
pub mod detect;
pub mod entry;
pub mod log;
pub mod look;
pub mod options;
pub mod ration;
pub mod sample;
pub mod skew_test;
pub mod steal_counter;
pub mod view;
