use chronoscope_harness::record::study::{Estimate, OperationPart, Parameter, StudyRecord};

use super::*;
use crate::synthetic::{assert_pages, cell, part, record};

/// A record of the study without a cell.
fn nothing() -> StudyRecord {
    let mut made = record(&[0], &[1, 2, 4, 8]);
    let values = LOOPS.iter().map(|each| each.name.to_owned()).collect();
    made.content.study.plan.parameters = vec![Parameter { name: LOOP.to_owned(), values }];
    made
}

/// Two CPUs, each capable of 50 000 per second; half the time is between timestamps.
fn made_up(oversubscribed: impl Fn(u32) -> OperationPart) -> StudyRecord {
    let mut made = nothing();
    for each in &LOOPS {
        for threads in [1, 2, 4, 8] {
            let mut cell = cell(CASE, 0, threads, [20_000.0; 4]);
            cell.parameters.insert(LOOP.to_owned(), each.name.to_owned());
            cell.part = Some(match threads {
                1 => part(100_000.0, 50_000.0, 0.5),
                2 => part(200_000.0, 100_000.0, 0.5),
                threads => oversubscribed(threads),
            });
            made.content.study.cells.push(cell);
        }
    }
    made
}

/// One thread whose figures are changed so.
fn alone(change: impl Fn(OperationPart) -> OperationPart) -> StudyRecord {
    let mut made = made_up(|_| part(200_000.0, 100_000.0, 0.5));
    for cell in made.content.study.cells.iter_mut().filter(|cell| cell.threads == 1) {
        cell.part = cell.part.map(&change);
    }
    made
}

fn of(estimate: f64, low: f64, high: f64) -> Estimate {
    Estimate { estimate, low, high, confidence: 0.999 }
}

fn growing() -> StudyRecord {
    made_up(|threads| part(100_000.0 * f64::from(threads), 100_000.0, 0.5))
}

#[test]
fn a_claim_grows_only_past_saturation() {
    let made = growing();
    let figures = figures::of(&made, LOOPS[0].name);
    assert!(figures.grows_past_saturation());
    assert_eq!(figures.ceiling_per_s.map(|ceiling| ceiling.estimate), Some(100_000.0));
    let over = figures.over_report(&figures.oversubscribed().unwrap().1).unwrap();
    let level = conclude(&made).charts[0].panels[0].levels[0].clone();
    assert_eq!((level.name.as_str(), level.value), ("one thread × 2: 99.0–101 k/s", 100_000.0));
    assert!((over.estimate - 8.0).abs() < 1e-9 && over.low < 8.0 && over.high > 8.0);
    let too_high = made_up(|_| part(200_000.0, 100_000.0, 0.5));
    assert!(!figures::of(&too_high, LOOPS[0].name).grows_past_saturation());
}

#[test]
fn every_kind_of_record_has_its_page() {
    let reaches_zero =
        made_up(|_| OperationPart { claimed_per_s: of(538e3, 0.0, 1_093e3), ..part(538e3, 100_000.0, 0.5) });
    let mut one_cpu = made_up(|_| part(200_000.0, 100_000.0, 0.5));
    one_cpu.content.study.cells.retain(|cell| cell.threads == 1);
    (one_cpu.content.study.plan.threads, one_cpu.content.study.plan.cpus) = (vec![1], vec![0]);
    let mut earlier = made_up(|_| part(200_000.0, 100_000.0, 0.5));
    earlier.content.study.plan.parameters[0].values = vec!["set-up 10 µs, work 10 µs".to_owned()];
    for cell in &mut earlier.content.study.cells {
        cell.parameters.insert(LOOP.to_owned(), "set-up 10 µs, work 10 µs".to_owned());
    }
    let pages = vec![
        ("the claim grows with the threads", growing()),
        ("it stays too high", made_up(|_| part(200_000.0, 100_000.0, 0.5))),
        ("it may be too high", made_up(|_| part(99_000.0, 99_000.0, 0.5))),
        ("it is honest", made_up(|_| part(80_000.0, 80_000.0, 0.5))),
        ("its interval reaches zero: a bound, not a claim", reaches_zero),
        (
            "the factor of one thread may be one: not asserted",
            alone(|part| OperationPart { inflation: of(2.33, 0.30, 4.36), ..part }),
        ),
        // 10.2 of 20.0 µs lie between the stamps.
        (
            "the share of time agrees with the times",
            alone(|part| OperationPart { part_ns: of(10_200.0, 10_100.0, 10_300.0), ..part }),
        ),
        ("one thread on one CPU", one_cpu),
        ("the loops of an earlier build", earlier),
        ("nothing was measured", nothing()),
    ];
    assert_pages("omission", conclude, pages);
}

#[test]
fn threads_go_from_one_to_four_per_cpu() {
    assert_eq!(threads(1), [1, 2, 4]);
    assert_eq!(threads(2), [1, 2, 4, 8]);
    assert_eq!(threads(8), [1, 4, 8, 16, 32]);
    assert_eq!(study(2).cells().len(), 4 * LOOPS.len());
}
