use chronoscope_harness::record::study::{Steadiness, StudyRecord};

use super::growth::{Growth, Line};
use super::*;
use crate::synthetic::{cell, interval, page, part, record, series};

/// 50 ns, plus a hundredth per call: 400 000 calls take 820 ms.
fn made_up(steadiness: Steadiness) -> StudyRecord {
    let mut made = record(&[0], &[1]);
    let batches: Vec<f64> = (0..4_000).map(|batch| 50.0 + 0.01 * (f64::from(batch) + 0.5) * CALLS as f64).collect();
    made.cells.push(series(TIMED_OUTSIDE, &batches, steadiness));
    let mut alone = cell(TIMED_ALONE, 0, 1, [2_100.0; 4]);
    alone.part = Some(part(1e9 / 2_100.0, 1e9 / 2_150.0, 0.9));
    made.cells.push(alone);
    made
}

#[test]
fn the_next_number_is_the_sum_of_two() {
    let mut pair = Pair::new();
    let mut numbers = Vec::new();
    for _ in 0..10 {
        pair.next();
        numbers.push(u64::try_from(&pair.this).unwrap());
    }
    assert_eq!(numbers, [1, 2, 3, 5, 8, 13, 21, 34, 55, 89]);
}

#[test]
fn a_longer_run_says_a_longer_time() {
    let growth = Growth::of(&made_up(Steadiness::default()));
    let mean = |ms: f64| growth.mean_of_window(ms * 1e6).unwrap().estimate;
    // n calls take 50 n + 0.005 n²: 1 ms is 10 000 calls at about 100 ns, 100 ms is 136 510 at 733.
    assert!((mean(1.0) - 100.0).abs() < 1.0, "{}", mean(1.0));
    assert!((mean(100.0) - 733.0).abs() < 5.0, "{}", mean(100.0));
    assert_eq!(growth.mean_of_window(1e9 * 60.0), None, "nobody ran for a minute");
    assert!((growth.mean_of_first(10_000).unwrap().estimate - 100.0).abs() < 0.1);
    assert_eq!(growth.mean_of_first(1_000_000), None);
    assert_eq!(growth.calls(), 400_000);
    assert!(growth.at(399_999).is_some(), "the last call is a call");
    assert_eq!(growth.at(400_000), None);
}

#[test]
fn the_line_is_the_one_it_was_made_with() {
    let line = Growth::of(&made_up(Steadiness::default())).line().unwrap();
    // With an even number of batches the upper middle lies half a batch too high.
    assert!((line.a_ns.estimate - 50.0).abs() < 1.0 && (line.b_ns.estimate - 0.01).abs() < 1e-6, "{line:?}");
    assert!(line.r_squared > 0.999);
}

/// Every tenth batch is preempted for 20 µs per call.
fn interrupted() -> StudyRecord {
    let mut made = made_up(Steadiness { trend: 4, ..Steadiness::default() });
    for visit in made.cells[0].forks.iter_mut().flat_map(|fork| &mut fork.visits) {
        visit.batches_ns.iter_mut().step_by(10).for_each(|ns| *ns += 20_000.0);
    }
    made
}

#[test]
fn the_line_says_that_it_goes_through_medians() {
    // Without the interruptions a call takes 50 + 2000 ns on average, with them 2000 ns more.
    let growth = Growth::of(&interrupted());
    let line = growth.line().unwrap();
    assert!((line.mean_ns - 2_050.0).abs() < 30.0 && line.medians == 200, "{line:?}");
    assert!((growth.mean().unwrap().estimate - 4_050.0).abs() < 1.0);
    let said = conclude(&interrupted()).model.text();
    assert!(said.contains("a line through 200 medians or more of neighbouring batches in each process"), "{said}");
    assert!(said.contains("R² of these medians ≥ "), "{said}");
    assert!(said.contains("medians leave interruptions out: by the line the mean call takes 2.05 µs"), "{said}");
    assert!(said.contains("measured with them 4.05 µs"), "{said}");
}

#[test]
fn the_mean_is_of_the_calls_that_it_is_said_to_be_of() {
    // One process made more calls, and those took longer.
    let growth = Growth::new(vec![vec![10.0, 10.0], vec![10.0, 10.0, 400.0]], 0.999);
    assert_eq!((growth.calls(), growth.mean().unwrap().estimate), (200, 10.0));
    assert_eq!(Growth::new(Vec::new(), 0.999).mean(), None);
}

