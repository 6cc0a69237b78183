//! Conclusions from the figures of a release.

use super::super::plan::RuntimesPlan;
use super::RuleInput;
use crate::probe::runtime::Runtime;
use crate::section::rule::SectionRule;
use chronoscope_harness::estimators::latch::{OwnShare, ReleaseRow, ReleaseVerdict, ThreadReleaseReport, own_share};
use chronoscope_harness::finding::{Finding, Kind, Meaning};
use chronoscope_harness::quantity::{PERCENT, RATIO, TIME, ns, percent, three_digits};
use chronoscope_harness::record::Estimate;
use chronoscope_render::words::quoted;

pub const RULES: &[SectionRule<Option<RuntimesPlan>, Vec<Runtime>>] = &[
    SectionRule::new(
        &[RELEASE_IS_WAKING, RELEASE_IS_MOSTLY_WAKING, RELEASE_IS_MORE, RELEASE_UNDECIDED],
        |seen: &RuleInput<'_>| of_each(seen.report, calls),
    )
    .lacking(nothing_released),
    SectionRule::new(&[CONTROL_LOOKS_SLOWER], |seen: &RuleInput<'_>| {
        of_each(seen.report, |latch| Vec::from_iter(absurd(latch)))
    })
    .lacking(nothing_released),
];

