//! The noise floor of made-up studies.

use chronoscope_harness::record::Known;
use chronoscope_harness::record::study::{
    Comparison, ComparisonPoint, Difference, Estimate, InterferenceProbe, Leading, Parameters, StudyRecord,
};
use chronoscope_harness::stats::{confidence_of_each, median_interval};
use chronoscope_render::Width;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::report::NoiseFloor;
use crate::answers::gate::report::{Gate, Judged};
use crate::answers::gate::resolve::judge;
use crate::answers::gate::view::gate_at;
use crate::document;
use crate::experiment::synthetic::assert_fits;
use crate::tests::golden_file::assert_golden;

/// A pair whose copy took between these times as long as the operation.
pub const PRECISE: (f64, f64) = (0.996, 1.005);

/// A study of ten pairs over 24 processes: one with the first of these ratios, one with the second and so on, the others precise.
pub fn study(ratios: &[(f64, f64)]) -> StudyRecord {
    let mut record = crate::experiment::synthetic::record();
    let name = |at: usize| format!("operation {at}");
    let pairs: Vec<(String, String)> = (0..10).map(|at| (name(at) + " again", name(at))).collect();
    let all = ratios.iter().copied().chain(std::iter::repeat(PRECISE));
    let comparison = |((case, baseline), (low, high)): (&(String, String), (f64, f64))| Comparison {
        case: case.clone(),
        baseline: baseline.clone(),
        parameters: Parameters::new(),
        threads: 1,
        points: vec![point(low, high)],
        model: None,
    };
    let study = &mut record.content.study;
    study.comparisons = pairs.iter().zip(all).map(comparison).collect();
    (study.plan.processes, study.plan.confidence, study.plan.comparisons) = (24, 0.999, pairs);
    let probe = InterferenceProbe { iterations: 700, iterations_quiet: 650, ..InterferenceProbe::default() };
    study.interference_probe = Some(probe);
    record.machine.cpu_quota = Known::Value(None);
    record
}

fn point(low: f64, high: f64) -> ComparisonPoint {
    let ratio = Estimate { estimate: f64::midpoint(low, high), low, high, confidence: 0.99996 };
    ComparisonPoint {
        backoff_tokens: 0,
        leads: Leading::Typical,
        difference_ns: ratio,
        ratio,
        other_ratio: None,
        verdict: Difference::Unresolved,
        has_states: false,
        pairs: 24,
    }
}

/// The point of a pair.
pub fn point_of(record: &mut StudyRecord, pair: usize) -> &mut ComparisonPoint {
    &mut record.content.study.comparisons[pair].points[0]
}

#[test]
fn the_floor_is_the_farthest_reach_of_any_pair_and_half_its_half_width_rounded_up() {
    let floor = NoiseFloor::of(&study(&[(0.9836, 1.012)]));
    assert!((floor.pairs[0].told_pct.unwrap() - (1.64 + 1.42 / 2.0)).abs() < 1e-9);
    assert_eq!((floor.floor_pct, floor.false_alarms, floor.pairs.len()), (Some(2.4), 0, 10));
    assert_eq!(floor.worst().unwrap().operation, "operation 0");
    assert_eq!(NoiseFloor::of(&study(&[(0.98, 1.02)])).floor_pct, Some(3.0), "rounding errors are not rounded up");
    assert_eq!(NoiseFloor::of(&study(&[(0.98, 1.02), (1.01, 1.2)])).floor_pct, Some(25.0));
}

fn unit(generator: &mut Xoshiro256PlusPlus) -> f64 {
    generator.next_u64() as f64 / 2.0_f64.powi(64)
}

/// Ratios of the processes of one pair of equals, spread normally, or with tails ten times as far in one of five.
fn ratios(generator: &mut Xoshiro256PlusPlus, has_tails: bool) -> Vec<f64> {
    let mut of_process = || {
        // A sum of uniform values, about normal.
        let normal = (0..12).map(|_| unit(generator)).sum::<f64>() - 6.0;
        let is_far = has_tails && unit(generator) < 0.2;
        1.0 + if is_far { 0.1 } else { 0.01 } * normal
    };
    (0..24).map(|_| of_process()).collect()
}

