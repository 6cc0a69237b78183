use chronoscope_harness::record::study::{Estimate, Steadiness, StudyRecord};
use chronoscope_render::text::count;

use super::growth::{Growth, Line};
use super::*;
use crate::synthetic::{assert_pages, cell, interval, part, record, rising, series};

/// 50 ns, plus a hundredth per call: 400 000 calls take 820 ms.
fn made_up(steadiness: Steadiness) -> StudyRecord {
    let mut made = record(&[0], &[1]);
    let batches: Vec<f64> = (0..4_000).map(|batch| 50.0 + 0.01 * (f64::from(batch) + 0.5) * CALLS as f64).collect();
    made.content.study.cells.push(series(TIMED_OUTSIDE, &batches, steadiness));
    let decimal: Vec<f64> = batches.iter().map(|ns| 40.0 + 3.0 * (ns - 50.0)).collect();
    made.content.study.cells.push(series(IN_DECIMAL, &decimal, steadiness));
    let mut alone = cell(TIMED_ALONE, 0, 1, [2_100.0; 4]);
    alone.part = Some(part(1e9 / 2_100.0, 1e9 / 2_150.0, 0.9));
    made.content.study.cells.push(alone);
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
fn a_thousand_calls_add_as_many_digits_as_the_question_says() {
    let mut pair = Pair::new();
    let mut digits_after = |calls: u32| {
        for _ in 0..calls {
            pair.next();
        }
        pair.this.to_string().len()
    };
    let before = digits_after(1_000);
    let added = digits_after(1_000) - before;
    let question = conclude(&record(&[0], &[1])).question;
    assert!(question.ends_with(&format!("{} calls add {added} digits.", count(1_000))), "{added}: {question}");
}

#[test]
fn a_longer_run_says_a_longer_time() {
    let growth = Growth::of(&made_up(Steadiness::default()));
    let mean = |ms: f64| growth.mean_of_window(ms * 1e6).unwrap().estimate;
    // n calls take 50 n + 0.005 n²: 1 ms is 10 000 calls at about 100 ns, 100 ms is 136 510 at 733.
    assert!((mean(1.0) - 100.0).abs() < 1.0, "{}", mean(1.0));
    assert!((mean(100.0) - 733.0).abs() < 5.0, "{}", mean(100.0));
    assert_eq!(growth.mean_of_window(1e9 * 60.0), None);
    assert!((growth.mean_of_first(10_000).unwrap().estimate - 100.0).abs() < 0.1);
    assert_eq!(growth.mean_of_first(1_000_000), None);
    assert_eq!(growth.calls(), 400_000);
    assert!(growth.at(399_999).is_some());
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
    let mut made = made_up(rising(20.0));
    for iteration in made.content.study.cells[0].processes.iter_mut().flat_map(|process| &mut process.iterations) {
        iteration.batches_ns.iter_mut().step_by(10).for_each(|ns| *ns += 20_000.0);
    }
    made
}

#[test]
fn the_line_goes_through_medians() {
    // Without the interruptions a call takes 50 + 2000 ns on average, with them 2000 ns more.
    let growth = Growth::of(&interrupted());
    let line = growth.line().unwrap();
    assert!((line.mean_ns - 2_050.0).abs() < 30.0 && line.medians == 200, "{line:?}");
    assert!((growth.mean().unwrap().estimate - 4_050.0).abs() < 1.0);
}

#[test]
fn the_mean_is_of_the_calls_that_it_is_said_to_be_of() {
    // One process made more calls, and those took longer.
    let growth = Growth::new(vec![vec![10.0, 10.0], vec![10.0, 10.0, 400.0]], 0.999);
    assert_eq!((growth.calls(), growth.mean().unwrap().estimate), (200, 10.0));
    assert_eq!(Growth::new(Vec::new(), 0.999).mean(), None);
}

#[test]
fn the_first_calls_are_vague_where_the_intercept_is() {
    let line = |a: f64, half: f64| Line {
        a_ns: interval(a, half),
        b_ns: interval(0.00734, 0.0006),
        r_squared: 0.99,
        medians: 200,
        mean_ns: 2_500.0,
    };
    assert_eq!(line(2.65, 118.31).vague_before(), Some(16_200), "118.31 / 0.00734, to three digits");
    assert_eq!(line(0.0, 0.1).vague_before(), Some(14));
    // The further end counts, as in what is printed.
    let a_ns = Estimate { estimate: -22.3, low: -46.2, high: -5.3, confidence: 0.999 };
    let lopsided = Line { a_ns, b_ns: interval(0.00993, 0.0001), ..line(0.0, 0.0) };
    assert_eq!((lopsided.a_reach_ns(), lopsided.vague_before()), (46.2 - 22.3, Some(2_410)));
    assert_eq!(Line { b_ns: interval(0.0, 1.0), ..line(2.65, 1.0) }.vague_before(), None);
}

/// One process is a hundred times as slow as the others: every mean has an interval that reaches to it.
fn noisy() -> StudyRecord {
    let mut made = record(&[0], &[1]);
    let batches = vec![50.0; 2_000];
    let mut outside = series(TIMED_OUTSIDE, &batches, rising(0.1));
    outside.processes[0].iterations[0].batches_ns = vec![5_000.0; 2_000];
    made.content.study.cells.push(outside);
    made
}

#[test]
fn every_kind_of_record_has_its_page() {
    let steady = |steadiness| made_up(steadiness);
    let default = Steadiness::default();
    let mut blurred = made_up(default);
    for process in &mut blurred.content.study.cells[0].processes {
        let shift = 10.0 * f64::from(process.process);
        process.iterations[0].batches_ns.iter_mut().for_each(|ns| *ns += shift);
    }
    let mut lone = made_up(default);
    lone.content.study.cells[0].processes.truncate(1);
    let pages = vec![
        ("the detector sees a rise", steady(rising(20.0))),
        ("it contradicts the curve", steady(rising(0.1))),
        ("it cannot tell", steady(default)),
        ("medians leave interruptions out", interrupted()),
        ("the intercept blurs the first calls", blurred),
        ("noise: no time is negative, no length told from another", noisy()),
        ("a single process", lone),
        ("nothing was measured", record(&[0], &[1])),
    ];
    assert_pages("fibonacci", conclude, pages);
}
