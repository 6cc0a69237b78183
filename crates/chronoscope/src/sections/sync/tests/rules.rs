use super::super::rules::*;
use super::*;
use crate::kinds;
use chronoscope_harness::finding::{Finding, Kind, Severity};

type Change = fn(&mut SyncReport);

fn findings(change: Change) -> Vec<Finding> {
    let mut report = well();
    change(&mut report);
    document(report).findings
}

fn declares(report: &mut SyncReport, ppm: f64) {
    report.slew.declared = Known::Value(Declared { at_start_ppm: ppm, at_end_ppm: ppm });
}

fn observes(report: &mut SyncReport, low_ppm: f64, high_ppm: f64) {
    let ppm = low_ppm.midpoint(high_ppm);
    report.slew.observed = Known::Value(Observed { ppm, low_ppm, high_ppm, over_ns: 1_000_000_000 });
}

fn kernel_says(report: &mut SyncReport, change: impl FnOnce(&mut KernelDiscipline)) {
    let mut told = told();
    change(&mut told);
    report.kernel = Known::Value(super::super::kernel::kernel(&told, Known::Value(1_406_000)));
}

fn chrony_says(report: &mut SyncReport, change: impl FnOnce(&mut Chrony)) {
    let mut told = chrony();
    change(&mut told);
    report.chrony = Known::Value(told);
}

/// A kernel that has `slew_ppm` by its frequency and its tick, and does as it says.
fn slewed(report: &mut SyncReport, slew_ppm: i64, transient: Known<f64>) {
    kernel_says(report, |told| {
        told.tick_us = 10_000 + slew_ppm / 100;
        told.frequency_scaled_ppm = slew_ppm % 100 * 65_536;
    });
    declares(report, slew_ppm as f64);
    observes(report, slew_ppm as f64 - 0.1, slew_ppm as f64 + 0.1);
    report.slew.transient_ppm = transient;
}

fn undisciplined(report: &mut SyncReport) {
    report.discipline = Discipline {
        state: DisciplineState::NotDisciplined,
        by: None,
        evidence: vec!["the kernel says so".to_owned()],
    };
    report.kernel = Known::Value(unsynchronised());
    report.chrony = Known::Unavailable("chronyc is not installed".to_owned());
    report.bound = Known::Unavailable("the kernel says unsynchronised".to_owned());
    report.daemons = Known::Value(Vec::new());
}

/// Each case, with its nearest neighbour that yields no finding.
const SYNCHRONISATION: &[(&str, Change, &[Kind])] = &[
    ("all is well", |_| {}, &[]),
    ("nobody", undisciplined, &[WALL_CLOCK_UNDISCIPLINED]),
    ("just right", |r| r.bound = Known::Value(Bound { error_ns: 100e6, basis: BoundBasis::Chrony }), &[]),
    (
        "far off",
        |r| r.bound = Known::Value(Bound { error_ns: 100.1e6, basis: BoundBasis::Chrony }),
        &[WALL_CLOCK_ERROR_LARGE],
    ),
    ("no bound", |r| r.bound = Known::Unavailable("states 0".to_owned()), &[WALL_CLOCK_ERROR_UNKNOWN]),
    (
        "nobody knows",
        |r| {
            r.bound = Known::Unavailable("refused".to_owned());
            r.discipline.state = DisciplineState::Unknown;
        },
        &[WALL_CLOCK_ERROR_UNKNOWN],
    ),
    ("127 ms ahead", |r| chrony_says(r, |told| told.ahead_ns = 127e6), &[]),
    ("2.3 s ahead", |r| chrony_says(r, |told| told.ahead_ns = 2.3e9), &[WALL_CLOCK_NEEDS_STEP]),
    ("2.3 s behind", |r| chrony_says(r, |told| told.ahead_ns = -2.3e9), &[WALL_CLOCK_NEEDS_STEP]),
    (
        "adjtime has 2 s to go, and nobody is asked",
        |r| {
            r.chrony = Known::Unavailable("chronyc is not installed".to_owned());
            kernel_says(r, |told| told.adjtime_us = Some(2_000_000));
            declares(r, 512.0);
            observes(r, 511.9, 512.1);
            r.slew.transient_ppm = Known::Value(500.0);
        },
        &[WALL_CLOCK_NEEDS_STEP, MONOTONIC_SLEWED],
    ),
    (
        "a watcher's offset is not slewed",
        |r| {
            chrony_says(r, |told| told.ahead_ns = 2.3e9);
            r.daemons = Known::Value(vec![daemon(DaemonKind::Chronyd, Some(false))]);
        },
        &[],
    ),
    ("set forward", |r| r.step = Known::Value(WallStep { low_ns: 999_000, high_ns: 1_001_000 }), &[WALL_CLOCK_STEPPED]),
    ("set back", |r| r.step = Known::Value(WallStep { low_ns: -90, high_ns: -1 }), &[WALL_CLOCK_STEPPED]),
    ("perhaps set", |r| r.step = Known::Value(WallStep { low_ns: 0, high_ns: 90 }), &[]),
    ("no rtcsync", |r| r.kernel = Known::Value(unsynchronised()), &[KERNEL_NOT_TOLD]),
    (
        "two daemons",
        |r| {
            r.daemons =
                Known::Value(vec![daemon(DaemonKind::Chronyd, Some(true)), daemon(DaemonKind::Timesyncd, Some(true))]);
        },
        &[TIME_DAEMONS_COMPETE],
    ),
    (
        "two processes of one daemon, and one that feeds it",
        |r| {
            r.daemons = Known::Value(vec![
                daemon(DaemonKind::Chronyd, Some(true)),
                daemon(DaemonKind::Chronyd, Some(true)),
                daemon(DaemonKind::Phc2sys, Some(false)),
                daemon(DaemonKind::Ptp4l, None),
            ]);
        },
        &[],
    ),
];

