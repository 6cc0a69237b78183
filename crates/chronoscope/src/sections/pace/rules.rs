use std::time::Duration;

use chronoscope_harness::rule::Rule;

use super::words::{rate, signed, three_digits_or_more};
use crate::sections::pace::report::{Pace, Slo, SloOutcome};
use chronoscope_harness::finding::{Finding, Kind, Meaning, NO_ACTION};
use chronoscope_harness::quantity::{TIME, count, length, ns, percent, three_digits};

/// The page that shows them.
const SHOWN_IN: &[&str] = &["pace"];

pub const RULES: &[Rule<Pace>] = &[
    Rule { yields: &[RATE_MISSED, RATE_KEPT], find: |pace| Vec::from_iter(rate_found(pace)) },
    Rule { yields: &[PACE_ENDED_EARLY], find: |pace| Vec::from_iter(ended_early(pace)) },
    Rule { yields: &[SLO_MISSED, SLO_UNRESOLVED, SLO_MET], find: |pace| pace.slos.iter().map(objective).collect() },
    Rule { yields: &[EVENTS_UNANSWERED], find: |pace| Vec::from_iter(unanswered(pace)) },
    Rule { yields: &[LINES_ANSWER_NOTHING], find: |pace| Vec::from_iter(answer_nothing(pace)) },
    Rule { yields: &[CONSUMER_KILLED], find: |pace| Vec::from_iter(killed(pace)) },
    Rule { yields: &[CONSUMER_FAILED], find: |pace| Vec::from_iter(failed(pace)) },
    Rule { yields: &[CAUSES_OF_LATENESS], find: |pace| Vec::from_iter(blamed(pace)) },
    Rule { yields: &[COORDINATED_OMISSION, PACER_LATE], find: |pace| Vec::from_iter(forgotten(pace)) },
    Rule { yields: &[EVENTS_LEFT_OUT], find: |pace| Vec::from_iter(left_out(pace)) },
    Rule { yields: &[UNREAD_LINES], find: |pace| Vec::from_iter(unread(pace)) },
];

