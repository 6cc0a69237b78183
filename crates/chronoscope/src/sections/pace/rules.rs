use chronoscope_harness::rule::Rule;

use super::words::{cause, rate, signed, three_digits_or_more, time};
use crate::sections::pace::report::{LateCause, Pace};
use chronoscope_harness::finding::{Finding, Kind, Meaning, NO_ACTION};
use chronoscope_harness::quantity::{percent, three_digits};

/// The page that shows them.
const SHOWN_IN: &[&str] = &["pace"];

pub const RULES: &[Rule<Pace>] = &[
    Rule { yields: &[RATE_MISSED, RATE_KEPT], find: |pace| Vec::from_iter(rate_found(pace)) },
    Rule { yields: &[CAUSES_OF_LATENESS], find: |pace| Vec::from_iter(blamed(pace)) },
    Rule { yields: &[COORDINATED_OMISSION, PACER_LATE], find: |pace| Vec::from_iter(forgotten(pace)) },
    Rule { yields: &[EVENTS_LEFT_OUT], find: |pace| Vec::from_iter(left_out(pace)) },
];

pub const RATE_MISSED: Kind = Kind::warning(
    "rate_missed",
    Meaning {
        about: "a pacer missed the requested rate",
        evidence: "the rate reached (`achieved_per_s`) and its error (`rate_error_ppm`), beyond what the \
            clock's readings resolve",
        mend: "lower the rate, spread it over several pacers, or make the handling of an event cheaper",
    },
)
.shown_in(SHOWN_IN);
pub const RATE_KEPT: Kind = Kind::notice(
    "rate_kept",
    Meaning {
        about: "a pacer kept the requested rate",
        evidence: "the rate reached (`achieved_per_s`) and its error (`rate_error_ppm`)",
        mend: NO_ACTION,
    },
)
.shown_in(SHOWN_IN);
pub const CAUSES_OF_LATENESS: Kind = Kind::notice(
    "causes_of_lateness",
    Meaning {
        about: "what made events late, by share",
        evidence: "the share of lateness from the caller, the machine and the pacer (`late_share_caller`, \
            `late_share_machine`, `late_share_pacer`)",
        mend: "start with the largest share",
    },
)
.shown_in(SHOWN_IN);
pub const COORDINATED_OMISSION: Kind = Kind::notice(
    "coordinated_omission",
    Meaning {
        about: "times from the actual start would hide how long events waited",
        evidence: "the p99 from the intended start (`response_ns_p99`) and from the actual start (`service_ns_p99`)",
        mend: "report the response time: it includes the wait that users see",
    },
)
.shown_in(SHOWN_IN);
pub const PACER_LATE: Kind = Kind::notice(
    "pacer_late",
    Meaning {
        about: "response times show the pacer's lateness, not the operation",
        evidence: "the p99 from the intended start (`response_ns_p99`) and from the actual start (`service_ns_p99`)",
        mend: "report the service time of the operation, or pace from an idle CPU",
    },
)
.shown_in(SHOWN_IN);
pub const EVENTS_LEFT_OUT: Kind = Kind::notice(
    "events_left_out",
    Meaning {
        about: "late events were dropped or moved and are in no figure",
        evidence: "the events dropped (`missed`) or the time by which the schedule moved (`slipped_ms`)",
        mend: "use --on-late catch-up where every event must count",
    },
)
.shown_in(SHOWN_IN);

/// A response this many times the service time merits a finding.
const MUCH: f64 = 1.5;
/// A rate off by more than this was missed, in parts per million.
const MISSED_PPM: f64 = 1_000.0;
/// A cause with a smaller share of all lateness is not named.
const NAMED_SHARE: f64 = 0.001;
/// A cause with a larger share of all lateness determines its tail.
const MOST_OF_IT: f64 = 0.5;

/// Whether the rate was kept; None if there is no rate.
fn rate_found(pace: &Pace) -> Option<Finding> {
    let achieved_per_s = pace.achieved_per_s?;
    let achieved = rate(achieved_per_s);
    let finding = |kind, said: String| Finding::new(kind, said).value("achieved_per_s", achieved_per_s);
    let Some(ppm) = pace.rate_error_ppm else { return Some(finding(RATE_KEPT, achieved)) };
    let surely = ppm.abs() - pace.rate_error_bound_ppm.unwrap_or(0.0);
    let found = if surely > MISSED_PPM {
        let asked = three_digits_or_more(pace.rate_per_s);
        finding(RATE_MISSED, format!("the rate was missed: {achieved} of {asked} requested ({} %)", signed(ppm / 1e4)))
    } else {
        finding(RATE_KEPT, format!("{achieved}: {}", off_by(ppm, pace.rate_error_bound_ppm)))
    };
    Some(found.value("rate_error_ppm", ppm))
}

