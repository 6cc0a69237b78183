use chronoscope_harness::record::study::{Estimate, OperationPart, Parameter, StudyRecord};

use super::*;
use crate::synthetic::{cell, page, part, record};

/// A record of the study without a cell.
fn nothing() -> StudyRecord {
    let mut made = record(&[0], &[1, 2, 4, 8]);
    let values = LOOPS.iter().map(|each| each.name.to_owned()).collect();
    made.plan.parameters = vec![Parameter { name: LOOP.to_owned(), values }];
    made
}

/// Two CPUs, each capable of 50 000 per second; half the time is between timestamps.
fn made_up(crowded: impl Fn(u32) -> OperationPart) -> StudyRecord {
    let mut made = nothing();
    for each in &LOOPS {
        for threads in [1, 2, 4, 8] {
            let mut cell = cell(CASE, 0, threads, [20_000.0; 4]);
            cell.parameters.insert(LOOP.to_owned(), each.name.to_owned());
            cell.part = Some(match threads {
                1 => part(100_000.0, 50_000.0, 0.5),
                2 => part(200_000.0, 100_000.0, 0.5),
                threads => crowded(threads),
            });
            made.cells.push(cell);
        }
    }
    made
}

#[test]
fn a_claim_that_grows_is_named_with_its_factor() {
    let made = made_up(|threads| part(100_000.0 * f64::from(threads), 100_000.0, 0.5));
    let figures = figures::of(&made, LOOPS[0].name);
    assert!(figures.grows_past_saturation());
    assert_eq!(figures.ceiling_per_s.map(|ceiling| ceiling.estimate), Some(100_000.0));
    let over = figures.over_report(&figures.crowded().unwrap().1).unwrap();
    assert!((over.estimate - 8.0).abs() < 1e-9 && over.low < 8.0 && over.high > 8.0);
    let conclusions = conclude(&made);
    assert!(conclusions.naive.text().contains("8 threads: 800 k/s ± 8 of work()"), "{}", conclusions.naive.text());
    let said = conclusions.model.text();
    assert!(said.contains("ceiling: 100.0 k/s ± 1.0, the rate of one thread times 2 CPUs"), "{said}");
    assert!(said.contains("8 threads claim 800 k/s ± 8, 8.00× ± 0.17 what the machine can do"), "{said}");
}

#[test]
fn a_claim_that_only_stays_too_high_is_not_said_to_grow() {
    let made = made_up(|_| part(200_000.0, 100_000.0, 0.5));
    let figures = figures::of(&made, LOOPS[0].name);
    assert!(!figures.grows_past_saturation());
    assert!(!conclude(&made).naive.text().contains("it scales"));
    assert!(conclude(&made).model.text().contains("One thread alone claims 2.00"), "{}", conclude(&made).model.text());
}

#[test]
fn an_honest_claim_is_left_alone() {
    let made = made_up(|_| part(99_000.0, 99_000.0, 0.5));
    let said = conclude(&made).model.text();
    assert!(said.contains("is not shown") && !said.contains("times what the machine can do"), "{said}");
    let made = made_up(|_| part(80_000.0, 80_000.0, 0.5));
    assert!(conclude(&made).model.text().contains("no more than the machine can do"));
}

#[test]
fn a_claim_whose_interval_reaches_zero_is_a_bound() {
    let made = made_up(|_| OperationPart {
        claimed_per_s: Estimate { estimate: 538e3, low: 0.0, high: 1_093e3, confidence: 0.999 },
        ..part(538e3, 100_000.0, 0.5)
    });
    let conclusions = conclude(&made);
    assert!(conclusions.naive.text().contains("8 threads: < 1.10 M/s"), "{}", conclusions.naive.text());
    let said = conclusions.model.text();
    assert!(
        said.contains("claim < 1.10 M/s, < 11.1× the ceiling: more than the machine can do is not shown"),
        "{said}"
    );
}

#[test]
fn lengths_are_those_of_the_run_and_every_column_has_a_unit() {
    // 50 000 per second with their set-up; 10 µs each between the timestamps.
    let made = made_up(|threads| part(100_000.0 * f64::from(threads), 100_000.0, 0.5));
    let text = page(&conclude(&made));
    assert!(text.contains("set-up 8000 tokens, work 8000: about 10.0 µs and 10.0 µs on one thread"), "{text}");
    assert!(text.contains("switches per iteration") && !text.contains("CPU lost"), "{text}");
    for each in &LOOPS {
        assert!(!each.name.contains("µs") && !each.name.contains("ms"), "tokens have no length of their own");
    }
}