pub const RATE_MISSED: Kind = Kind::warning(
    "rate_missed",
    Meaning {
        about: "a pacer missed the requested rate",
        evidence: "the rate reached (`achieved_per_s`) and its error (`rate_error_ppm`), beyond what the \
            clock's own error explains",
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
pub const UNREAD_LINES: Kind = Kind::notice(
    "unread_lines",
    Meaning {
        about: "the consumer had not read all events",
        evidence: "the lines not read when the last was written (`lines`)",
        mend: "lower the rate, or make the consumer faster",
    },
)
.shown_in(SHOWN_IN);
pub const PACE_ENDED_EARLY: Kind = Kind::warning(
    "pace_ended_early",
    Meaning {
        about: "a pacer stopped early, not at the user's request",
        evidence: "why the run ended",
        mend: "mend what ended it, usually the consumer, and run again",
    },
)
.shown_in(SHOWN_IN);
pub const SLO_MISSED: Kind = Kind::warning(
    "slo_missed",
    Meaning {
        about: "an objective of --slo was missed",
        evidence: "the quantile observed (`observed_ns`), its interval (`low_ns`, `high_ns`) and the limit (`limit_ns`)",
        mend: "see the causes of lateness; lower the rate or make the operation faster",
    },
)
.shown_in(SHOWN_IN);
pub const SLO_UNRESOLVED: Kind = Kind::warning(
    "slo_unresolved",
    Meaning {
        about: "the events cannot tell whether an objective of --slo was met",
        evidence: "the quantile observed (`observed_ns`), what is known of its interval, and the limit (`limit_ns`)",
        mend: "run longer, or at a higher rate, until there are as many events as needed; have the consumer answer them all",
    },
)
.shown_in(SHOWN_IN);
pub const SLO_MET: Kind = Kind::notice(
    "slo_met",
    Meaning {
        about: "an objective of --slo was met",
        evidence: "the quantile observed (`observed_ns`), its interval (`low_ns`, `high_ns`) and the limit (`limit_ns`)",
        mend: NO_ACTION,
    },
)
.shown_in(SHOWN_IN);
pub const EVENTS_UNANSWERED: Kind = Kind::warning(
    "events_unanswered",
    Meaning {
        about: "the consumer did not answer all events: percentiles are lower bounds",
        evidence: "the events without an answer (`events`)",
        mend: "have the consumer write and flush a line that begins with the number of the event",
    },
)
.shown_in(SHOWN_IN);
pub const LINES_ANSWER_NOTHING: Kind = Kind::warning(
    "lines_answer_nothing",
    Meaning {
        about: "the consumer wrote lines that answer no event",
        evidence: "the lines without a number, with an unknown one, or with one answered before (`lines`)",
        mend: "have the consumer answer each event once, by its number, and write all else to standard error",
    },
)
.shown_in(SHOWN_IN);
pub const CONSUMER_KILLED: Kind = Kind::warning(
    "consumer_killed",
    Meaning {
        about: "the consumer did not exit and was killed",
        evidence: "whether lines were left unread",
        mend: "let the consumer exit when its input ends",
    },
)
.shown_in(SHOWN_IN);
pub const CONSUMER_FAILED: Kind = Kind::warning(
    "consumer_failed",
    Meaning {
        about: "the consumer failed after it had been given all events",
        evidence: "its exit status, or the signal that ended it",
        mend: "see what it wrote to standard error; times of events that it did not handle say nothing",
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

/// The deviation from the requested rate: never finer than the clock's own error.
fn off_by(ppm: f64, bound_ppm: Option<f64>) -> String {
    match bound_ppm {
        None => format!("{} ppm, clock error not in the record", signed(ppm)),
        Some(bound) if ppm.abs() <= bound => {
            format!("within the clock's error of ± {} ppm", three_digits(ppm.abs() + bound))
        }
        Some(bound) => {
            let digits = (-bound.max(1e-6).log10().floor()).clamp(0.0, 6.0) as usize;
            let sign = if ppm < 0.0 { '−' } else { '+' };
            format!("{sign}{:.digits$} ppm, clock error ± {bound:.digits$} ppm", ppm.abs())
        }
    }
}

/// An objective, with what was observed.
fn objective(slo: &Slo) -> Finding {
    let (kind, word) = match slo.outcome {
        SloOutcome::Met => (SLO_MET, "met"),
        SloOutcome::Missed => (SLO_MISSED, "missed"),
        SloOutcome::Unresolved => (SLO_UNRESOLVED, "unresolved"),
    };
    let least = if slo.is_least { "≥ " } else { "" };
    let observed = match (slo.observed_ns, slo.low_ns, slo.high_ns) {
        (None, ..) if slo.reason.is_some() => String::new(),
        (None, ..) => format!("; {} unknown", slo.of),
        (Some(at), Some(low), Some(high)) => {
            format!("; {} {least}{} ({})", slo.of, ns(at as f64), TIME.interval(low as f64, high as f64))
        }
        (Some(at), Some(low), None) if slo.confidence.is_some() => {
            format!("; {} {least}{} (at least {})", slo.of, ns(at as f64), ns(low as f64))
        }
        (Some(at), ..) => format!("; {} {least}{}", slo.of, ns(at as f64)),
    };
    let reason = slo.reason.as_ref().map_or_else(String::new, |reason| format!("; {reason}"));
    let needed = slo.events_needed.map_or_else(String::new, |events| format!(": about {} are needed", count(events)));
    let limit = length(Duration::from_nanos(slo.limit_ns));
    let finding = Finding::new(kind, format!("{} ≤ {limit}: {word}{observed}{reason}{needed}", slo.objective))
        .about(slo.objective.clone())
        .value("limit_ns", slo.limit_ns as f64);
    let waits_for_answers = slo.outcome == SloOutcome::Unresolved && slo.is_least && slo.events_needed.is_none();
    let finding = if waits_for_answers && slo.of == "response" {
        finding.advice("have the consumer answer every event, and run again")
    } else {
        finding
    };
    let ends = [("observed_ns", slo.observed_ns), ("low_ns", slo.low_ns), ("high_ns", slo.high_ns)];
    ends.into_iter().fold(finding, |finding, (name, end)| match end {
        Some(end) => finding.value(name, end as f64),
        None => finding,
    })
}

fn unanswered(pace: &Pace) -> Option<Finding> {
    let acks = pace.acks.as_ref().filter(|acks| acks.unanswered > 0)?;
    let said = format!(
        "{} of {} events had no answer by the end: they count with the time they waited, so percentiles of response and \
         service time are lower bounds",
        count(acks.unanswered),
        count(acks.answered.saturating_add(acks.unanswered))
    );
    let finding = Finding::new(EVENTS_UNANSWERED, said).value("events", acks.unanswered as f64);
    let advice = "have the consumer write and flush a line that begins with the event's number";
    Some(if acks.answered == 0 { finding.advice(advice) } else { finding })
}

fn answer_nothing(pace: &Pace) -> Option<Finding> {
    let acks = pace.acks.as_ref().filter(|acks| acks.useless() > 0)?;
    let kinds = [
        (acks.unreadable, "without a number"),
        (acks.unknown, "for events that had not begun"),
        (acks.repeated, "for events that were answered already or dropped"),
    ];
    let kinds = kinds.into_iter().filter(|(lines, _)| *lines > 0);
    let kinds: Vec<String> = kinds.map(|(lines, what)| format!("{} {what}", count(lines))).collect();
    let said = format!("the consumer wrote lines that answer no event: {}", kinds.join(", "));
    Some(Finding::new(LINES_ANSWER_NOTHING, said).value("lines", acks.useless() as f64))
}

/// How far behind the consumer was when the last line was handed over.
fn unread(pace: &Pace) -> Option<Finding> {
    let lines = pace.unread_lines.filter(|lines| *lines > 0 && pace.events > 0)?;
    let behind = match pace.lines_taken_per_s {
        Some(taken) if taken > 0.0 => format!(
            "; the consumer took {} lines per second: about {} behind",
            three_digits(taken),
            ns(lines as f64 / taken * 1e9)
        ),
        Some(_) => "; the consumer took none".to_owned(),
        None => String::new(),
    };
    let of = count(pace.events);
    let said = format!("{} of {of} lines unread when the last was written{behind}", count(lines));
    Some(Finding::new(UNREAD_LINES, said).value("lines", lines as f64))
}

/// That the consumer was killed, with its unread lines.
fn killed(pace: &Pace) -> Option<Finding> {
    if pace.command_killed != Some(true) || pace.reason_ended.is_some() {
        return None;
    }
    let unread = match pace.unread_lines {
        Some(0) => "it had read all lines".to_owned(),
        Some(lines) => {
            format!("{} lines were unread when the last was written; it may not have read them all", count(lines))
        }
        None => "it may not have read them all".to_owned(),
    };
    let since = if pace.acks.is_some() { "the wait for its answers" } else { "its last line" };
    let said = format!("the consumer did not exit within 2 s of {since} and was killed; {unread}");
    Some(Finding::new(CONSUMER_KILLED, said))
}

fn failed(pace: &Pace) -> Option<Finding> {
    let how = pace.command_failure.as_ref()?;
    Some(Finding::new(CONSUMER_FAILED, format!("the consumer failed after it had been given all events: {how}")))
}

/// The cause of each share of lateness, in the words of the request.
fn causes(pace: &Pace) -> [(f64, &'static str); 3] {
    let caller = match (&pace.command, pace.stall_ms) {
        (Some(_), Some(_)) => "the stall and writing lines (including waits for room in the pipe and interruptions)",
        (Some(_), None) => "writing lines (including waits for room in the pipe and interruptions)",
        (None, Some(_)) => "the stall",
        // No work was done; a record of an earlier version may disagree.
        (None, None) => "delays between events",
    };
    [
        (pace.late_share_caller, caller),
        (pace.late_share_machine, "interruptions of the pacing thread"),
        (pace.late_share_pacer, "late wake-ups and the pacer's own steps"),
    ]
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
    let (response, service) = (pace.response_ns.p99 as f64, pace.service_ns.p99 as f64);
    let finding = |kind, said: String| {
        Finding::new(kind, said).value("response_ns_p99", response).value("service_ns_p99", service)
    };
    // Without answers an event ends in the pipe.
    let is_piped = pace.command.is_some() && pace.acks.is_none();
    if pace.events == 0 || response <= service * MUCH {
        return None;
    }
    if pace.late_share_caller <= MOST_OF_IT {
        // If starts are late by less than the operation takes, neither alone explains the response.
        if pace.lateness_ns.p99 as f64 <= service {
            return None;
        }
        let what = if is_piped { "writing the line" } else { "the operation" };
        let mostly = if pace.late_share_caller < NAMED_SHARE { "" } else { "mostly " };
        let row = if is_piped { "in the pipe" } else { "response" };
        let said = format!(
            "the p99 of {} ({row}) is {mostly}the pacer's own lateness on this machine: {what} alone has a p99 of {}",
            ns(response),
            ns(service)
        );
        return Some(finding(PACER_LATE, said));
    }
    let blind = if is_piped {
        format!(
            "timed from the actual start, writing the line has a p99 of {}; from the intended start, {}",
            ns(service),
            ns(response)
        )
    } else {
        format!("timing from the actual start would report a p99 of {}; users saw {}", ns(service), ns(response))
    };
    let times =
        if service > 0.0 { format!(", {} times that", three_digits(response / service)) } else { String::new() };
    Some(finding(COORDINATED_OMISSION, format!("{blind}{times}: coordinated omission")))
}

fn left_out(pace: &Pace) -> Option<Finding> {
    let is_told = pace.events > 0 && pace.behind != "catch_up" && (pace.missed > 0 || pace.slipped_ms > 0.0);
    let said = "events that were dropped or moved would have been late: these times cover only events that started";
    is_told.then(|| {
        Finding::new(EVENTS_LEFT_OUT, said).value("missed", pace.missed as f64).value("slipped_ms", pace.slipped_ms)
    })
}

fn ended_early(pace: &Pace) -> Option<Finding> {
    let reason = pace.reason_ended.as_ref()?;
    Some(Finding::new(PACE_ENDED_EARLY, format!("the run ended early: {reason}")))
}

#[cfg(test)]
mod tests {
    use chronoscope_harness::rule::conclude;

    use super::*;
    use crate::sections::pace::report::Acks;

    fn pace() -> Pace {
        crate::json::document(include_str!("../../../tests/fixtures/pace.json")).unwrap().pace.clone().unwrap()
    }

    #[test]
    fn what_the_pacer_is_late_by_is_not_called_omission() {
        let mut own = pace();
        (own.stall_ms, own.late_share_caller, own.late_share_machine, own.late_share_pacer) = (None, 0.0, 0.14, 0.86);
        (own.response_ns.p99, own.service_ns.p99, own.lateness_ns.p99) = (2_740_000, 703, 2_700_000);
        let said = forgotten(&own).unwrap().evidence.summary;
        assert!(!said.contains("omission") && !said.contains("users"), "{said}");
        assert!(said.contains("the p99 of 2.74 ms (response) is the pacer's own lateness on this machine"), "{said}");
        // Observed at 10 k/s on a quiet machine: starts 88 ns late, operations of 215 ns, responses of 454 ns.
        let mut neither = own.clone();
        (neither.response_ns.p99, neither.service_ns.p99, neither.lateness_ns.p99) = (454, 215, 88);
        assert_eq!(forgotten(&neither), None);
        (own.late_share_caller, own.late_share_pacer) = (0.9, 0.0);
        assert!(forgotten(&own).unwrap().evidence.summary.ends_with("coordinated omission"));
    }

    #[test]
    fn no_cause_is_dropped() {
        let mut three = pace();
        (three.late_share_caller, three.late_share_machine, three.late_share_pacer) = (0.9443, 0.0023, 0.0534);
        let said = blamed(&three).unwrap().evidence.summary;
        assert!(said.contains("0.230 % from interruptions"), "{said}");
        (three.late_share_machine, three.late_share_pacer) = (0.0003, 0.0554);
        assert!(blamed(&three).unwrap().evidence.summary.ends_with(", 0.0300 % from others"));
    }

    #[test]
    fn causes_are_named_by_what_was_asked_for() {
        let caller = |command: Option<&str>, stall_ms| {
            let mut pace = pace();
            (pace.command, pace.stall_ms) = (command.map(str::to_owned), stall_ms);
            causes(&pace)[0].1
        };
        assert_eq!(caller(None, Some(5.0)), "the stall");
        assert!(caller(Some("cat"), None).starts_with("writing lines"));
        assert!(caller(Some("cat"), Some(5.0)).starts_with("the stall and writing"));
        assert!(!caller(None, None).contains("stall") && !caller(None, None).contains("writing"));
        let mut nothing = pace();
        (nothing.stall_ms, nothing.late_share_caller, nothing.late_share_machine) = (None, 0.0, 0.9);
        let all = blamed(&nothing).unwrap().evidence.summary;
        assert!(!all.contains("between events") && all.contains("under its first cause"), "{all}");
    }

    /// At the consumer's own rate, not at the requested one, with which it did not keep up.
    #[test]
    fn a_consumer_is_behind_by_its_own_rate() {
        let mut slow = pace();
        (slow.events, slow.unread_lines, slow.lines_taken_per_s) = (3_000, Some(1_973), Some(284.0));
        let said = unread(&slow).unwrap().evidence.summary;
        assert!(said.ends_with("; the consumer took 284 lines per second: about 6.95 s behind"), "{said}");
        slow.lines_taken_per_s = None;
        assert!(unread(&slow).unwrap().evidence.summary.ends_with("was written"), "no rate of its own, no time");
        slow.unread_lines = Some(0);
        assert_eq!(unread(&slow), None);
        (slow.unread_lines, slow.lines_taken_per_s) = (Some(1_973), Some(0.0));
        assert!(unread(&slow).unwrap().evidence.summary.ends_with("; the consumer took none"));
    }

    #[test]
    fn a_rate_has_no_more_digits_than_its_clock() {
        let of = |achieved: f64, ppm: f64, bound| {
            let mut pace = pace();
            (pace.rate_per_s, pace.achieved_per_s) = (1_000.0, Some(achieved));
            (pace.rate_error_ppm, pace.rate_error_bound_ppm) = (Some(ppm), bound);
            let found = rate_found(&pace).unwrap();
            (found.evidence.summary.clone(), found.is(RATE_MISSED))
        };
        assert_eq!(
            of(1_000.0, -0.001, Some(0.04)),
            ("1\u{202f}000 per second: within the clock's error of ± 0.0410 ppm".to_owned(), false)
        );
        assert_eq!(of(999.9, -100.234, Some(0.08)).0, "1\u{202f}000 per second: −100.23 ppm, clock error ± 0.08 ppm");
        assert!(of(1_000.0, -0.001, None).0.contains("error not in the record"));
        let missed = "the rate was missed: 828 per second of 1\u{202f}000 requested (−17.2 %)";
        assert_eq!(of(827.5, -172_461.659, Some(0.05)), (missed.to_owned(), true));
    }

    #[test]
    fn an_objective_says_what_was_seen_and_what_would_tell() {
        let said = |slo: &Slo| objective(slo).evidence.summary;
        let mut slo = Slo {
            objective: "p99".to_owned(),
            of: "response".to_owned(),
            limit_ns: 2_000_000,
            observed_ns: Some(1_200_000),
            low_ns: Some(1_100_000),
            high_ns: Some(1_400_000),
            confidence: Some(0.999),
            outcome: SloOutcome::Met,
            ..Slo::default()
        };
        assert!(objective(&slo).is(SLO_MET));
        assert_eq!(said(&slo), "p99 ≤ 2 ms: met; response 1.20 ms (1.10–1.40 ms)");
        (slo.outcome, slo.high_ns, slo.is_least) = (SloOutcome::Missed, None, true);
        assert!(objective(&slo).is(SLO_MISSED));
        assert_eq!(said(&slo), "p99 ≤ 2 ms: missed; response ≥ 1.20 ms (at least 1.10 ms)");
        (slo.outcome, slo.reason) = (SloOutcome::Unresolved, Some("too few events to know it".to_owned()));
        (slo.is_least, slo.events_needed) = (false, Some(7_598));
        assert!(objective(&slo).is(SLO_UNRESOLVED));
        let told = "p99 ≤ 2 ms: unresolved; response 1.20 ms (at least 1.10 ms); too few events to know it: about 7\u{202f}598 \
                    are needed";
        assert_eq!(said(&slo), told);
        (slo.observed_ns, slo.low_ns, slo.reason, slo.events_needed) = (None, None, None, None);
        assert_eq!(said(&slo), "p99 ≤ 2 ms: unresolved; response unknown");
    }

    #[test]
    fn lines_that_answer_nothing_are_told_by_kind() {
        let mut pace = pace();
        pace.acks = Some(Acks { answered: 5, repeated: 1, unknown: 2, unreadable: 3, ..Acks::default() });
        let said = answer_nothing(&pace).unwrap().evidence.summary;
        assert!(
            said.contains("no event: ") && said.contains("3 without a number, 2 for events that had not begun"),
            "{said}"
        );
        assert_eq!(unanswered(&pace), None);
    }

    /// One change after another, each with its finding.
    #[test]
    fn each_finding_is_of_its_kind() {
        type Change = (Kind, fn(&mut Pace));
        let changes: [Change; 11] = [
            (EVENTS_UNANSWERED, |pace| pace.acks = Some(Acks { unanswered: 3, ..Acks::default() })),
            (LINES_ANSWER_NOTHING, |pace| pace.acks = Some(Acks { unreadable: 3, ..Acks::default() })),
            (RATE_MISSED, |pace| (pace.achieved_per_s, pace.rate_error_ppm) = (Some(1.0), Some(-172_461.0))),
            (PACE_ENDED_EARLY, |pace| pace.reason_ended = Some("broken pipe".to_owned())),
            (CONSUMER_KILLED, |pace| (pace.command_killed, pace.unread_lines) = (Some(true), Some(1_973))),
            (CONSUMER_FAILED, |pace| pace.command_failure = Some("its exit status is 3".to_owned())),
            (CAUSES_OF_LATENESS, |pace| (pace.late_share_caller, pace.late_share_pacer) = (0.4, 0.6)),
            (COORDINATED_OMISSION, |pace| (pace.response_ns.p99, pace.late_share_caller) = (1_000_000, 0.9)),
            (PACER_LATE, |pace| (pace.response_ns.p99, pace.lateness_ns.p99) = (1_000_000, 990_000)),
            (UNREAD_LINES, |pace| pace.unread_lines = Some(7)),
            (EVENTS_LEFT_OUT, |pace| (pace.behind, pace.missed) = ("skip".to_owned(), 500)),
        ];
        let mut sound = pace();
        (sound.late_share_caller, sound.late_share_machine, sound.late_share_pacer) = (0.0, 0.0, 0.0);
        (sound.response_ns.p99, sound.service_ns.p99, sound.lateness_ns.p99) = (703, 703, 80);
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
        let mut killed = sound;
        (killed.command_killed, killed.unread_lines) = (Some(true), Some(1_973));
        assert!(conclude(RULES, &killed)[0].evidence.summary.contains("1\u{202f}973 lines were unread"));
    }
}
