use std::collections::BTreeMap;

use super::iteration::{Iteration, Timed, batches_ns, operations_per_batch};
use super::judge::{Pair, Terms, judge};
use super::numbers::{by_process, own};
use super::observations::Observations;
use crate::record::study::{
    CellProcess, Comparison, ComparisonPoint, Control, CostModel, Difference, Estimate, Leading, TokenCost,
};
use crate::stats::{confidence_of_each, hiding, median};
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
    let of_case = |case: &str| seen.cells.iter().filter(|spec| spec.case == case && !spec.control).collect();
    let compared: Vec<Vec<&CellSpec>> = seen.plan.comparisons.iter().map(|(case, _)| of_case(case)).collect();
    // For all comparisons at once, as the intervals are meant to hold and as they must for a verdict.
    let of_each = |of_all: f64| confidence_of_each(of_all, compared.iter().map(Vec::len).sum());
    let (confidence, least) = (of_each(seen.plan.confidence), of_each(Estimate::LEAST_CONFIDENCE));
    let terms = Terms { margin_pct: seen.plan.margin_pct, confidence, least };
    let measured = Measured { seen, iterations, leads, terms };
    let mut found = Vec::new();
    for ((_, baseline), specs) in seen.plan.comparisons.iter().zip(&compared) {
        // Cells that differ only in backoff follow each other.
        let rows = specs.chunk_by(|one, next| (one.threads, &one.parameters) == (next.threads, &next.parameters));
        found.extend(rows.filter_map(|row| measured.comparison(baseline, row, tokens)));
    }
    (found, measured.control())
}

/// The iterations of each cell, and which number of it leads.
struct Measured<'s, 'a> {
    seen: &'s Observations<'a>,
    iterations: &'s [Vec<Iteration<'a>>],
    leads: &'s [Leading],
    terms: Terms,
}

/// Two cells in the same processes.
struct Arms {
    leads: Leading,
    /// For each process, both of its numbers of the first, and those of the second.
    processes: Vec<(CellProcess, CellProcess)>,
    /// The mean times of all processes together: a call so rare that few of them meet it is in that.
    all_ns: Option<(f64, f64)>,
    /// The uncertainty that batch overhead leaves in one operation's time.
    floor_ns: f64,
}

impl Measured<'_, '_> {
    /// The cells of `case` and of `other` that otherwise match `spec`; the latter may be the second arm of a comparison with itself.
    fn arms(&self, spec: &CellSpec, case: &str, (other, control): (&str, bool)) -> Option<Arms> {
        let place = |case: &str, control: bool| {
            let is_it = |it: &CellSpec| it.arena == spec.arena && it.case == case && it.control == control;
            self.seen.cells.iter().position(is_it)
        };
        let cells = [place(case, false)?, place(other, control)?];
        let iterations = cells.map(|cell| self.iterations[cell].as_slice());
        let [of_a, of_b] = iterations.map(|own| by_process(own, None, self.seen.processes.len()));
        let paired = |(process, (of_a, of_b)): (usize, (CellProcess, CellProcess))| {
            let typical_ns = of_a.typical_ns.zip(ratio_of_rounds(iterations, process)).map(|(ns, ratio)| ns * ratio);
            (of_a, CellProcess { typical_ns, ..of_b })
        };
        let [all_a, all_b] =
            iterations.map(|own| own.iter().flat_map(|one| &one.timed).copied().sum::<Timed>().mean_ns());
        let floors_ns = iterations.map(|own| {
            let threads = own.iter().flat_map(|iteration| &iteration.log.threads);
            self.seen.floor_ns(median(threads.map(operations_per_batch)).unwrap_or(1.0))
        });
        Some(Arms {
            leads: self.leads[cells[0]].max(self.leads[cells[1]]),
            processes: of_a.into_iter().zip(of_b).enumerate().map(paired).collect(),
            all_ns: all_a.zip(all_b),
            floor_ns: floors_ns[0].max(floors_ns[1]),
        })
    }

