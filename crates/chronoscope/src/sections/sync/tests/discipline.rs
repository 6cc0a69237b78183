use super::super::bound::conclude as bound_of;
use super::super::discipline::{chronyd_only_watches, conclude, names, steering};
use super::*;
use DisciplineState as State;

const NO_CHRONYC: &str = "chronyc is not installed";

/// A case in a table of machine states.
struct Case {
    name: &'static str,
    kernel: Known<Kernel>,
    chrony: Known<Chrony>,
    daemons: Known<Vec<Daemon>>,
    state: State,
    by: Option<DaemonKind>,
    /// A part of the evidence.
    evidence: &'static str,
    /// The basis of the bound, or part of the reason why there is none.
    bound: Result<BoundBasis, &'static str>,
}

fn case(name: &'static str, state: State, by: Option<DaemonKind>, evidence: &'static str) -> Case {
    let (kernel, chrony) = (Known::Value(kernel()), Known::Unavailable(NO_CHRONYC.to_owned()));
    let bound = Ok(BoundBasis::KernelMaxError);
    Case { name, kernel, chrony, daemons: Known::Value(Vec::new()), state, by, evidence, bound }
}

fn runs(kind: DaemonKind) -> Known<Vec<Daemon>> {
    Known::Value(vec![daemon(kind, Some(true))])
}

fn refused<T>() -> Known<T> {
    Known::Unavailable("a sandbox refuses".to_owned())
}

fn out() -> Known<Kernel> {
    Known::Value(unsynchronised())
}

fn with_chrony() -> Vec<Case> {
    use DaemonKind::Chronyd;
    let followed = || Known::Value(chrony());
    let not_yet = Chrony { leap: ChronyLeap::NotSynchronised, ..chrony() };
    let local = Chrony { reference_id: "7F7F0101".to_owned(), reference: None, ..chrony() };
    let watches = || Known::Value(vec![daemon(Chronyd, Some(false))]);
    let by_chrony = |name, evidence| case(name, State::Disciplined, Some(Chronyd), evidence);
    let none = |name, evidence| Case { kernel: out(), ..case(name, State::NotDisciplined, None, evidence) };
    vec![
        Case {
            chrony: followed(),
            daemons: runs(Chronyd),
            bound: Ok(BoundBasis::Chrony),
            ..by_chrony("chronyd follows a server", "chronyd follows 192.0.2.7 at stratum 3")
        },
        Case {
            kernel: out(),
            chrony: followed(),
            daemons: runs(Chronyd),
            bound: Ok(BoundBasis::Chrony),
            ..by_chrony("without rtcsync", "it does not tell the kernel")
        },
        Case {
            kernel: refused(),
            chrony: followed(),
            daemons: refused(),
            bound: Ok(BoundBasis::Chrony),
            ..by_chrony("chronyd alone says something", "chronyd follows")
        },
        Case { daemons: runs(Chronyd), ..by_chrony("no chronyc, with rtcsync", "chronyd runs") },
        Case {
            kernel: out(),
            daemons: runs(Chronyd),
            bound: Err("says unsynchronised"),
            ..case(
                "no chronyc, no rtcsync",
                State::Unknown,
                Some(Chronyd),
                "without rtcsync it does not tell the kernel",
            )
        },
        Case {
            chrony: Known::Value(not_yet.clone()),
            daemons: runs(Chronyd),
            bound: Err("says unsynchronised"),
            ..none("chronyd has just started", "chronyd runs but has not synchronised")
        },
        Case {
            chrony: Known::Value(local),
            daemons: runs(Chronyd),
            bound: Err("says unsynchronised"),
            ..none("chronyd serves its own clock", "local mode")
        },
        Case {
            chrony: followed(),
            daemons: watches(),
            bound: Ok(BoundBasis::Chrony),
            ..none("chronyd only watches", "runs with -x")
        },
        Case {
            kernel: Known::Value(kernel()),
            chrony: Known::Value(not_yet),
            daemons: watches(),
            ..case("chronyd only watches a clock of others", State::Disciplined, None, "no daemon that steers")
        },
    ]
}

