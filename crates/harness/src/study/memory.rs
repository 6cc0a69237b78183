//! The memory that this process takes.

/// Memory of this process that is in RAM. None where it is not told.
///
/// # Sources
/// proc_pid_statm(5).
pub(super) fn resident_bytes() -> Option<u64> {
    const PAGE: u64 = 4096;
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    statm.split_ascii_whitespace().nth(1)?.parse::<u64>().ok().map(|pages| pages * PAGE)
}