const LEAPS_AND_RATES: &[(&str, Change, &[Kind])] = &[
    ("to insert", |r| kernel_says(r, |told| (told.status, told.state) = (0x2010, 1)), &[LEAP_SECOND_PENDING]),
    ("to delete", |r| kernel_says(r, |told| (told.status, told.state) = (0x2020, 2)), &[LEAP_SECOND_PENDING]),
    ("within", |r| kernel_says(r, |told| (told.status, told.state) = (0x2010, 3)), &[LEAP_SECOND_PENDING]),
    ("over", |r| kernel_says(r, |told| (told.status, told.state) = (0x2010, 4)), &[]),
    ("chronyd alone knows", |r| chrony_says(r, |told| told.leap = ChronyLeap::Insert), &[LEAP_SECOND_PENDING]),
    ("a slew of 100 ppm", |r| slewed(r, 112, Known::Value(100.0)), &[]),
    ("a slew of 500 ppm", |r| slewed(r, 512, Known::Value(500.0)), &[MONOTONIC_SLEWED]),
    ("a slew back", |r| slewed(r, -488, Known::Value(-500.0)), &[MONOTONIC_SLEWED]),
    ("a slew that the correction hides", |r| slewed(r, 50, Known::Value(110.0)), &[MONOTONIC_SLEWED]),
    ("a counter that is 200 ppm off", |r| slewed(r, 200, Known::Value(0.0)), &[RAW_CLOCK_OFF]),
    ("both", |r| slewed(r, 700, Known::Value(500.0)), &[MONOTONIC_SLEWED, RAW_CLOCK_OFF]),
    ("200 ppm that nobody explains", |r| slewed(r, 200, Known::Unavailable("?".to_owned())), &[MONOTONIC_SLEWED]),
    (
        "nobody explains, and nothing was observed",
        |r| {
            slewed(r, -200, Known::Unavailable("?".to_owned()));
            r.slew.observed = Known::Unavailable("no CLOCK_MONOTONIC_RAW".to_owned());
        },
        &[MONOTONIC_SLEWED],
    ),
    (
        "a correction that a daemon left behind",
        |r| {
            undisciplined(r);
            declares(r, -186.0);
            observes(r, -186.1, -185.9);
            r.slew.transient_ppm = Known::Unavailable("?".to_owned());
        },
        &[WALL_CLOCK_UNDISCIPLINED, MONOTONIC_SLEWED],
    ),
    (
        "perhaps more than 100 ppm",
        |r| {
            slewed(r, 99, Known::Unavailable("?".to_owned()));
            observes(r, 90.0, 110.0);
        },
        &[],
    ),
    ("not as declared", |r| observes(r, 13.1, 13.3), &[SLEW_NOT_AS_DECLARED]),
    ("as declared within a step of the multiplier", |r| observes(r, 12.9, 13.1), &[]),
    (
        "changed meanwhile",
        |r| {
            r.slew.declared = Known::Value(Declared { at_start_ppm: 12.0, at_end_ppm: 60.0 });
            observes(r, 40.0, 40.1);
        },
        &[],
    ),
    (
        "at the limit",
        |r| {
            kernel_says(r, |told| told.frequency_scaled_ppm = -32_768_000);
            declares(r, -500.0);
            observes(r, -500.1, -499.9);
            r.slew.transient_ppm = Known::Unavailable("?".to_owned());
        },
        &[MONOTONIC_SLEWED, FREQUENCY_AT_LIMIT],
    ),
    ("a PTP clock that nobody uses", |r| r.ptp = Known::Value(vec![ptp("mlx5_ptp")]), &[PTP_CLOCK_UNUSED]),
    (
        "a PTP clock that phc2sys uses",
        |r| {
            r.ptp = Known::Value(vec![ptp("mlx5_ptp")]);
            r.daemons = Known::Value(vec![daemon(DaemonKind::Phc2sys, Some(true))]);
        },
        &[],
    ),
    (
        "a PTP clock that chronyd follows",
        |r| {
            r.ptp = Known::Value(vec![ptp("KVM virtual PTP")]);
            chrony_says(r, |told| told.reference = Some("PHC0".to_owned()));
        },
        &[],
    ),
    (
        "a PTP clock and hidden processes",
        |r| {
            r.ptp = Known::Value(vec![ptp("mlx5_ptp")]);
            r.daemons = Known::Unavailable("hidden".to_owned());
        },
        &[],
    ),
    (
        "nothing can be had",
        |r| {
            let none = || "refused".to_owned();
            r.discipline.state = DisciplineState::Unknown;
            r.slew.declared = Known::Unavailable(none());
            r.slew.observed = Known::Unavailable(none());
            r.slew.transient_ppm = Known::Unavailable(none());
            r.kernel = Known::Unavailable(none());
            r.chrony = Known::Unavailable(none());
            r.bound = Known::Unavailable(none());
            r.step = Known::Unavailable(none());
            r.ptp = Known::Unavailable(none());
            r.daemons = Known::Unavailable(none());
        },
        &[WALL_CLOCK_ERROR_UNKNOWN],
    ),
];

