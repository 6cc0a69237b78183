//! A study's conclusions, in sentences.

use std::collections::BTreeMap;

use super::rules::{BELOW_RESOLUTION, NO_STEADY_STATE, OMISSION_INFLATES, changes};
use super::told::{Open, Told};
use super::words::{
    TWO_STATES, cell_name, cost, difference, duration, interval, off, on_threads, pair, rate, ratio, threads, title,
    token_count, token_span, turned, unresolved,
};
use crate::finding::{Finding, Kind, Meaning, NO_ACTION};
use crate::quantity::{count, limit, ns};
use crate::record::study::{
    Cell, Comparison, ComparisonPoint, CostModel, CostShape, Difference, Estimate, Leading, StudyRecord,
};
use crate::rule::{Rule, in_order};

/// Rules for the conclusions of a study, in reading order.
pub const RULES: &[Rule<StudyRecord>] = &[
    Rule {
        yields: &[
            NOT_COMPARED,
            NO_DIFFERENCE,
            SLOWER,
            FASTER,
            HIDDEN_BY_WORK,
            NOT_HIDDEN_BY_WORK,
            GROWS_WITH_BACKOFF,
            UNRESOLVED_DIFFERENCE,
        ],
        find: comparisons,
    },
    Rule { yields: &[BELOW_RESOLUTION], find: below },
    Rule { yields: &[OMISSION_INFLATES, CLAIM_OF_A_PART], find: parts },
    Rule { yields: &[RARE_CALLS], find: rare },
    Rule { yields: &[NO_STEADY_STATE], find: unsteady },
    Rule { yields: &[TIME_PER_OPERATION], find: alone },
];

pub const NOT_COMPARED: Kind = Kind::notice(
    "not_compared",
    Meaning {
        about: "two operations could not be compared: no usable pair of iterations",
        evidence: "the two operations, without a figure",
        mend: "run longer, so that both are measured in the same iterations",
    },
);
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
pub const CLAIM_OF_A_PART: Kind = Kind::notice(
    "claim_of_a_part",
    Meaning {
        about: "the rate claimed by timestamps around part of an operation, where it was reached",
        evidence: "by how much the claimed rate exceeds the one reached (`inflation`)",
        mend: NO_ACTION,
    },
);
pub const RARE_CALLS: Kind = Kind::notice(
    "rare_calls",
    Meaning {
        about: "rare long calls make the mean of an operation what it is",
        evidence: "one call in how many (`one_in`) takes how long (`long_ns`), and what the typical one takes (`typical_ns`)",
        mend: "quote the mean for throughput and the typical time for latency, or time single operations (Mode::SampleTime)",
    },
);
pub const TIME_PER_OPERATION: Kind = Kind::notice(
    "time_per_operation",
    Meaning {
        about: "an operation's time, without a comparison",
        evidence: "the time per operation (`time_ns`)",
        mend: NO_ACTION,
    },
);

/// Maximum sentences about single cases; the table of cells has all of them.
const ALONE: usize = 12;
/// Maximum cells of one case that are named as unsteady.
const UNSTEADY_NAMED: usize = 3;
/// What it means that a cell is not steady.
const DEPENDS: &str = "any single number depends on how long it ran";

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

fn comparisons(record: &StudyRecord) -> Vec<Finding> {
    record.study().comparisons.iter().flat_map(|comparison| of_comparison(record, comparison)).collect()
}

fn of_comparison(record: &StudyRecord, comparison: &Comparison) -> Vec<Finding> {
    let title = title(&record.study().plan, comparison);
    let Some(told) = Told::of(&comparison.points) else {
        return vec![Finding::new(NOT_COMPARED, "not compared: no usable pair of iterations").about(title)];
    };
    match &comparison.model {
        Some(model) => {
            let (kind, text) =
                of_model(&told, model, grows_by_threads(record, comparison), record.study().plan.margin_pct);
            let finding = Finding::new(kind, text).about(title).value("exposed_ns", model.exposed_ns.estimate);
            vec![finding.value("residual_ns", model.residual_ns.estimate)]
        }
        None => comparison.points.iter().map(|point| of_point(record, comparison, point)).collect(),
    }
}

