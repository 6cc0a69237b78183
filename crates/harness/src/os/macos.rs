//! Compiled, never run.

use std::os::fd::AsFd;
use std::thread::available_parallelism;

pub(crate) use super::not_linux::{clock_ticks_per_second, involuntary_switches, open_log, page_bytes, this_program};
pub(crate) use super::unix::{
    Events, Group, Pipe, Readable, is_alone_and_of_owner, is_at, lead_group, open_as_it_is, parent_id, signal_name,
    signal_of, system, wait,
};

/// Far below `ARG_MAX`, 1 MiB, which bounds all arguments and the whole environment together.
pub(crate) const LONGEST_VARIABLE: usize = 128 * 1024 - 1;

/// As many as there are, by number: macOS tells no more.
pub(crate) fn allowed_cpus() -> Result<Vec<u32>, String> {
    let count = available_parallelism().map_err(|error| format!("the number of CPUs is unknown: {error}"))?;
    Ok((0..u32::try_from(count.get()).unwrap_or(u32::MAX)).collect())
}

/// # Errors
/// Always.
pub(crate) fn bind(_cpus: &[u32]) -> Result<(), String> {
    Err("macOS does not bind threads to CPUs".to_owned())
}

pub(crate) fn performance_counter_hz() -> Option<u64> {
    None
}

/// A pipe grows by itself.
pub(super) fn enlarge(_pipe: &impl AsFd) {}
