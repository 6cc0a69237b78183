//! The machine's PTP clocks: hardware clocks of network cards, and the host's clock as provided by a hypervisor.

use std::fs::{self, File};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::slew::Bracket;
use crate::clock_id::ptp_clock;
use chronoscope_harness::record::Known;

const CLASS: &str = "sys/class/ptp";
const SECOND_NS: i64 = 1_000_000_000;
/// TAI − UTC since 2017, used if the kernel was not told.
const TAI_OFFSET_S: i32 = 37;

/// A PTP clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PtpDevice {
    /// `ptp0`.
    pub device: String,
    /// Its name according to its driver.
    pub clock_name: Known<String>,
    /// How far it is currently ahead of the wall clock.
    pub offset: Known<PtpOffset>,
}

impl PtpDevice {
    /// Its kind, by the name that its driver gives it.
    pub fn kind(&self) -> PtpKind {
        self.clock_name.value().map_or(PtpKind::Hardware, |name| kind_of(name))
    }
}

/// The kind of a PTP clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PtpKind {
    /// The host's wall clock, provided by the hypervisor.
    Host,
    /// A clock of its own, usually on a network card.
    Hardware,
}

/// Certain bounds on how far a PTP clock is ahead of `CLOCK_REALTIME`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PtpOffset {
    pub low_ns: i64,
    pub high_ns: i64,
    /// The time scale it appears to count.
    pub timescale: Timescale,
}

impl PtpOffset {
    /// The whole seconds by which TAI is ahead, for a clock that counts it, and the rest of how far it is ahead, in nanoseconds.
    pub fn ahead(&self) -> (i64, i64) {
        let by_ns = self.low_ns.midpoint(self.high_ns);
        if self.timescale != Timescale::Tai {
            return (0, by_ns);
        }
        let seconds = by_ns.div_euclid(SECOND_NS) + i64::from(by_ns.rem_euclid(SECOND_NS) >= SECOND_NS / 2);
        (seconds, by_ns - seconds * SECOND_NS)
    }

    /// How far its middle may be off, in either direction.
    pub fn half_ns(&self) -> f64 {
        (self.high_ns as f64 - self.low_ns as f64) / 2.0
    }

    /// How far it is from the wall clock at least and at most, seconds of TAI aside; None for the first if that may be nothing.
    pub fn distance_ns(&self) -> (Option<f64>, f64) {
        let (_, rest) = self.ahead();
        let half = self.half_ns();
        let distance = rest.unsigned_abs() as f64;
        (Some(distance - half).filter(|least| *least > 0.0), distance + half)
    }
}

/// The time scale that a clock appears to count, if the wall clock is right to a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Timescale {
    Utc,
    Tai,
    /// Neither: it has not been set.
    Arbitrary,
}

/// The PTP clocks under `root`, `/` except in tests; `tai_offset_s` is the kernel's value.
pub fn read(root: &Path, tai_offset_s: Option<i32>) -> Known<Vec<PtpDevice>> {
    let class = root.join(CLASS);
    let entries = match fs::read_dir(&class) {
        Ok(entries) => entries,
        Err(error) => return Known::Unavailable(format!("{}: {error}", class.display())),
    };
    let mut names: Vec<String> = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| name.starts_with("ptp"));
    names.sort_by_key(|name| (name.len(), name.clone()));
    Known::Value(names.into_iter().map(|name| device(root, name, tai_offset_s)).collect())
}

fn device(root: &Path, device: String, tai_offset_s: Option<i32>) -> PtpDevice {
    let path = root.join(CLASS).join(&device).join("clock_name");
    let clock_name: Known<String> = fs::read(&path)
        .map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned())
        .map_err(|error| format!("{}: {error}", path.display()))
        .into();
    let path = root.join("dev").join(&device);
    let read = File::open(&path).and_then(|file| ahead(&file)).map_err(|error| error.to_string());
    let offset = read.and_then(|seen| offset(seen, tai_offset_s)).map_err(|why| format!("{}: {why}", path.display()));
    PtpDevice { device, clock_name, offset: offset.into() }
}

/// # Sources
/// The names in Linux drivers/ptp: ptp_kvm_common.c, ptp_vmw.c, ptp_vmclock.c; drivers/hv/hv_util.c.
fn kind_of(clock_name: &str) -> PtpKind {
    let is_host = ["KVM virtual PTP", "hyperv", "ptp_vmw", "vmclock"].iter().any(|name| clock_name.starts_with(name));
    if is_host { PtpKind::Host } else { PtpKind::Hardware }
}

/// The PTP clock between two reads of the wall clock.
fn ahead(device: &File) -> std::io::Result<Bracket> {
    use std::io::Error;

    use chronoscope_sources::os::{OsClock, try_read_ns};

    use super::slew::bracket;

    bracket(|| try_read_ns(OsClock::Realtime).map_err(|why| Error::other(why.reason())), || ptp_clock::read_ns(device))
}

/// How far the inner clock is ahead of the outer one.
///
/// # Errors
/// Why that is unknown.
pub fn offset(seen: Bracket, tai_offset_s: Option<i32>) -> Result<PtpOffset, String> {
    let seen = seen.checked()?;
    let between = |ns: u64| {
        let ahead = i128::from(seen.inner_ns) - i128::from(ns);
        i64::try_from(ahead).unwrap_or(if ahead < 0 { i64::MIN } else { i64::MAX })
    };
    // Each value is truncated by up to 1 ns.
    let (low_ns, high_ns) = (between(seen.after_ns).saturating_sub(1), between(seen.before_ns).saturating_add(1));
    Ok(PtpOffset { low_ns, high_ns, timescale: timescale(low_ns, tai_offset_s) })
}

fn timescale(ahead_ns: i64, tai_offset_s: Option<i32>) -> Timescale {
    let tai_ns = i64::from(tai_offset_s.unwrap_or(TAI_OFFSET_S)) * SECOND_NS;
    let is_near = |ns: i64| ahead_ns.abs_diff(ns) < SECOND_NS.unsigned_abs();
    match ahead_ns {
        _ if is_near(0) => Timescale::Utc,
        _ if is_near(tai_ns) => Timescale::Tai,
        _ => Timescale::Arbitrary,
    }
}