/// Whether a cost that grows with backoff does so only because of other threads: with one thread it is known not to.
fn grows_by_threads(record: &StudyRecord, comparison: &Comparison) -> bool {
    let is_alone = |other: &&Comparison| other.threads == 1 && pair(other) == pair(comparison);
    let alone = record.study().comparisons.iter().find(is_alone).and_then(|alone| alone.model.as_ref());
    comparison.threads > 1 && alone.is_some_and(|model| matches!(model.shape, CostShape::Hidden | CostShape::Constant))
}

/// `7.66 ns ± 0.06 exposed, hidden by 13 to 17 tokens …`. The model gives the shape; every number that also appears in
/// the table of points is taken from there.
fn of_model(told: &Told<'_>, model: &CostModel, is_contention: bool, margin_pct: f64) -> (Kind, String) {
    let (first, last) = (told.first, told.last);
    let ends = || format!("{}, {}", at(first), at(last));
    if told.all_same() {
        let (from, to) = (first.backoff_tokens, token_count(last.backoff_tokens));
        let text = format!("same within {} at every backoff, {from} to {to}", limit(margin_pct));
        return (NO_DIFFERENCE, format!("{text} ({})", off(told.reach())));
    }
    if told.resolved == 0 {
        return (UNRESOLVED_DIFFERENCE, format!("no significant difference at any backoff: {}", ends()));
    }
    match model.shape {
        CostShape::Hidden if first.difference_ns.is_resolved() => {
            let exposed = match first.backoff_tokens {
                0 => format!("{} exposed", cost(&first.difference_ns)),
                _ => at(first),
            };
            (HIDDEN_BY_WORK, format!("{exposed}, {}{}", hidden(told, model), tail(told, margin_pct)))
        }
        CostShape::Hidden => (HIDDEN_BY_WORK, format!("falls with independent work: {}", ends())),
        CostShape::Constant if told.resolved == told.all => {
            let text = format!("{} at every backoff: independent work does not hide it", spread(told));
            (NOT_HIDDEN_BY_WORK, text)
        }
        CostShape::Constant => {
            let open = format!("inconclusive at {} of {} backoffs", told.all - told.resolved, told.all);
            (NOT_HIDDEN_BY_WORK, format!("independent work makes no difference to it: {}; {open}", ends()))
        }
        CostShape::Growing if told.rises() => {
            let why = if is_contention {
                "contention between threads, as it does not grow on one"
            } else {
                "independent work does not hide it"
            };
            (GROWS_WITH_BACKOFF, format!("grows with backoff: {}; {why}", ends()))
        }
        CostShape::Growing => (
            UNRESOLVED_DIFFERENCE,
            format!("seems to grow with backoff, but not significantly from end to end: {}", ends()),
        ),
        CostShape::Unresolved => (UNRESOLVED_DIFFERENCE, format!("{}; the effect of backoff is inconclusive", ends())),
    }
}

/// Where a falling cost ends up: at which backoff and at what value, if known and not contradicted by a point.
fn hidden(told: &Told<'_>, model: &CostModel) -> String {
    let residual = &model.residual_ns;
    let Some(past) = model.hidden_past_tokens.filter(|past| told.stays_near(residual, past.high)) else {
        return format!("falls with independent work, {}; where it levels off is inconclusive", at(told.last));
    };
    let ns = model.hidden_past_ns.map_or_else(String::new, |ns| format!(" ({})", interval(&ns)));
    let left = if residual.is_resolved() {
        format!("{} left", cost(residual))
    } else {
        format!("the remainder is {}", unresolved(residual))
    };
    // If most of the cost remains, or of the gain, it is not hidden.
    let exposed = told.first.difference_ns;
    let left_over =
        if exposed.high < 0.0 { exposed.estimate / 2.0 > residual.high } else { residual.low > exposed.estimate / 2.0 };
    if left_over {
        return format!("falls by {}{ns} of independent work, {left}", token_span(&past));
    }
    format!("hidden by {}{ns} of independent work, {left}", token_span(&past))
}