#[test]
fn of_calls_that_the_intercept_blurs_the_line_says_nothing() {
    let line = |a: f64, half: f64| Line {
        a_ns: interval(a, half),
        b_ns: interval(0.00734, 0.0006),
        r_squared: 0.99,
        medians: 200,
        mean_ns: 2_500.0,
    };
    assert_eq!(line(2.65, 118.31).vague_before(), Some(16_119));
    assert_eq!(Line { b_ns: interval(0.0, 1.0), ..line(2.65, 1.0) }.vague_before(), None);
    let mut made = made_up(Steadiness::default());
    for fork in &mut made.cells[0].forks {
        let shift = 10.0 * f64::from(fork.fork);
        fork.visits[0].batches_ns.iter_mut().for_each(|ns| *ns += shift);
    }
    let said = conclude(&made).model.text();
    assert!(said.contains("the line says nothing: there the uncertainty of a exceeds b·n"), "{said}");
}

#[test]
fn no_single_number_is_given_where_the_detector_sees_a_trend() {
    let made = made_up(Steadiness { trend: 4, trend_ns_per_batch: Some(1.0), ..Steadiness::default() });
    let conclusions = conclude(&made);
    let said = conclusions.model.text();
    assert!(
        said.contains("there is no steady state in 4 of 4 processes") && said.contains("no single number"),
        "{said}"
    );
    assert!(said.contains("time(n) ≈ a + b·n, a = +50.5 ns") && said.contains("b = +10.0 ns"), "{said}");
    assert!(!said.contains("+1.00 ns"), "the slope has one number, and that has an interval: {said}");
    let naive = conclusions.naive.text();
    assert!(naive.contains("in 1 ms") && naive.contains("depends on the length of the run"), "{naive}");
    assert!(page(&conclusions).contains("the run was shorter"), "a second was not run");
}

#[test]
fn a_detector_that_sees_nothing_is_contradicted() {
    let made = made_up(Steadiness { flat: 4, ..Steadiness::default() });
    assert!(conclude(&made).model.text().contains("which contradicts the curve"));
    let made = made_up(Steadiness { too_short: 4, ..Steadiness::default() });
    assert!(conclude(&made).model.text().contains("too short to tell"));
}

#[test]
fn a_detector_without_a_majority_is_not_said_to_find_a_steady_state() {
    let made = made_up(Steadiness { trend: 2, too_short: 2, ..Steadiness::default() });
    let said = conclude(&made).model.text();
    assert!(
        said.contains("inconclusive: the detector finds no steady state in 2 of 4 processes and one in 0 of 4"),
        "{said}"
    );
}

/// One process is a hundred times as slow as the others: every mean has an interval that reaches to it.
fn noisy() -> StudyRecord {
    let mut made = record(&[0], &[1]);
    let batches = vec![50.0; 2_000];
    let mut outside = series(TIMED_OUTSIDE, &batches, Steadiness { flat: 4, ..Steadiness::default() });
    outside.forks[0].visits[0].batches_ns = vec![5_000.0; 2_000];
    made.cells.push(outside);
    made
}

#[test]
fn no_time_is_negative_and_no_length_is_told_from_another_that_is_not() {
    let made = noisy();
    let conclusions = conclude(&made);
    let naive = conclusions.naive.text();
    assert!(naive.contains("cannot tell its lengths apart"), "{naive}");
    let said = conclusions.model.text();
    assert!(said.contains("finds a steady state in 4 of 4") && !said.contains("contradicts"), "{said}");
    assert!(said.contains("no slope that is resolved") && !said.contains("instead of one number"), "{said}");
    let text = page(&conclusions);
    let times = text.lines().filter(|line| line.contains(" ns") && !line.contains("slope"));
    for line in times {
        assert!(!line.contains("-"), "a negative time: {line}");
    }
}

#[test]
fn one_process_has_no_interval() {
    let mut made = made_up(Steadiness::default());
    made.cells[0].forks.truncate(1);
    let naive = conclude(&made).naive.text();
    assert!(naive.contains("a single process has no interval") && !naive.contains("cannot tell"), "{naive}");
}

#[test]
fn a_record_of_nothing_is_no_reason_to_panic() {
    let empty = record(&[0], &[1]);
    let conclusions = conclude(&empty);
    assert!(conclusions.naive.text().contains("no process ran long enough"));
    assert!(page(&conclusions).contains("nothing to judge"));
}