fn without_chrony() -> Vec<Case> {
    use DaemonKind::{HyperVTimeSync, NtpdRs, OpenNtpd, Phc2sys, QemuAgent, Timesyncd, VirtualBoxService};
    let disciplined =
        |name, by, evidence| Case { daemons: runs(by), ..case(name, State::Disciplined, Some(by), evidence) };
    let lost = |name, evidence| Case {
        kernel: out(),
        bound: Err("says unsynchronised"),
        ..case(name, State::NotDisciplined, None, evidence)
    };
    let host = |name, kind| Case {
        kernel: out(),
        daemons: Known::Value(vec![daemon(kind, None)]),
        bound: Err("says unsynchronised"),
        ..case(name, State::Unknown, Some(kind), "may set the clock to the host's")
    };
    vec![
        disciplined("ntpd", DaemonKind::Ntpd, "ntpd runs"),
        disciplined("ntpd-rs", NtpdRs, "ntpd-rs runs"),
        Case { bound: Err("leaves out the network"), ..disciplined("timesyncd", Timesyncd, "systemd-timesyncd runs") },
        Case { bound: Err("phc2sys declares an error of 0"), ..disciplined("phc2sys", Phc2sys, "phc2sys runs") },
        Case { bound: Err("OpenNTPD declares an error of 0"), ..disciplined("OpenNTPD", OpenNtpd, "OpenNTPD runs") },
        case("a container", State::Disciplined, None, "in a container it may run outside"),
        Case { daemons: refused(), ..case("hidden processes", State::Disciplined, None, "processes cannot be seen") },
        lost("nobody", "no daemon that steers the clock is visible"),
        Case { daemons: refused(), ..lost("nobody, and hidden processes", "processes cannot be seen") },
        Case {
            daemons: runs(Timesyncd),
            ..lost("timesyncd without a network", "systemd-timesyncd has not synchronised")
        },
        Case {
            daemons: Known::Value(vec![daemon(QemuAgent, None)]),
            ..lost("an agent that sets on request", "visible")
        },
        host("VirtualBox", VirtualBoxService),
        host("Hyper-V", HyperVTimeSync),
        Case {
            kernel: refused(),
            daemons: runs(Timesyncd),
            bound: Err("a sandbox refuses"),
            ..case("a sandbox", State::Unknown, Some(Timesyncd), "systemd-timesyncd runs")
        },
        Case {
            kernel: refused(),
            daemons: refused(),
            bound: Err("a sandbox refuses"),
            ..case("nothing can be had", State::Unknown, None, "the kernel does not say")
        },
    ]
}

#[test]
fn who_disciplines_and_how_well_follows_from_what_is_said() {
    for case in with_chrony().into_iter().chain(without_chrony()) {
        let Case { name, kernel, chrony, daemons, .. } = &case;
        let found = conclude(kernel, chrony, daemons);
        assert_eq!((found.state, found.by), (case.state, case.by), "{name}: {found:?}");
        assert!(found.evidence.join("; ").contains(case.evidence), "{name}: {found:?}");
        match (bound_of(&found, kernel, chrony), case.bound) {
            (Known::Value(bound), expected) => {
                assert_eq!(Ok(bound.basis), expected, "{name}");
                let expected_ns = match bound.basis {
                    BoundBasis::Chrony => 6_523.0 + 110_073.0 + 681_951.0,
                    BoundBasis::KernelMaxError => 1_406_000.0,
                };
                assert_eq!(bound.error_ns, expected_ns, "{name}");
            }
            (Known::Unavailable(why), expected) => {
                assert!(expected.is_err_and(|part| why.contains(part)), "{name}: {why} {expected:?}");
            }
        }
    }
}

#[test]
fn several_processes_of_a_daemon_are_one() {
    let chronyd = || daemon(DaemonKind::Chronyd, Some(true));
    let both = Known::Value(vec![chronyd(), chronyd(), daemon(DaemonKind::Ptp4l, None)]);
    assert_eq!(steering(&both), [DaemonKind::Chronyd]);
    assert!(!chronyd_only_watches(&both) && !chronyd_only_watches(&Known::Value(Vec::new())));
    let mixed = Known::Value(vec![chronyd(), daemon(DaemonKind::Chronyd, Some(false))]);
    assert!(!chronyd_only_watches(&mixed));
}

#[test]
fn names_are_joined_as_one_speaks() {
    use DaemonKind::{Chronyd, Ntpd, Phc2sys};
    assert_eq!(names(&[]), "");
    assert_eq!(names(&[Chronyd]), "chronyd");
    assert_eq!(names(&[Chronyd, Ntpd]), "chronyd and ntpd");
    assert_eq!(names(&[Chronyd, Ntpd, Phc2sys]), "chronyd, ntpd and phc2sys");
}
