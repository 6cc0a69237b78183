//! How a study's numbers are written: an estimate with its error, or that it is not resolved.

use crate::quantity::{Quantity, RATIO, TIME, count, limit};
use crate::record::study::{Cell, Comparison, ComparisonPoint, Difference, Estimate, Parameters, StudyPlan};

/// A non-negative quantity with its interval: `7.66 ns ± 0.06`, `1.95× ± 0.02`.
pub fn amount(quantity: Quantity, estimate: &Estimate) -> String {
    joined(&quantity.amount(estimate))
}

/// The range of a backoff in tokens, rounded to whole ones: `13 to 17 tokens`.
pub(super) fn token_span(estimate: &Estimate) -> String {
    // Float casts saturate, and NaN becomes 0.
    let [low, high] = [estimate.low, estimate.high].map(|tokens| tokens.round() as u64);
    let text = if low < high { format!("{} to {}", count(low), token_count(high)) } else { token_count(high) };
    joined(&text)
}

/// The ends of an interval of durations: `7.60–7.72 ns`.
pub fn interval(estimate: &Estimate) -> String {
    estimate.interval().map_or_else(|| "none".to_owned(), |(low, high)| TIME.interval(low, high))
}

/// A difference as a quantity: its value where resolved or without an interval, else that interval alone: `-0.300 to +0.450 ns`.
pub fn difference(estimate: &Estimate) -> String {
    let is_written = estimate.is_resolved() || !estimate.has_confidence();
    let open = || TIME.signed().interval(estimate.low, estimate.high);
    joined(&if is_written { TIME.difference(estimate) } else { open() })
}

/// The verdict in a word or two. A resolved difference may still lie on either side of the margin.
pub fn verdict(verdict: Difference, has_states: bool, difference: Option<&Estimate>, margin_pct: f64) -> String {
    match verdict {
        Difference::Faster => "faster".to_owned(),
        Difference::Slower => "slower".to_owned(),
        Difference::Same => format!("same within {}", limit(margin_pct)),
        Difference::Unresolved if has_states => "inconclusive: two states".to_owned(),
        Difference::Unresolved if difference.is_some_and(Estimate::is_resolved) => {
            format!("inconclusive at {}", limit(margin_pct))
        }
        Difference::Unresolved => "inconclusive".to_owned(),
    }
}

/// The verdict on a point, with what the number that does not lead says otherwise: `same within 1 %, mean 1.40× ± 0.10`.
pub fn verdict_of(point: &ComparisonPoint, margin_pct: f64) -> String {
    let words = verdict(point.verdict, point.has_states, Some(&point.difference_ns), margin_pct);
    match point.disagreement(margin_pct) {
        Some(other) => format!("{words}, {} {}", point.leads.other().word(), amount(RATIO, &other)),
        None => words,
    }
}

/// A cell by name: `lookup size=64, 0 tokens, 2 threads`.
pub fn cell_title(plan: &StudyPlan, cell: &Cell) -> String {
    placed(cell_name(cell), plan, cell.backoff_tokens, cell.threads)
}

/// `name` with its backoff and threads, where the plan has others.
pub(super) fn placed(name: String, plan: &StudyPlan, tokens: u64, threads: u32) -> String {
    let place = plan.place(&Parameters::new(), tokens, threads);
    if place.is_empty() { name } else { format!("{name}, {place}") }
}

/// `seq_cst against relaxed size=64, 1 thread`; without threads in a study that has one throughout.
pub fn title(plan: &StudyPlan, comparison: &Comparison) -> String {
    format!("{}{}", pair(comparison), on_threads(plan, comparison.threads))
}

/// `, 2 threads`; empty in a study that has one throughout.
pub fn on_threads(plan: &StudyPlan, number: u32) -> String {
    if plan.names_threads(number) { format!(", {}", threads(number)) } else { String::new() }
}

/// The same without threads.
pub fn pair(comparison: &Comparison) -> String {
    format!("{} against {}{}", comparison.case, comparison.baseline, parameters(&comparison.parameters))
}

/// `1 thread`, `8 threads`.
pub fn threads(threads: u32) -> String {
    some(u64::from(threads), "thread")
}

/// `1 token`, `40 tokens`.
pub fn token_count(tokens: u64) -> String {
    some(tokens, "token")
}

/// A time in a table, an upper bound where it is too short to tell, or that there is none.
pub fn time(time_ns: Option<Estimate>, below_ns: Option<f64>, written: impl Fn(&Estimate) -> String) -> String {
    let time = time_ns.map(|time| written(&time)).or_else(|| below_ns.map(|below| TIME.below(below)));
    time.unwrap_or_else(|| "none".to_owned())
}

/// Why a cell has no time: `< 0.320 ns` where it is indistinguishable from an empty loop, else the reason in words.
pub fn why_no_time(cell: Option<&Cell>) -> String {
    let below = cell.and_then(|cell| cell.below_ns).map(|ns| TIME.below(ns));
    below.or_else(|| cell?.reason_no_time.clone()).unwrap_or_else(|| "not measured".to_owned())
}

/// The case with its role and parameters.
fn cell_name(cell: &Cell) -> String {
    let role = cell.role.as_ref().map_or_else(String::new, |role| format!(" / {role}"));
    format!("{}{role}{}", cell.case, parameters(&cell.parameters))
}

/// `a, b`: a name that has a comma itself is quoted.
pub fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted = |name: &str| if name.contains(',') { format!("\"{name}\"") } else { name.to_owned() };
    names.into_iter().map(quoted).collect::<Vec<_>>().join(", ")
}

/// ` size=64 depth=2`, with a space before each.
pub fn parameters<'a>(parameters: impl IntoIterator<Item = (&'a String, &'a String)>) -> String {
    parameters.into_iter().map(|(name, value)| format!(" {name}={value}")).collect()
}

/// `quiet of all` as counts.
pub fn of(part: u64, all: u64) -> String {
    format!("{} of {}", count(part), count(all))
}

fn some(count_of: u64, one: &str) -> String {
    format!("{} {one}{}", count(count_of), if count_of == 1 { "" } else { "s" })
}

/// With no-break spaces.
fn joined(text: &str) -> String {
    text.replace(' ', "\u{a0}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(estimate: f64, low: f64, high: f64) -> Estimate {
        Estimate { estimate, low, high, confidence: 0.999 }
    }

    fn plain(text: &str) -> String {
        text.replace('\u{a0}', " ")
    }

    #[test]
    fn what_is_not_resolved_is_no_cost() {
        assert_eq!(plain(&difference(&of(-0.3, -0.7, 0.1))), "-0.700 to +0.100 ns");
        assert_eq!(plain(&difference(&of(-28.0, -139.0, 82.0))), "-139 to +82 ns");
        assert_eq!(plain(&difference(&of(-3.0, -3.2, -2.8))), "-3.00 ns ± 0.20");
        let once = Estimate { confidence: 0.0, ..of(3.0, 3.0, 3.0) };
        assert_eq!((once.is_resolved(), plain(&difference(&once))), (false, "3.00 ns (no interval)".to_owned()));
    }

    proptest! {
        #[test]
        fn no_number_panics(value in any::<f64>(), low in any::<f64>(), high in any::<f64>(), confidence in any::<f64>()) {
            let estimate = Estimate { estimate: value, low, high, confidence };
            for text in [amount(TIME, &estimate), token_span(&estimate), interval(&estimate), difference(&estimate)] {
                prop_assert!(!text.is_empty() && text.chars().count() < 100, "{text}");
            }
        }
    }
}
