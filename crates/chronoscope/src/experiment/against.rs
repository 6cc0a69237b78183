//! Objections that a study's findings raise against its figures: pure functions of the findings.

use std::borrow::Cow;

use chronoscope_harness::study_rules::{
    CASE_FAILED, INTERRUPTED, NO_STEADY_STATE, OMISSION_INFLATES, THREADS_DID_NOT_OVERLAP,
};

use chronoscope_harness::finding::{Finding, Kind, Severity};
use chronoscope_harness::quantity::count;
use chronoscope_harness::study_words::list;

/// The findings of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Objection {
    pub sign: &'static str,
    /// The worst case in words, and the others affected.
    pub words: String,
    /// The cases affected; empty if it concerns the whole run.
    pub cases: Vec<String>,
}

/// Signs for kinds about single cases; further kinds share the last.
const SIGNS: [&str; 3] = ["†", "‡", "§"];
const OF_THE_RUN: &str = "!";

/// Caveats for readers of a figure: findings of at least warning severity. One objection per kind, with the worst case, which comes first within its kind.
pub fn objections(findings: &[Finding]) -> Vec<Objection> {
    let mut kinds: Vec<&str> = Vec::new();
    for finding in findings.iter().filter(|finding| is_against(finding)) {
        if !kinds.contains(&&*finding.id) {
            kinds.push(&finding.id);
        }
    }
    let mut of_cases = 0;
    let objection = |kind: &str| {
        let of_kind: Vec<&Finding> = findings.iter().filter(|finding| finding.id == kind).collect();
        let worst = of_kind.first()?;
        let cases: Vec<String> = of_kind.iter().filter_map(|finding| finding.subject.clone()).collect();
        let others = cases.iter().filter(|case| Some(*case) != worst.subject.as_ref());
        let others: Vec<&str> = others.map(String::as_str).collect();
        let also = match others.as_slice() {
            [] => String::new(),
            some => format!(". The same holds for {} more: {}", count(some.len() as u64), list(some.iter().copied())),
        };
        let sign = if cases.is_empty() {
            OF_THE_RUN
        } else {
            of_cases += 1;
            SIGNS[(of_cases - 1).min(SIGNS.len() - 1)]
        };
        Some(Objection { sign, words: worst.evidence.summary.clone() + &also, cases })
    };
    kinds.into_iter().filter_map(objection).collect()
}

/// Findings covered elsewhere on the page are not repeated.
fn is_against(finding: &Finding) -> bool {
    let is_said = finding.is(INTERRUPTED) || finding.is(CASE_FAILED);
    !is_said && finding.severity >= Severity::Warning
}

/// Most severe first; then kinds in order of first appearance, each with its worst first.
pub fn worst_first(findings: &mut [Finding]) {
    let mut kinds: Vec<Cow<'static, str>> = Vec::new();
    for finding in findings.iter() {
        if !kinds.contains(&finding.id) {
            kinds.push(finding.id.clone());
        }
    }
    let place = |finding: &Finding| kinds.iter().position(|kind| *kind == finding.id);
    let order = |a: &Finding, b: &Finding| b.severity.cmp(&a.severity).then_with(|| place(a).cmp(&place(b)));
    findings.sort_by(|a, b| order(a, b).then_with(|| badness(b).total_cmp(&badness(a))));
}

/// How bad a finding is compared with others of its kind.
fn badness(finding: &Finding) -> f64 {
    const GROWS_WITH: [(Kind, &str, f64); 3] = [
        (THREADS_DID_NOT_OVERLAP, "overlap_share", -1.0),
        (OMISSION_INFLATES, "inflation", 1.0),
        (NO_STEADY_STATE, "change_pct", 1.0),
    ];
    let of_kind = GROWS_WITH.iter().find(|(kind, ..)| finding.is(*kind));
    of_kind.and_then(|(_, name, sign)| Some(sign * finding.evidence.values.get(*name)?)).unwrap_or(0.0)
}

/// The signs of objections to any of these cases, preceded by a space; empty if there are none.
pub fn marks(objections: &[Objection], cases: &[&str]) -> String {
    let is_about = |objection: &&Objection| objection.cases.iter().any(|about| cases.contains(&about.as_str()));
    let mut marks: Vec<&str> = Vec::new();
    for objection in objections.iter().filter(is_about) {
        if !marks.contains(&objection.sign) {
            marks.push(objection.sign);
        }
    }
    if marks.is_empty() { String::new() } else { format!(" {}", marks.concat()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::study_rules::{NOISY_MACHINE, OVERSUBSCRIBED, STATES};

    fn overlap(case: &str, share: f64) -> Finding {
        let words = format!("{case} (1 tokens, 2 threads): all threads ran at once for {:.0} %", 100.0 * share);
        Finding::new(THREADS_DID_NOT_OVERLAP, words).about(case).value("overlap_share", share)
    }

    #[test]
    fn each_kind_is_said_once_with_its_worst_case() {
        let mut findings = [
            Finding::new(NOISY_MACHINE, "6 of 18 iterations were undisturbed"),
            overlap("a", 0.49),
            overlap("b", 0.34),
            overlap("c", 0.45),
            Finding::new(STATES, "b (0 tokens, 2 threads): 160 ns and 19 ns").about("b"),
            Finding::new(OVERSUBSCRIBED, "a: more threads than CPUs").about("a"),
            Finding::new(CASE_FAILED, "d: no").about("d"),
        ];
        worst_first(&mut findings);
        let found = objections(&findings);
        let said: Vec<(&str, &str)> = found.iter().map(|one| (one.sign, one.words.as_str())).collect();
        let worst = "b (1 tokens, 2 threads): all threads ran at once for 34 %. The same holds for 2 more: c, a";
        let modes = "b (0 tokens, 2 threads): 160 ns and 19 ns";
        assert_eq!(said, [("!", "6 of 18 iterations were undisturbed"), ("†", worst), ("‡", modes)]);
        assert_eq!([marks(&found, &["a"]), marks(&found, &["a", "b"]), marks(&found, &["d"])], [" †", " †‡", ""]);
        assert_eq!(objections(&[]), []);
    }

    /// A name with a comma would look like two.
    #[test]
    fn names_with_commas_are_quoted_in_a_list() {
        let findings = [overlap("a", 0.1), overlap("v++, one line", 0.2), overlap("plain v++", 0.3)];
        let words = &objections(&findings)[0].words;
        assert!(words.ends_with("The same holds for 2 more: \"v++, one line\", plain v++"), "{words}");
    }
}
