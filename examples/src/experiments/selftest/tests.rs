use super::*;
use crate::synthetic::{assert_pages, cell, comparison, interval, record, rising, series};
use chronoscope_harness::record::study::StudyReport;

/// A record whose claims are all right: a link takes 1 ns.
fn made_up() -> StudyRecord {
    let mut made = record(&[0], &[1]);
    let mut add = |case: &str, ns: f64| made.content.study.cells.push(cell(case, 0, 1, [ns; 4]));
    for (name, _, truth) in KNOWN {
        match truth {
            Truth::Nothing | Truth::NeverSteady => (),
            Truth::Links(links) => add(name, links),
            Truth::Time(length) => add(name, length.as_nanos() as f64),
            Truth::TimesBase(ratio) => add(name, 100.0 * ratio),
            Truth::BaseAndRarely(calls, length) => add(name, 100.0 + length.as_nanos() as f64 / calls as f64),
        }
    }
    add(RULER, RULER_LINKS);
    let mut empty = cell(KNOWN[0].0, 0, 1, [0.3; 4]);
    (empty.time_ns, empty.below_ns) = (None, Some(0.4));
    made.content.study.cells.extend([empty, series(KNOWN[9].0, &[1.0], rising(14.0))]);
    for cell in &mut made.content.study.cells {
        (cell.typical_ns, cell.iterations) = (cell.time_ns, 4);
    }
    let point = |case, ns, verdict| comparison(case, BASE, 1, &[(0, interval(ns, 0.1), verdict)]);
    made.content.study.comparisons =
        vec![point(KNOWN[6].0, 0.2, Difference::Slower), point(KNOWN[7].0, 0.0, Difference::Same)];
    made
}

fn of<'r>(study: &'r mut StudyReport, case: &str) -> &'r mut chronoscope_harness::record::study::Cell {
    study.cells.iter_mut().find(|cell| cell.case == case).unwrap()
}

#[test]
fn one_wrong_or_vague_claim_is_enough() {
    assert!(conclude(&made_up()).passed == Some(true));
    type Spoil = fn(&mut StudyReport);
    let spoil: [(&str, Spoil); 9] = [
        ("a time for nothing", |made| of(made, KNOWN[0].0).time_ns = Some(interval(5.0, 0.1))),
        ("a chain of half its length", |made| of(made, KNOWN[4].0).time_ns = Some(interval(500.0, 1.0))),
        ("a bound below the truth", |made| {
            let cell = of(made, KNOWN[2].0);
            (cell.time_ns, cell.below_ns) = (None, Some(5.0));
        }),
        ("a spin that ends early", |made| of(made, KNOWN[5].0).typical_ns = Some(interval(90_000.0, 10.0))),
        ("a mean without its rare calls", |made| of(made, KNOWN[8].0).time_ns = Some(interval(100.0, 0.5))),
        ("a difference of nothing", |made| made.comparisons[1].points[0].verdict = Difference::Slower),
        ("no difference where there is one", |made| made.comparisons[0].points[0].verdict = Difference::Same),
        ("a steady state of what has none", |made| {
            of(made, KNOWN[9].0).steadiness = Some(rising(0.1));
        }),
        ("a claim too vague", |made| of(made, KNOWN[5].0).typical_ns = Some(interval(103_000.0, 20_000.0))),
    ];
    let mut stopped = record(&[0], &[1]);
    stopped.interrupted = true;
    let mut pages = vec![("right", made_up()), ("a run that was stopped", stopped)];
    for (name, spoil) in spoil {
        let mut made = made_up();
        spoil(&mut made.content.study);
        pages.push((name, made));
    }
    assert!(pages[1..].iter().all(|(_, made)| conclude(made).passed == Some(false)));
    assert_pages("selftest", conclude, pages);
}

#[test]
fn a_vague_claim_is_neither_right_nor_wrong() {
    let wide = |half| duration(Some(interval(103.0, half)), None, Some(interval(100.0, 0.1))).0;
    assert_eq!([wide(4.0), wide(6.0), wide(1.0)], [Outcome::Right, Outcome::Vague, Outcome::Wrong]);
    let few = Estimate::without_interval(100.0);
    assert_eq!(duration(Some(few), None, Some(interval(100.0, 0.1))).0, Outcome::Vague);
    assert_eq!(duration(Some(interval(100.0, 0.1)), None, Some(interval(100.0, 9.0))).0, Outcome::Vague);
    assert_eq!(duration(Some(interval(f64::NAN, 1.0)), None, Some(interval(100.0, 1.0))).0, Outcome::Wrong);
    let short = interval(1.2, 0.01);
    assert_eq!(duration(Some(interval(1.25, 0.01)), None, Some(short)).0, Outcome::Right);
}

#[test]
fn a_chain_is_a_power() {
    let power = |n: u32| (0..n).fold(1_u64, |x, _| link(x));
    assert_eq!([chain(1, 0), chain(1, 7), chain_of::<102>(1)], [1, power(7), power(102)]);
}