#[test]
fn each_finding_appears_where_it_must_and_nowhere_else() {
    let mut seen = std::collections::BTreeSet::new();
    for (name, change, expected) in SYNCHRONISATION.iter().chain(LEAPS_AND_RATES) {
        let found: Vec<Kind> = findings(*change).iter().map(|finding| *kinds::of_check(&finding.id).unwrap()).collect();
        assert_eq!(found, *expected, "{name}");
        seen.extend(found.iter().map(|kind| kind.id));
    }
    assert_eq!(seen.len(), 13, "{seen:?}");
}

#[test]
fn every_finding_says_what_to_do() {
    for (name, change, _) in SYNCHRONISATION.iter().chain(LEAPS_AND_RATES) {
        for finding in findings(*change) {
            assert!(!finding.advice.is_empty() && finding.subject.is_some(), "{name}: {finding:?}");
            assert!(!finding.evidence.summary.ends_with('.'), "{name}: {finding:?}");
            assert!(finding.severity < Severity::Critical, "{name}: {finding:?}");
        }
    }
}

/// Further cases, of which the words matter.
const WORDS: &[(&str, Change)] = &[
    ("a counter that runs fast", |r| slewed(r, -200, Known::Value(0.0))),
    ("2 s ahead and slewed back", |r| {
        slewed(r, -488, Known::Value(-500.0));
        chrony_says(r, |told| told.ahead_ns = 2e9);
    }),
    ("2 s ahead and slewed away", |r| {
        slewed(r, 512, Known::Value(500.0));
        chrony_says(r, |told| told.ahead_ns = 2e9);
    }),
    ("set back by a millisecond", |r| r.step = Known::Value(WallStep { low_ns: -1_001_000, high_ns: -999_000 })),
    ("nobody, and nothing tells which clock is off", |r| {
        undisciplined(r);
        observes(r, -186.1, -185.9);
        r.slew.transient_ppm = Known::Unavailable("?".to_owned());
    }),
    ("nobody, and a PTP clock", |r| {
        undisciplined(r);
        r.ptp = Known::Value(vec![ptp("KVM virtual PTP")]);
    }),
    ("nobody, though timesyncd runs", |r| {
        undisciplined(r);
        r.daemons = Known::Value(vec![daemon(DaemonKind::Timesyncd, Some(true))]);
    }),
    ("nobody, though chronyd watches", |r| {
        undisciplined(r);
        r.daemons = Known::Value(vec![daemon(DaemonKind::Chronyd, Some(false))]);
    }),
];

/// As in `tests/golden/findings/sync.txt`.
#[test]
fn the_words_follow_the_numbers() {
    let cases = SYNCHRONISATION.iter().chain(LEAPS_AND_RATES).map(|(name, change, _)| (*name, *change));
    let found = cases.chain(WORDS.iter().copied()).map(|(name, change)| (name, findings(change)));
    crate::tests::golden_file::assert_findings("sync", found.collect());
}
