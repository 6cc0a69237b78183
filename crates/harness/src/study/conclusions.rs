//! A study's conclusions, in sentences.

use super::words::{
    amount, cell_title, difference, interval, pair, placed, title, token_count, token_span, verdict_of,
};
use crate::finding::{Finding, Kind, Meaning, NO_ACTION};
use crate::quantity::{RATIO, count, limit, ns};
use crate::record::study::{Cell, Comparison, ComparisonPoint, CostModel, CostShape, Difference, StudyRecord};
use crate::rule::{Rule, in_order};

/// Rules for the conclusions of a study, in reading order.
pub const RULES: &[Rule<StudyRecord>] = &[
    Rule {
        yields: &[
            NO_DIFFERENCE,
            SLOWER,
            FASTER,
            HIDDEN_BY_WORK,
            NOT_HIDDEN_BY_WORK,
            GROWS_WITH_BACKOFF,
            UNRESOLVED_DIFFERENCE,
        ],
        find: |record| record.study().comparisons.iter().flat_map(|of| of_comparison(record, of)).collect(),
    },
    Rule { yields: &[RARE_CALLS], find: rare },
];

pub const NO_DIFFERENCE: Kind = Kind::notice(
    "no_difference",
    Meaning {
        about: "two operations take the same time, within the margin",
        evidence: "the difference (`difference_ns`, `ratio`), inside the margin with its whole interval",
        mend: NO_ACTION,
    },
);
pub const SLOWER: Kind = Kind::notice(
    "slower",
    Meaning {
        about: "an operation is slower than the one it is compared with",
        evidence: "the difference (`difference_ns`) and the ratio (`ratio`), both with their interval",
        mend: NO_ACTION,
    },
);
pub const FASTER: Kind = Kind::notice(
    "faster",
    Meaning {
        about: "an operation is faster than the one it is compared with",
        evidence: "the difference (`difference_ns`) and the ratio (`ratio`), both with their interval",
        mend: NO_ACTION,
    },
);
pub const HIDDEN_BY_WORK: Kind = Kind::notice(
    "hidden_by_work",
    Meaning {
        about: "independent work between operations hides their difference, or part of it",
        evidence: "the difference without work (`exposed_ns`) and what remains of it (`residual_ns`)",
        mend: "expect the difference only where operations follow each other closely",
    },
);
pub const NOT_HIDDEN_BY_WORK: Kind = Kind::notice(
    "not_hidden_by_work",
    Meaning {
        about: "independent work between operations does not hide their difference",
        evidence: "the difference without work (`exposed_ns`) and with it (`residual_ns`)",
        mend: NO_ACTION,
    },
);
pub const GROWS_WITH_BACKOFF: Kind = Kind::notice(
    "grows_with_backoff",
    Meaning {
        about: "the difference between two operations grows with the work between them",
        evidence: "the difference without work (`exposed_ns`) and with it (`residual_ns`)",
        mend: "quote the difference together with the work around it",
    },
);
pub const UNRESOLVED_DIFFERENCE: Kind = Kind::notice(
    "unresolved_difference",
    Meaning {
        about: "whether or how two operations differ is inconclusive",
        evidence: "the difference (`difference_ns`, or `exposed_ns` and `residual_ns`), whose interval allows either",
        mend: "measure longer or on a quieter machine",
    },
);
pub const RARE_CALLS: Kind = Kind::notice(
    "rare_calls",
    Meaning {
        about: "rare long calls make the mean of an operation what it is",
        evidence: "one call in how many (`one_in`) takes how long (`long_ns`), and what the others take (`others_ns`)",
        mend: "quote the mean for throughput and the typical time for latency, or time single operations (Mode::SampleTime)",
    },
);

/// Maximum sentences about single cases; the table of cells has all of them.
const ALONE: usize = 12;
/// Said of a curve that its points do not settle.
const INCONCLUSIVE: &str = "the effect of backoff is inconclusive";

