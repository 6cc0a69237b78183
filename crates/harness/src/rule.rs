//! From a record to its findings.

use crate::finding::{Finding, Kind};

/// A pure function from a record to its findings of one kind, or a few related kinds.
///
/// # Examples
/// ```
/// use chronoscope_harness::finding::{Finding, Kind, Meaning, NO_ACTION};
/// use chronoscope_harness::rule::{Rule, conclude};
///
/// const ODD: Kind =
///     Kind::notice("odd", Meaning { about: "a number is odd", evidence: "the number", mend: NO_ACTION });
/// const RULES: &[Rule<u64>] = &[Rule {
///     yields: &[ODD],
///     find: |number| Vec::from_iter((number % 2 == 1).then(|| Finding::new(ODD, format!("{number} is odd")))),
/// }];
/// assert!(conclude(RULES, &7)[0].is(ODD) && conclude(RULES, &8).is_empty());
/// ```
pub struct Rule<R> {
    /// The kinds it can yield; no others.
    pub yields: &'static [Kind],
    /// The function.
    pub find: fn(&R) -> Vec<Finding>,
}

/// All findings from `record`: most severe first, then in the order in which `rules` list the kinds, then by subject.
pub fn conclude<'a, R: 'a>(rules: impl IntoIterator<Item = &'a Rule<R>>, record: &R) -> Vec<Finding> {
    let rules: Vec<&Rule<R>> = rules.into_iter().collect();
    let kinds: Vec<&Kind> = rules.iter().flat_map(|rule| rule.yields).collect();
    ranked(in_order(rules, record), kinds)
}

/// `findings`, most severe first, then in the order of `kinds`, then by subject.
pub fn ranked<'a>(findings: Vec<Finding>, kinds: impl IntoIterator<Item = &'a Kind>) -> Vec<Finding> {
    ranked_by(findings, &kinds.into_iter().map(|kind| kind.id).collect::<Vec<_>>())
}

fn ranked_by(mut findings: Vec<Finding>, order: &[&str]) -> Vec<Finding> {
    let place = |finding: &Finding| order.iter().position(|id| *id == finding.id);
    findings.sort_by(|a, b| {
        b.severity.cmp(&a.severity).then_with(|| place(a).cmp(&place(b))).then_with(|| a.subject.cmp(&b.subject))
    });
    findings
}

/// All findings from `record`, rule by rule, in the order found: for conclusions that are read as text.
pub fn in_order<'a, R: 'a>(rules: impl IntoIterator<Item = &'a Rule<R>>, record: &R) -> Vec<Finding> {
    let found = |rule: &Rule<R>| {
        let found = (rule.find)(record);
        debug_assert!(found.iter().all(|finding| rule.yields.iter().any(|kind| finding.is(*kind))), "{found:?}");
        found
    };
    rules.into_iter().flat_map(found).collect()
}
