use chronoscope_harness::record::study::{CostModel, CostShape, Difference, Estimate, StudyRecord};

use super::cases::BASELINES;
use super::cost::{Amortised, amortised, rows};
use super::naive::{Absurdity, Less, absurdities, differences};
use super::*;
use crate::synthetic::{cell, comparison, interval, page, record};

/// Volatile costs 8 ns, falling by 1 per token to 0.1; the baselines differ by 1 ns.
fn made_up() -> StudyRecord {
    let tokens = [0, 5, 10, 20, 40];
    let mut made = record(&tokens, &[1, 2]);
    let mut points = Vec::new();
    let mut shared = Vec::new();
    for k in tokens {
        let work = 2.0 * k as f64;
        let cost = (8.0 - k as f64).max(0.1);
        for threads in [1, 2] {
            let at = |ns: f64| [ns, ns + 0.01, ns - 0.01, ns];
            made.cells.push(cell(CONSUME, k, threads, at(1.0 + work)));
            made.cells.push(cell(RETURN_42, k, threads, at(2.0 + work)));
            made.cells.push(cell(RETURN_FIELD, k, threads, at(1.5 + work)));
            made.cells.push(cell(PLAIN, k, threads, at(1.6 + work)));
            made.cells.push(cell(VOLATILE, k, threads, at(1.6 + work + cost)));
            made.cells.push(cell(PLAIN_SHARED, k, threads, at(20.0 + work)));
            made.cells.push(cell(VOLATILE_SHARED, k, threads, at(50.0 + 2.0 * work)));
        }
        points.push((k, interval(cost, 0.05), if k < 10 { Difference::Slower } else { Difference::Same }));
        shared.push((k, interval(30.0 + work, 1.0), Difference::Slower));
    }
    for threads in [1, 2] {
        let mut own = comparison(VOLATILE, PLAIN, threads, &points);
        own.model = Some(CostModel {
            shape: CostShape::Hidden,
            exposed_ns: interval(8.0, 0.05),
            residual_ns: interval(0.1, 0.05),
            hidden_past_tokens: Some(interval(8.0, 1.0)),
            hidden_past_ns: Some(interval(16.0, 2.0)),
        });
        made.comparisons.push(own);
        made.comparisons.push(comparison(VOLATILE_SHARED, PLAIN_SHARED, threads, &shared));
    }
    made
}

#[test]
fn negative_and_contradictory_costs_are_found_where_they_are() {
    let made = made_up();
    let found = absurdities(&differences(&made));
    // Plain minus "return 42" is −0.4 ns at every backoff, for certain.
    let negative = |absurdity: &&Absurdity| {
        matches!(absurdity, Absurdity::Negative(Less { case: PLAIN, baseline: RETURN_42, .. }))
    };
    assert_eq!(found.iter().filter(negative).count(), 5, "{found:?}");
    assert!(found.iter().any(|absurdity| matches!(absurdity, Absurdity::Contradiction(..))));
    let exposed = |absurdity: &Absurdity| matches!(absurdity, Absurdity::Negative(less) | Absurdity::Vague(less) if less.case == VOLATILE && less.tokens == 0);
    assert!(!found.iter().any(exposed), "{found:?}");
}

#[test]
fn baselines_that_agree_are_not_called_absurd() {
    let mut made = made_up();
    for cell in &mut made.cells {
        if BASELINES.contains(&cell.case.as_str()) {
            for fork in &mut cell.forks {
                fork.time_ns = Some(2.0 * cell.backoff_tokens as f64 + 1.0 + 0.01 * f64::from(fork.fork));
            }
        }
    }
    assert_eq!(absurdities(&differences(&made)), []);
    assert!(conclude(&made).naive.text().contains("no subtraction gave a negative or contradictory difference"));
}

#[test]
fn a_cost_is_amortised_from_where_it_stays_small() {
    let first = |made: &StudyRecord, case, baseline, threads| match amortised(&rows(made, case, baseline, threads)) {
        Amortised::From { first, .. } => Some(first.tokens),
        _ => None,
    };
    let made = made_up();
    assert_eq!(first(&made, VOLATILE, PLAIN, 1), Some(10));
    let mut relapsed = made_up();
    relapsed.comparisons[0].points[3].difference_ns = interval(9.0, 0.1);
    assert_eq!(first(&relapsed, VOLATILE, PLAIN, 1), Some(40), "it must stay small");
    assert_eq!(first(&made, VOLATILE_SHARED, PLAIN_SHARED, 2), None);
}

#[test]
fn the_sentences_say_what_the_data_shows() {
    let made = made_up();
    let conclusions = conclude(&made);
    let naive = conclusions.naive.text();
    assert!(
        naive.contains("the difference depends on the baseline")
            && naive.contains("a negative difference, which is no cost"),
        "{naive}"
    );
    let said = conclusions.model.text();
    assert!(said.contains("1 thread: from 10 tokens (20.0 ns of work) the cost stays within 5 %"), "{said}");
    assert!(said.contains("at 5 tokens it is still above: +3.00 ns ± 0.05"), "{said}");
    assert!(said.contains("2 threads on one line: at 0 tokens volatile costs +30.0 ns"), "{said}");
    assert!(said.contains("not amortised in this run: at 40 tokens (80.0 ns of work) the cost is +110.0 ns"), "{said}");
    assert!(said.contains("the difference is +30.0 ns ± 1.0 at 0 tokens, rises to +110.0 ns"), "{said}");
    let published = conclusions.published.text();
    assert!(published.contains("Ours: from 10 tokens (20.0 ns of work) the cost stays within 5 %"), "{published}");
}

