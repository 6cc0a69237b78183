//! The memory that this process takes.

use crate::os;

/// Memory of this process that is in RAM. None where it is not told.
///
/// # Sources
/// proc_pid_statm(5).
pub(super) fn resident_bytes() -> Option<u64> {
    let statm = os::text("/proc/self/statm").ok()?;
    parse_resident(&statm, os::page_bytes()?)
}

/// The kernel counts in its own pages: of 4 KiB, or 16 or 64 on some ARM64 systems.
fn parse_resident(statm: &str, page_bytes: u64) -> Option<u64> {
    statm.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()?.checked_mul(page_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_of_the_kernels_size() {
        let statm = "1200 300 200 100 0 400 0\n";
        assert_eq!(parse_resident(statm, 4 << 10), Some(300 << 12));
        assert_eq!(parse_resident(statm, 64 << 10), Some(300 << 16));
        assert_eq!((parse_resident("", 4096), parse_resident(&format!("1 {}", u64::MAX), 4096)), (None, None));
    }

    #[test]
    fn this_process_takes_as_much_as_the_kernel_says_elsewhere() {
        // VmRSS is in KiB, whatever the page: proc_pid_status(5). Other tests take and free memory meanwhile.
        let (Some(bytes), Ok(status)) = (resident_bytes(), std::fs::read_to_string("/proc/self/status")) else {
            return;
        };
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().unwrap();
        let ratio = bytes as f64 / (kibibytes * 1024) as f64;
        assert!((0.2..5.0).contains(&ratio), "{bytes} bytes, {kibibytes} KiB");
    }
}