fn nothing_released(seen: &RuleInput<'_>) -> Option<&'static str> {
    let is_none = seen.report.iter().all(|runtime| runtime.latch.is_none());
    is_none.then_some("no threads were released together; `chronoscope runtimes --latch N` does that")
}

/// The page that shows them.
const SHOWN_IN: &[&str] = &["runtimes"];

/// The findings of `find` in each runtime, about that and the call.
fn of_each(runtimes: &[Runtime], find: fn(&ThreadReleaseReport) -> Vec<Finding>) -> Vec<Finding> {
    let of_runtime = |runtime: &Runtime| {
        let title = runtime.title();
        let about = |finding: Finding| {
            let subject = finding.subject.as_ref().map_or_else(|| title.clone(), |call| format!("{title} {call}"));
            Finding { subject: Some(subject), ..finding }
        };
        runtime.latch.iter().flat_map(find).map(about).collect::<Vec<_>>()
    };
    runtimes.iter().flat_map(of_runtime).collect()
}

pub const RELEASE_IS_WAKING: Kind = Kind::notice(
    "release_is_waking",
    Meaning {
        about: "a call by threads released together costs as much as waking them",
        evidence: "the time of a call among threads released together (`concurrent_ns`) and the empty control's \
            share of it (`control_share`)",
        mend: "do not take this figure for the cost of the call; measure it with chronoscope scaling",
    },
)
.shown_in(SHOWN_IN);
pub const RELEASE_IS_MOSTLY_WAKING: Kind = Kind::notice(
    "release_is_mostly_waking",
    Meaning {
        about: "most of the cost of a call by threads released together is waking them",
        evidence: "the time of a call among threads released together (`concurrent_ns`) and the empty control's \
            share of it (`control_share`)",
        mend: "do not take this figure for the cost of the call; measure it with chronoscope scaling",
    },
)
.shown_in(SHOWN_IN);
pub const RELEASE_IS_MORE: Kind = Kind::notice(
    "release_is_more",
    Meaning {
        about: "a call by threads released together costs clearly more than waking them",
        evidence: "the time of a call among threads released together (`concurrent_ns`) and the empty control's \
            share of it (`control_share`)",
        mend: "read the clock less often while many threads run, or use `Granular`",
    },
)
.shown_in(SHOWN_IN);
pub const RELEASE_UNDECIDED: Kind = Kind::notice(
    "release_undecided",
    Meaning {
        about: "whether a call by threads released together measures more than waking them is inconclusive",
        evidence: "the time of a call among threads released together (`concurrent_ns`) and the empty control's \
            share of it (`control_share`)",
        mend: "measure longer or on a quieter machine",
    },
)
.shown_in(SHOWN_IN);
pub const CONTROL_LOOKS_SLOWER: Kind = Kind::notice(
    "control_looks_slower",
    Meaning {
        about: "read naively, even the empty control is slower in parallel",
        evidence: "how many times slower the empty control looks when read naively (`slowdown`)",
        mend: "compare each call with the empty control, never with its time on one thread",
    },
)
.shown_in(SHOWN_IN);

/// Up to this multiple of a call's cost, the control's counts as about the same.
const SAME_AT_MOST: f64 = 1.25;
/// Up to this multiple of its cost in one thread, a call does not count as slower.
const HARDLY_SLOWER: f64 = 1.1;

fn control_of(seen: &ThreadReleaseReport) -> Option<&ReleaseRow> {
    seen.rows.iter().find(|row| row.is_control())
}

fn calls(seen: &ThreadReleaseReport) -> Vec<Finding> {
    let judged = |row| judged(row, control_of(seen)?, seen.stamp_step_ns);
    seen.rows.iter().filter_map(judged).collect()
}

/// A clock's apparent figures, and their actual meaning.
fn judged(row: &ReleaseRow, control: &ReleaseRow, step_ns: Option<f64>) -> Option<Finding> {
    let (verdict, control_share) = (row.verdict?, row.control_share?);
    let (concurrent, nothing) = (row.concurrent_ns?.estimate, ns(control.concurrent_ns?.estimate));
    let of_it = format!("{} of it", shares(&control_share));
    let kind = match verdict {
        ReleaseVerdict::WakingThreads => RELEASE_IS_WAKING,
        ReleaseVerdict::MoreThanWaking => RELEASE_IS_MORE,
        ReleaseVerdict::MostlyWaking => RELEASE_IS_MOSTLY_WAKING,
        ReleaseVerdict::Undecided => RELEASE_UNDECIDED,
    };
    let truth = match verdict {
        ReleaseVerdict::WakingThreads => {
            format!(
                "the empty control costs {}: this measures the release, not the clock",
                as_much(&control_share, &nothing)
            )
        }
        ReleaseVerdict::MoreThanWaking => {
            format!("the empty control costs {nothing} per thread, {of_it}: the release does not explain the rest")
        }
        ReleaseVerdict::MostlyWaking => {
            format!("the empty control costs {nothing} per thread, {of_it}: more than half of this is the release")
        }
        ReleaseVerdict::Undecided => format!(
            "the empty control costs {nothing} per thread, {of_it}: inconclusive; measure longer or on a quieter \
             machine"
        ),
    };
    let own = own_share(row, control, step_ns).map(|own| own_words(own, control, concurrent));
    let said = format!("{}; {truth}{}", naive(row)?, own.unwrap_or_default());
    let finding = Finding::new(kind, said).about(row.call.as_str()).value("concurrent_ns", concurrent);
    Some(finding.value("control_share", control_share.estimate))
}

/// The call's own share of `concurrent_ns`, which includes wake-up time that the call's thread does not see.
fn own_words(own: OwnShare, control: &ReleaseRow, concurrent_ns: f64) -> String {
    let stamps =
        control.inside_ns_p50.map_or_else(String::new, |empty| format!(" (stamps alone: {})", ns(empty.estimate)));
    let of_all = |own_ns: f64| format!("{} of the {}", percent(own_ns / concurrent_ns * 100.0), ns(concurrent_ns));
    match own {
        OwnShare::Adds { median_ns, low_ns, high_ns } => format!(
            "; in its own thread the clock adds {} ({}), {}{stamps}",
            ns(median_ns),
            TIME.interval(low_ns, high_ns),
            of_all(median_ns)
        ),
        OwnShare::AtMost(most_ns) => {
            format!("; the clock's own share is at most {}, {}{stamps}", ns(most_ns), of_all(most_ns))
        }
        OwnShare::Unknown => format!("; the clock's own share is unknown: too small to tell from its stamps{stamps}"),
    }
}

fn naive(row: &ReleaseRow) -> Option<String> {
    let (serial, concurrent, slowdown) = (row.serial_ns?, row.concurrent_ns?, row.slowdown?);
    let figures =
        format!("{} per thread against {} a call in one thread", ns(concurrent.estimate), ns(serial.estimate));
    let call = quoted(&row.call);
    // The whole interval must lie on one side.
    Some(match (slowdown.low, slowdown.high) {
        (low, _) if low > 1.0 => {
            format!("{call} looks {} slower in parallel: {figures}", RATIO.value(slowdown.estimate))
        }
        (_, high) if high <= HARDLY_SLOWER => format!("{call} does not look slower in parallel: {figures}"),
        _ => format!(
            "whether {call} looks slower in parallel is inconclusive ({}–{}): {figures}",
            three_digits(slowdown.low),
            RATIO.value(slowdown.high)
        ),
    })
}

/// How the control's cost compares to a call's, if not less or hardly less.
fn as_much(control_share: &Estimate, nothing: &str) -> String {
    let range = shares(control_share);
    match (control_share.low, control_share.high) {
        (_, high) if high < 1.0 => format!("{nothing} per thread, {range} of it"),
        (low, _) if low > 1.0 => format!("even more, {nothing} per thread ({range} of it)"),
        (_, high) if high <= SAME_AT_MOST => format!("about the same, {nothing} per thread ({range} of it)"),
        _ => format!("as much or more, {nothing} per thread ({range} of it)"),
    }
}

/// The naive reading of the control itself, if it exposes the error of that reading.
fn absurd(seen: &ThreadReleaseReport) -> Option<Finding> {
    let control = control_of(seen)?;
    let is_shown = seen.rows.iter().any(|row| row.verdict == Some(ReleaseVerdict::WakingThreads));
    let slowdown = control.slowdown.filter(|slowdown| is_shown && slowdown.low > 1.0)?;
    let said = format!("read the same way, the empty control is {} slower in parallel", RATIO.value(slowdown.estimate));
    Some(Finding::new(CONTROL_LOOKS_SLOWER, said).value("slowdown", slowdown.estimate))
}

fn shares(share: &Estimate) -> String {
    PERCENT.interval(100.0 * share.low, 100.0 * share.high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::golden_file::assert_findings;

    fn interval(low: f64, estimate: f64, high: f64) -> Option<Estimate> {
        Some(Estimate { estimate, low, high, confidence: 0.999 })
    }

    fn row(
        call: &str,
        concurrent_ns: f64,
        control_share: Option<Estimate>,
        verdict: Option<ReleaseVerdict>,
    ) -> ReleaseRow {
        ReleaseRow {
            call: call.into(),
            serial_ns: interval(24.0, 25.0, 26.0),
            concurrent_ns: interval(concurrent_ns, concurrent_ns, concurrent_ns),
            slowdown: interval(concurrent_ns / 26.0, concurrent_ns / 25.0, concurrent_ns / 24.0),
            control_share,
            verdict,
            inside_ns_p50: interval(200.0, 200.0, 200.0),
            inside_ns_p99: None,
            wake_ns_p50: None,
            wake_ns_max: None,
        }
    }

    /// As in `tests/golden/findings/release.txt`: an interval must lie on one side for words that do.
    #[test]
    fn every_verdict_has_its_words() {
        use ReleaseVerdict::{MoreThanWaking, MostlyWaking, Undecided, WakingThreads};
        let cases = [
            ("the control takes the same", WakingThreads, (0.9, 1.1), 40_000.0),
            ("as much at most", WakingThreads, (0.9, 1.25), 40_000.0),
            ("less", WakingThreads, (0.9, 0.95), 37_000.0),
            ("hardly less", WakingThreads, (0.8, 0.99), 37_000.0),
            ("even more", WakingThreads, (1.1, 1.2), 46_000.0),
            ("hardly more", WakingThreads, (1.01, 1.2), 46_000.0),
            ("as much or more", WakingThreads, (0.9, 1.6), 46_000.0),
            ("it does not explain the rest", MoreThanWaking, (0.2, 0.3), 10_000.0),
            ("it explains more than half", MostlyWaking, (0.6, 1.3), 30_000.0),
            ("it is not close enough to tell", Undecided, (0.4, 1.3), 30_000.0),
        ];
        let of = |slowdown, (low, high), verdict, control_ns| {
            let clock = row("CLOCK_MONOTONIC", 40_000.0, interval(low, 1.0, high), Some(verdict));
            let clock = ReleaseRow { slowdown, ..clock };
            Vec::from_iter(judged(&clock, &row("nothing", control_ns, None, None), Some(0.5)))
        };
        let slower = interval(40_000.0 / 26.0, 40_000.0 / 25.0, 40_000.0 / 24.0);
        let mut cases: Vec<_> =
            cases.into_iter().map(|(case, verdict, share, ns)| (case, of(slower, share, verdict, ns))).collect();
        for (case, slowdown) in [
            ("the clock looks slower", interval(1.1, 2.0, 3.0)),
            ("it does not", interval(0.5, 0.8, 1.1)),
            ("a slowdown around one is not denied", interval(0.5, 1.4, 3.0)),
        ] {
            cases.push((case, of(slowdown, (0.8, 0.8), WakingThreads, 20.0)));
        }
        assert_findings("release", cases);
    }

    #[test]
    fn the_clocks_own_share_is_what_it_adds_to_its_stamps() {
        let control = row("nothing", 36_000.0, None, None);
        let said = |own| own_words(own, &control, 35_800.0);
        let adds = said(OwnShare::Adds { median_ns: 30.0, low_ns: 27.0, high_ns: 33.0 });
        assert!(adds.contains("30.0") && adds.contains("0.0838"), "{adds}");
        assert!(!said(OwnShare::Unknown).contains('%'));
    }

    #[test]
    fn each_verdict_is_a_finding_of_its_kind_and_rows_keep_their_order() {
        let kinds = [
            (ReleaseVerdict::Undecided, RELEASE_UNDECIDED),
            (ReleaseVerdict::WakingThreads, RELEASE_IS_WAKING),
            (ReleaseVerdict::MoreThanWaking, RELEASE_IS_MORE),
            (ReleaseVerdict::MostlyWaking, RELEASE_IS_MOSTLY_WAKING),
        ];
        let judged = kinds.map(|(verdict, _)| row("Clock::now", 40_000.0, interval(0.9, 1.0, 1.1), Some(verdict)));
        let seen = ThreadReleaseReport {
            threads: 3,
            rows: [row("nothing", 36_000.0, None, None)].into_iter().chain(judged).collect(),
            stamp_step_ns: Some(0.5),
        };
        let found = [calls(&seen), Vec::from_iter(absurd(&seen))].concat();
        let wanted = kinds.map(|(_, kind)| kind).into_iter().chain([CONTROL_LOOKS_SLOWER]);
        assert!(found.len() == 5 && found.iter().zip(wanted).all(|(finding, kind)| finding.is(kind)), "{found:?}");
        let uncontrolled = ThreadReleaseReport { rows: seen.rows[1..].to_vec(), ..seen.clone() };
        assert!(calls(&uncontrolled).is_empty() && absurd(&uncontrolled).is_none());
        let mut record = crate::json::document(include_str!("../../../../tests/fixtures/runtimes.json")).unwrap();
        record.content.sections.runtimes.report[0].latch = Some(seen);
        let of_runtime: Vec<Finding> =
            RULES.iter().flat_map(|rule| rule.found(&record.content.sections.runtimes.seen(&record.machine))).collect();
        let title = record.content.runtimes()[0].title();
        assert!(
            of_runtime.len() == 5
                && of_runtime
                    .iter()
                    .all(|finding| finding.subject.as_ref().is_some_and(|subject| subject.starts_with(&title)))
        );
    }
}
