use chronoscope_harness::rule::Rule;

use super::check::Outcome;
use super::document::Verdict;
use super::outcomes;
use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning, NO_ACTION};

/// The page that shows them.
const SHOWN_IN: &[&str] = &["selftest"];

pub const RULES: &[Rule<Verdict>] = &[Rule {
    yields: &[HARNESS_RIGHT, HARNESS_WRONG, SELFTEST_TOO_NOISY, SELFTEST_STOPPED, NOTHING_TRIED],
    find: |verdict| vec![conclusion(verdict)],
}];

pub const HARNESS_RIGHT: Kind = Kind::notice(
    "harness_right",
    Meaning {
        about: "every claim that could be tested is right",
        evidence: "how many claims are right, wrong, too noisy to judge, and not tried",
        mend: NO_ACTION,
    },
)
.shown_in(SHOWN_IN);
pub const HARNESS_WRONG: Kind = Kind::critical(
    "harness_wrong",
    Meaning {
        about: "a claim of the harness is wrong",
        evidence: "how many claims are right, wrong, too noisy to judge, and not tried, and the suspected cause",
        mend: "do not trust figures from this machine, now; remove the named cause and run the self-test again",
    },
)
.shown_in(SHOWN_IN)
.classed(HostState::Unknown);
pub const SELFTEST_TOO_NOISY: Kind = Kind::warning(
    "selftest_too_noisy",
    Meaning {
        about: "the machine was too noisy to judge every claim",
        evidence: "how many claims are right, wrong, too noisy to judge, and not tried, and the suspected cause",
        mend: "run it again on a quieter machine, or longer",
    },
)
.shown_in(SHOWN_IN)
.classed(HostState::Noisy);
pub const SELFTEST_STOPPED: Kind = Kind::warning(
    "selftest_stopped",
    Meaning {
        about: "the self-test was interrupted before any claim was found wrong",
        evidence: "how many claims were judged before the interruption",
        mend: "run it to the end",
    },
)
.shown_in(SHOWN_IN)
.classed(HostState::Unknown);
pub const NOTHING_TRIED: Kind = Kind::warning(
    "nothing_tried",
    Meaning {
        about: "no claim could be tested",
        evidence: "how many claims could not be tried",
        mend: "run it longer, and where more than one CPU is allowed",
    },
)
.shown_in(SHOWN_IN)
.classed(HostState::Unknown);

/// The verdict in a sentence.
fn conclusion(verdict: &Verdict) -> Finding {
    let outcomes = outcomes(&verdict.checks);
    let of = |outcome| outcomes.iter().filter(|found| **found == outcome).count();
    let (passed, wrong, vague, skipped) =
        (of(Outcome::Pass), of(Outcome::Fail), of(Outcome::TooNoisy), of(Outcome::NotTried));
    let tried = outcomes.len() - skipped;
    let at_fault = verdict.faults.first().map_or_else(
        || "cause unknown (the interference probe shows nothing); try again".to_owned(),
        |fault| format!("at fault: {fault}"),
    );
    let finding = if verdict.passed {
        let rest = if skipped > 0 { format!("; {skipped} could not be tested here") } else { String::new() };
        let text = format!("all {passed} claims are right: the harness can be trusted on this machine, now{rest}");
        Finding::new(HARNESS_RIGHT, text)
    } else if verdict.interrupted && wrong == 0 {
        Finding::new(SELFTEST_STOPPED, format!("interrupted after {passed} right claims: no verdict"))
    } else if wrong > 0 {
        let text = format!("{wrong} of {tried} claims are wrong: do not trust the harness on this machine, now");
        Finding::new(HARNESS_WRONG, if verdict.faults.is_empty() { text } else { format!("{text}; {at_fault}") })
    } else if vague > 0 {
        Finding::new(
            SELFTEST_TOO_NOISY,
            format!("too noisy to trust: {vague} of {tried} claims cannot be judged; {at_fault}"),
        )
    } else {
        Finding::new(NOTHING_TRIED, format!("none of {skipped} claims could be tested: no verdict"))
    };
    [("right", passed), ("wrong", wrong), ("too_noisy", vague), ("not_tried", skipped)]
        .into_iter()
        .fold(finding, |finding, (name, claims)| finding.value(name, claims as f64))
}
