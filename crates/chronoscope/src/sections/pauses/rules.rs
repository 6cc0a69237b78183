use super::plan::PausesPlan;
use super::report::PauseWay;
use crate::section::rule::{self, SectionRule};
use crate::shared_findings::{EARLY_PAUSE, returned_early};
use chronoscope_harness::estimators::pauses::{PauseFigures, Pauses};
use chronoscope_harness::finding::{Finding, Kind, Meaning};
use chronoscope_harness::quantity::ns;

type RuleInput<'a> = rule::RuleInput<'a, PausesPlan, Option<Pauses>>;

/// A yield that overruns by this much gave way to another thread's time slice. By default none is shorter: 0.7 ms and
/// more.
const SLICE_NS: f64 = 500_000.0;
/// A sleep this many times as late as another merits a finding.
const MUCH_LATER: f64 = 2.0;
const WORTH_SAYING_NS: f64 = 10_000.0;

/// The page that shows them.
const SHOWN_IN: &[&str] = &["pauses"];

pub const RULES: &[SectionRule<PausesPlan, Option<Pauses>>] = &[SectionRule::new(&[EARLY_PAUSE], early_pause)];

/// Advice for programs that have to pause.
pub const ADVICE: &[SectionRule<PausesPlan, Option<Pauses>>] = &[
    SectionRule::new(&[SLEEP_SAVES_NO_CPU], |seen| of(seen, saves_no_cpu)),
    SectionRule::new(&[SLEEP_HELD_BY_SLACK], |seen| of(seen, held_by_slack)),
    SectionRule::new(&[YIELD_COSTS_A_SLICE], |seen| of(seen, |found| costs_a_slice(found, seen.plan.load))),
];

pub const SLEEP_SAVES_NO_CPU: Kind = Kind::notice(
    "sleep_saves_no_cpu",
    Meaning {
        about: "short sleeps take no less CPU time than a spin",
        evidence: "CPU time per pause by sleeping (`sleep_cpu_ns`) and by spinning (`spin_cpu_ns`), and up to \
            which length that holds (`up_to_ns`)",
        mend: "spin for pauses up to that length",
    },
)
.shown_in(SHOWN_IN);
pub const SLEEP_HELD_BY_SLACK: Kind = Kind::notice(
    "sleep_held_by_slack",
    Meaning {
        about: "`std::thread::sleep` is late by the thread's timer slack",
        evidence: "the median lateness of `std::thread::sleep` (`std_late_ns_p50`) and of `pause::sleep` \
            (`sleep_late_ns_p50`) at one length (`requested_ns`)",
        mend: "on Linux, pause::TimerSlack or prctl(PR_SET_TIMERSLACK, 1) in your thread fixes the slack \
            alone",
    },
)
.shown_in(SHOWN_IN);
pub const YIELD_COSTS_A_SLICE: Kind = Kind::notice(
    "yield_costs_a_slice",
    Meaning {
        about: "a thread that yielded got the CPU back only a time slice later",
        evidence: "the median length of a pause by yielding (`taken_ns_p50`) and the one requested (`requested_ns`)",
        mend: "do not wait by yielding where another thread keeps the CPU busy",
    },
)
.shown_in(SHOWN_IN);

fn of(seen: &RuleInput<'_>, find: impl Fn(&Pauses) -> Option<Finding>) -> Vec<Finding> {
    seen.report.iter().filter_map(find).collect()
}

fn figures(seen: &Pauses, length_ns: u64, way: PauseWay) -> Option<&PauseFigures> {
    seen.methods.iter().find(|method| method.requested_ns == length_ns && method.name == way.name())
}

/// For the greatest length up to which, starting from the shortest, this holds.
fn saves_no_cpu(seen: &Pauses) -> Option<Finding> {
    let costs = seen.lengths_ns().into_iter().map_while(|length| {
        let cpu_ns = |way| figures(seen, length, way).and_then(PauseFigures::cpu_ns);
        let (sleep, spin) = (cpu_ns(PauseWay::Sleep)?, cpu_ns(PauseWay::Spin)?);
        (sleep >= spin).then_some((length as f64, sleep, spin))
    });
    let (length, sleep, spin) = costs.last()?;
    let summary = format!(
        "up to {} pause::sleep is late and saves no CPU time: it uses {} of CPU time per pause, pause::spin {}",
        ns(length),
        ns(sleep),
        ns(spin)
    );
    Some(
        Finding::new(SLEEP_SAVES_NO_CPU, summary)
            .value("up_to_ns", length)
            .value("sleep_cpu_ns", sleep)
            .value("spin_cpu_ns", spin)
            .advice(format!("spin for pauses of up to {}", ns(length))),
    )
}

