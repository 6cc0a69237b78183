use super::super::made_up::{cell as of_processes, record};
use super::*;
use crate::record::study::{CaseFailure, Leading};
use crate::stats::{CONFIDENCE, Random};

fn report(cells: Vec<Cell>) -> StudyReport {
    record(cells).content.study
}

/// Twelve processes that differ by up to 1 %, times `factor`.
fn times(factor: f64) -> Vec<f64> {
    (0..12).map(|process| factor * (100.0 + f64::from(process * 7 % 12) / 10.0)).collect()
}

fn only(this: Cell, other: Cell) -> AgainstCell {
    against(&report(vec![this]), report(vec![other]), "old", Vec::new()).cells[0].clone()
}

#[test]
fn partners_are_compared_whatever_their_level() {
    for (factor, expected) in
        [(1.02, Difference::Slower), (0.98, Difference::Faster), (1.0, Difference::Same), (1.004, Difference::Same)]
    {
        let found = only(of_processes("a", 0, &times(factor)), of_processes("a", 0, &times(1.0)));
        assert_eq!((found.verdict, found.pairs), (expected, 12), "{factor}: {found:?}");
        assert!(found.ratio.is_some_and(|ratio| (ratio.estimate - factor).abs() < 1e-9));
    }
}

#[test]
fn too_few_pairs_decide_nothing_and_say_so() {
    let ten = |factor: f64| of_processes("a", 0, &times(factor)[..6]);
    let found = against(&report(vec![ten(2.0)]), report(vec![ten(1.0)]), "old", Vec::new());
    assert_eq!((found.cells[0].verdict, found.cells[0].pairs), (Difference::Unresolved, 6));
    assert!(found.warnings[0].starts_with("6 "), "{:?}", found.warnings);
    assert!(found.has_unresolved() && !found.has_regression());
    assert!((found.confidence - (1.0 - 2.0 / 64.0)).abs() < 1e-9, "attained: {}", found.confidence);
    // 99 %, as the plan has it, takes 8 pairs for a single cell; for a hundred cells 99.99 %, and 15 pairs.
    let many = |factor: f64| report((0..100).map(|tokens| of_processes("a", tokens, &times(factor))).collect());
    let found = against(&many(2.0), many(1.0), "old", Vec::new());
    assert!(found.warnings[0].contains("15"), "{:?}", found.warnings);
    // Twelve pairs hold each interval with 1 − 2/2¹².
    assert!((found.confidence - (1.0 - 100.0 * 2.0 / 4096.0)).abs() < 1e-9, "{}", found.confidence);
}

#[test]
fn the_conclusion_counts_what_is_slower() {
    let of = |factors: [f64; 2]| {
        report(factors.iter().zip(0..).map(|(of, tokens)| of_processes("a", tokens, &times(*of))).collect())
    };
    let concluded = |factor: f64| against(&of([factor, 1.0]), of([1.0; 2]), "old", Vec::new()).conclusion.unwrap();
    let slower = concluded(1.2);
    assert!(slower.is(BECAME_SLOWER) && slower.evidence.summary.starts_with("1 of 2"), "{slower:?}");
    assert!(concluded(1.0).is(NOT_SLOWER));
    let few = |factor: f64| report(vec![of_processes("a", 0, &times(factor)[..2])]);
    assert!(against(&few(1.0), few(1.0), "old", Vec::new()).conclusion.unwrap().is(NOT_KNOWN_SLOWER));
    assert_eq!(against(&report(Vec::new()), report(Vec::new()), "old", Vec::new()).conclusion, None);
}

#[test]
fn a_process_without_a_partner_does_not_count() {
    let mut other = of_processes("a", 0, &times(1.0));
    other.processes[0].typical_ns = None;
    other.processes.pop();
    assert_eq!(only(of_processes("a", 0, &times(1.0)), other).pairs, 10);
}

#[test]
fn what_the_clock_could_make_up_is_no_difference() {
    let coarse = |factor: f64| Cell { clock_share_pct: 5.0, ..of_processes("a", 0, &times(factor)) };
    assert_eq!(only(coarse(1.02), coarse(1.0)).verdict, Difference::Unresolved);
    assert_eq!(only(coarse(1.2), coarse(1.0)).verdict, Difference::Slower);
}

#[test]
fn what_the_clock_leaves_open_is_not_the_same() {
    let coarse = |factor: f64| Cell { clock_share_pct: 5.0, ..of_processes("a", 0, &times(factor)) };
    let found = only(coarse(1.001), coarse(1.0));
    assert_eq!(found.verdict, Difference::Unresolved, "{found:?}");
    let fine = |factor: f64| Cell { clock_share_pct: 0.1, ..of_processes("a", 0, &times(factor)) };
    assert_eq!(only(fine(1.001), fine(1.0)).verdict, Difference::Same);
}

#[test]
fn an_operation_may_become_something_but_nothings_do_not_differ() {
    let nothing = |factor: f64| Cell { time_ns: None, below_ns: Some(0.3), ..of_processes("a", 0, &times(factor)) };
    assert_eq!(only(nothing(1.1), nothing(1.0)).verdict, Difference::Unresolved);
    let found = only(of_processes("a", 0, &times(1.1)), nothing(1.0));
    assert!(found.verdict == Difference::Slower && !found.has_ratio());
}

