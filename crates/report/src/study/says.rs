//! What a study says, in sentences.

use std::collections::BTreeMap;

use chronoscope_record::study::{Cell, Comparison, ComparisonPoint, CostModel, CostShape, Difference, StudyRecord};

use super::grid::Tone;
use super::words::{
    cell_name, difference, duration, interval, is_resolved, joined, number, parameters, rate, reach, rough, threads,
    token_count, tokens, turned, unresolved,
};
use crate::quantity::{limit, ns};

/// Sentences about cases alone, of which there may be many; the table of cells has all.
const ALONE: usize = 12;

/// A sentence and how it is meant.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) tone: Tone,
    pub(super) text: String,
}

/// Everything that can be said in sentences: of comparisons first, then of cases alone.
pub(super) fn all(record: &StudyRecord) -> Vec<Said> {
    let mut said = Vec::new();
    for comparison in &record.comparisons {
        said.extend(of_comparison(comparison, record.plan.margin_pct));
    }
    said.extend(below(record));
    said.extend(parts(record));
    said.extend(unsteady(record));
    if said.is_empty() {
        said.extend(alone(record));
    }
    said
}

/// `seq_cst against relaxed size=64, 1 thread`.
pub(super) fn title(comparison: &Comparison) -> String {
    format!("{}, {}", pair(comparison), threads(comparison.threads))
}

/// The same without threads.
pub(super) fn pair(comparison: &Comparison) -> String {
    format!("{} against {}{}", comparison.case, comparison.baseline, parameters(&comparison.parameters))
}

fn of_comparison(comparison: &Comparison, margin_pct: f64) -> Vec<Said> {
    let title = title(comparison);
    match (&comparison.model, comparison.points.first()) {
        (Some(model), _) => vec![of_model(&title, comparison, model, margin_pct)],
        (None, None) => {
            vec![Said { tone: Tone::Quiet, text: format!("{title}: not compared, for no pair of visits counts") }]
        }
        (None, Some(_)) => comparison.points.iter().map(|point| of_point(&title, point, margin_pct)).collect(),
    }
}

/// `: 7.66 ± 0.06 ns exposed, hidden by 15 tokens …`.
fn of_model(title: &str, comparison: &Comparison, model: &CostModel, margin_pct: f64) -> Said {
    let first = comparison.points.first().map_or(0, |point| point.backoff_tokens);
    let last = comparison.points.last().map_or(0, |point| point.backoff_tokens);
    let all_same = comparison.points.iter().all(|point| point.verdict == Difference::Same);
    let (exposed, residual) = (&model.exposed_ns, &model.residual_ns);
    let (tone, text) = match model.shape {
        CostShape::Hidden => {
            let at = if first == 0 { "exposed".to_owned() } else { format!("at {} of backoff", token_count(first)) };
            let left = if is_resolved(residual) {
                format!("{} left", cost(residual))
            } else {
                format!("what is left is {}", unresolved(residual))
            };
            let by = match (&model.hidden_past_tokens, &model.hidden_past_ns) {
                (Some(by), Some(ns)) => format!("hidden by {} ({}) of independent work, ", tokens(by), interval(ns)),
                (Some(by), None) => format!("hidden by {} of independent work, ", tokens(by)),
                (None, Some(ns)) => format!("hidden by {} of independent work, ", interval(ns)),
                (None, None) => "hidden by independent work, ".to_owned(),
            };
            let negligible = model
                .negligible_from_tokens
                .map_or_else(String::new, |from| format!("; negligible from {} on", token_count(from)));
            (Tone::Plain, format!("{} {at}, {by}{left}{negligible}", cost(exposed)))
        }
        CostShape::Constant if all_same => {
            let text =
                format!("same within {} at every backoff, {} to {}", limit(margin_pct), first, token_count(last));
            (Tone::Plain, format!("{text} (± {})", joined(&rough(reach(exposed).max(reach(residual))))))
        }
        CostShape::Constant if is_resolved(exposed) => {
            (Tone::Plain, format!("{} at every backoff: independent work does not hide it", cost(exposed)))
        }
        CostShape::Constant => {
            (Tone::Quiet, format!("no difference is resolved at any backoff: {}", unresolved(exposed)))
        }
        CostShape::Growing if is_resolved(residual) => {
            let from = if is_resolved(exposed) {
                format!("from {}", cost(exposed))
            } else {
                format!("from nothing resolved (± {})", joined(&rough(reach(exposed))))
            };
            let text = format!(
                "grows {from} to {} with backoff: contention, which independent work does not hide",
                cost(residual)
            );
            (Tone::Plain, text)
        }
        CostShape::Growing => (Tone::Quiet, format!("seems to grow with backoff, but is {}", unresolved(residual))),
        CostShape::Unresolved => {
            let text = format!(
                "unresolved: ± {} at {}, ± {} at {}",
                joined(&rough(reach(exposed))),
                token_count(first),
                joined(&rough(reach(residual))),
                token_count(last)
            );
            (Tone::Quiet, text)
        }
    };
    Said { tone, text: format!("{title}: {text}") }
}

