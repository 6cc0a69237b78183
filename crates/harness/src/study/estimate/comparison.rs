use super::disturbed::Disturbed;
use super::iteration::{FEW, Iteration, Timed, counted_up_to, operations_per_batch};
use super::observations::{Observations, median};
use crate::record::study::{Comparison, ComparisonPoint, Control, CostModel, Difference, Estimate, TokenCost};
use crate::stats::{Paired, compare, confidence_of_each, hiding, paired};
use crate::study::schedule::CellSpec;

/// Minimum backoffs and processes for a model of the difference.
const FEWEST_FOR_A_MODEL: usize = 3;

/// All comparisons of the plan, and those of operations with themselves.
pub(super) fn estimate(
    seen: &Observations<'_>,
    iterations: &[Vec<Iteration<'_>>],
    tokens: Option<&TokenCost>,
) -> (Vec<Comparison>, Option<Control>) {
    let of = comparisons(seen);
    // For all comparisons at once, as the intervals are meant to hold and as they must for a verdict.
    let confidence = confidence_of_each(seen.plan.confidence, of);
    let least = confidence_of_each(Estimate::LEAST_CONFIDENCE, of);
    let mut found = Vec::new();
    for (case, baseline) in &seen.plan.comparisons {
        for row in rows(seen, case) {
            found.extend(comparison(seen, iterations, (case, baseline), &row, tokens, (confidence, least)));
        }
    }
    (found, control(seen, iterations, (confidence, least)))
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
    seen: &Observations<'_>,
    iterations: &[Vec<Iteration<'_>>],
    (case, baseline): (&str, &str),
    row: &[&CellSpec],
    tokens: Option<&TokenCost>,
    confidences: (f64, f64),
) -> Option<Comparison> {
    let mut points = Vec::new();
    let mut differences: Vec<Vec<f64>> = vec![Vec::new(); seen.processes.len()];
    let mut backoff = Vec::new();
    for spec in row {
        let (Some(a), Some(b)) = (place(seen, spec, baseline, false), place(seen, spec, case, false)) else { continue };
        let pairs = pairs(&iterations[a], &iterations[b], seen.processes.len());
        // A model needs every process at every backoff: one without a pair that counts gives those that do not.
        let all = pairs_up_to(&iterations[a], &iterations[b], seen.processes.len(), Disturbed::Yes);
        for ((process, pairs), all) in differences.iter_mut().zip(&pairs).zip(&all) {
            let sides = sides(if pairs.is_empty() { all } else { pairs });
            process.push(sides.map_or(f64::NAN, |(a, b)| b - a));
        }
        backoff.push(spec.tokens as f64);
        let floor_ns = floor_ns(seen, &iterations[b]).max(floor_ns(seen, &iterations[a]));
        let Some((point, _)) = point(seen, spec.tokens, &pairs, floor_ns, confidences) else { continue };
        points.push(point);
    }
    let first = row.first().filter(|_| !points.is_empty())?;
    let whole: Vec<Vec<f64>> =
        differences.into_iter().filter(|process| process.iter().all(|ns| ns.is_finite())).collect();
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

/// Iterations of two cells in the same round.
type Pair<'i, 'a> = (&'i Iteration<'a>, &'i Iteration<'a>);

/// For each process, its iterations of both cells in the same rounds, as undisturbed as enough processes allow.
fn pairs<'i, 'a>(a: &'i [Iteration<'a>], b: &'i [Iteration<'a>], processes: usize) -> Vec<Vec<Pair<'i, 'a>>> {
    let up_to = |level: Disturbed| pairs_up_to(a, b, processes, level);
    let mut found = up_to(counted_up_to(|level| up_to(level).iter().map(Vec::len).collect()));
    // Next to processes with a few, one with less says what a stray pair says.
    if found.iter().filter(|pairs| pairs.len() >= FEW).count() >= FEW {
        found.iter_mut().filter(|pairs| pairs.len() < FEW).for_each(Vec::clear);
    }
    found
}

fn pairs_up_to<'i, 'a>(
    a: &'i [Iteration<'a>],
    b: &'i [Iteration<'a>],
    processes: usize,
    level: Disturbed,
) -> Vec<Vec<Pair<'i, 'a>>> {
    let mut found = vec![Vec::new(); processes];
    for of_a in a.iter().filter(|iteration| iteration.disturbed <= level) {
        let same_round =
            |iteration: &&Iteration<'_>| iteration.process == of_a.process && iteration.log.round == of_a.log.round;
        if let Some(of_b) = b.iter().find(same_round).filter(|iteration| iteration.disturbed <= level) {
            found[of_a.process].push((of_a, of_b));
        }
    }
    found
}

/// The time per operation and thread of either side in one process: the median over rounds of the first, and that many times the
/// median ratio of the two, which a round that the machine disturbed does not move. None without a pair.
fn sides(pairs: &[Pair<'_, '_>]) -> Option<(f64, f64)> {
    // A side during which the clock stalled gives no ratio.
    let first_ns = median(pairs.iter().map(|(a, _)| whole_ns(a))).filter(|ns| *ns > 0.0)?;
    let ratio = median(pairs.iter().map(|(a, b)| whole_ns(b) / whole_ns(a)))?;
    Some((first_ns, first_ns * ratio))
}

/// The mean time per operation and thread over all roles.
fn whole_ns(iteration: &Iteration<'_>) -> f64 {
    let threads: usize = iteration.roles.iter().map(Vec::len).sum();
    threads as f64 * 1e9 / (0..iteration.roles.len()).map(|role| iteration.per_s(role)).sum::<f64>()
}