/// Where the points are inconclusive, and where they are the same.
fn tail(told: &Told<'_>, margin_pct: f64) -> String {
    let end = told.last.backoff_tokens;
    let inconclusive = told.open.map(|Open { from, to, unresolved, all }| match (from == to, to == end) {
        (true, _) => format!("; inconclusive at {}", token_count(from)),
        (false, _) if unresolved < all => format!(
            "; at {} to {} same within {}, or inconclusive (at {unresolved} of {all} backoffs)",
            count(from),
            token_count(to),
            limit(margin_pct)
        ),
        (false, true) => format!("; inconclusive from {}", token_count(from)),
        (false, false) => format!("; inconclusive at {} to {}", count(from), token_count(to)),
    });
    let same = told.same_from.map(|same| {
        let word = if same == end { "at" } else { "from" };
        format!("; same within {} {word} {}", limit(margin_pct), token_count(same))
    });
    inconclusive.into_iter().chain(same).collect()
}

/// The cost over all backoffs: one number where the first represents them all, else from the least to the most.
fn spread(told: &Told<'_>) -> String {
    let [least, most] = told.ends();
    if told.stays_near(&told.first.difference_ns, 0.0) {
        format!("about {}", cost(&told.first.difference_ns))
    } else {
        format!("{} to {}", cost(&least.difference_ns), cost(&most.difference_ns))
    }
}

/// A point's table entry with its backoff: `7.66 ns ± 0.06 at 0 tokens`.
fn at(point: &ComparisonPoint) -> String {
    let found = &point.difference_ns;
    let text = if found.is_resolved() { cost(found) } else { difference(found, point.verdict) };
    format!("{text} at {}", token_count(point.backoff_tokens))
}

fn of_point(record: &StudyRecord, comparison: &Comparison, point: &ComparisonPoint) -> Finding {
    let study = record.study();
    let (title, margin_pct) = (title(&study.plan, comparison), study.plan.margin_pct);
    let backoff = match point.backoff_tokens {
        0 => String::new(),
        tokens => format!(" at {} of backoff", token_count(tokens)),
    };
    let ratio = if study.has_ratio(comparison, point) { format!(" ({})", ratio(&point.ratio)) } else { String::new() };
    let text = match point.verdict {
        Difference::Slower => format!("slower by {}{ratio}", duration(&point.difference_ns)),
        Difference::Faster => format!("faster by {}{ratio}", duration(&turned(&point.difference_ns))),
        Difference::Same => {
            let difference = difference(&point.difference_ns, point.verdict);
            format!("same within {} ({})", limit(margin_pct), difference)
        }
        Difference::Unresolved if point.has_states => TWO_STATES.to_owned(),
        Difference::Unresolved if point.difference_ns.is_resolved() => {
            format!("a difference of {} may or may not exceed {}", cost(&point.difference_ns), limit(margin_pct))
        }
        Difference::Unresolved => unresolved(&point.difference_ns),
    };
    let text = text + &other(point, margin_pct);
    let kind = match point.verdict {
        Difference::Slower => SLOWER,
        Difference::Faster => FASTER,
        Difference::Same => NO_DIFFERENCE,
        Difference::Unresolved => UNRESOLVED_DIFFERENCE,
    };
    Finding::new(kind, text)
        .about(format!("{title}{backoff}"))
        .value("difference_ns", point.difference_ns.estimate)
        .value("ratio", point.ratio.estimate)
}

/// What the number that does not lead says otherwise: `; on average +40.0 %`.
fn other(point: &ComparisonPoint, margin_pct: f64) -> String {
    let said = |other: Estimate| {
        let name = if point.leads == Leading::Typical { "on average" } else { "typically" };
        format!("; {name} {}", ratio(&other))
    };
    point.disagreement(margin_pct).map(said).unwrap_or_default()
}

/// Operations indistinguishable from an empty loop: one sentence per case, or per thread count where only some are.
fn below(record: &StudyRecord) -> Vec<Finding> {
    let mut most: BTreeMap<(String, Option<u32>), f64> = BTreeMap::new();
    for cell in record.study().cells.iter().filter(|cell| cell.time_ns.is_none()) {
        if let Some(below) = cell.below_ns {
            let name = cell_name(cell);
            let is_same = |other: &&Cell| cell_name(other) == name && other.backoff_tokens == cell.backoff_tokens;
            let differs = record.study().cells.iter().filter(is_same).any(|other| other.time_ns.is_some());
            let known = most.entry((name, differs.then_some(cell.threads))).or_insert(below);
            *known = known.max(below);
        }
    }
    let sentence = |((name, on), below): ((String, Option<u32>), f64)| {
        let on = on.map_or_else(String::new, |on| format!(", {}", threads(on)));
        let text = format!("less than {}: cannot be told from an empty loop", ns(below));
        Finding::new(BELOW_RESOLUTION, text).about(name + &on).value("below_ns", below)
    };
    most.into_iter().map(sentence).collect()
}