/// A resolved difference as a cost; one below zero as a saving.
fn cost(estimate: &chronoscope_record::study::Estimate) -> String {
    match (is_resolved(estimate), estimate.high < 0.0) {
        (false, _) => unresolved(estimate),
        (true, true) => format!("{} less", duration(&turned(estimate))),
        (true, false) => duration(estimate),
    }
}

fn of_point(title: &str, point: &ComparisonPoint, margin_pct: f64) -> Said {
    let backoff = match point.backoff_tokens {
        0 => String::new(),
        tokens => format!(" at {} of backoff", token_count(tokens)),
    };
    let ratio = format!("×{}", number(&point.ratio));
    let text = match point.verdict {
        Difference::Slower => format!("slower by {} ({ratio})", duration(&point.difference_ns)),
        Difference::Faster => format!("faster by {} ({ratio})", duration(&turned(&point.difference_ns))),
        Difference::Same => {
            let difference = difference(&point.difference_ns, point.verdict);
            format!("same within {} ({})", limit(margin_pct), difference)
        }
        Difference::Unresolved if is_resolved(&point.difference_ns) => {
            format!("a difference of {} may or may not exceed {}", cost(&point.difference_ns), limit(margin_pct))
        }
        Difference::Unresolved => unresolved(&point.difference_ns),
    };
    let tone = if point.verdict == Difference::Unresolved { Tone::Quiet } else { Tone::Plain };
    Said { tone, text: format!("{title}{backoff}: {text}") }
}

/// Operations that cannot be told from nothing, one sentence for each case.
fn below(record: &StudyRecord) -> Vec<Said> {
    let mut most: BTreeMap<String, f64> = BTreeMap::new();
    for cell in record.cells.iter().filter(|cell| cell.time_ns.is_none()) {
        if let Some(below) = cell.below_ns {
            let known = most.entry(cell_name(cell)).or_insert(below);
            *known = known.max(below);
        }
    }
    let sentence = |(name, below)| {
        let text = format!("{name}: less than {}, which cannot be told from an empty loop", ns(below));
        Said { tone: Tone::Plain, text }
    };
    most.into_iter().map(sentence).collect()
}

/// What stamps around a part of the loop make of the rate.
fn parts(record: &StudyRecord) -> Vec<Said> {
    let sentence = |cell: &Cell| {
        let part = cell.part?;
        let lead = format!("{}, {}: ", cell_name(cell), threads(cell.threads));
        let (claimed, done) = (rate(&part.claimed_per_s), rate(&part.external_per_s));
        let inflated = part.inflation.low > 1.0;
        let text = if inflated {
            format!(
                "stamps around a part of it claim {claimed} where {done} were done: too many by a factor of {}",
                number(&part.inflation)
            )
        } else {
            format!("stamps around a part of it claim {claimed}, and {done} were done")
        };
        Some(Said { tone: Tone::warning_if(inflated), text: lead + &text })
    };
    record.cells.iter().filter_map(sentence).collect()
}

/// Operations whose time depends on how often they have run, one sentence for each case.
fn unsteady(record: &StudyRecord) -> Vec<Said> {
    let mut cases: BTreeMap<String, (u64, u64, Option<f64>)> = BTreeMap::new();
    for cell in &record.cells {
        if let Some(steadiness) = cell.steadiness {
            let never = u64::from(steadiness.no_steady_state) + u64::from(steadiness.trend);
            let all =
                never + [steadiness.flat, steadiness.warm_up, steadiness.slow_down].map(u64::from).iter().sum::<u64>();
            if 2 * never > all {
                let entry = cases.entry(cell_name(cell)).or_default();
                *entry = (entry.0 + never, entry.1 + all, steadiness.trend_ns_per_batch.or(entry.2));
            }
        }
    }
    let sentence = |(name, (never, all, trend)): (String, (u64, u64, Option<f64>))| {
        let slope = match trend {
            Some(slope) if slope > 0.0 => format!(", slower by {} with each batch", ns(slope)),
            Some(slope) if slope < 0.0 => format!(", faster by {} with each batch", ns(-slope)),
            _ => String::new(),
        };
        let text = format!(
            "{name}: no steady state in {never} of {all} processes{slope}: any number for it tells how long it ran"
        );
        Said { tone: Tone::Warning, text }
    };
    cases.into_iter().map(sentence).collect()
}