#[test]
fn what_only_one_build_has_is_named() {
    let mut other = StudyReport {
        failures: vec![CaseFailure { case: "c".into(), at: "here".into(), reason: "no".into() }],
        processes: vec![StudyProcess { reason_incomplete: Some("it was killed".into()), ..StudyProcess::default() }],
        ..report(vec![of_processes("b", 4, &times(1.0))])
    };
    (other.plan.backoff_tokens, other.plan.threads) = (vec![4], vec![1, 2]);
    let found = against(&report(vec![of_processes("a", 0, &times(1.0))]), other, "old", vec!["new".into()]);
    assert!(found.cells.is_empty() && found.conclusion.is_none());
    assert_eq!(
        (found.only_this, found.only_other),
        (vec!["a, 0 tokens, 1 thread".to_owned()], vec!["b, 4 tokens, 1 thread".to_owned(), "new".to_owned()])
    );
    assert_eq!(found.failures.len(), 1);
    assert!(found.warnings[0].contains("it was killed"));
}

/// The means in ns of 48 processes of one program, a chain of 100 multiplications, one after the other: recorded on a virtual
/// machine of two CPUs that had more to do.
const RECORDED: [f64; 48] = [
    78.24, 80.19, 78.71, 76.19, 85.32, 78.36, 77.16, 76.55, 77.47, 78.66, 78.94, 78.40, 77.63, 76.51, 76.46, 76.11,
    77.38, 75.79, 78.00, 77.67, 76.11, 74.10, 74.25, 74.09, 74.12, 73.90, 74.04, 73.97, 74.12, 73.99, 74.35, 74.59,
    74.71, 75.23, 74.55, 74.54, 74.97, 74.78, 73.80, 74.07, 74.90, 75.53, 77.20, 74.75, 75.36, 80.42, 82.17, 83.02,
];
/// Processes that follow each other in a resample as they did: the machine's level moves slowly.
const STRETCH: usize = 8;
/// One process in ten is slower by a tenth, as in an unlucky layout.
const UNLUCKY: (f64, f64) = (0.1, 1.1);

/// `pairs` pairs of processes in turn (AB BA …) from stretches of the recorded ones; this build takes `factor` times as long.
fn resampled(random: &mut Random, pairs: usize, factor: f64) -> Vec<Pair> {
    let mut next = 0;
    let mut process = |place: usize| {
        next = if place.is_multiple_of(STRETCH) { random.below(RECORDED.len()) } else { (next + 1) % RECORDED.len() };
        RECORDED[next] * if random.unit() < UNLUCKY.0 { UNLUCKY.1 } else { 1.0 }
    };
    let pair = |number: usize| {
        let (first, second) = (process(2 * number), process(2 * number + 1));
        let (this, other) = if number.is_multiple_of(2) { (first, second) } else { (second, first) };
        (other, factor * this, None)
    };
    (0..pairs).map(pair).collect()
}

/// How many of `runs` resampled comparisons say faster, and how many say slower.
fn verdicts(seed: u64, runs: u32, pairs: usize, factor: f64) -> (u32, u32) {
    let terms = Terms { margin_pct: 1.0, confidence: CONFIDENCE, least: CONFIDENCE };
    let mut random = Random::new(seed);
    let mut found = (0, 0);
    for _ in 0..runs {
        let judged = judge(Leading::Mean, &resampled(&mut random, pairs, factor), None, 0.0075, &terms).unwrap();
        match judged.verdict {
            Difference::Faster => found.0 += 1,
            Difference::Slower => found.1 += 1,
            _ => {}
        }
    }
    found
}

#[test]
fn of_a_hundred_thousand_comparisons_of_a_program_with_itself_at_most_one_per_mille_differ() {
    for (seed, pairs, runs) in [(1, 24, 70_000), (2, 50, 30_000)] {
        let (faster, slower) = verdicts(seed, runs, pairs, 1.0);
        assert!((faster + slower) * 1000 <= runs, "{pairs} pairs: {faster} faster, {slower} slower of {runs}");
    }
}

#[test]
fn two_percent_are_found() {
    let (faster, slower) = verdicts(3, 1000, 100, 1.02);
    assert!(slower >= 950 && faster == 0, "{slower} slower, {faster} faster of 1000");
}

#[test]
fn a_difference_below_what_the_run_resolves_is_no_regression() {
    let slower = |resolvable_pct: f64, comparisons: u32| {
        let control = Control { comparisons, alarms: 0, verdicts_wrong: 0, resolvable_pct, resolvable_ns: 1.0 };
        let this = StudyReport { control: Some(control), ..report(vec![of_processes("a", 0, &times(1.02))]) };
        against(&this, report(vec![of_processes("a", 0, &times(1.0))]), "old", Vec::new())
    };
    let told = |found: &Against| {
        assert_eq!(found.cells[0].verdict, Difference::Slower, "the verdict is by the margin");
        let conclusion = found.conclusion.clone().unwrap();
        assert_eq!(conclusion.is(BECAME_SLOWER), found.has_regression(), "{conclusion:?}");
        (found.floor_pct, found.has_regression())
    };
    assert_eq!(told(&slower(3.13, 20)), (Some(3.2), false));
    assert_eq!(told(&slower(1.4, 20)), (Some(1.4), true));
    assert_eq!(told(&slower(0.9, 20)), (None, true), "less than the margin");
    assert_eq!(told(&slower(3.13, 19)), (None, true), "too few comparisons tell nothing");
    let conclusion = slower(3.13, 20).conclusion.unwrap().evidence.summary;
    assert_eq!(
        conclusion,
        "none of 1 is known to be slower by more than 3.2 %; 1 slower by an estimated 3.2 % or less"
    );
}
