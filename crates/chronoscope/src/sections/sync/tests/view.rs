use std::path::PathBuf;

use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

use super::*;
use crate::tests::golden_file::assert_same;

fn assert_golden(name: &str, text: &str) {
    assert_same(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/sections/sync/tests/golden").join(name), text);
}

/// Two daemons, a leap second, a fast slew, a PTP clock that nobody reads.
fn ill() -> SyncReport {
    let mut told = told();
    (told.status, told.state, told.tick_us) = (0x2113, 1, 10_005);
    (told.offset_ns, told.adjtime_us) = (-3_000_000, Some(-250));
    (told.pps_frequency_scaled_ppm, told.pps_stability_scaled_ppm, told.pps_jitter_ns) = (720_896, 6_554, 1_200);
    let kernel = super::super::kernel::kernel(&told, Known::Value(250_000_000));
    let slew_ppm = kernel.slew_ppm();
    let chrony = Chrony { ahead_ns: 2.3e9, reference: Some("2001:db8::123".to_owned()), ..chrony() };
    let daemons = vec![
        daemon(DaemonKind::Chronyd, Some(true)),
        daemon(DaemonKind::Timesyncd, Some(true)),
        Daemon { pid: None, command: None, ..daemon(DaemonKind::HyperVTimeSync, None) },
    ];
    let unreadable = PtpDevice {
        device: "ptp1".to_owned(),
        offset: Known::Unavailable("/dev/ptp1: denied".to_owned()),
        ..ptp("igb")
    };
    SyncReport {
        discipline: super::super::discipline::conclude(
            &Known::Value(kernel.clone()),
            &Known::Value(chrony.clone()),
            &Known::Value(daemons.clone()),
        ),
        bound: Known::Value(Bound { error_ns: 2.3e9, basis: BoundBasis::Chrony }),
        slew: Slew {
            declared: Known::Value(Declared { at_start_ppm: slew_ppm - 3.0, at_end_ppm: slew_ppm }),
            observed: Known::Value(Observed {
                ppm: slew_ppm,
                low_ppm: slew_ppm - 0.05,
                high_ppm: slew_ppm + 0.05,
                over_ns: 1_000_000_000,
            }),
            transient_ppm: Known::Value(slew_ppm - chrony.correction_ppm),
        },
        step: Known::Value(WallStep { low_ns: 499_999_900, high_ns: 500_000_100 }),
        timesyncd: Known::Value(super::super::timesyncd::Timesyncd { synchronised_unix_ns: 1_795_000_000_000_000_000 }),
        kernel: Known::Value(kernel),
        chrony: Known::Value(chrony),
        daemons: Known::Value(daemons),
        ptp: Known::Value(vec![ptp("KVM virtual PTP"), unreadable]),
    }
}

/// A sandbox that reveals nothing.
fn blind() -> SyncReport {
    let refused = || "the kernel or a sandbox refuses adjtimex, even to read".to_owned();
    let discipline = super::super::discipline::conclude(
        &Known::Unavailable(refused()),
        &Known::Unavailable("chronyc is not installed".to_owned()),
        &Known::Unavailable("/proc: Permission denied".to_owned()),
    );
    SyncReport {
        discipline,
        bound: Known::Unavailable(refused()),
        slew: Slew {
            declared: Known::Unavailable(refused()),
            observed: Known::Value(Observed { ppm: 0.0, low_ppm: -0.05, high_ppm: 0.05, over_ns: 1_000_000_000 }),
            transient_ppm: Known::Unavailable(refused()),
        },
        kernel: Known::Unavailable(refused()),
        chrony: Known::Unavailable("chronyc is not installed".to_owned()),
        daemons: Known::Unavailable("/proc: Permission denied".to_owned()),
        ptp: Known::Unavailable("/sys/class/ptp: No such file or directory".to_owned()),
        ..well()
    }
}

#[test]
fn pages_are_as_they_were_read() {
    assert_golden("well.txt", &page(&well(), 118));
    assert_golden("ill.txt", &page(&ill(), 118));
    assert_golden("ill-narrow.txt", &page(&ill(), 60));
    assert_golden("blind.txt", &page(&blind(), 118));
}

proptest! {
    /// Names from external sources, at any width: no control character passes, and no line is too wide.
    #[test]
    fn hostile_names_stay_harmless(text in any::<String>(), columns in 60..200_usize) {
        let mut report = ill();
        report.chrony = Known::Value(Chrony { reference: Some(text.clone()), ..chrony() });
        report.ptp = Known::Value(vec![PtpDevice { device: text.clone(), ..ptp(&text) }]);
        report.daemons =
            Known::Value(vec![Daemon { command: Some(text.clone()), ..daemon(DaemonKind::Chronyd, Some(true)) }]);
        report.discipline.evidence.push(text);
        let shown = page(&report, columns);
        prop_assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
        for line in shown.lines().filter(|line| line.is_ascii()) {
            prop_assert!(line.width() <= columns, "{line}");
        }
    }
}
