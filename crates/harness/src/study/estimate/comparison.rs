use std::collections::BTreeMap;

use super::iteration::{Iteration, Timed, batches_ns, operations_per_batch};
use super::numbers::{Numbers, by_process};
use super::observations::Observations;
use super::states::disagree;
use crate::record::study::{Comparison, ComparisonPoint, Control, CostModel, Difference, Estimate, Leading, TokenCost};
use crate::stats::{Paired, compare, confidence_of_each, hiding, median, paired};
use crate::study::schedule::CellSpec;

/// Minimum backoffs and processes for a model of the difference.
const FEWEST_FOR_A_MODEL: usize = 3;

/// All comparisons of the plan, and those of operations with themselves.
pub(super) fn estimate(
    seen: &Observations<'_>,
    iterations: &[Vec<Iteration<'_>>],
    leads: &[Leading],
    tokens: Option<&TokenCost>,
) -> (Vec<Comparison>, Option<Control>) {
    let of = comparisons(seen);
    let measured = Measured { seen, iterations, leads };
    // For all comparisons at once, as the intervals are meant to hold and as they must for a verdict.
    let confidence = confidence_of_each(seen.plan.confidence, of);
    let least = confidence_of_each(Estimate::LEAST_CONFIDENCE, of);
    let mut found = Vec::new();
    for (case, baseline) in &seen.plan.comparisons {
        for row in rows(seen, case) {
            found.extend(comparison(&measured, (case, baseline), &row, tokens, (confidence, least)));
        }
    }
    (found, control(&measured, (confidence, least)))
}

/// The iterations of each cell, and which number of it leads.
struct Measured<'s, 'a> {
    seen: &'s Observations<'a>,
    iterations: &'s [Vec<Iteration<'a>>],
    leads: &'s [Leading],
}

/// Two cells in the same processes.
struct Arms {
    leads: Leading,
    /// For each process, both of its numbers of the first, and those of the second.
    processes: Vec<(Numbers, Numbers)>,
    /// The mean times of all processes together.
    all_ns: Option<(f64, f64)>,
    /// The uncertainty that batch overhead leaves in one operation's time.
    floor_ns: f64,
}

impl Measured<'_, '_> {
    fn arms(&self, a: usize, b: usize) -> Arms {
        let numbers = |cell: usize| by_process(&self.iterations[cell], None, self.seen.processes.len());
        let floor_ns = |cell: usize| {
            let threads = self.iterations[cell].iter().flat_map(|iteration| &iteration.log.threads);
            self.seen.floor_ns(median(threads.map(operations_per_batch)).unwrap_or(1.0))
        };
        let paired = |(process, (of_a, of_b)): (usize, (Numbers, Numbers))| {
            let ratio = ratio_of_rounds(&self.iterations[a], &self.iterations[b], process);
            let typical_ns = of_a.typical_ns.zip(ratio).map(|(ns, ratio)| ns * ratio);
            (of_a, Numbers { typical_ns, ..of_b })
        };
        let all_ns = |cell: usize| {
            let timed = self.iterations[cell].iter().flat_map(|iteration| &iteration.timed);
            timed.copied().sum::<Timed>().mean_ns()
        };
        Arms {
            all_ns: all_ns(a).zip(all_ns(b)),
            leads: self.leads[a].max(self.leads[b]),
            processes: numbers(a).into_iter().zip(numbers(b)).enumerate().map(paired).collect(),
            floor_ns: floor_ns(a).max(floor_ns(b)),
        }
    }
}

impl Arms {
    /// How they compare by one of the two numbers. An interval of means also holds that of all processes together: a call so rare that
    /// few of them meet it is in that.
    fn compared(&self, which: Leading, confidence: f64) -> Option<Paired> {
        let found = paired(&self.pairs(which), confidence)?;
        let Some((a, b)) = self.all_ns.filter(|_| which == Leading::Mean) else { return Some(found) };
        Some(Paired { difference: found.difference.holding(b - a), ratio: found.ratio.holding(b / a) })
    }

    /// One of the two numbers of both, for each process that has it.
    fn pairs(&self, which: Leading) -> Vec<(f64, f64)> {
        self.processes.iter().filter_map(|(a, b)| Some((a.get(which)?, b.get(which)?))).collect()
    }
}

/// How many comparisons the study makes.
fn comparisons(seen: &Observations<'_>) -> usize {
    let compared = |case: &str| seen.cells.iter().filter(|spec| spec.case == case && !spec.control).count();
    seen.plan.comparisons.iter().map(|(case, _)| compared(case)).sum()
}