#[test]
fn a_difference_of_the_floor_is_told_19_times_in_20() {
    for has_tails in [false, true] {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(38);
        let mut interval =
            || median_interval(ratios(&mut generator, has_tails), confidence_of_each(0.999, 10)).unwrap();
        let (mut told, mut all) = (0, 0);
        for _ in 0..200 {
            let pairs: Vec<(f64, f64)> = (0..10).map(|_| interval()).map(|ratio| (ratio.low, ratio.high)).collect();
            let planted = 1.0 + NoiseFloor::of(&study(&pairs)).floor_pct.unwrap() / 100.0;
            told += (0..10).filter(|_| interval().low * planted > 1.0).count();
            all += 10;
        }
        assert!(told * 20 >= all * 19, "{told} of {all}");
    }
}

#[test]
fn an_interval_that_leaves_out_1_is_a_false_alarm() {
    let floor = NoiseFloor::of(&study(&[(1.001, 1.003), (0.99, 1.0)]));
    assert_eq!((floor.false_alarms, floor.floor_pct), (1, Some(1.3)));
    assert!(floor.pairs[0].is_false_alarm);
}

#[test]
fn a_pair_of_too_few_processes_says_nothing() {
    let mut record = study(&[(0.5, 0.6)]);
    point_of(&mut record, 0).ratio.confidence = 1.0 - 2.0_f64.powi(-13);
    point_of(&mut record, 0).pairs = 14;
    record.content.study.comparisons.remove(3);
    let floor = NoiseFloor::of(&record);
    assert_eq!((floor.floor_pct, floor.false_alarms, floor.processes_needed), (Some(0.73), 0, 15));
    let unsure: Vec<(&str, u64)> =
        floor.pairs.iter().filter(|pair| !pair.is_sure).map(|pair| (&*pair.operation, pair.processes)).collect();
    assert_eq!(unsure, [("operation 0", 14), ("operation 3", 0)]);
    assert_eq!(floor.unsure().unwrap().operation, "operation 3");
    let nothing = NoiseFloor::of(&crate::experiment::synthetic::record());
    assert_eq!((nothing.floor_pct, nothing.worst()), (None, None));
}

#[test]
fn fifteen_processes_are_enough_for_ten_pairs() {
    let mut record = study(&[]);
    for pair in 0..10 {
        point_of(&mut record, pair).ratio.confidence = 1.0 - 2.0_f64.powi(-14);
    }
    assert_eq!(NoiseFloor::of(&record).unsure(), None);
}

#[test]
fn only_a_limit_that_stops_one_thread_is_a_cause() {
    for (quota, wanted) in [(None, None), (Some(0.5), Some(0.5)), (Some(1.0), Some(1.0)), (Some(1.5), None)] {
        let mut record = study(&[]);
        record.machine.cpu_quota = Known::Value(quota);
        assert_eq!(NoiseFloor::of(&record).cpu_quota, wanted);
    }
}

#[test]
fn a_number_that_is_none_is_no_reach() {
    let mut record = study(&[]);
    point_of(&mut record, 0).ratio.high = f64::INFINITY;
    point_of(&mut record, 1).ratio.low = f64::NAN;
    let floor = NoiseFloor::of(&record);
    assert!(floor.pairs[0].told_pct.is_none() && !floor.pairs[0].is_sure);
    assert!(floor.floor_pct.is_some_and(f64::is_finite));
}

#[test]
fn the_page_has_the_answer_and_every_pair() {
    let mut record = study(&[(0.9836, 1.012), (1.0012, 1.0032), (0.974, 1.031), (0.99, 1.01)]);
    point_of(&mut record, 3).ratio.confidence = 0.99;
    point_of(&mut record, 3).pairs = 8;
    let floor = NoiseFloor::of(&record);
    let judged = [5.0, 2.0].map(|asked| Judged { rule: format!("resolve {asked}%"), ..judge(&floor, asked) });
    let mut shown = document::of_study(record, "gate");
    shown.content.noise_floor = Some(floor);
    let page = |width| gate_at(&shown, &Gate::of(judged.to_vec(), false), width).finish();
    assert_golden("noise-floor.txt", &anstream::adapter::strip_str(&page(Width::default())).to_string());
    assert_fits(page);
}