    /// Cells of one case that differ only in backoff, compared with the baseline's.
    fn comparison(&self, baseline: &str, row: &[&CellSpec], tokens: Option<&TokenCost>) -> Option<Comparison> {
        let arms = |spec: &&CellSpec| Some((spec.tokens, self.arms(spec, baseline, (&spec.case, false))?));
        let arms: Vec<(u64, Arms)> = row.iter().filter_map(arms).collect();
        // One curve is of one number.
        let leads = arms.iter().map(|(_, arms)| arms.leads).max()?;
        let point = |(tokens, arms): &(u64, Arms)| arms.point(*tokens, leads, &self.terms);
        let points: Vec<ComparisonPoint> = arms.iter().filter_map(point).collect();
        let backoff: Vec<f64> = arms.iter().map(|(tokens, _)| *tokens as f64).collect();
        let of_process = |process: usize| {
            let difference = |(_, arms): &(u64, Arms)| {
                let (a, b) = &arms.processes[process];
                Some(b.number(leads)? - a.number(leads)?)
            };
            arms.iter().map(difference).collect::<Option<Vec<f64>>>()
        };
        let whole: Vec<Vec<f64>> = (0..self.seen.processes.len()).filter_map(of_process).collect();
        let first = row.first().filter(|_| !points.is_empty())?;
        Some(Comparison {
            case: first.case.clone(),
            baseline: baseline.to_owned(),
            parameters: first.parameters.clone(),
            threads: first.threads,
            model: model(&backoff, &whole, &points, tokens, self.seen.plan.confidence),
            points,
        })
    }

    /// Every baseline compared with a second arm of itself.
    fn control(&self) -> Option<Control> {
        let point = |spec: &CellSpec| {
            let arms = self.arms(spec, &spec.case, (&spec.case, true))?;
            arms.point(spec.tokens, arms.leads, &self.terms)
        };
        let controls = self.seen.cells.iter().filter(|spec| spec.control);
        control(controls.filter_map(point).collect(), self.terms.least)
    }
}

impl Arms {
    /// How they compare at a backoff by one of the two numbers, and whether the other one agrees.
    fn point(&self, backoff_tokens: u64, leads: Leading, terms: &Terms) -> Option<ComparisonPoint> {
        let by = |which: Leading| {
            // Both are of one process, whose pace moves both.
            let pair = |(a, b): &(CellProcess, CellProcess)| Some((a.number(which)?, b.number(which)?, None));
            let pairs: Vec<Pair> = self.processes.iter().filter_map(pair).collect();
            judge(which, &pairs, self.all_ns.filter(|_| which == Leading::Mean), self.floor_ns, terms)
        };
        let other_ratio = by(leads.other()).map(|other| other.ratio).filter(|ratio| ratio.confidence >= terms.least);
        Some(ComparisonPoint { backoff_tokens, other_ratio, ..by(leads)? })
    }
}