/// Cells of `case` that differ only in backoff, row by row.
fn rows<'a>(seen: &Observations<'a>, case: &str) -> Vec<Vec<&'a CellSpec>> {
    let mut found: Vec<Vec<&'a CellSpec>> = Vec::new();
    for spec in seen.cells.iter().filter(|spec| spec.case == case && !spec.control) {
        let same = |row: &&mut Vec<&CellSpec>| row[0].threads == spec.threads && row[0].parameters == spec.parameters;
        match found.iter_mut().find(same) {
            Some(row) => row.push(spec),
            None => found.push(vec![spec]),
        }
    }
    found
}

fn comparison(
    measured: &Measured<'_, '_>,
    (case, baseline): (&str, &str),
    row: &[&CellSpec],
    tokens: Option<&TokenCost>,
    confidences: (f64, f64),
) -> Option<Comparison> {
    let seen = measured.seen;
    let at =
        |spec: &CellSpec| Some((spec.tokens, place(seen, spec, baseline, false)?, place(seen, spec, case, false)?));
    let arms: Vec<(u64, Arms)> =
        row.iter().filter_map(|spec| at(spec)).map(|(tokens, a, b)| (tokens, measured.arms(a, b))).collect();
    // One curve is of one number.
    let leads = arms.iter().map(|(_, arms)| arms.leads).max()?;
    let mut points = Vec::new();
    for (tokens, arms) in &arms {
        points.extend(point(seen, *tokens, arms, leads, confidences).map(|(point, _)| point));
    }
    let backoff: Vec<f64> = arms.iter().map(|(tokens, _)| *tokens as f64).collect();
    let of_process = |process: usize| {
        let difference = |(_, arms): &(u64, Arms)| {
            let (a, b) = arms.processes[process];
            Some(b.get(leads)? - a.get(leads)?)
        };
        arms.iter().map(difference).collect::<Option<Vec<f64>>>()
    };
    let whole: Vec<Vec<f64>> = (0..seen.processes.len()).filter_map(of_process).collect();
    let first = row.first().filter(|_| !points.is_empty())?;
    Some(Comparison {
        case: case.to_owned(),
        baseline: baseline.to_owned(),
        parameters: first.parameters.clone(),
        threads: first.threads,
        model: model(seen, &backoff, &whole, &points, tokens),
        points,
    })
}

/// The index of the cell of `case` that otherwise matches `spec`.
fn place(seen: &Observations<'_>, spec: &CellSpec, case: &str, control: bool) -> Option<usize> {
    seen.cells.iter().position(|other| {
        other.arena == spec.arena && other.tokens == spec.tokens && other.case == case && other.control == control
    })
}

/// How many times as long a typical operation of the second takes in one process: the median over rounds of the ratio of median
/// batches. A core that changes its pace between two rounds moves both sides alike, and one that does within a round moves that.
fn ratio_of_rounds(a: &[Iteration<'_>], b: &[Iteration<'_>], process: usize) -> Option<f64> {
    let level = |iteration: &Iteration<'_>| {
        median(iteration.roles.iter().flatten().flat_map(|thread| batches_ns(thread))).filter(|ns| *ns > 0.0)
    };
    let of_process = |iterations: &[Iteration<'_>]| -> BTreeMap<u32, f64> {
        let own = iterations.iter().filter(|iteration| iteration.process == process);
        own.filter_map(|iteration| Some((iteration.log.round, level(iteration)?))).collect()
    };
    let (a, b) = (of_process(a), of_process(b));
    median(a.iter().filter_map(|(round, of_a)| Some(b.get(round)? / of_a)))
}

/// What the processes say at one backoff, and the first side's time.
fn point(
    seen: &Observations<'_>,
    backoff_tokens: u64,
    arms: &Arms,
    leads: Leading,
    (confidence, least): (f64, f64),
) -> Option<(ComparisonPoint, f64)> {
    let pairs = arms.pairs(leads);
    let base_ns = median(pairs.iter().map(|(a, _)| *a))?;
    let found = arms.compared(leads, confidence)?;
    let Paired { difference: difference_ns, ratio } = found.at_least(arms.floor_ns, base_ns);
    // Both are of one process, whose pace moves both.
    let margin = seen.plan.margin_pct / 100.0;
    let has_states = disagree(&pairs.iter().map(|(a, b)| (b / a, None)).collect::<Vec<_>>(), margin);
    let verdict = match compare(&ratio, margin) {
        // Too few processes for as many comparisons, or such as say different things.
        _ if ratio.confidence < least || has_states => Difference::Unresolved,
        // Where the clock itself could make the difference, nothing is known of its direction.
        Difference::Faster | Difference::Slower if difference_ns.holds(0.0) => Difference::Unresolved,
        verdict => verdict,
    };
    let other = arms.compared(leads.other(), confidence).map(|found| found.at_least(arms.floor_ns, base_ns).ratio);
    let other_ratio = other.filter(|ratio| ratio.confidence >= least);
    let pairs = pairs.len() as u64;
    let point =
        ComparisonPoint { backoff_tokens, leads, difference_ns, ratio, other_ratio, verdict, has_states, pairs };
    Some((point, base_ns))
}