/// The deviation from the requested rate: never finer than the clock resolves. The rate of the clock itself is not
/// in it: pacer and measurement share the clock.
fn off_by(ppm: f64, bound_ppm: Option<f64>) -> String {
    match bound_ppm {
        None => format!("{} ppm; what the clock resolves is not in the record", signed(ppm)),
        Some(bound) if ppm.abs() <= bound => {
            format!(
                "within ± {} ppm, all that a reading at either end resolves in this time",
                three_digits(ppm.abs() + bound)
            )
        }
        Some(bound) => {
            let digits = (-bound.max(1e-6).log10().floor()).clamp(0.0, 6.0) as usize;
            let sign = if ppm < 0.0 { '−' } else { '+' };
            format!(
                "{sign}{:.digits$} ppm by the clock that paced it, whose readings resolve it to ± {bound:.digits$} ppm",
                ppm.abs()
            )
        }
    }
}

/// The cause of each share of lateness.
fn causes(pace: &Pace) -> [(f64, &'static str); 3] {
    LateCause::ALL.map(|of| {
        let share = match of {
            LateCause::Caller => pace.late_share_caller,
            LateCause::Machine => pace.late_share_machine,
            LateCause::Pacer => pace.late_share_pacer,
        };
        (share, cause(of, pace))
    })
}

/// Every cause worth naming, and the total of the others.
fn blamed(pace: &Pace) -> Option<Finding> {
    if pace.events == 0 {
        return None;
    }
    let (named, rest): (Vec<_>, Vec<_>) = causes(pace).into_iter().partition(|(share, _)| *share >= NAMED_SHARE);
    let mut parts: Vec<String> =
        named.iter().map(|(share, cause)| format!("{} from {cause}", percent(share * 100.0))).collect();
    let rest: f64 = rest.iter().map(|(share, _)| share).sum();
    if rest > 0.0 && parts.len() > 1 {
        parts.push(format!("{} from others", percent(rest * 100.0)));
    }
    (!parts.is_empty()).then(|| {
        let said = format!("causes of lateness, each backlog under its first cause: {}", parts.join(", "));
        Finding::new(CAUSES_OF_LATENESS, said)
            .value("late_share_caller", pace.late_share_caller)
            .value("late_share_machine", pace.late_share_machine)
            .value("late_share_pacer", pace.late_share_pacer)
    })
}

/// What a tool that times from the actual start would miss. That is coordinated omission if the handling of events
/// delayed later ones; the pacer's own lateness does not concern the operation.
fn forgotten(pace: &Pace) -> Option<Finding> {
    let (response, service) = (pace.response_ns.p99, pace.service_ns.p99);
    let finding = |kind, said: String| {
        Finding::new(kind, said).value("response_ns_p99", response).value("service_ns_p99", service)
    };
    let step = pace.clock_step_ns.unwrap_or(0.0);
    if pace.events == 0 || response <= service.max(step) * MUCH {
        return None;
    }
    if pace.late_share_caller <= MOST_OF_IT {
        // If starts are late by less than the operation takes, neither alone explains the response.
        if pace.lateness_ns.p99 <= service {
            return None;
        }
        let mostly = if pace.late_share_caller < NAMED_SHARE { "" } else { "mostly " };
        let said = format!(
            "the p99 of {} (response) is {mostly}the pacer's own lateness on this machine: the operation alone has a p99 of {}",
            time(response, pace),
            time(service, pace)
        );
        return Some(finding(PACER_LATE, said));
    }
    let blind = format!(
        "timing from the actual start would report a p99 of {}; users saw {}",
        time(service, pace),
        time(response, pace)
    );
    // A multiple of what the clock cannot tell from zero is none.
    let times =
        if service > step { format!(", {} times that", three_digits(response / service)) } else { String::new() };
    Some(finding(COORDINATED_OMISSION, format!("{blind}{times}: coordinated omission")))
}

fn left_out(pace: &Pace) -> Option<Finding> {
    let is_told = pace.events > 0 && pace.behind != "catch_up" && (pace.missed > 0 || pace.slipped_ms > 0.0);
    let said = "events that were dropped or moved would have been late: these times cover only events that started";
    is_told.then(|| {
        Finding::new(EVENTS_LEFT_OUT, said).value("missed", pace.missed as f64).value("slipped_ms", pace.slipped_ms)
    })
}

#[cfg(test)]
mod tests {
    use chronoscope_harness::rule::conclude;

    use super::*;
    use crate::tests::golden_file::assert_findings;

    fn pace() -> Pace {
        crate::json::document(include_str!("../../../tests/fixtures/pace.json")).unwrap().content.pace.clone().unwrap()
    }

    /// As in `tests/golden/findings/pace.txt`: what the pacer is late by is not called omission, no cause is dropped, and a rate
    /// has no more digits than its clock.
    #[test]
    fn every_run_has_its_words() {
        let of = |change: fn(&mut Pace)| {
            let mut changed = pace();
            change(&mut changed);
            conclude(RULES, &changed)
        };
        fn own(pace: &mut Pace) {
            (pace.stall_ms, pace.late_share_caller, pace.late_share_machine, pace.late_share_pacer) =
                (None, 0.0, 0.14, 0.86);
            (pace.response_ns.p99, pace.service_ns.p99, pace.lateness_ns.p99) = (2_740_000.0, 703.0, 2_700_000.0);
        }
        fn shares(pace: &mut Pace, caller: f64, machine: f64, pacer: f64) {
            (pace.late_share_caller, pace.late_share_machine, pace.late_share_pacer) = (caller, machine, pacer);
        }
        fn rate(pace: &mut Pace, achieved: f64, ppm: f64, bound: Option<f64>) {
            (pace.rate_per_s, pace.achieved_per_s) = (1_000.0, Some(achieved));
            (pace.rate_error_ppm, pace.rate_error_bound_ppm) = (Some(ppm), bound);
        }
        let cases = vec![
            ("a stall", of(|_| ())),
            ("the pacer's own lateness", of(own)),
            (
                // Observed at 10 k/s on a quiet machine.
                "starts 88 ns late, operations of 215 ns, responses of 454 ns",
                of(|pace| {
                    own(pace);
                    (pace.response_ns.p99, pace.service_ns.p99, pace.lateness_ns.p99) = (454.0, 215.0, 88.0);
                }),
            ),
            (
                "the caller's lateness",
                of(|pace| {
                    own(pace);
                    (pace.late_share_caller, pace.late_share_pacer) = (0.9, 0.0);
                }),
            ),
            ("three causes", of(|pace| shares(pace, 0.9443, 0.0023, 0.0534))),
            ("a cause of 0.03 %", of(|pace| shares(pace, 0.9443, 0.0003, 0.0554))),
            (
                "the machine's share, without a stall",
                of(|pace| {
                    pace.stall_ms = None;
                    shares(pace, 0.0, 0.9, pace.late_share_pacer);
                }),
            ),
            (
                "operations shorter than the clock's step",
                of(|pace| {
                    own(pace);
                    (pace.clock_step_ns, pace.service_ns.p99) = (Some(11.0), 5.0);
                }),
            ),
            (
                "responses shorter than the clock's step, too",
                of(|pace| {
                    own(pace);
                    (pace.response_ns.p99, pace.service_ns.p99, pace.lateness_ns.p99) = (10.0, 5.0, 9.0);
                    pace.clock_step_ns = Some(11.0);
                }),
            ),
            ("a stall, shorter operations", of(|pace| (pace.clock_step_ns, pace.service_ns.p99) = (Some(11.0), 5.0))),
            ("within the clock's error", of(|pace| rate(pace, 1_000.0, -0.001, Some(0.04)))),
            ("beyond the clock's error", of(|pace| rate(pace, 999.9, -100.234, Some(0.08)))),
            ("without the clock's error", of(|pace| rate(pace, 1_000.0, -0.001, None))),
            ("missed", of(|pace| rate(pace, 827.5, -172_461.659, Some(0.05)))),
        ];
        assert_findings("pace", cases);
    }

    /// One change after another, each with its finding.
    #[test]
    fn each_finding_is_of_its_kind() {
        type Change = (Kind, fn(&mut Pace));
        let changes: [Change; 5] = [
            (RATE_MISSED, |pace| (pace.achieved_per_s, pace.rate_error_ppm) = (Some(1.0), Some(-172_461.0))),
            (CAUSES_OF_LATENESS, |pace| (pace.late_share_caller, pace.late_share_pacer) = (0.4, 0.6)),
            (COORDINATED_OMISSION, |pace| (pace.response_ns.p99, pace.late_share_caller) = (1_000_000.0, 0.9)),
            (PACER_LATE, |pace| (pace.response_ns.p99, pace.lateness_ns.p99) = (1_000_000.0, 990_000.0)),
            (EVENTS_LEFT_OUT, |pace| (pace.behind, pace.missed) = ("skip".to_owned(), 500)),
        ];
        let mut sound = pace();
        (sound.late_share_caller, sound.late_share_machine, sound.late_share_pacer) = (0.0, 0.0, 0.0);
        (sound.response_ns.p99, sound.service_ns.p99, sound.lateness_ns.p99) = (703.0, 703.0, 80.0);
        let all = conclude(RULES, &sound);
        assert!(all.len() == 1 && all[0].is(RATE_KEPT), "{all:?}");
        for (kind, change) in changes {
            let mut changed = sound.clone();
            change(&mut changed);
            let found = conclude(RULES, &changed);
            assert!(found.iter().any(|finding| finding.is(kind)), "{kind:?}: {found:?}");
            let none = Pace { events: 0, ..changed };
            let is_known_without_events = kind.severity >= chronoscope_harness::finding::Severity::Warning;
            assert_eq!(conclude(RULES, &none).iter().any(|finding| finding.is(kind)), is_known_without_events);
        }
    }
}
