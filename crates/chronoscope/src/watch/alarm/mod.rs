//! Waits for the next look.

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "elsewhere.rs")]
mod imp;

pub use imp::{Alarm, is_output_open};

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// Its time is over.
    Due,
    /// The kernel says that somebody set the wall clock.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "other systems do not say"))]
    ClockSet,
    /// The program is to end.
    Stopped,
}
