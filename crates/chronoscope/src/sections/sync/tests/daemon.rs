use std::fs;

use proptest::prelude::*;

use super::super::daemon::{daemon as of_command, read};
use super::super::timesyncd;
use super::*;

fn steers(kind: DaemonKind, command: &str) -> Option<bool> {
    of_command(kind, 1, Some(&command.replace(' ', "\0"))).steers
}

#[test]
fn a_chronyd_that_only_watches_is_told_from_one_that_steers() {
    for (command, is_steering) in [
        ("/usr/sbin/chronyd -F 1", true),
        ("/usr/sbin/chronyd", true),
        ("chronyd -x", false),
        ("chronyd -d -x -u root", false),
        ("chronyd -dx", false),
        ("chronyd -u x", true),
        ("chronyd -ux -d", true),
        ("chronyd -f -x", true),
        ("chronyd server -x", false),
    ] {
        assert_eq!(steers(DaemonKind::Chronyd, command), Some(is_steering), "{command}");
    }
}

#[test]
fn phc2sys_may_steer_either_way() {
    for (command, is_steering) in [
        ("phc2sys -s eth0 -O 0", Some(true)),
        ("phc2sys -a -r", Some(true)),
        ("phc2sys -arr", Some(true)),
        ("phc2sys -a", Some(false)),
        ("phc2sys -s CLOCK_REALTIME -c eth0", Some(false)),
        ("phc2sys -s eth0 -c CLOCK_REALTIME", Some(true)),
        ("phc2sys -a -r -E ntpshm -M 0", Some(false)),
        ("phc2sys -f /etc/ptp.conf", None),
    ] {
        assert_eq!(steers(DaemonKind::Phc2sys, command), is_steering, "{command}");
    }
    assert_eq!(steers(DaemonKind::Ptp4l, "ptp4l -i eth0"), None);
    assert_eq!(steers(DaemonKind::Timemaster, "timemaster -f x"), Some(false));
}

#[test]
fn openntpd_is_told_by_its_own_title() {
    let of = |command| of_command(DaemonKind::Ntpd, 1, Some(command)).kind;
    assert_eq!(of("/usr/sbin/ntpd\0-g\0-u\0ntp"), DaemonKind::Ntpd);
    assert_eq!(of("ntpd: ntp engine"), DaemonKind::OpenNtpd);
    assert_eq!(of_command(DaemonKind::Ntpd, 1, None).steers, Some(true));
}

#[test]
fn processes_are_found_by_name_and_others_are_not() {
    let root = tempfile::tempdir().unwrap();
    let process = |pid: &str, comm: &str, command: &str| {
        let folder = root.path().join("proc").join(pid);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("comm"), comm).unwrap();
        fs::write(folder.join("cmdline"), command).unwrap();
    };
    process("12", "chronyd\n", "/usr/sbin/chronyd\0-F\x001\0");
    process("13", "systemd-timesyn\n", "/lib/systemd/systemd-timesyncd\0");
    process("14", "chronyd-exporter\n", "chronyd-exporter\0");
    process("15", "vmtoolsd\n", "");
    process("self", "phc2sys\n", "phc2sys\0");
    fs::create_dir_all(root.path().join("proc/16")).unwrap();
    let found = read(root.path());
    let found: Vec<_> = found.value().unwrap().iter().map(|seen| (seen.kind, seen.pid, seen.command.clone())).collect();
    assert_eq!(
        found,
        [
            (DaemonKind::Chronyd, Some(12), Some("/usr/sbin/chronyd -F 1".to_owned())),
            (DaemonKind::Timesyncd, Some(13), Some("/lib/systemd/systemd-timesyncd".to_owned())),
            (DaemonKind::VmwareTools, Some(15), None),
        ]
    );
    // The driver of Hyper-V is loaded, and serves nothing; then it does.
    let driver = root.path().join("sys/bus/vmbus/drivers/hv_utils");
    fs::create_dir_all(&driver).unwrap();
    fs::write(driver.join("uevent"), "").unwrap();
    assert_eq!(read(root.path()).value().unwrap().len(), 3);
    fs::create_dir(driver.join("2dd1ce17-079e-403c-b352-a1921ee207ee")).unwrap();
    assert_eq!(read(root.path()).value().unwrap()[3].kind, DaemonKind::HyperVTimeSync);
}

#[test]
fn a_system_without_proc_gives_the_reason() {
    let root = tempfile::tempdir().unwrap();
    let Known::Unavailable(why) = read(root.path()) else { panic!("/proc") };
    assert!(why.contains("proc"), "{why}");
}

#[test]
fn timesyncd_is_told_by_what_it_touches() {
    let root = tempfile::tempdir().unwrap();
    assert!(matches!(timesyncd::read(root.path()), Known::Unavailable(_)));
    let folder = root.path().join("run/systemd/timesync");
    fs::create_dir_all(&folder).unwrap();
    let file = fs::File::create(folder.join("synchronized")).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_795_000_000)).unwrap();
    let found = timesyncd::read(root.path());
    assert_eq!(found.value().map(|told| told.synchronised_unix_ns), Some(1_795_000_000_000_000_000));
}

proptest! {
    #[test]
    fn no_command_line_panics(command in ".{0,60}", words in "(-?[a-zA-Zä-]{0,5}\0){0,5}") {
        for text in [&command, &words] {
            for kind in [DaemonKind::Chronyd, DaemonKind::Ntpd, DaemonKind::Phc2sys] {
                let _ = of_command(kind, 1, Some(text));
            }
        }
    }
}
