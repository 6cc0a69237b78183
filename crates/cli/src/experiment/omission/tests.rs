use chronoscope_measure::record::study::{OperationPart, StudyRecord};

use super::super::show::terminal;
use super::super::synthetic::{cell, part, record};
use super::*;

/// Two CPUs, of which one does 50 000 per second; half of the time is stamped.
fn made_up(crowded: impl Fn(u32) -> OperationPart) -> StudyRecord {
    let mut made = record(&[0], &[1, 2, 4, 8]);
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
    let figures = figures::of(Reading(&made), LOOPS[0].name);
    assert!(figures.grows_past_saturation());
    assert_eq!(figures.ceiling_per_s.map(|ceiling| ceiling.estimate), Some(100_000.0));
    let over = figures.over_report().unwrap();
    assert!((over.estimate - 8.0).abs() < 1e-9 && over.low < 8.0 && over.high > 8.0);
    let conclusions = conclude(&made);
    assert!(
        conclusions.naive.text().contains("8 threads do 800 k/s (792 … 808) of work()"),
        "{}",
        conclusions.naive.text()
    );
    let said = conclusions.model.text();
    assert!(said.contains("ceiling: 100 k/s (99 … 101) with 2 CPUs"), "{said}");
    assert!(
        said.contains("8 threads claim 800 k/s (792 … 808), 8.00 (7.84 … 8.16) times what the machine can do"),
        "{said}"
    );
}

#[test]
fn a_claim_that_only_stays_too_high_is_not_said_to_grow() {
    let made = made_up(|_| part(200_000.0, 100_000.0, 0.5));
    let figures = figures::of(Reading(&made), LOOPS[0].name);
    assert!(!figures.grows_past_saturation());
    assert!(!conclude(&made).naive.text().contains("it scales"));
    assert!(
        conclude(&made).model.text().contains("already one thread claims 2.00"),
        "{}",
        conclude(&made).model.text()
    );
}

#[test]
fn an_honest_claim_is_left_alone() {
    let made = made_up(|_| part(99_000.0, 99_000.0, 0.5));
    assert!(conclude(&made).model.text().contains("not surely more than the machine can do"));
}

#[test]
fn a_record_of_nothing_is_no_reason_to_panic() {
    let empty = record(&[0], &[1, 2, 4, 8]);
    let conclusions = conclude(&empty);
    assert!(conclusions.naive.text().contains("no loop was measured"));
    assert!(terminal(&conclusions, &empty).contains("the ceiling is not known"));
}

#[test]
fn threads_go_from_one_to_four_per_cpu() {
    assert_eq!(threads(1), [1, 2, 4]);
    assert_eq!(threads(2), [1, 2, 4, 8]);
    assert_eq!(threads(8), [1, 4, 8, 16, 32]);
    assert_eq!(study(2).cells().len(), 4 * LOOPS.len());
}