/// The uncertainty that batch overhead leaves in one operation's time.
fn floor_ns(seen: &Observations<'_>, iterations: &[Iteration<'_>]) -> f64 {
    let threads = iterations.iter().flat_map(|iteration| &iteration.log.threads);
    seen.floor_ns(median(threads.map(operations_per_batch)).unwrap_or(1.0))
}

/// What the pairs of all processes say at one backoff, and the first side's time.
fn point(
    seen: &Observations<'_>,
    backoff_tokens: u64,
    pairs: &[Vec<Pair<'_, '_>>],
    floor_ns: f64,
    (confidence, least): (f64, f64),
) -> Option<(ComparisonPoint, f64)> {
    let processes: Vec<(f64, f64)> = pairs.iter().filter_map(|pairs| sides(pairs)).collect();
    let base_ns = median(processes.iter().map(|(a, _)| *a))?;
    let Paired { difference: difference_ns, ratio } = paired(&processes, confidence)?.at_least(floor_ns, base_ns);
    let margin = seen.plan.margin_pct / 100.0;
    let means = ratio_of_means(pairs);
    let verdict = match compare(&ratio, margin) {
        // Too few processes for as many comparisons.
        _ if ratio.confidence < least => Difference::Unresolved,
        // Where the clock itself could make the difference, nothing is known of its direction.
        Difference::Faster | Difference::Slower if difference_ns.holds(0.0) => Difference::Unresolved,
        // Calls rarer than iterations are in the means alone.
        Difference::Same if means.is_some_and(|ratio| (ratio - 1.0).abs() > margin) => Difference::Unresolved,
        Difference::Faster if means.is_some_and(|ratio| ratio >= 1.0) => Difference::Unresolved,
        Difference::Slower if means.is_some_and(|ratio| ratio <= 1.0) => Difference::Unresolved,
        verdict => verdict,
    };
    let point = ComparisonPoint {
        backoff_tokens,
        difference_ns,
        ratio,
        verdict,
        pairs: pairs.iter().map(Vec::len).sum::<usize>() as u64,
    };
    Some((point, base_ns))
}

/// The ratio of the mean times, as a process typically has it.
fn ratio_of_means(pairs: &[Vec<Pair<'_, '_>>]) -> Option<f64> {
    let ratio = |pairs: &Vec<Pair<'_, '_>>| {
        let whole = |of: &dyn Fn(&Pair<'_, '_>) -> Timed| pairs.iter().map(of).sum::<Timed>().mean_ns();
        Some(whole(&|(_, b)| timed(b))? / whole(&|(a, _)| timed(a))?)
    };
    median(pairs.iter().filter_map(ratio))
}

/// The operations of all roles.
fn timed(iteration: &Iteration<'_>) -> Timed {
    iteration.timed.iter().copied().sum()
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
        // Taken from the point, so that a page has one number for it: the curve's uses other pairs.
        exposed_ns,
        residual_ns: if is_gain { found.residual.negated() } else { found.residual },
        hidden_past_tokens: found.hidden_past,
        hidden_past_ns: found.hidden_past.zip(tokens).map(|(past, cost)| past.map(|tokens| cost.ns(tokens))),
    })
}

/// Every baseline compared with a second arm of itself.
fn control(seen: &Observations<'_>, iterations: &[Vec<Iteration<'_>>], confidences: (f64, f64)) -> Option<Control> {
    let mut found = Vec::new();
    for (at, spec) in seen.cells.iter().enumerate().filter(|(_, spec)| spec.control) {
        let Some(first) = place(seen, spec, &spec.case, false) else { continue };
        let pairs = pairs(&iterations[first], &iterations[at], seen.processes.len());
        found.extend(point(seen, spec.tokens, &pairs, floor_ns(seen, &iterations[at]), confidences));
    }
    let wrong = |point: &ComparisonPoint| matches!(point.verdict, Difference::Faster | Difference::Slower);
    let (resolvable_pct, resolvable_ns) = resolvable(&found)?;
    Some(Control {
        comparisons: found.len() as u32,
        alarms: found.iter().filter(|(point, _)| !point.difference_ns.holds(0.0)).count() as u32,
        verdicts_wrong: found.iter().filter(|(point, _)| wrong(point)).count() as u32,
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
        Observations {
            plan,
            cases: &[],
            cells: &[],
            processes: &[],
            own_threads: NONE,
            times_only: false,
            least: &[],
            error_ns: 1.0,
            batch_ns: 1.0,
        }
    }

    /// A difference, known to 0.15 ns.
    fn point(backoff_tokens: u64, ns: f64) -> ComparisonPoint {
        ComparisonPoint {
            backoff_tokens,
            difference_ns: about(ns, 0.15),
            ratio: about(1.5, 0.1),
            verdict: Difference::Slower,
            pairs: 60,
        }
    }

    /// An operation of `time_ns`, compared with itself to ± `ns` and ± `pct`.
    fn itself(time_ns: f64, ns: f64, pct: f64) -> (ComparisonPoint, f64) {
        let point = ComparisonPoint {
            backoff_tokens: 0,
            difference_ns: about(0.0, ns),
            ratio: about(1.0, pct / 100.0),
            verdict: Difference::Same,
            pairs: 60,
        };
        (point, time_ns)
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
        // Processes whose disturbed pairs count for the curve, but not for the points.
        let processes =
            [[6.4, 3.0, 1.0], [6.3, 3.1, 1.1], [6.4, 2.9, 0.9], [7.9, 3.0, 1.0]].map(|process| process.to_vec());
        let found = model(&seen, &[0.0, 5.0, 10.0], &processes, &points, None).unwrap();
        assert_eq!(found.exposed_ns, points[0].difference_ns);
    }
}
