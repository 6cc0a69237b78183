//! What a harness asks of the operating system. Every system's file defines the same items:
//!
//! - `allowed_cpus`, `bind`: which CPUs a thread may run on;
//! - `involuntary_switches` of the calling thread, `clock_ticks_per_second` and `page_bytes`, the units of the kernel's
//!   counters: None where it has none;
//! - `this_program`, `parent_id`, `LONGEST_VARIABLE`: how a worker is started;
//! - `System`: the kernel and its version; `performance_counter_hz`, the rate that Windows declares of its counter;
//! - `open_log`: the kernel's log, read without waiting;
//! - `open_as_it_is`, `is_at`, `is_alone_and_of_owner`: whether a file is what its name promised;
//! - `Group`, `lead_group`, `Pipe`, `Readable`, `Events`, `wait`, `signal_of` and `signal_name`: child processes.
//!
//! `unix.rs` has what Linux and macOS have in common, `not_linux.rs` what macOS and Windows have.

#[cfg(not(target_os = "linux"))]
mod not_linux;
#[cfg(unix)]
mod unix;

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod imp;

pub(crate) use imp::{
    Events, Group, LONGEST_VARIABLE, Pipe, Readable, allowed_cpus, bind, clock_ticks_per_second, involuntary_switches,
    is_alone_and_of_owner, is_at, lead_group, open_as_it_is, open_log, page_bytes, parent_id, performance_counter_hz,
    signal_name, signal_of, system, this_program, wait,
};

use std::fs::File;
use std::io::{Error, Read, Result};

/// Larger than any file of the kernel that is read here: /proc/cpuinfo has about 1.5 KiB per CPU.
const LARGEST_FILE: u64 = 16 << 20;

/// The kernel, by its own account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct System {
    pub name: String,
    pub release: String,
    pub architecture: String,
    pub hostname: String,
}

/// The text of a file in which Linux tells of itself. Other systems have no such files: under Wine those of the Linux below would
/// be read, which tell of other processes.
///
/// # Errors
/// The kernel's reason, or that this is not Linux.
pub(crate) fn text(path: &str) -> Result<String> {
    if cfg!(not(target_os = "linux")) {
        return Err(Error::other("only Linux has it"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST_FILE).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