fn model(
    seen: &Observations<'_>,
    backoff: &[f64],
    processes: &[Vec<f64>],
    points: &[ComparisonPoint],
    tokens: Option<&TokenCost>,
) -> Option<CostModel> {
    if backoff.len() < FEWEST_FOR_A_MODEL || processes.len() < FEWEST_FOR_A_MODEL {
        return None;
    }
    let exposed_ns = points.iter().min_by_key(|point| point.backoff_tokens)?.difference_ns;
    // A gain is the other side's cost.
    let is_gain = exposed_ns.high < 0.0;
    let turned = |ns: &f64| if is_gain { -ns } else { *ns };
    let processes: Vec<Vec<f64>> = processes.iter().map(|process| process.iter().map(turned).collect()).collect();
    let found = hiding(backoff, &processes, seen.plan.confidence)?;
    Some(CostModel {
        shape: found.shape,
        // Taken from the point, so that a page has one number for it: the curve's also rests on its neighbours.
        exposed_ns,
        residual_ns: if is_gain { found.residual.negated() } else { found.residual },
        hidden_past_tokens: found.hidden_past,
        hidden_past_ns: found.hidden_past.zip(tokens).map(|(past, cost)| past.map(|tokens| cost.ns(tokens))),
    })
}

/// Every baseline compared with a second arm of itself.
fn control(measured: &Measured<'_, '_>, confidences: (f64, f64)) -> Option<Control> {
    let seen = measured.seen;
    let mut found = Vec::new();
    for (at, spec) in seen.cells.iter().enumerate().filter(|(_, spec)| spec.control) {
        let Some(first) = place(seen, spec, &spec.case, false) else { continue };
        let arms = measured.arms(first, at);
        found.extend(point(seen, spec.tokens, &arms, arms.leads, confidences));
    }
    let wrong = |point: &ComparisonPoint| matches!(point.verdict, Difference::Faster | Difference::Slower);
    let (resolvable_pct, resolvable_ns) = resolvable(&found)?;
    // An interval of too little confidence may miss by right.
    let judged = || found.iter().map(|(point, _)| point).filter(|point| point.ratio.confidence >= confidences.1);
    Some(Control {
        comparisons: judged().count() as u32,
        alarms: judged().filter(|point| !point.difference_ns.holds(0.0)).count() as u32,
        verdicts_wrong: judged().filter(|point| wrong(point)).count() as u32,
        resolvable_pct,
        resolvable_ns,
    })
}