/// The cost at 0 tokens as in the record's direct comparison, and as in its model and by subtraction.
#[test]
fn a_page_has_one_cost_at_0_tokens() {
    let mut made = made_up();
    for comparison in made.comparisons.iter_mut().filter(|comparison| comparison.case == VOLATILE) {
        comparison.points[0].difference_ns = interval(8.45, 0.05);
        let model = comparison.model.as_mut().unwrap();
        model.exposed_ns = interval(9.87, 0.05);
        model.hidden_past_tokens = Some(interval(11.0, 9.0));
    }
    let text = page(&conclude(&made));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!words.contains("9.87"), "the model's cost beside the direct one: {words}");
    assert!(!words.contains("tokens (2 … 20)"), "a hinge that the rows do not show: {words}");
    // In the naive headline, in the table and the sentence for each thread count, and next to JMH's.
    assert_eq!(words.matches("+8.45 ns ± 0.05").count(), 1 + 2 * 2 + 1, "{words}");
}

#[test]
fn what_the_run_cannot_tell_is_unresolved_and_not_amortised() {
    let mut made = made_up();
    for comparison in made.comparisons.iter_mut().filter(|comparison| comparison.case == VOLATILE) {
        for point in comparison.points.iter_mut().filter(|point| point.backoff_tokens > 0) {
            // As in "2 threads: from 2 tokens it is below the noise" next to +5.93 ns.
            point.difference_ns = interval(5.93, 8.0);
            point.verdict = Difference::Unresolved;
        }
    }
    let conclusions = conclude(&made);
    let said = conclusions.model.text();
    assert!(said.contains("whether work amortises the cost is inconclusive: at 40 tokens"), "{said}");
    assert!(said.contains("± 8.00 ns"), "{said}");
    for wrong in ["below the noise", "the cost stays", "hides", "falls"] {
        assert!(!said.contains(wrong), "{wrong}: {said}");
    }
    let published = conclusions.published.text();
    assert!(published.contains("Ours: whether work amortises the cost is inconclusive"), "{published}");
}

#[test]
fn words_for_the_shape_follow_every_row() {
    let mut made = made_up();
    for comparison in made.comparisons.iter_mut().filter(|comparison| comparison.case == VOLATILE_SHARED) {
        let costs = [(53.1, 4.3), (73.9, 8.2), (63.7, 5.9), (57.2, 6.9), (39.5, 7.3)];
        for (point, (cost, half)) in comparison.points.iter_mut().zip(costs) {
            point.difference_ns = interval(cost, half);
        }
    }
    let said = conclude(&made).model.text();
    assert!(
        said.contains(
            "2 threads on one line: the difference is +53 ns ± 5 at 0 tokens, rises to +74 ns ± 9 \
             at 5 tokens, then falls to +40 ns ± 8 at 40 tokens"
        ),
        "{said}"
    );
    assert!(!said.contains("no latency that work could hide"), "{said}");
}

#[test]
fn a_cost_that_is_told_from_zero_is_not_called_unresolved() {
    let mut made = made_up();
    // 0.900 ± 0.600 ns of 14.6: certainly a cost, and possibly within 5 %.
    for comparison in made.comparisons.iter_mut().filter(|comparison| comparison.case == VOLATILE) {
        comparison.points[1].difference_ns = interval(0.9, 0.6);
    }
    let conclusions = conclude(&made);
    let said = conclusions.model.text();
    assert!(said.contains("at 5 tokens it is +0.9 ns ± 0.6, and whether that is within 5 % is inconclusive"), "{said}");
    assert!(page(&conclusions).contains("5 %: inconclusive"));
}

#[test]
fn negative_differences_are_counted_out_of_all() {
    let naive = conclude(&made_up()).naive.text();
    // Two cases minus three baselines at five backoffs; plain is 0.4 ns shorter than one of them at each, volatile 0.3
    // ns from 10 tokens.
    assert!(naive.contains("of the 30 differences on one thread (plain and volatile v++, each less three"), "{naive}");
    assert!(
        naive.contains("8 are negative, all of them by more than their intervals; 10 times two baselines"),
        "{naive}"
    );
}

#[test]
fn one_process_has_no_interval_and_tells_nothing() {
    let mut made = made_up();
    for cell in &mut made.cells {
        cell.forks.truncate(1);
    }
    for point in made.comparisons.iter_mut().flat_map(|comparison| &mut comparison.points) {
        let only = point.difference_ns.estimate;
        point.difference_ns = Estimate { estimate: only, low: only, high: only, confidence: 0.0 };
        point.verdict = Difference::Unresolved;
    }
    let conclusions = conclude(&made);
    let naive = conclusions.naive.text();
    assert!(naive.contains("a single process has no interval") && naive.contains("none of them for sure"), "{naive}");
    assert!(naive.contains("± ?") && !naive.contains("reaches zero"), "{naive}");
    let said = conclusions.model.text();
    assert!(
        said.contains("inconclusive: a single process has no interval") && !said.replace("± ?", "").contains('±'),
        "{said}"
    );
}

#[test]
fn a_record_of_nothing_is_no_reason_to_panic() {
    let empty = record(&[], &[]);
    let text = page(&conclude(&empty));
    assert!(text.contains("not measured"), "{text}");
}

#[test]
fn the_study_makes_sense() {
    assert_eq!(study().cells().len(), TOKENS.len() * 2 * 7);
}