/// The conclusions of a study: comparisons first, then single cases. Each sentence is about its subject without naming
/// it.
///
/// # Examples
/// ```
/// use chronoscope_harness::study_conclusions::{HIDDEN_BY_WORK, conclusions};
///
/// # let record = chronoscope_harness::record::parse_study(include_str!("../../tests/fixtures/study.json"))?;
/// let said = conclusions(&record);
/// assert!(said[0].is(HIDDEN_BY_WORK));
/// assert_eq!(said[0].subject.as_deref(), Some("seq_cst against relaxed, 1 thread"));
/// # Ok::<(), chronoscope_harness::record::ReportError>(())
/// ```
pub fn conclusions(record: &StudyRecord) -> Vec<Finding> {
    in_order(RULES, record)
}

fn of_comparison(record: &StudyRecord, comparison: &Comparison) -> Vec<Finding> {
    match comparison.model.as_ref().and_then(|model| of_model(record, comparison, model)) {
        Some(finding) => vec![finding],
        None => comparison.points.iter().map(|point| of_point(record, comparison, point)).collect(),
    }
}

/// What becomes of a difference as backoff grows, with the two points that show it. The model gives the shape; it is told only
/// where these points bear it out.
fn of_model(record: &StudyRecord, comparison: &Comparison, model: &CostModel) -> Option<Finding> {
    let (points, plan) = (&comparison.points, &record.study().plan);
    let (first, last) = (points.first()?, points.last()?);
    // A gain is a cost of the other side.
    let is_gain = first.difference_ns.high < 0.0;
    let cost = |at: &ComparisonPoint| if is_gain { at.difference_ns.negated() } else { at.difference_ns };
    let (start, end) = (cost(first), cost(last));
    let (is_known, half) = (start.has_confidence() && end.has_confidence(), start.estimate / 2.0);
    let hidden = || {
        let past = model.hidden_past_tokens?;
        let there = || points.iter().filter(|at| at.backoff_tokens as f64 >= past.high);
        let shown = there().next().filter(|at| cost(at).has_confidence() && cost(at).high < half)?;
        let ns = model.hidden_past_ns.map_or_else(String::new, |ns| format!(" ({})", interval(&ns)));
        let said = format!("hidden past {}{ns} of independent work", token_span(&past));
        there().all(|at| cost(at).low <= half).then_some((shown, said))
    };
    let falls = || (end.high < start.low).then(|| (last, "falls with independent work".to_owned()));
    let told = |kind: Kind, said: &str| (kind, (last, said.to_owned()));
    let (kind, (shown, said)) = match model.shape {
        _ if points.iter().all(|point| point.verdict == Difference::Same) => {
            told(NO_DIFFERENCE, &format!("same within {} at every backoff", limit(plan.margin_pct)))
        }
        CostShape::Hidden if is_known && start.is_resolved() => match hidden().or_else(falls) {
            Some(said) => (HIDDEN_BY_WORK, said),
            None => told(UNRESOLVED_DIFFERENCE, INCONCLUSIVE),
        },
        CostShape::Constant if is_known && start.is_resolved() && end.low > half => {
            told(NOT_HIDDEN_BY_WORK, "independent work does not hide it")
        }
        CostShape::Growing if is_known && end.low > start.high => told(GROWS_WITH_BACKOFF, "grows with backoff"),
        _ => told(UNRESOLVED_DIFFERENCE, INCONCLUSIVE),
    };
    let at = |of: &ComparisonPoint| format!("{} at {}", difference(&of.difference_ns), token_count(of.backoff_tokens));
    let finding = Finding::new(kind, format!("{said}: {}, {}", at(first), at(shown))).about(title(plan, comparison));
    let finding = finding.value("exposed_ns", model.exposed_ns.estimate);
    Some(finding.value("residual_ns", model.residual_ns.estimate))
}

