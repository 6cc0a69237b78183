use chronoscope_harness::record::study::{
    CellProcess, Comparison, CostModel, CostShape, Difference, Estimate, StudyRecord,
};

use super::cases::BASELINES;
use super::cost::{Amortised, amortised, rows};
use super::naive::{Absurdity, Less, absurdities, differences};
use super::*;
use crate::synthetic::{assert_pages, cell, comparison, interval, record};

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
            made.content.study.cells.push(cell(CONSUME, k, threads, at(1.0 + work)));
            made.content.study.cells.push(cell(RETURN_42, k, threads, at(2.0 + work)));
            made.content.study.cells.push(cell(RETURN_FIELD, k, threads, at(1.5 + work)));
            made.content.study.cells.push(cell(PLAIN, k, threads, at(1.6 + work)));
            made.content.study.cells.push(cell(VOLATILE, k, threads, at(1.6 + work + cost)));
            made.content.study.cells.push(cell(PLAIN_SHARED, k, threads, at(20.0 + work)));
            made.content.study.cells.push(cell(VOLATILE_SHARED, k, threads, at(50.0 + 2.0 * work)));
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
        made.content.study.comparisons.push(own);
        made.content.study.comparisons.push(comparison(VOLATILE_SHARED, PLAIN_SHARED, threads, &shared));
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
    assert_eq!(absurdities(&differences(&agreeing())), []);
}

#[test]
fn intervals_that_overlap_are_not_taken_for_a_test() {
    let sentence = |differences: [f64; 2]| {
        let mut made = made_up();
        for cell in made.content.study.cells.iter_mut().filter(|cell| cell.backoff_tokens >= 20) {
            cell.time_ns = Some(interval(50.0, 5.0));
        }
        for comparison in &mut made.content.study.comparisons {
            for (point, ns) in comparison.points.iter_mut().skip(3).zip(differences) {
                point.difference_ns = interval(ns, 0.5);
            }
        }
        conclude(&made).charts[0].sentences[1].clone()
    };
    let begins = "from 20 tokens the intervals of all five overlap at every backoff tried, which does not show that they take \
                  equally long: compared directly, volatile and plain v++ ";
    assert_eq!(sentence([1.0, 0.1]), format!("{begins}differ at 20 tokens"));
    assert_eq!(sentence([1.0, 2.0]), format!("{begins}differ at 2 of 2 backoffs, from 20 to 40 tokens"));
    assert_eq!(sentence([0.1, 0.1]), format!("{begins}do not differ for certain at any of these backoffs either"));
}

#[test]
fn negative_differences_say_whether_their_intervals_include_nothing() {
    let said = |half: f64, confidence: f64| {
        let less = |tokens: u64, ns: f64| {
            let ns = Estimate { confidence, ..interval(ns, half) };
            Less { case: PLAIN, baseline: RETURN_42, tokens, ns }
        };
        charts::negative(RETURN_42, &[less(0, -1.0), less(5, -2.0), less(10, 3.0)]).unwrap()
    };
    let of = |end: &str| format!("less \"{RETURN_42}\": of 3 differences {end}");
    assert_eq!(said(0.5, 0.999), of("2 are negative, and so are their whole intervals"));
    assert_eq!(said(1.5, 0.999), of("2 are negative, 1 of them with the whole interval"));
    assert_eq!(said(5.0, 0.999), of("2 are negative, with intervals that include 0"));
    assert_eq!(said(0.5, 0.0), of("2 are negative, of too few processes to be sure"));
}

fn agreeing() -> StudyRecord {
    let mut made = made_up();
    for cell in &mut made.content.study.cells {
        if BASELINES.contains(&cell.case.as_str()) {
            for process in &mut cell.processes {
                let ns = 2.0 * cell.backoff_tokens as f64 + 1.0 + 0.01 * f64::from(process.process);
                *process = CellProcess::alike(process.process, ns);
            }
        }
    }
    made
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
    relapsed.content.study.comparisons[0].points[3].difference_ns = interval(9.0, 0.1);
    assert_eq!(first(&relapsed, VOLATILE, PLAIN, 1), Some(40));
    assert_eq!(first(&made, VOLATILE_SHARED, PLAIN_SHARED, 2), None);
}

/// A record where the comparisons of this case are changed so.
fn changed(case: &str, change: impl Fn(&mut Comparison)) -> StudyRecord {
    let mut made = made_up();
    made.content.study.comparisons.iter_mut().filter(|comparison| comparison.case == case).for_each(change);
    made
}

/// A single process has no interval.
fn lone() -> StudyRecord {
    let mut made = made_up();
    for cell in &mut made.content.study.cells {
        cell.processes.truncate(1);
    }
    for point in made.content.study.comparisons.iter_mut().flat_map(|comparison| &mut comparison.points) {
        let only = point.difference_ns.estimate;
        point.difference_ns = Estimate { estimate: only, low: only, high: only, confidence: 0.0 };
        point.verdict = Difference::Unresolved;
    }
    made
}

#[test]
fn every_kind_of_record_has_its_page() {
    let direct = changed(VOLATILE, |comparison| {
        comparison.points[0].difference_ns = interval(8.45, 0.05);
        let model = comparison.model.as_mut().unwrap();
        model.exposed_ns = interval(9.87, 0.05);
        model.hidden_past_tokens = Some(interval(11.0, 9.0));
    });
    let unresolved = changed(VOLATILE, |comparison| {
        for point in comparison.points.iter_mut().filter(|point| point.backoff_tokens > 0) {
            (point.difference_ns, point.verdict) = (interval(5.93, 8.0), Difference::Unresolved);
        }
    });
    let turning = changed(VOLATILE_SHARED, |comparison| {
        let costs = [(53.1, 4.3), (73.9, 8.2), (63.7, 5.9), (57.2, 6.9), (39.5, 7.3)];
        for (point, (cost, half)) in comparison.points.iter_mut().zip(costs) {
            point.difference_ns = interval(cost, half);
        }
    });
    let pages = vec![
        ("costs that fall and costs that rise", made_up()),
        ("baselines that agree", agreeing()),
        ("one cost at 0 tokens, whatever the model says", direct),
        ("what is below the noise is inconclusive, not amortised", unresolved),
        ("words for the shape follow every row", turning),
        // 0.900 ± 0.600 ns of 14.6: certainly a cost, and possibly within 5 %.
        (
            "a cost that may be within the margin",
            changed(VOLATILE, |comparison| comparison.points[1].difference_ns = interval(0.9, 0.6)),
        ),
        // Not a sentence that there is no cost, next to an interval that allows many times the operation.
        (
            "a difference that may be zero or large",
            changed(VOLATILE, |comparison| {
                comparison.points[0].difference_ns =
                    Estimate { estimate: 0.0, low: -5.0, high: 61.0, ..interval(0.0, 1.0) };
            }),
        ),
        (
            "intervals of too little confidence",
            changed(VOLATILE, |comparison| {
                for point in &mut comparison.points {
                    point.difference_ns.confidence = 0.875;
                    point.verdict = Difference::Unresolved;
                }
            }),
        ),
        ("a single process", lone()),
        ("nothing was measured", record(&[], &[])),
    ];
    assert_pages("backoff", conclude, pages);
}

#[test]
fn the_study_makes_sense() {
    assert_eq!(study().cells().len(), TOKENS.len() * 2 * 7);
}