/// Rates claimed from timestamps around part of the loop, compared with actual rates.
fn parts(record: &StudyRecord) -> Vec<Finding> {
    let sentence = |cell: &Cell| {
        let part = cell.part?;
        let (claimed, done) = (rate(&part.claimed_per_s), rate(&part.external_per_s));
        let inflated = part.is_inflated();
        let text = if inflated {
            format!(
                "timestamps around part of it claim {claimed} where {done} were done: inflated {}",
                ratio(&part.inflation)
            )
        } else {
            format!("timestamps around part of it claim {claimed}; {done} were done")
        };
        let kind = if inflated { OMISSION_INFLATES } else { CLAIM_OF_A_PART };
        let subject = cell_name(cell) + &on_threads(&record.study().plan, cell.threads);
        Some(Finding::new(kind, text).about(subject).value("inflation", part.inflation.estimate))
    };
    record.study().cells.iter().filter_map(sentence).collect()
}

/// What parts the mean from the typical value, where it leads for that.
fn rare(record: &StudyRecord) -> Vec<Finding> {
    let sentence = |cell: &Cell| {
        let (rare, typical) = (cell.rare_calls?, cell.typical_ns?);
        let of = count(rare.one_in.round() as u64);
        let text = format!(
            "the mean leads: 1 call in about {of} takes {}; a typical one takes {}",
            ns(rare.ns),
            duration(&typical)
        );
        let finding = Finding::new(RARE_CALLS, text).about(subject(record, cell));
        Some(finding.value("one_in", rare.one_in).value("long_ns", rare.ns).value("typical_ns", typical.estimate))
    };
    record.study().cells.iter().filter_map(sentence).take(ALONE).collect()
}

/// A cell by name, with what tells it from others: `lookup size=64, 0 tokens, 2 threads`.
fn subject(record: &StudyRecord, cell: &Cell) -> String {
    let plan = &record.study().plan;
    let is_swept = plan.backoff_tokens.len() > 1;
    let backoff = if is_swept { format!(", {}", token_count(cell.backoff_tokens)) } else { String::new() };
    format!("{}{backoff}{}", cell_name(cell), on_threads(plan, cell.threads))
}

/// Cells whose time depends on how often they have run, one sentence each, or one per case where it has more than a few.
fn unsteady(record: &StudyRecord) -> Vec<Finding> {
    let mut cases: BTreeMap<String, Vec<(&Cell, String, f64)>> = BTreeMap::new();
    for cell in &record.study().cells {
        let change = cell.steadiness.and_then(|steadiness| steadiness.change_pct());
        if let (Some(words), Some(change)) = (changes(cell), change) {
            cases.entry(cell_name(cell)).or_default().push((cell, words, change.estimate));
        }
    }
    let of_cell = |(cell, words, change_pct): &(&Cell, String, f64)| {
        let text = format!("{words}: {DEPENDS}");
        Finding::new(NO_STEADY_STATE, text).about(subject(record, cell)).value("change_pct", *change_pct)
    };
    let of_case = |(name, cells): (String, Vec<(&Cell, String, f64)>)| {
        if cells.len() <= UNSTEADY_NAMED {
            return cells.iter().map(of_cell).collect();
        }
        let all = record.study().cells.iter().filter(|cell| cell_name(cell) == name).count();
        let most = cells.iter().map(|(.., change)| *change).max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0);
        let text = format!("no steady state in {} of {all} cells: {DEPENDS}", cells.len());
        vec![Finding::new(NO_STEADY_STATE, text).about(name).value("change_pct", most)]
    };
    cases.into_iter().flat_map(of_case).collect()
}