fn of_point(record: &StudyRecord, comparison: &Comparison, point: &ComparisonPoint) -> Finding {
    let (study, found) = (record.study(), difference(&point.difference_ns));
    let has_ratio = study.has_ratio(comparison, point);
    let ratio = if has_ratio { format!(" ({})", amount(RATIO, &point.ratio)) } else { String::new() };
    let kind = match point.verdict {
        Difference::Slower => SLOWER,
        Difference::Faster => FASTER,
        Difference::Same => NO_DIFFERENCE,
        Difference::Unresolved => UNRESOLVED_DIFFERENCE,
    };
    Finding::new(kind, format!("{found}{ratio}: {}", verdict_of(point, study.plan.margin_pct)))
        .about(placed(pair(comparison), &study.plan, point.backoff_tokens, comparison.threads))
        .value("difference_ns", point.difference_ns.estimate)
        .value("ratio", point.ratio.estimate)
}

/// What parts the mean from the typical value, where it leads for that.
fn rare(record: &StudyRecord) -> Vec<Finding> {
    let sentence = |cell: &Cell| {
        let rare = cell.rare_calls?;
        let (of, takes, others) = (count(rare.one_in.round() as u64), ns(rare.ns), ns(rare.others_ns));
        let text = format!("the mean leads: 1 call in about {of} takes {takes}, and the others {others}");
        let finding = Finding::new(RARE_CALLS, text).about(cell_title(&record.study().plan, cell));
        let finding = finding.value("one_in", rare.one_in);
        Some(finding.value("long_ns", rare.ns).value("others_ns", rare.others_ns))
    };
    record.study().cells.iter().filter_map(sentence).take(ALONE).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::record::study::{Estimate, Leading, RareCalls, StudyReport};
    use crate::study::made_up;

    fn of(estimate: f64, half: f64) -> Estimate {
        Estimate { estimate, low: estimate - half, high: estimate + half, confidence: 0.999 }
    }

    fn point(backoff_tokens: u64, difference_ns: Estimate, verdict: Difference) -> ComparisonPoint {
        ComparisonPoint { difference_ns, verdict, ..made_up::point(backoff_tokens) }
    }

    /// A point whose verdict is that of its interval.
    fn at(backoff_tokens: u64, estimate: f64, half: f64) -> ComparisonPoint {
        let verdict = match (estimate - half, estimate + half) {
            (low, _) if low > 0.0 => Difference::Slower,
            (_, high) if high < 0.0 => Difference::Faster,
            _ => Difference::Unresolved,
        };
        point(backoff_tokens, of(estimate, half), verdict)
    }

    /// The model's own numbers match no point, so that a sentence quoting one of them is noticed.
    fn comparison(shape: CostShape, points: &[ComparisonPoint]) -> Comparison {
        let model = CostModel {
            shape,
            exposed_ns: of(555.0, 111.0),
            residual_ns: of(99.0, 11.0),
            hidden_past_tokens: (shape == CostShape::Hidden).then_some(of(15.0, 2.0)),
            hidden_past_ns: None,
        };
        Comparison {
            case: "a".to_owned(),
            baseline: "b".to_owned(),
            parameters: BTreeMap::new(),
            threads: 1,
            points: points.to_vec(),
            model: Some(model),
        }
    }

    fn record(comparisons: Vec<Comparison>) -> StudyRecord {
        let mut record = crate::record::parse_study(include_str!("../../tests/fixtures/study.json")).unwrap();
        record.content.study.cells.clear();
        record.content.study.comparisons = comparisons;
        record
    }

    fn text(said: &Finding) -> String {
        let text = format!("{}: {}", said.subject.as_deref().unwrap_or_default(), said.evidence.summary);
        text.replace(['\u{a0}', '\u{202f}'], " ")
    }

    fn of_shape(shape: CostShape, points: &[ComparisonPoint]) -> Finding {
        let said = conclusions(&record(vec![comparison(shape, points)]));
        assert_eq!(said.len(), 1, "{said:?}");
        said[0].clone()
    }

    fn alone(point: ComparisonPoint) -> Finding {
        let comparison = Comparison { model: None, ..comparison(CostShape::Unresolved, &[point]) };
        conclusions(&record(vec![comparison]))[0].clone()
    }

    /// In the words of `tests/fixtures/conclusions.txt`. `UPDATE_GOLDEN=1` rewrites it; review the difference.
    #[test]
    fn every_conclusion_has_its_words() {
        use CostShape as S;
        let same = |tokens: u64, half: f64| point(tokens, of(0.0, half), Difference::Same);
        let mut said: Vec<String> = [
            (S::Hidden, vec![at(0, 7.66, 0.06), at(20, 0.8, 0.3), at(40, 0.8, 0.3)]),
            (S::Hidden, vec![at(0, 7.66, 0.06), at(20, -0.1, 0.3), at(40, 3.0, 216.0)]),
            (S::Hidden, vec![at(0, 7.66, 0.06), same(20, 0.2), same(40, 0.1)]),
            (S::Hidden, vec![at(0, -7.66, 0.06), at(20, -0.8, 0.3), at(40, -0.8, 0.3)]),
            (S::Hidden, vec![at(0, 7.66, 0.06), at(20, 6.3, 0.3), at(40, 6.1, 0.3)]),
            (S::Hidden, vec![at(0, 36.0, 4.0), at(20, 30.0, 9.0), at(40, 27.0, 16.0)]),
            (S::Growing, vec![at(0, 28.0, 5.0), at(40, 82.0, 4.0)]),
            (S::Growing, vec![at(0, 28.0, 5.0), at(40, 40.0, 45.0)]),
            (S::Constant, vec![at(0, -3.0, 0.2), at(40, -3.1, 0.2)]),
            (S::Constant, vec![at(0, 6.38, 0.15), at(40, 6.0, 9.0)]),
            (S::Constant, vec![same(0, 0.3), same(40, 0.2)]),
            (S::Unresolved, vec![at(1, 6.38, 0.15), at(64, 10.0, 5.0), at(4096, 8.0, 216.0)]),
        ]
        .iter()
        .map(|(shape, points)| text(&of_shape(*shape, points)))
        .collect();
        let known = of(3.0, 2.0);
        let two_states = ComparisonPoint { has_states: true, ..point(0, known, Difference::Unresolved) };
        let other = ComparisonPoint { other_ratio: Some(of(1.4, 0.1)), ..same(4, 0.2) };
        let points = [
            at(0, 7.66, 0.06),
            at(0, -3.0, 0.2),
            other,
            point(0, known, Difference::Unresolved),
            at(0, 0.1, 9.0),
            two_states,
        ];
        said.extend(points.map(|point| text(&alone(point))));
        let said = said.join("\n") + "\n";
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/conclusions.txt");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(path, &said).unwrap();
        }
        assert!(std::fs::read_to_string(path).unwrap_or_default() == said, "not the words of {path}:\n{said}");
    }

    #[test]
    fn each_conclusion_is_of_its_kind() {
        use CostShape as S;
        use Difference::{Faster, Same, Slower, Unresolved};
        let (slower, same) = (at(0, 7.66, 0.06), point(40, of(0.1, 0.2), Same));
        for (shape, last, wanted) in [
            (S::Hidden, same.clone(), HIDDEN_BY_WORK),
            (S::Constant, slower.clone(), NOT_HIDDEN_BY_WORK),
            (S::Growing, at(40, 82.0, 4.0), GROWS_WITH_BACKOFF),
            (S::Growing, at(40, 8.0, 4.0), UNRESOLVED_DIFFERENCE),
            (S::Constant, at(40, 8.0, 40.0), UNRESOLVED_DIFFERENCE),
            (S::Hidden, at(40, 7.6, 0.06), UNRESOLVED_DIFFERENCE),
        ] {
            assert!(of_shape(shape, &[slower.clone(), last.clone()]).is(wanted), "{shape:?} to {last:?}");
        }
        assert!(of_shape(S::Constant, &[same.clone(), same]).is(NO_DIFFERENCE));
        for (verdict, wanted) in
            [(Slower, SLOWER), (Faster, FASTER), (Same, NO_DIFFERENCE), (Unresolved, UNRESOLVED_DIFFERENCE)]
        {
            assert!(alone(point(0, of(3.0, 1.0), verdict)).is(wanted), "{verdict:?}");
        }
        assert!(conclusions(&record(vec![comparison(S::Hidden, &[])])).is_empty(), "nothing was compared");
    }

    #[test]
    fn what_a_point_denies_is_not_hidden() {
        let hidden = |points: &[ComparisonPoint]| text(&of_shape(CostShape::Hidden, points)).contains("hidden past");
        let (exposed, gone) = (at(0, 8.0, 0.1), at(40, 0.1, 0.3));
        assert!(hidden(&[exposed.clone(), at(20, 0.1, 0.3), gone.clone()]));
        assert!(hidden(&[exposed.clone(), at(10, 5.0, 0.1), gone.clone()]), "it need not be before 17 tokens");
        assert!(hidden(&[exposed.clone(), at(20, 0.1, 0.3), at(40, 9.0, 90.0)]), "nothing is known at 40");
        assert!(!hidden(&[exposed.clone(), at(20, 0.1, 90.0), gone.clone()]), "or at the first");
        assert!(!hidden(&[exposed.clone(), at(20, 0.1, 0.3), at(30, 5.0, 0.1), gone.clone()]), "it is back at 30");
        assert!(!hidden(&[at(0, 0.1, 0.3), at(20, -9.0, 0.3), gone]), "nothing was exposed");
        let once = ComparisonPoint { difference_ns: Estimate::without_interval(0.1), ..at(40, 0.1, 0.3) };
        assert!(!hidden(&[exposed, once]), "one process tells nothing");
    }

    #[test]
    fn a_gain_that_is_lost_does_not_grow_and_a_larger_one_does() {
        let grows = |last| of_shape(CostShape::Growing, &[at(0, -8.0, 0.1), last]).is(GROWS_WITH_BACKOFF);
        assert!(!grows(at(40, 0.0, 0.1)) && grows(at(40, -20.0, 0.1)));
    }

    #[test]
    fn what_parts_the_two_numbers_is_said() {
        let mut record = crate::record::parse_study(include_str!("../../tests/fixtures/study.json")).unwrap();
        let StudyReport { comparisons, cells, .. } = &mut record.content.study;
        comparisons.clear();
        cells.retain(|cell| cell.case == "relaxed" && cell.backoff_tokens == 0 && cell.threads == 1);
        cells[0].leads = Leading::Mean;
        cells[0].typical_ns = Some(of(54.4, 0.1));
        cells[0].rare_calls = Some(RareCalls { one_in: 24_012.0, ns: 1.354e6, others_ns: 54.4 });
        let said = conclusions(&record);
        let wanted = "relaxed, 0 tokens, 1 thread: the mean leads: 1 call in about 24 012 takes 1.35 ms, and the others \
                      54.4 ns";
        assert_eq!((said.len(), said[0].is(RARE_CALLS), text(&said[0])), (1, true, wanted.to_owned()));
    }

    #[test]
    fn a_number_that_does_not_lead_and_says_otherwise_is_named() {
        let said = |half: f64| {
            let other_ratio = Some(of(1.4, half));
            text(&alone(ComparisonPoint { other_ratio, ..point(0, of(0.1, 0.2), Difference::Same) }))
        };
        assert!(said(0.1).ends_with(", mean 1.40× ± 0.10"), "{}", said(0.1));
        assert!(!said(0.4).contains("mean"), "it may be the same");
    }
}