/// Where nothing was compared: what each case takes at the smallest backoff.
fn alone(record: &StudyRecord) -> Vec<Said> {
    let least = record.cells.iter().map(|cell| cell.backoff_tokens).min();
    let cells = record.cells.iter().filter(|cell| Some(cell.backoff_tokens) == least);
    let sentence = |cell: &Cell| {
        let time = cell.time_ns?;
        let backoff = match cell.backoff_tokens {
            0 => String::new(),
            tokens => format!(", {} of backoff", token_count(tokens)),
        };
        let text =
            format!("{}, {}{backoff}: {} per operation", cell_name(cell), threads(cell.threads), duration(&time));
        Some(Said { tone: Tone::Plain, text })
    };
    cells.filter_map(sentence).take(ALONE).collect()
}

#[cfg(test)]
mod tests {
    use chronoscope_record::study::Estimate;

    use super::*;

    fn of(estimate: f64, half: f64) -> Estimate {
        Estimate { estimate, low: estimate - half, high: estimate + half, confidence: 0.999 }
    }

    fn said(shape: CostShape, exposed_ns: Estimate, residual_ns: Estimate, verdict: Difference) -> String {
        let point = |backoff_tokens| ComparisonPoint {
            backoff_tokens,
            difference_ns: exposed_ns,
            ratio: of(1.0, 0.01),
            verdict,
            p_value: 0.5,
            significant_in_family: false,
            pairs: 60,
        };
        let comparison = Comparison {
            case: "a".to_owned(),
            baseline: "b".to_owned(),
            parameters: BTreeMap::new(),
            threads: 1,
            points: vec![point(0), point(40)],
            model: Some(CostModel {
                shape,
                exposed_ns,
                residual_ns,
                hidden_past_tokens: Some(of(15.0, 2.0)),
                hidden_past_ns: None,
                negligible_from_tokens: None,
            }),
        };
        of_comparison(&comparison, 2.0)[0].text.replace('\u{a0}', " ")
    }

    #[test]
    fn every_shape_has_its_words() {
        use CostShape as S;
        use Difference as D;
        for (text, words) in [
            (
                said(S::Hidden, of(7.66, 0.06), of(0.8, 0.2), D::Slower),
                "a against b, 1 thread: 7.66 ± 0.06 ns exposed, hidden by 15 tokens of independent work, 0.80 ± 0.20 ns left",
            ),
            (
                said(S::Hidden, of(7.66, 0.06), of(-0.1, 0.3), D::Slower),
                "a against b, 1 thread: 7.66 ± 0.06 ns exposed, hidden by 15 tokens of independent work, what is left is \
                 unresolved (± 0.40 ns)",
            ),
            (
                said(S::Growing, of(28.0, 5.0), of(82.0, 4.0), D::Slower),
                "a against b, 1 thread: grows from 28 ± 5 ns to 82 ± 4 ns with backoff: contention, which independent work \
                 does not hide",
            ),
            (
                said(S::Constant, of(-3.0, 0.2), of(-3.0, 0.2), D::Faster),
                "a against b, 1 thread: 3.00 ± 0.20 ns less at every backoff: independent work does not hide it",
            ),
            (
                said(S::Constant, of(-0.1, 0.2), of(0.0, 0.2), D::Same),
                "a against b, 1 thread: same within 2 % at every backoff, 0 to 40 tokens (± 0.30 ns)",
            ),
            (
                said(S::Constant, of(-0.1, 0.2), of(0.0, 0.2), D::Unresolved),
                "a against b, 1 thread: no difference is resolved at any backoff: unresolved (± 0.30 ns)",
            ),
            (
                said(S::Unresolved, of(-40.0, 410.0), of(3.0, 17.0), D::Unresolved),
                "a against b, 1 thread: unresolved: ± 450 ns at 0 tokens, ± 20 ns at 40 tokens",
            ),
        ] {
            assert_eq!(text, words);
        }
    }
}