/// The resolution of the median of these comparisons, from the time of what is compared: in percent and in nanoseconds,
/// both of one comparison. For an even number it is the coarser of the middle two.
///
/// The interval of a difference is no narrower than the clock's uncertainty over a batch, so neither is the percentage.
fn resolvable(controls: &[(ComparisonPoint, f64)]) -> Option<(f64, f64)> {
    let of = |(point, time_ns): &(ComparisonPoint, f64)| {
        let ns = point.difference_ns.half_width();
        (100.0 * (ns / time_ns).max(point.ratio.half_width()), ns)
    };
    let mut all: Vec<(f64, f64)> =
        controls.iter().map(of).filter(|(pct, ns)| pct.is_finite() && ns.is_finite()).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.get(all.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::study::{CostShape, StudyPlan};
    use crate::study::made_up;
    use std::collections::BTreeSet;

    fn plan() -> StudyPlan {
        StudyPlan {
            cases: vec!["a".to_owned(), "b".to_owned()],
            backoff_tokens: vec![0, 5, 10],
            comparisons: vec![("a".to_owned(), "b".to_owned())],
            processes: 4,
            ..made_up::plan()
        }
    }

    fn about(estimate: f64, half: f64) -> Estimate {
        Estimate { estimate, low: estimate - half, high: estimate + half, confidence: 0.99 }
    }

    fn seen(plan: &StudyPlan) -> Observations<'_> {
        const NONE: &BTreeSet<usize> = &BTreeSet::new();
        Observations { plan, cases: &[], cells: &[], processes: &[], own_threads: NONE, error_ns: 1.0, batch_ns: 1.0 }
    }

    /// A difference, known to 0.15 ns.
    fn point(backoff_tokens: u64, ns: f64) -> ComparisonPoint {
        let verdict = Difference::Slower;
        ComparisonPoint { difference_ns: about(ns, 0.15), verdict, ..made_up::point(backoff_tokens) }
    }

    /// An operation of `time_ns`, compared with itself to ± `ns` and ± `pct`.
    fn itself(time_ns: f64, ns: f64, pct: f64) -> (ComparisonPoint, f64) {
        let ratio = about(1.0, pct / 100.0);
        let point = point(0, 0.0);
        (ComparisonPoint { difference_ns: about(0.0, ns), ratio, verdict: Difference::Same, ..point }, time_ns)
    }

    #[test]
    fn both_figures_of_the_control_are_of_one_comparison() {
        // Of 2.00, 30.0 and 500 ns: to 5 %, 1 % and 2 %.
        let controls = [itself(2.0, 0.1, 5.0), itself(30.0, 0.3, 1.0), itself(500.0, 10.0, 2.0)];
        let (pct, ns) = resolvable(&controls).unwrap();
        assert!((pct - 2.0).abs() < 1e-9 && (ns - 10.0).abs() < 1e-9, "{pct} %, {ns}");
        let (pct, ns) = resolvable(&controls[..2]).unwrap();
        assert!((pct - 5.0).abs() < 1e-9 && (ns - 0.1).abs() < 1e-9, "{pct} %, {ns}");
        assert_eq!(resolvable(&[]), None);
    }

    #[test]
    fn what_the_clock_leaves_open_is_in_both_figures() {
        // Arms that agree to 0.00003 ns of 0.262, timed in batches that the clock resolves to 0.000136 ns.
        let (pct, ns) = resolvable(&[itself(0.262, 0.000136, 0.0082)]).unwrap();
        assert_eq!(ns, 0.000136);
        assert!((pct - 0.0519).abs() < 0.0001, "{pct} %");
    }

    /// The model of a difference that is `exposed` at 0 tokens and nothing at 8 and more.
    fn falling_from(exposed: f64) -> CostModel {
        let plan = plan();
        let tokens = [0, 2, 4, 6, 8, 12, 16, 20, 24, 28];
        let left = |tokens: u64| exposed * (1.0 - tokens as f64 / 8.0).max(0.0);
        let points: Vec<ComparisonPoint> = tokens.iter().map(|tokens| point(*tokens, left(*tokens))).collect();
        let process =
            |process: u64| tokens.iter().map(|at| left(*at) + 0.01 * ((process * 5 + at * 3) % 7) as f64).collect();
        let processes: Vec<Vec<f64>> = (0..8).map(process).collect();
        model(&seen(&plan), &tokens.map(|tokens| tokens as f64), &processes, &points, None).unwrap()
    }

    #[test]
    fn a_gain_that_work_hides_is_hidden_like_a_cost() {
        let (cost, gain) = (falling_from(8.0), falling_from(-8.0));
        assert_eq!((cost.shape, gain.shape), (CostShape::Hidden, CostShape::Hidden));
        assert_eq!(cost.exposed_ns.estimate, -gain.exposed_ns.estimate);
        assert!((cost.residual_ns.estimate + gain.residual_ns.estimate).abs() < 0.1);
        assert!(cost.hidden_past_tokens.is_some() && gain.hidden_past_tokens.is_some());
    }

    #[test]
    fn the_exposed_cost_is_the_number_of_its_point() {
        let plan = plan();
        let seen = seen(&plan);
        let points = [point(0, 6.38), point(5, 3.0), point(10, 1.0)];
        // The curve rests on all backoffs of a process, and a point on one of all processes.
        let processes =
            [[6.4, 3.0, 1.0], [6.3, 3.1, 1.1], [6.4, 2.9, 0.9], [7.9, 3.0, 1.0]].map(|process| process.to_vec());
        let found = model(&seen, &[0.0, 5.0, 10.0], &processes, &points, None).unwrap();
        assert_eq!(found.exposed_ns, points[0].difference_ns);
    }
}
