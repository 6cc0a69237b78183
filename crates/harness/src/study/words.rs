//! How a study's numbers are written: an estimate with its error, or that it is not resolved.

use crate::record::study::{Cell, Comparison, Difference, Estimate, StudyPlan};

use crate::quantity::{PER_SECOND, RATIO, TIME, count, limit, ns};

/// Why there is no verdict where processes disagree.
pub const TWO_STATES: &str = "inconclusive: two states";

/// A non-negative time with its interval: `7.66 ns ± 0.06`.
pub fn duration(estimate: &Estimate) -> String {
    joined(&TIME.amount(estimate))
}

/// A rate with its interval: `83.0 M/s ± 0.4`.
pub fn rate(estimate: &Estimate) -> String {
    joined(&PER_SECOND.amount(estimate))
}

/// A ratio with its interval: `1.95× ± 0.02`.
pub fn ratio(estimate: &Estimate) -> String {
    joined(&RATIO.amount(estimate))
}

/// The range of a backoff in tokens, rounded to whole ones: `13 to 17 tokens`.
pub fn token_span(estimate: &Estimate) -> String {
    // Float casts saturate, and NaN becomes 0.
    let [low, high] = [estimate.low, estimate.high].map(|tokens| tokens.round() as u64);
    let text = if low < high { format!("{} to {}", count(low), token_count(high)) } else { token_count(high) };
    joined(&text)
}

/// A resolved difference as a cost; a negative one as a saving.
pub fn cost(estimate: &Estimate) -> String {
    match (estimate.is_resolved(), estimate.high < 0.0) {
        (false, _) => unresolved(estimate),
        (true, true) => format!("{} less", duration(&turned(estimate))),
        (true, false) => duration(estimate),
    }
}

/// The ends of an interval of durations: `7.60–7.72 ns`.
pub fn interval(estimate: &Estimate) -> String {
    if estimate.confidence == 0.0 { "none".to_owned() } else { TIME.interval(estimate.low, estimate.high) }
}

/// The range that an interval allows where it contains zero difference: `unresolved (± 0.45 ns)`.
pub fn unresolved(estimate: &Estimate) -> String {
    format!("inconclusive ({})", off(reach(estimate)))
}

/// The error of a duration: `± 0.45 ns`.
pub fn off(ns: f64) -> String {
    joined(&TIME.off(ns))
}

/// How far from zero the interval reaches.
pub fn reach(estimate: &Estimate) -> f64 {
    estimate.low.abs().max(estimate.high.abs())
}

/// A difference as a quantity: its value where resolved, else the range the interval allows.
pub fn difference(estimate: &Estimate, verdict: Difference) -> String {
    match (estimate.is_resolved(), verdict) {
        (true, _) => joined(&TIME.difference(estimate)),
        (false, Difference::Same) => format!("within {}", off(reach(estimate))),
        (false, _) => unresolved(estimate),
    }
}

/// The same difference, negated.
pub fn turned(estimate: &Estimate) -> Estimate {
    Estimate { estimate: -estimate.estimate, low: -estimate.high, high: -estimate.low, ..*estimate }
}

/// The verdict in a word or two. A resolved difference may still lie on either side of the margin.
pub fn verdict(verdict: Difference, difference: &Estimate, margin_pct: f64) -> String {
    match verdict {
        Difference::Unresolved if difference.is_resolved() => format!("inconclusive at {}", limit(margin_pct)),
        Difference::Faster => "faster".to_owned(),
        Difference::Slower => "slower".to_owned(),
        Difference::Same => format!("same within {}", limit(margin_pct)),
        Difference::Unresolved => "inconclusive".to_owned(),
    }
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

/// A cell's time, in words for a table.
pub fn cell_time(cell: &Cell) -> String {
    match (&cell.time_ns, cell.below_ns) {
        (Some(time), _) => duration(time),
        (None, Some(below)) => TIME.below(below),
        (None, None) => "none".to_owned(),
    }
}

/// The same without its interval, where another column shows it.
pub fn cell_point(cell: &Cell) -> String {
    match (&cell.time_ns, cell.below_ns) {
        (Some(time), _) => ns(time.estimate),
        (None, Some(below)) => TIME.below(below),
        (None, None) => "none".to_owned(),
    }
}

/// Why a cell has no time: `< 0.320 ns` where it is indistinguishable from an empty loop, else the reason in words.
pub fn why_no_time(cell: Option<&Cell>) -> String {
    let below = cell.and_then(|cell| cell.below_ns).map(|ns| TIME.below(ns));
    below.or_else(|| cell?.reason_no_time.clone()).unwrap_or_else(|| "not measured".to_owned())
}

/// The case with its role and parameters.
pub fn cell_name(cell: &Cell) -> String {
    let role = cell.role.as_ref().map_or_else(String::new, |role| format!(" / {role}"));
    format!("{}{role}{}", cell.case, parameters(&cell.parameters))
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
pub fn joined(text: &str) -> String {
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
        let noise = of(-0.3, -0.7, 0.1);
        assert_eq!(plain(&difference(&noise, Difference::Unresolved)), "inconclusive (± 0.70 ns)");
        assert_eq!(plain(&difference(&noise, Difference::Same)), "within ± 0.70 ns");
        assert_eq!(plain(&difference(&of(-3.0, -3.2, -2.8), Difference::Faster)), "-3.00 ns ± 0.20");
        assert!(!Estimate { confidence: 0.0, ..of(3.0, 3.0, 3.0) }.is_resolved());
    }

    proptest! {
        #[test]
        fn no_number_panics(value in any::<f64>(), low in any::<f64>(), high in any::<f64>(), confidence in any::<f64>()) {
            let estimate = Estimate { estimate: value, low, high, confidence };
            for text in [
                duration(&estimate), rate(&estimate), ratio(&estimate), token_span(&estimate), interval(&estimate),
                unresolved(&estimate), off(value), difference(&estimate, Difference::Unresolved),
            ] {
                prop_assert!(!text.is_empty() && text.chars().count() < 100, "{text}");
            }
        }
    }
}
