//! A PTP clock as a clock to read: the hardware clock of a network card, or the host's as a hypervisor provides it.

use std::fs::File;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use chronoscope_clock::TickSource;
use chronoscope_sources::SourceVisitor;

/// Devices, by number.
const DEVICES: [&str; 16] = [
    "/dev/ptp0",
    "/dev/ptp1",
    "/dev/ptp2",
    "/dev/ptp3",
    "/dev/ptp4",
    "/dev/ptp5",
    "/dev/ptp6",
    "/dev/ptp7",
    "/dev/ptp8",
    "/dev/ptp9",
    "/dev/ptp10",
    "/dev/ptp11",
    "/dev/ptp12",
    "/dev/ptp13",
    "/dev/ptp14",
    "/dev/ptp15",
];

/// The clock behind `/dev/ptpN`, read by `clock_gettime` of the open device (`FD_TO_CLOCKID` in clock_gettime(2)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PtpClock(u8);

impl PtpClock {
    /// Why it times no intervals.
    pub const ADVICE: &str = "a clock of its own that PTP may set: for timestamps that machines compare";

    /// Those that have a device under `root`, `/` except in tests.
    pub fn present(root: &Path) -> Vec<Self> {
        // Under Wine the devices of the Linux below would be found.
        let is_there =
            |clock: &Self| cfg!(target_os = "linux") && root.join(clock.name().trim_start_matches('/')).exists();
        (0..DEVICES.len() as u8).map(Self).filter(is_there).collect()
    }

    /// The clock of the device `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        DEVICES.iter().position(|device| *device == name).map(|number| Self(number as u8))
    }

    /// Its device.
    pub const fn name(self) -> &'static str {
        DEVICES[self.0 as usize]
    }

    /// Passes the clock to `visitor`, in nanoseconds.
    ///
    /// # Errors
    /// If the device cannot be opened, is no clock, or could not always be read meanwhile: what was measured is then of nothing.
    pub fn visit<V: SourceVisitor>(self, visitor: V) -> Result<V::Output, String> {
        #[cfg(test)]
        if self == fake::CLOCK {
            return Ok(visitor.visit(fake::EightNs));
        }
        let failed = |error: std::io::Error| format!("{}: {error}", self.name());
        let device = self.device().map_err(failed)?;
        read_ns(&device.file).map_err(failed)?;
        device.watched(visitor).map_err(|times| format!("{}: {times} reads failed", self.name()))
    }

    /// The device, opened once in a process.
    fn device(self) -> std::io::Result<&'static Device> {
        static OPEN: [OnceLock<Device>; DEVICES.len()] = [const { OnceLock::new() }; DEVICES.len()];
        let slot = &OPEN[usize::from(self.0)];
        if let Some(device) = slot.get() {
            return Ok(device);
        }
        let device = Device { file: File::open(self.name())?, failed: AtomicU64::new(0) };
        Ok(slot.get_or_init(|| device))
    }
}

/// An open device, and how many reads of it failed.
#[derive(Debug)]
struct Device {
    file: File,
    failed: AtomicU64,
}

impl Device {
    /// Passes it to `visitor`; fails with the number of failed reads.
    fn watched<V: SourceVisitor>(&'static self, visitor: V) -> Result<V::Output, u64> {
        let before = self.failed.load(Relaxed);
        let output = visitor.visit(self);
        match self.failed.load(Relaxed) - before {
            0 => Ok(output),
            times => Err(times),
        }
    }
}

impl TickSource for Device {
    #[inline(always)]
    fn read(&self) -> u64 {
        read_ns(&self.file).unwrap_or_else(|_| {
            self.failed.fetch_add(1, Relaxed);
            0
        })
    }
}

/// What the clock of an open PTP device shows, in nanoseconds.
///
/// # Errors
/// If the device is no clock, is gone, or its time is before 1970 or after 2554.
#[cfg(target_os = "linux")]
pub fn read_ns(device: &File) -> std::io::Result<u64> {
    use std::io::Error;
    use std::os::fd::AsFd;

    use rustix::time::{DynamicClockId, clock_gettime_dynamic};

    const SECOND_NS: i64 = 1_000_000_000;
    let time = clock_gettime_dynamic(DynamicClockId::Dynamic(device.as_fd()))?;
    // An unset clock may be before 1970.
    let ns = time.tv_sec.checked_mul(SECOND_NS).and_then(|ns| ns.checked_add(time.tv_nsec));
    ns.and_then(|ns| u64::try_from(ns).ok()).ok_or_else(|| Error::other("its time is out of range"))
}

/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn read_ns(_device: &File) -> std::io::Result<u64> {
    Err(std::io::Error::other("PTP clocks are readable on Linux only"))
}

/// A device that every machine has in tests: the wall clock in steps of 8 ns, as a network card at 125 MHz has.
#[cfg(test)]
pub mod fake {
    use chronoscope_clock::TickSource;
    use chronoscope_sources::os::{OsClock, try_read_ns};

    use super::{DEVICES, PtpClock};

    pub const CLOCK: PtpClock = PtpClock(DEVICES.len() as u8 - 1);
    pub const TICK_NS: u64 = 8;

    #[derive(Clone, Copy, Debug)]
    pub struct EightNs;

    impl TickSource for EightNs {
        fn read(&self) -> u64 {
            try_read_ns(OsClock::Realtime).unwrap_or(0) / TICK_NS * TICK_NS
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Once;

    impl SourceVisitor for Once {
        type Output = u64;

        fn visit<S: TickSource>(self, source: S) -> u64 {
            source.read()
        }
    }

    #[test]
    fn devices_are_found_by_their_files() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(PtpClock::present(root.path()), []);
        std::fs::create_dir(root.path().join("dev")).unwrap();
        for name in ["ptp1", "ptp0", "ptp_kvm", "pts"] {
            std::fs::write(root.path().join("dev").join(name), "").unwrap();
        }
        let found: Vec<&str> = PtpClock::present(root.path()).into_iter().map(PtpClock::name).collect();
        assert_eq!(found, ["/dev/ptp0", "/dev/ptp1"]);
    }

    #[test]
    fn every_device_is_found_by_its_name() {
        for (number, name) in DEVICES.iter().enumerate() {
            assert_eq!(*name, format!("/dev/ptp{number}"));
            assert_eq!(PtpClock::from_name(name).unwrap().name(), *name);
        }
        assert_eq!(PtpClock::from_name("/dev/ptp16"), None);
    }

    #[test]
    fn a_file_that_is_no_clock_says_so() {
        assert!(read_ns(&tempfile::tempfile().unwrap()).is_err());
    }

    #[test]
    fn a_device_that_fails_while_it_is_read_gives_no_result() {
        let device = Device { file: tempfile::tempfile().unwrap(), failed: AtomicU64::new(3) };
        assert_eq!(Box::leak(Box::new(device)).watched(Once), Err(1));
    }

    #[test]
    fn a_device_is_read_in_its_ticks() {
        let read = fake::CLOCK.visit(Once).unwrap();
        assert!(read > 0 && read.is_multiple_of(fake::TICK_NS));
    }
}
