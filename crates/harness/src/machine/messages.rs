//! The kernel's log, limited to messages about clocks.

use std::fs::File;
use std::io::{ErrorKind, Read};

use super::files::Files;
use crate::os;

const PATH: &str = "/dev/kmsg";
/// The kernel rejects a read shorter than the record.
const LARGEST_RECORD: usize = 16 << 10;
/// Stops reading if something fills the log as fast as it is read.
const MOST_RECORDS: usize = 1 << 20;
const MOST_RELEVANT: usize = 10_000;
/// Maximum messages kept in the record.
const KEPT: usize = 40;

/// All kernel messages about the counter and the clocksource, oldest first.
pub(super) fn read(files: &Files) -> Result<Vec<String>, String> {
    match files {
        Files::System => {
            let log = os::open_log(PATH).map_err(|error| reason(error.kind(), &error.to_string()))?;
            records(log)
        }
        #[cfg(test)]
        Files::Fake(_) => Ok(files.text(PATH)?.lines().filter_map(relevant).collect()),
    }
}

fn records(mut log: File) -> Result<Vec<String>, String> {
    let mut buffer = vec![0; LARGEST_RECORD];
    let mut found = Vec::new();
    for _ in 0..MOST_RECORDS {
        match log.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => found.extend(relevant(&String::from_utf8_lossy(&buffer[..length]))),
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            // Records were overwritten before they were read; the next read resumes after them.
            Err(error) if error.kind() == ErrorKind::BrokenPipe || error.kind() == ErrorKind::Interrupted => {}
            Err(error) if found.is_empty() => return Err(reason(error.kind(), &error.to_string())),
            Err(_) => break,
        }
        if found.len() >= MOST_RELEVANT {
            break;
        }
    }
    Ok(found)
}

fn reason(kind: ErrorKind, error: &str) -> String {
    match kind {
        ErrorKind::PermissionDenied => format!(
            "{PATH}: {error}: the kernel keeps its log from ordinary users (kernel.dmesg_restrict); \
             `sudo dmesg` shows it"
        ),
        ErrorKind::NotFound => format!("{PATH}: {error}: usual in a container; `sudo dmesg` on the host shows the log"),
        _ => format!("{PATH}: {error}"),
    }
}

/// The first and the last messages where there are too many: boot, and recent events.
pub(super) fn shortened(messages: &[String]) -> Vec<String> {
    if messages.len() <= KEPT {
        return messages.to_vec();
    }
    let (first, last) = (KEPT / 2, KEPT - KEPT / 2 - 1);
    let mut kept = messages[..first].to_vec();
    kept.push(format!("… {} messages left out …", messages.len() - first - last));
    kept.extend_from_slice(&messages[messages.len() - last..]);
    kept
}

/// One record of /dev/kmsg as `dmesg` would show it, if the kernel wrote it and it concerns clocks.
///
/// Source: Linux, Documentation/ABI/testing/dev-kmsg.
fn relevant(record: &str) -> Option<String> {
    let (head, rest) = record.split_once(';')?;
    let message = rest.lines().next().unwrap_or_default().trim();
    let mut fields = head.split(',');
    let priority: u32 = fields.next()?.trim().parse().ok()?;
    let microseconds: u64 = fields.nth(1)?.trim().parse().ok()?;
    // Anyone with write permission can add to the log; the kernel's own facility is 0.
    let by_kernel = priority >> 3 == 0;
    (by_kernel && bears_on_clocks(message))
        .then(|| format!("[{:5}.{:06}] {message}", microseconds / 1_000_000, microseconds % 1_000_000))
}

fn bears_on_clocks(message: &str) -> bool {
    const WORDS: [&str; 8] =
        ["tsc", "clocksource", "sched_clock", "kvm-clock", "arch_timer", "hpet", "hpet0", "pm-timer"];
    let lower = message.to_ascii_lowercase();
    let command_line = lower.starts_with("command line:") || lower.starts_with("kernel command line:");
    // Split so that `hyperv_clocksource_tsc_page` and `kvm-clock` stay whole.
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
    !command_line && words.any(|word| WORDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn records_become_lines() {
        assert_eq!(
            relevant("6,12,5007798,-;tsc: Refined TSC clocksource calibration: 2659.981 MHz\n SUBSYSTEM=x\n")
                .as_deref(),
            Some("[    5.007798] tsc: Refined TSC clocksource calibration: 2659.981 MHz")
        );
        assert_eq!(relevant("6,12,5007798,-;usb 1-1.2: New USB device found"), None);
        assert_eq!(relevant("14,12,5007798,-;tsc: written by a program"), None);
        assert_eq!(relevant("tsc"), None);
    }

    #[test]
    fn what_bears_on_clocks_is_found_by_whole_words() {
        for message in [
            "tsc: Marking TSC unstable due to check_tsc_sync_source failed",
            "TSC synchronization [CPU#0 -> CPU#1]:",
            "Measured 1234 cycles TSC warp between CPUs, turning off TSC clock.",
            "clocksource: Switched to clocksource hyperv_clocksource_tsc_page",
            "clocksource: timekeeping watchdog on CPU3: Marking clocksource 'tsc' as unstable because the skew is too large:",
            "x86/tsc: hello",
            "kvm-clock: Using msrs 4b564d01 and 4b564d00",
            "arch_timer: cp15 timer(s) running at 25.00MHz (virt).",
        ] {
            assert!(bears_on_clocks(message), "{message}");
        }
        for message in ["Command line: tsc=reliable", "systemd: ntsc loaded", "hyperv_clocksource_tsc_page", ""] {
            assert!(!bears_on_clocks(message), "{message}");
        }
    }

    #[test]
    fn a_long_log_keeps_its_ends() {
        let log: Vec<String> = (0..100).map(|index| index.to_string()).collect();
        let kept = shortened(&log);
        assert_eq!(kept.len(), KEPT);
        assert_eq!((kept[0].as_str(), kept[KEPT - 1].as_str()), ("0", "99"));
        assert!(kept[20].contains("61"));
        assert_eq!(shortened(&log[..KEPT]).len(), KEPT);
    }

    proptest! {
        #[test]
        fn never_panics(record in ".*", log in prop::collection::vec("[a-z]*", 0..90)) {
            let _ = (relevant(&record), bears_on_clocks(&record));
            prop_assert!(shortened(&log).len() <= KEPT);
        }
    }
}