#[test]
fn loops_of_an_earlier_build_are_shown_too() {
    let mut made = made_up(|_| part(200_000.0, 100_000.0, 0.5));
    made.plan.parameters[0].values = vec!["set-up 10 µs, work 10 µs".to_owned()];
    for cell in &mut made.cells {
        cell.parameters.insert(LOOP.to_owned(), "set-up 10 µs, work 10 µs".to_owned());
    }
    assert!(
        conclude(&made).naive.text().contains("(set-up 10 µs, work 10 µs: about 10.0 µs and 10.0 µs on one thread)")
    );
}

#[test]
fn factors_are_of_the_same_ceiling() {
    let made = made_up(|threads| part(100_000.0 * f64::from(threads), 100_000.0, 0.5));
    let said = conclude(&made).published.text();
    assert!(
        said.contains("4 threads claim 400 per second. 2 CPUs can do 133 with the set-up (3.00 times the ceiling)"),
        "{said}"
    );
    assert!(said.contains("4 threads on 2 CPUs claim 400 k/s ± 4, 4.00× ± 0.09 the ceiling"), "{said}");
}

#[test]
fn one_thread_is_one() {
    let mut made = made_up(|_| part(200_000.0, 100_000.0, 0.5));
    made.cells.retain(|cell| cell.threads == 1);
    let naive = conclude(&made).naive.text();
    assert!(naive.contains("\"1 thread: 100.0 k/s ± 1.0 of work()\""), "{naive}");
}

#[test]
fn a_record_of_nothing_is_no_reason_to_panic() {
    let empty = nothing();
    let conclusions = conclude(&empty);
    assert!(conclusions.naive.text().contains("no loop was measured"));
    assert!(page(&conclusions).contains("the ceiling is not known"));
}

#[test]
fn a_factor_that_may_be_one_is_not_asserted() {
    let mut made = made_up(|_| part(200_000.0, 100_000.0, 0.5));
    for cell in made.cells.iter_mut().filter(|cell| cell.threads == 1) {
        let wide = Estimate { estimate: 2.33, low: 0.30, high: 4.36, confidence: 0.999 };
        cell.part = cell.part.map(|part| OperationPart { inflation: wide, ..part });
    }
    let conclusions = conclude(&made);
    let said = conclusions.model.text();
    assert!(
        said.contains(
            "One thread alone claims 2.3× (1.0–4.4) what it does: that this is more than it does is not shown"
        ),
        "{said}"
    );
    assert!(!said.contains("of its time stamped"), "{said}");
    let text = page(&conclusions);
    assert!(text.contains("2.3× (1.0–4.4)") && !text.contains("0.30–"), "{text}");
}

#[test]
fn the_share_of_time_stamped_agrees_with_the_times_above_it() {
    let mut made = made_up(|_| part(200_000.0, 100_000.0, 0.5));
    for cell in made.cells.iter_mut().filter(|cell| cell.threads == 1) {
        // 10.2 of 20.0 µs lie between the stamps.
        let stamped = Estimate { estimate: 10_200.0, low: 10_100.0, high: 10_300.0, confidence: 0.999 };
        cell.part = cell.part.map(|part| OperationPart { part_ns: stamped, ..part });
    }
    let said = conclude(&made).model.text();
    assert!(said.contains("takes 20.00 µs ± 0.21 with its set-up, of which 10.20 µs"), "{said}");
    assert!(said.contains("with 51.0 % of its time stamped (1/f = 1.96)"), "{said}");
}

#[test]
fn the_question_has_the_threads_of_the_run() {
    assert!(
        conclude(&nothing()).question.ends_with("With 1 to 8 threads on 2 CPUs."),
        "{}",
        conclude(&nothing()).question
    );
    assert!(question(&[1], 1).ends_with("With 1 thread on 1 CPU."));
    assert!(question(&[], 1).ends_with("only work() counts?"));
}

#[test]
fn threads_go_from_one_to_four_per_cpu() {
    assert_eq!(threads(1), [1, 2, 4]);
    assert_eq!(threads(2), [1, 2, 4, 8]);
    assert_eq!(threads(8), [1, 4, 8, 16, 32]);
    assert_eq!(study(2).cells().len(), 4 * LOOPS.len());
}
