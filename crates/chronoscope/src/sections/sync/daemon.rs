//! Running programs that may keep a clock: processes by their names in `/proc`.

use std::fs;
use std::io::Read;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use chronoscope_harness::record::Known;

/// A longer command line is truncated.
const LONGEST_COMMAND: u64 = 4096;
/// The driver for synchronisation with a Hyper-V host: part of the kernel, not a process.
const HYPER_V: &str = "sys/bus/vmbus/drivers/hv_utils";

/// Something that may keep a clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Daemon {
    /// What it is.
    pub kind: DaemonKind,
    /// Its process; null for part of the kernel.
    pub pid: Option<u32>,
    /// Whether it steers the system clock; null if that cannot be determined from outside.
    pub steers: Option<bool>,
    /// Its command line.
    pub command: Option<String>,
}

/// Kinds of programs that keep clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DaemonKind {
    Chronyd,
    Ntpd,
    OpenNtpd,
    NtpdRs,
    Timesyncd,
    Phc2sys,
    Ptp4l,
    Ts2phc,
    Timemaster,
    Sfptpd,
    Ptpd,
    VirtualBoxService,
    VmwareTools,
    QemuAgent,
    HyperVTimeSync,
}

/// Kind, name, and the names of its processes as truncated by the kernel after 15 bytes.
const KINDS: [(DaemonKind, &str, &[&str]); 15] = [
    (DaemonKind::Chronyd, "chronyd", &["chronyd"]),
    (DaemonKind::Ntpd, "ntpd", &["ntpd"]),
    (DaemonKind::OpenNtpd, "OpenNTPD", &[]),
    (DaemonKind::NtpdRs, "ntpd-rs", &["ntp-daemon"]),
    (DaemonKind::Timesyncd, "systemd-timesyncd", &["systemd-timesyn"]),
    (DaemonKind::Phc2sys, "phc2sys", &["phc2sys"]),
    (DaemonKind::Ptp4l, "ptp4l", &["ptp4l"]),
    (DaemonKind::Ts2phc, "ts2phc", &["ts2phc"]),
    (DaemonKind::Timemaster, "timemaster", &["timemaster"]),
    (DaemonKind::Sfptpd, "sfptpd", &["sfptpd"]),
    (DaemonKind::Ptpd, "ptpd", &["ptpd", "ptpd2"]),
    (DaemonKind::VirtualBoxService, "VBoxService", &["VBoxService"]),
    (DaemonKind::VmwareTools, "VMware tools", &["vmtoolsd"]),
    (DaemonKind::QemuAgent, "the QEMU guest agent", &["qemu-ga"]),
    (DaemonKind::HyperVTimeSync, "Hyper-V time synchronisation", &[]),
];

impl DaemonKind {
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|(kind, ..)| *kind == self).map_or("", |(_, name, _)| name)
    }

    /// Whether it reads or steers PTP clocks.
    pub const fn uses_ptp(self) -> bool {
        matches!(self, Self::Phc2sys | Self::Ptp4l | Self::Ts2phc | Self::Timemaster | Self::Sfptpd | Self::Ptpd)
    }

    /// Whether it sets the clock to the host's, by default.
    pub const fn is_host_sync(self) -> bool {
        matches!(self, Self::VirtualBoxService | Self::HyperVTimeSync)
    }
}

/// The daemons found under `root`, `/` except in tests.
pub fn read(root: &Path) -> Known<Vec<Daemon>> {
    let proc = root.join("proc");
    let entries = match fs::read_dir(&proc) {
        Ok(entries) => entries,
        Err(error) => return Known::Unavailable(format!("{}: {error}", proc.display())),
    };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut found: Vec<Daemon> = pids.filter_map(|pid| of_process(&proc, pid)).collect();
    if fs::read_dir(root.join(HYPER_V)).is_ok_and(|mut devices| devices.any(|device| device.is_ok_and(is_device))) {
        found.push(Daemon { kind: DaemonKind::HyperVTimeSync, pid: None, steers: None, command: None });
    }
    found.sort_by_key(|daemon| (daemon.kind, daemon.pid));
    Known::Value(found)
}