/// At the shortest length where this holds.
fn held_by_slack(seen: &Pauses) -> Option<Finding> {
    let (length, std, own) = seen.lengths_ns().into_iter().find_map(|length| {
        let late_ns = |way| figures(seen, length, way).map(PauseFigures::late_p50_ns);
        let (std, own) = (late_ns(PauseWay::StdSleep)?, late_ns(PauseWay::Sleep)?.max(1.0));
        (std > own * MUCH_LATER && std - own > WORTH_SAYING_NS).then_some((length as f64, std, own))
    })?;
    let summary = format!(
        "std::thread::sleep of {} is late by {}; pause::sleep, with an absolute deadline and minimal timer slack, by \
         {}",
        ns(length),
        ns(std),
        ns(own)
    );
    Some(
        Finding::new(SLEEP_HELD_BY_SLACK, summary)
            .value("requested_ns", length)
            .value("std_late_ns_p50", std)
            .value("sleep_late_ns_p50", own)
            .advice(SLEEP_HELD_BY_SLACK.mend),
    )
}

/// At the longest length where this holds.
fn costs_a_slice(seen: &Pauses, loaded: bool) -> Option<Finding> {
    let worst = seen.lengths_ns().into_iter().rev().find_map(|length| {
        let figures = figures(seen, length, PauseWay::Yield)?;
        (figures.late_p50_ns() > SLICE_NS.max(length as f64)).then_some(figures)
    })?;
    let (length, taken) = (worst.requested_ns as f64, worst.p50_ns.estimate);
    let half = format!("half of the {} pauses by yielding took {} or longer", ns(length), ns(taken));
    let finding = |summary: String| {
        Finding::new(YIELD_COSTS_A_SLICE, summary).value("requested_ns", length).value("taken_ns_p50", taken)
    };
    Some(if loaded {
        finding(format!("{half}: a thread that yields to a busy one gets the CPU back a time slice later"))
            .advice(YIELD_COSTS_A_SLICE.mend)
    } else {
        finding(format!("{half}: another thread had the CPU meanwhile")).advice("do not wait by yielding")
    })
}