/// If nothing was compared: the time of each case at the smallest backoff.
fn alone(record: &StudyRecord) -> Vec<Finding> {
    let others = RULES.split_last().map_or(&[] as &[_], |(_, others)| others);
    // A cell that is not steady, or has rare long calls, says so next to the times of the others.
    if in_order(others, record).iter().any(|finding| !finding.is(NO_STEADY_STATE) && !finding.is(RARE_CALLS)) {
        return Vec::new();
    }
    let least = record.study().cells.iter().map(|cell| cell.backoff_tokens).min();
    let cells = record.study().cells.iter().filter(|cell| Some(cell.backoff_tokens) == least);
    let sentence = |cell: &Cell| {
        let time = cell.time_ns?;
        let backoff = match cell.backoff_tokens {
            0 => String::new(),
            tokens => format!(", {} of backoff", token_count(tokens)),
        };
        let subject = format!("{}{}{backoff}", cell_name(cell), on_threads(&record.study().plan, cell.threads));
        let finding = Finding::new(TIME_PER_OPERATION, format!("{} per operation", duration(&time)));
        Some(finding.about(subject).value("time_ns", time.estimate))
    };
    cells.filter_map(sentence).take(ALONE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::study::{OperationPart, RareCalls, Steadiness, StudyReport};
    use crate::study::made_up;

    fn of(estimate: f64, half: f64) -> Estimate {
        Estimate { estimate, low: estimate - half, high: estimate + half, confidence: 0.999 }
    }

    fn point(backoff_tokens: u64, difference_ns: Estimate, verdict: Difference) -> ComparisonPoint {
        ComparisonPoint { difference_ns, verdict, ..made_up::point(backoff_tokens) }
    }

    /// The model's own numbers match no point, so that a sentence quoting one of them is noticed.
    fn comparison(threads: u32, shape: CostShape, residual_ns: Estimate, points: &[ComparisonPoint]) -> Comparison {
        let model = CostModel {
            shape,
            exposed_ns: of(555.0, 111.0),
            residual_ns,
            hidden_past_tokens: (shape == CostShape::Hidden).then_some(of(15.0, 2.0)),
            hidden_past_ns: None,
        };
        Comparison {
            case: "a".to_owned(),
            baseline: "b".to_owned(),
            parameters: BTreeMap::new(),
            threads,
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
        format!("{}: {}", said.subject.as_deref().unwrap_or_default(), said.evidence.summary)
    }

    fn all_said(comparisons: Vec<Comparison>) -> Vec<String> {
        conclusions(&record(comparisons)).iter().map(|said| text(said).replace('\u{a0}', " ")).collect()
    }

    /// Each with its interval's half-width and verdict.
    fn two(first: (f64, f64, Difference), last: (f64, f64, Difference)) -> [ComparisonPoint; 2] {
        [point(0, of(first.0, first.1), first.2), point(40, of(last.0, last.1), last.2)]
    }

    /// In the words of `tests/fixtures/conclusions.txt`. `UPDATE_GOLDEN=1` rewrites it; review the difference.
    #[test]
    fn every_conclusion_has_its_words() {
        use CostShape as S;
        use Difference::{Faster, Same, Slower, Unresolved};
        let mut said = Vec::new();
        for (shape, residual, points) in [
            (S::Hidden, of(0.8, 0.2), two((7.66, 0.06, Slower), (0.8, 0.3, Slower))),
            (S::Hidden, of(-0.1, 0.3), two((7.66, 0.06, Slower), (-0.1, 0.3, Unresolved))),
            (S::Hidden, of(0.05, 0.03), two((7.66, 0.06, Slower), (2.75, 0.2, Slower))),
            (S::Hidden, of(0.1, 0.3), two((7.66, 0.06, Slower), (0.1, 0.2, Same))),
            (S::Hidden, of(6.1, 0.2), two((7.66, 0.06, Slower), (6.1, 0.3, Slower))),
            (S::Growing, of(99.0, 1.0), two((28.0, 5.0, Slower), (82.0, 4.0, Slower))),
            (S::Growing, of(99.0, 1.0), two((28.0, 5.0, Slower), (40.0, 45.0, Unresolved))),
            (S::Constant, of(-3.0, 0.2), two((-3.0, 0.2, Faster), (-3.1, 0.2, Faster))),
            (S::Constant, of(6.4, 0.2), two((6.38, 0.15, Slower), (6.0, 9.0, Unresolved))),
            (S::Constant, of(0.0, 0.2), two((-0.1, 0.2, Same), (0.0, 0.2, Same))),
            (S::Constant, of(0.0, 0.2), two((-0.1, 0.2, Unresolved), (0.0, 0.2, Unresolved))),
        ] {
            said.extend(all_said(vec![comparison(1, shape, residual, &points)]));
        }
        let resolved_but_for_the_last = [
            point(1, of(6.38, 0.15), Slower),
            point(64, of(10.0, 5.0), Slower),
            point(4096, of(8.0, 216.0), Unresolved),
        ];
        said.extend(all_said(vec![comparison(1, S::Unresolved, of(9.0, 210.0), &resolved_but_for_the_last)]));
        let same_between_unresolved = [
            point(0, of(4.47, 0.06), Slower),
            point(10, of(0.0, 0.5), Unresolved),
            point(20, of(0.0, 0.01), Same),
            point(30, of(0.0, 0.5), Unresolved),
            point(40, of(0.0, 0.01), Same),
        ];
        for points in [&same_between_unresolved[..], &same_between_unresolved[..2]] {
            said.push(format!("…{}", tail(&Told::of(points).unwrap(), 1.0)));
        }
        // What one thread does too is no contention.
        let points = [0, 20, 40].map(|tokens| point(tokens, of(28.0 + tokens as f64, 5.0), Slower));
        let growing = |threads| comparison(threads, S::Growing, of(80.0, 1.0), &points);
        let flat = comparison(1, S::Constant, of(80.0, 1.0), &points[..1]);
        for comparisons in [vec![growing(2)], vec![growing(1), growing(2)], vec![flat, growing(2)]] {
            said.extend(all_said(comparisons));
        }
        let mut record = crate::record::parse_study(include_str!("../../tests/fixtures/study.json")).unwrap();
        let cells = record.study().cells.clone();
        let of_case = |case: &str| cells.iter().filter(|cell| cell.case == case).cloned().collect::<Vec<Cell>>();
        let (empty, unsteady_cells) = (of_case("empty"), of_case("fibonacci"));
        record.content.study.cells = empty;
        said.extend(below(&record).iter().map(text));
        record.content.study.cells[1].time_ns = Some(of(5.0, 0.1));
        said.extend(below(&record).iter().map(text));
        record.content.study.cells = unsteady_cells;
        said.extend(unsteady(&record).iter().map(text));
        let cells = &mut record.content.study.cells;
        *cells = (1..6).map(|threads| Cell { threads, ..cells[0].clone() }).collect();
        cells[1].steadiness = Some(Steadiness::default());
        said.extend(unsteady(&record).iter().map(text));
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
        let kind = |record: &StudyRecord| {
            let said = conclusions(record);
            let kinds = || RULES.iter().flat_map(|rule| rule.yields);
            assert_eq!(said.len(), 1, "{said:?}");
            *kinds().find(|kind| said[0].is(**kind)).unwrap()
        };
        let of_shape =
            |shape, points: &[ComparisonPoint]| kind(&record(vec![comparison(1, shape, of(0.1, 0.3), points)]));
        let (slower, faster) = (point(0, of(7.66, 0.06), Slower), point(0, of(-3.0, 0.2), Faster));
        let (same, unknown) = (point(40, of(0.1, 0.2), Same), point(40, of(0.1, 9.0), Unresolved));
        assert_eq!(of_shape(S::Hidden, &[slower.clone(), same.clone()]), HIDDEN_BY_WORK);
        assert_eq!(of_shape(S::Constant, &[slower.clone(), slower.clone()]), NOT_HIDDEN_BY_WORK);
        assert_eq!(of_shape(S::Growing, &[slower.clone(), point(40, of(82.0, 4.0), Slower)]), GROWS_WITH_BACKOFF);
        assert_eq!(of_shape(S::Growing, &[slower.clone(), unknown.clone()]), UNRESOLVED_DIFFERENCE);
        assert_eq!(of_shape(S::Constant, &[same.clone(), same.clone()]), NO_DIFFERENCE);
        assert_eq!(of_shape(S::Hidden, &[]), NOT_COMPARED);
        for (point, wanted) in
            [(slower, SLOWER), (faster, FASTER), (same, NO_DIFFERENCE), (unknown, UNRESOLVED_DIFFERENCE)]
        {
            let mut one = record(vec![comparison(1, S::Hidden, of(0.1, 0.3), &[point])]);
            one.content.study.comparisons[0].model = None;
            assert_eq!(kind(&one), wanted);
        }
        let mut alone = crate::record::parse_study(include_str!("../../tests/fixtures/study.json")).unwrap();
        let StudyReport { comparisons, cells, .. } = &mut alone.content.study;
        comparisons.clear();
        cells.retain(|cell| cell.case == "relaxed" && cell.backoff_tokens == 0 && cell.threads == 1);
        assert_eq!(kind(&alone), TIME_PER_OPERATION);
        for (inflation, wanted) in [(of(1.0, 0.1), CLAIM_OF_A_PART), (of(2.0, 0.1), OMISSION_INFLATES)] {
            alone.content.study.cells[0].part = Some(OperationPart {
                part_ns: of(5.0, 0.1),
                claimed_per_s: of(2e8, 1e6),
                external_per_s: of(1e8, 1e6),
                inflation,
                timed_share: 0.5,
                preemptions_per_iteration: 0.0,
            });
            assert_eq!(kind(&alone), wanted);
        }
    }

    #[test]
    fn what_parts_the_two_numbers_is_said() {
        let mut record = crate::record::parse_study(include_str!("../../tests/fixtures/study.json")).unwrap();
        let StudyReport { comparisons, cells, .. } = &mut record.content.study;
        comparisons.clear();
        cells.retain(|cell| cell.case == "relaxed" && cell.backoff_tokens == 0 && cell.threads == 1);
        cells[0].leads = Leading::Mean;
        cells[0].typical_ns = Some(of(54.4, 0.1));
        cells[0].rare_calls = Some(RareCalls { one_in: 24_012.0, ns: 1.354e6 });
        let said: Vec<String> =
            rare(&record).iter().map(|said| text(said).replace(['\u{a0}', '\u{202f}'], " ")).collect();
        let wanted = "relaxed, 0 tokens, 1 thread: the mean leads: 1 call in about 24 012 takes 1.35 ms; a typical one takes \
                      54.40 ns ± 0.10";
        assert_eq!(said, [wanted]);
        assert!(rare(&record)[0].is(RARE_CALLS));
        assert!(conclusions(&record).iter().any(|finding| finding.is(TIME_PER_OPERATION)));
    }

    #[test]
    fn a_number_that_does_not_lead_and_says_otherwise_is_named() {
        let mut one =
            record(vec![comparison(1, CostShape::Hidden, of(0.1, 0.3), &[point(0, of(0.1, 0.2), Difference::Same)])]);
        let said = |record: &StudyRecord| conclusions(record)[0].evidence.summary.replace('\u{a0}', " ");
        one.content.study.comparisons[0].model = None;
        let point = |record: &mut StudyRecord, change: fn(&mut ComparisonPoint)| {
            change(&mut record.content.study.comparisons[0].points[0]);
        };
        point(&mut one, |point| point.other_ratio = Some(of(1.4, 0.1)));
        assert!(said(&one).ends_with("; on average 1.40× ± 0.10"), "{}", said(&one));
        point(&mut one, |point| point.other_ratio = Some(of(1.4, 0.4)));
        assert!(!said(&one).contains("average"), "it may be the same");
        point(&mut one, |point| {
            (point.verdict, point.has_states) = (Difference::Unresolved, true);
        });
        assert_eq!(said(&one), TWO_STATES);
    }

    #[test]
    fn unsteady_cells_condemn_no_other() {
        let mut record = crate::record::parse_study(include_str!("../../tests/fixtures/study.json")).unwrap();
        let StudyReport { comparisons, failures, cells, .. } = &mut record.content.study;
        (*comparisons, *failures) = (Vec::new(), Vec::new());
        cells.retain(|cell| cell.case == "fibonacci");
        let steadiness = Some(Steadiness::default());
        cells.push(Cell { threads: 2, steadiness, time_ns: Some(of(5.0, 0.1)), ..cells[0].clone() });
        assert_eq!(unsteady(&record).len(), 1);
        let all = conclusions(&record);
        assert!(all.iter().any(|finding| finding.is(TIME_PER_OPERATION)), "{all:?}");
    }
}