/// A driver's folder holds a link to each device it serves, named by a UUID, and its own files.
fn is_device(entry: fs::DirEntry) -> bool {
    entry.file_name().to_str().is_some_and(|name| name.len() == 36 && name.matches('-').count() == 4)
}

/// The daemon of this process, if it is one. A process may end meanwhile.
fn of_process(proc: &Path, pid: u32) -> Option<Daemon> {
    let folder = proc.join(pid.to_string());
    let comm = fs::read(folder.join("comm")).ok()?;
    let comm = String::from_utf8_lossy(&comm);
    let (kind, ..) = KINDS.iter().find(|(_, _, names)| names.contains(&comm.trim_end_matches('\n')))?;
    let mut bytes = Vec::new();
    let command = fs::File::open(folder.join("cmdline"))
        .and_then(|file| file.take(LONGEST_COMMAND).read_to_end(&mut bytes))
        .is_ok_and(|length| length > 0)
        .then(|| String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned());
    Some(daemon(*kind, pid, command.as_deref()))
}

/// How a process of this kind with these arguments, separated by NULs, affects the clock.
pub fn daemon(kind: DaemonKind, pid: u32, command: Option<&str>) -> Daemon {
    let arguments: Vec<&str> = command.unwrap_or("").split('\0').collect();
    // OpenNTPD's processes call themselves "ntpd: ntp engine".
    let is_open = kind == DaemonKind::Ntpd && arguments.first().is_some_and(|name| name.starts_with("ntpd: "));
    let kind = if is_open { DaemonKind::OpenNtpd } else { kind };
    let given = arguments.get(1..).unwrap_or_default();
    let steers = match kind {
        DaemonKind::Chronyd => Some(!has_switch(given, 'x', "fFlLPtTu")),
        DaemonKind::Ntpd | DaemonKind::OpenNtpd | DaemonKind::NtpdRs | DaemonKind::Timesyncd => Some(true),
        DaemonKind::Phc2sys => phc2sys_steers(given),
        DaemonKind::Ts2phc | DaemonKind::Timemaster => Some(false),
        _ => None,
    };
    Daemon { kind, pid: Some(pid), steers, command: command.map(|command| command.replace('\0', " ")) }
}

/// Whether `switch` is among the options. Those in `with_value` take the next argument as their value.
fn has_switch(arguments: &[&str], switch: char, with_value: &str) -> bool {
    options(arguments, with_value).iter().any(|(letter, _)| *letter == switch)
}

/// Options as getopt reads them, each with its value.
fn options<'a>(arguments: &[&'a str], with_value: &str) -> Vec<(char, &'a str)> {
    let mut found = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let Some(letters) = argument.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else { continue };
        for (at, letter) in letters.char_indices() {
            if !with_value.contains(letter) {
                found.push((letter, ""));
                continue;
            }
            let rest = &letters[at + letter.len_utf8()..];
            let value = if rest.is_empty() { arguments.next().copied().unwrap_or("") } else { rest };
            found.push((letter, value));
            break;
        }
    }
    found
}

/// phc2sys may steer the system clock, steer PTP clocks by it, or feed chronyd and ntpd. A configuration file may
/// override this. Source: phc2sys(8).
fn phc2sys_steers(arguments: &[&str]) -> Option<bool> {
    let given = options(arguments, "cdfsEPISFRNOLMiunzlt");
    let of = |letter: char| given.iter().find(|(option, _)| *option == letter).map(|(_, value)| *value);
    if of('E').is_some_and(|servo| servo == "ntpshm" || servo == "refclock_sock") {
        return Some(false);
    }
    if of('f').is_some() {
        return None;
    }
    if of('a').is_some() {
        return Some(of('r').is_some());
    }
    Some(of('c').is_none_or(|clock| clock == "CLOCK_REALTIME"))
}