fn early_pause(seen: &RuleInput<'_>) -> Vec<Finding> {
    let methods = seen.report.iter().flat_map(|pause| &pause.methods);
    methods.filter_map(|method| returned_early(&method.name, method)).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::tests::golden_file::assert_findings;
    use chronoscope_harness::record::{Bin, Estimate, Histogram};

    /// A way to wait so long that is so late.
    pub(in crate::sections::pauses) fn method(
        way: PauseWay,
        requested_ns: u64,
        late_ns: f64,
        cpu_share: f64,
    ) -> PauseFigures {
        let taken = requested_ns as f64 + late_ns;
        PauseFigures {
            name: way.name().to_owned(),
            requested_ns,
            samples: 2_000,
            mean_ns: taken,
            p50_ns: Estimate { estimate: taken, low: taken, high: taken, confidence: 0.999 },
            p99_ns: taken + 500.0,
            p999_ns: None,
            histogram: Histogram {
                bins: vec![
                    Bin { from_ns: 0.9 * taken, to_ns: taken, count: 1_999 },
                    Bin { from_ns: 2.0 * taken, to_ns: 2.1 * taken, count: 1 },
                ],
            },
            max_over_ns: late_ns + 900.0,
            cpu_share,
            early: 0,
            preempted: Some(0),
        }
    }

    fn seen(methods: Vec<PauseFigures>) -> Pauses {
        Pauses { methods, unavailable: Vec::new(), rounds: 11 }
    }

    fn found(seen: &Pauses, loaded: bool) -> Vec<Finding> {
        [saves_no_cpu(seen), held_by_slack(seen), costs_a_slice(seen, loaded)].into_iter().flatten().collect()
    }

    #[test]
    fn each_finding_is_of_its_kind() {
        let dear = [method(PauseWay::Spin, 1_000, 30.0, 1.0), method(PauseWay::Sleep, 1_000, 4_000.0, 0.9)];
        assert!(saves_no_cpu(&seen(dear.into())).unwrap().is(SLEEP_SAVES_NO_CPU));
        let slack = [method(PauseWay::StdSleep, 1_000, 53_000.0, 0.1), method(PauseWay::Sleep, 1_000, 4_000.0, 0.9)];
        assert!(held_by_slack(&seen(slack.into())).unwrap().is(SLEEP_HELD_BY_SLACK));
        let slice = vec![method(PauseWay::Yield, 1_000, 4_000_000.0, 0.1)];
        assert!(costs_a_slice(&seen(slice), false).unwrap().is(YIELD_COSTS_A_SLICE));
    }

    #[test]
    fn advice_follows_from_the_figures() {
        let every_way = seen(vec![
            method(PauseWay::Pauser, 1_000, 40.0, 1.0),
            method(PauseWay::Spin, 1_000, 30.0, 1.0),
            method(PauseWay::Sleep, 1_000, 4_000.0, 0.9),
            method(PauseWay::StdSleep, 100_000, 53_000.0, 0.03),
            method(PauseWay::Sleep, 100_000, 3_000.0, 0.03),
            method(PauseWay::Pauser, 100_000, 60.0, 0.08),
            method(PauseWay::Spin, 100_000, 40.0, 1.0),
            method(PauseWay::Yield, 100_000, 3_900_000.0, 0.01),
        ]);
        let loaded = seen(vec![method(PauseWay::Yield, 1_000_000, 3_000_000.0, 0.001)]);
        let waited_for_nobody = seen(vec![method(PauseWay::Yield, 1_000, 1_200.0, 1.0)]);
        let cases = vec![
            ("every way", found(&every_way, false)),
            ("yields that gave way", found(&loaded, true)),
            ("a yield that waited for nobody", found(&waited_for_nobody, false)),
            ("nothing was seen", found(&seen(vec![method(PauseWay::Hybrid, 1_000, 40.0, 1.0)]), false)),
        ];
        assert_findings("pauses", cases);
    }

    /// The Pauser keeps the CPU here, but a sleep does not: 16 % is not 100 %.
    #[test]
    fn a_sleep_that_leaves_the_cpu_alone_is_not_said_to_cost_as_much() {
        let methods = vec![
            method(PauseWay::Pauser, 100_000, 700.0, 0.68),
            method(PauseWay::Spin, 100_000, 130.0, 1.0),
            method(PauseWay::Sleep, 100_000, 33_000.0, 0.16),
        ];
        assert_eq!(saves_no_cpu(&seen(methods)), None);
    }

    #[test]
    fn up_to_a_length_holds_for_each_shorter_one() {
        let of = |length_ns: u64, sleep_late_ns: f64, sleep_share: f64| {
            [
                method(PauseWay::Spin, length_ns, 30.0, 1.0),
                method(PauseWay::Sleep, length_ns, sleep_late_ns, sleep_share),
            ]
        };
        let lengths = |all: Vec<[PauseFigures; 2]>| {
            saves_no_cpu(&seen(all.concat())).map(|found| found.evidence.values["up_to_ns"])
        };
        let dear = || of(1_000, 5_000.0, 0.9);
        assert_eq!(lengths(vec![dear(), of(10_000, 9_000.0, 0.6), of(100_000, 9_000.0, 0.2)]), Some(10_000.0));
        assert_eq!(lengths(vec![of(1_000, 400.0, 0.5), of(10_000, 9_000.0, 0.6)]), None);
        assert_eq!(lengths(vec![dear(), of(10_000, 9_000.0, 0.1), of(100_000, 9_000.0, 1.0)]), Some(1_000.0));
        // An unknown value supports no conclusion.
        assert_eq!(lengths(vec![of(1_000, 5_000.0, 0.0)]), None);
    }
}