/// How many times as long a typical operation of the second takes in one process: the median over rounds of the ratio of median
/// batches. A core that changes its pace between two rounds moves both sides alike, and one that does within a round moves that.
fn ratio_of_rounds(sides: [&[Iteration<'_>]; 2], process: usize) -> Option<f64> {
    let level = |iteration: &Iteration<'_>| {
        median(iteration.roles.iter().flatten().flat_map(|thread| batches_ns(thread))).filter(|ns| *ns > 0.0)
    };
    let [a, b] = sides.map(|iterations| -> BTreeMap<u32, f64> {
        own(iterations, process).filter_map(|iteration| Some((iteration.log.round, level(iteration)?))).collect()
    });
    median(a.iter().filter_map(|(round, of_a)| Some(b.get(round)? / of_a)))
}

fn model(
    backoff: &[f64],
    processes: &[Vec<f64>],
    points: &[ComparisonPoint],
    tokens: Option<&TokenCost>,
    confidence: f64,
) -> Option<CostModel> {
    if backoff.len() < FEWEST_FOR_A_MODEL || processes.len() < FEWEST_FOR_A_MODEL {
        return None;
    }
    let exposed_ns = points.iter().min_by_key(|point| point.backoff_tokens)?.difference_ns;
    // A gain is the other side's cost.
    let is_gain = exposed_ns.high < 0.0;
    let turned = |ns: &f64| if is_gain { -ns } else { *ns };
    let processes: Vec<Vec<f64>> = processes.iter().map(|process| process.iter().map(turned).collect()).collect();
    let found = hiding(backoff, &processes, confidence)?;
    Some(CostModel {
        shape: found.shape,
        // Taken from the point, so that a page has one number for it: the curve's also rests on its neighbours.
        exposed_ns,
        residual_ns: if is_gain { found.residual.negated() } else { found.residual },
        hidden_past_tokens: found.hidden_past,
        hidden_past_ns: found.hidden_past.zip(tokens).map(|(past, cost)| past.map(|tokens| cost.ns(tokens))),
    })
}

/// What comparisons of operations with themselves say of those with others. The resolution is that of the median of them, or the
/// coarser of the middle two: in percent and in nanoseconds, both of one comparison.
fn control(mut found: Vec<ComparisonPoint>, least: f64) -> Option<Control> {
    found.sort_by(|a, b| a.ratio.half_width().total_cmp(&b.ratio.half_width()));
    let median = found.get(found.len() / 2)?;
    // An interval of too little confidence may miss by right.
    let count = |is_counted: fn(&&ComparisonPoint) -> bool| {
        found.iter().filter(|point| point.ratio.confidence >= least).filter(is_counted).count() as u32
    };
    Some(Control {
        comparisons: count(|_| true),
        alarms: count(|point| !point.difference_ns.holds(0.0)),
        verdicts_wrong: count(|point| matches!(point.verdict, Difference::Faster | Difference::Slower)),
        resolvable_pct: 100.0 * median.ratio.half_width(),
        resolvable_ns: median.difference_ns.half_width(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::study::CostShape;
    use crate::study::made_up;

    fn about(estimate: f64, half: f64) -> Estimate {
        Estimate { estimate, low: estimate - half, high: estimate + half, confidence: 0.99 }
    }

    /// A difference, known to 0.15 ns.
    fn point(backoff_tokens: u64, ns: f64) -> ComparisonPoint {
        let verdict = Difference::Slower;
        ComparisonPoint { difference_ns: about(ns, 0.15), verdict, ..made_up::point(backoff_tokens) }
    }

    /// An operation compared with itself to ± `ns` and ± `pct`.
    fn itself(ns: f64, pct: f64) -> ComparisonPoint {
        let (difference_ns, ratio) = (about(0.0, ns), about(1.0, pct / 100.0));
        ComparisonPoint { difference_ns, ratio, verdict: Difference::Same, ..point(0, 0.0) }
    }

    #[test]
    fn both_figures_of_the_control_are_of_one_comparison() {
        // Of 2.00, 30.0 and 500 ns: to 5 %, 1 % and 2 %.
        let controls = [itself(0.1, 5.0), itself(0.3, 1.0), itself(10.0, 2.0)];
        let resolvable = |controls: &[ComparisonPoint]| {
            let found = control(controls.to_vec(), 0.95)?;
            Some((found.resolvable_pct, found.resolvable_ns))
        };
        let (pct, ns) = resolvable(&controls).unwrap();
        assert!((pct - 2.0).abs() < 1e-9 && (ns - 10.0).abs() < 1e-9, "{pct} %, {ns}");
        let (pct, ns) = resolvable(&controls[..2]).unwrap();
        assert!((pct - 5.0).abs() < 1e-9 && (ns - 0.1).abs() < 1e-9, "{pct} %, {ns}");
        assert_eq!(resolvable(&[]), None);
    }

    #[test]
    fn what_the_clock_leaves_open_is_in_both_figures() {
        // Arms that agree to 0.00003 ns of 0.262, timed in batches that the clock resolves to 0.000136 ns.
        let pairs: Vec<Pair> = (0..12).map(|process| (0.262, 0.262 + 5e-6 * f64::from(process - 6), None)).collect();
        let terms = Terms { margin_pct: 1.0, confidence: 0.99, least: 0.95 };
        let itself = judge(Leading::Typical, &pairs, None, 0.000_136, &terms).unwrap();
        let found = control(vec![itself], 0.95).unwrap();
        assert!((found.resolvable_ns - 0.000_136).abs() < 1e-9, "{found:?}");
        assert!((found.resolvable_pct - 0.0519).abs() < 0.0001, "{found:?}");
    }

    /// The model of a difference that is `exposed` at 0 tokens and nothing at 8 and more.
    fn falling_from(exposed: f64) -> CostModel {
        let tokens = [0, 2, 4, 6, 8, 12, 16, 20, 24, 28];
        let left = |tokens: u64| exposed * (1.0 - tokens as f64 / 8.0).max(0.0);
        let points: Vec<ComparisonPoint> = tokens.iter().map(|tokens| point(*tokens, left(*tokens))).collect();
        let process =
            |process: u64| tokens.iter().map(|at| left(*at) + 0.01 * ((process * 5 + at * 3) % 7) as f64).collect();
        let processes: Vec<Vec<f64>> = (0..8).map(process).collect();
        model(&tokens.map(|tokens| tokens as f64), &processes, &points, None, 0.99).unwrap()
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
        let points = [point(0, 6.38), point(5, 3.0), point(10, 1.0)];
        // The curve rests on all backoffs of a process, and a point on one of all processes.
        let processes =
            [[6.4, 3.0, 1.0], [6.3, 3.1, 1.1], [6.4, 2.9, 0.9], [7.9, 3.0, 1.0]].map(|process| process.to_vec());
        let found = model(&[0.0, 5.0, 10.0], &processes, &points, None, 0.99).unwrap();
        assert_eq!(found.exposed_ns, points[0].difference_ns);
    }
}
