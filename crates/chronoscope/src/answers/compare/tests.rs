use chronoscope_harness::finding::Finding;
use chronoscope_harness::record::study::State;
use chronoscope_harness::study_rules::STATES;
use chronoscope_render::Width;

use super::made_up::Draws;
use super::report::{FigureVerdict, Noise};
use super::*;
use crate::json::{document, json};
use crate::sections::causality::figures::SKEW;
use crate::sections::clocks::figures::{LATENCY, TICK, WITHIN_1PCT, WITHIN_10PCT};
use crate::sections::{hiccups, pace, pauses, runtimes};

fn record() -> Record {
    document(include_str!("../../../tests/fixtures/record.json")).unwrap()
}

fn noise_between(figure: &Figure, runs: &[Vec<Figure>]) -> Noise {
    noise::between_runs(figure, &runs.iter().map(|run| FigureIndex::of(run)).collect::<Vec<_>>(), 1)
}

fn source(name: &str, record: Record) -> Source {
    Source { name: name.to_owned(), record }
}

/// The record of another run whose every latency is this many times as long.
fn scaled(factor: f64, second: u32) -> Record {
    let mut record = record();
    record.started_at = format!("2026-11-22T00:00:{second:02}Z");
    let clocks = &mut record.content.sections.clocks.report.clocks;
    for latency in clocks.iter_mut().filter_map(|clock| clock.latency_ns.as_mut()) {
        for value in [&mut latency.per_read.estimate, &mut latency.per_read.low, &mut latency.per_read.high] {
            *value *= factor;
        }
    }
    record
}

fn latency(compared: &Comparison, run: usize) -> FigureCompared {
    let figures = &compared.runs[run].figures;
    let is_it = |one: &&FigureCompared| one.kind == LATENCY && one.subject == "CLOCK_MONOTONIC";
    figures.iter().find(is_it).unwrap().clone()
}

#[test]
fn a_document_compared_with_itself_has_not_changed() {
    let compared = compare(&source("a", record()), &[source("b", record())], &[]);
    let run = &compared.runs[0];
    assert!(run.figures.len() > 10 && run.differences.is_empty());
    assert!(run.only_base.is_empty() && run.only_this.is_empty() && run.findings_appeared.is_empty());
    for figure in &run.figures {
        assert!(matches!(figure.verdict, FigureVerdict::Noise | FigureVerdict::Unresolved), "{figure:?}");
    }
}

#[test]
fn a_change_beyond_the_noise_is_found_and_one_within_is_not() {
    let of = |factor: f64| {
        let compared = compare(&source("a", scaled(1.0, 0)), &[source("b", scaled(factor, 1))], &[]);
        let found = latency(&compared, 0);
        (found.verdict, found.worse_by_pct().unwrap().round())
    };
    assert_eq!(of(1.5), (FigureVerdict::Regression, 50.0));
    assert_eq!(of(0.5), (FigureVerdict::Improvement, -50.0));
    assert_eq!(of(1.0).0, FigureVerdict::Noise);
}

#[test]
fn studies_are_compared_cell_by_cell() {
    let study = |factor: f64| {
        let mut record = document(include_str!("../../../tests/fixtures/study.json")).unwrap();
        let cells = &mut record.content.study.as_mut().expect("it is a study").cells;
        cells.iter_mut().for_each(|cell| cell.time_ns = cell.time_ns.map(|time| time.times(factor)));
        record
    };
    let cells = study(1.0).content.study.expect("it is a study").cells;
    let timed = cells.iter().filter(|cell| cell.time_ns.is_some()).count();
    let counted = |factor: f64| {
        let compared = compare(&source("a", study(1.0)), &[source("b", study(factor))], &[]);
        let figures = &compared.runs[0].figures;
        let count = |verdict| figures.iter().filter(|figure| figure.verdict == verdict).count();
        (figures.len(), count(FigureVerdict::Regression), count(FigureVerdict::Improvement))
    };
    let (all, worse, better) = counted(1.5);
    // Of some cells the run's own interval leaves it open.
    assert!(all == timed && worse > timed / 2 && better == 0, "{worse} of {all} worse");
    assert_eq!(counted(1.02), (timed, 0, 0), "less than runs differ by");
}

#[test]
fn a_state_is_no_regression() {
    let run = |ns: f64, low: f64, high: f64, has_states: bool| {
        let mut record = document(include_str!("../../../tests/fixtures/study.json")).unwrap();
        let cells = &mut record.content.study.as_mut().expect("it is a study").cells;
        cells.truncate(1);
        cells[0].time_ns = Some(Estimate { estimate: ns, low, high, confidence: 0.999 });
        let state = |(value, processes)| State { value, processes };
        cells[0].states = [(135.6, 12), (162.7, 12)].map(state).into_iter().filter(|_| has_states).collect();
        record
    };
    let verdict =
        |base: Record, this: Record| compare(&source("a", base), &[source("b", this)], &[]).runs[0].figures[0].verdict;
    // One binary, of which each run happened to have more processes in another state.
    let fast = |has_states| run(135.6, 135.6, 162.6, has_states);
    let slow = |has_states| run(162.7, 135.7, 162.7, has_states);
    assert_eq!(verdict(fast(true), slow(true)), FigureVerdict::Unresolved);
    assert_eq!(verdict(slow(true), fast(true)), FigureVerdict::Unresolved);
    // However narrow the interval of a run that was mostly in one.
    assert_eq!(verdict(run(135.6, 135.6, 135.7, true), run(162.7, 162.6, 162.7, true)), FigureVerdict::Unresolved);
    assert_eq!(verdict(run(135.6, 135.6, 135.7, false), run(162.7, 162.6, 162.7, false)), FigureVerdict::Regression);
}

#[test]
fn the_page_shows_no_interval_of_little_confidence() {
    let run = |confidence: f64| {
        let mut record = document(include_str!("../../../tests/fixtures/study.json")).unwrap();
        let cells = &mut record.content.study.as_mut().expect("it is a study").cells;
        cells.truncate(1);
        cells[0].time_ns = Some(Estimate { estimate: 100.0, low: 98.0, high: 103.0, confidence });
        record
    };
    let shows = |confidence: f64| {
        let comparison = compare(&source("a", run(confidence)), &[source("b", run(confidence))], &[]);
        let page = view::page(&comparison, true, Width::of_columns(118)).finish();
        ["100.0 ns ± 3.0", "1.00× ± 0.04"].map(|figure| page.contains(figure))
    };
    assert_eq!([0.5, 0.95].map(shows), [[false; 2], [true; 2]]);
}

#[test]
fn a_browser_shows_each_ratio_beside_the_noise() {
    use chronoscope_render::browser::{Chart, Entry, Mark};

    let run = |ns: f64| {
        let mut record = document(include_str!("../../../tests/fixtures/study.json")).unwrap();
        let cells = &mut record.content.study.as_mut().expect("it is a study").cells;
        cells.truncate(1);
        cells[0].time_ns = Some(Estimate { estimate: ns, low: 0.99 * ns, high: 1.01 * ns, confidence: 0.999 });
        record
    };
    let drawn = |ns: f64| {
        let comparison = compare(&source("a", run(100.0)), &[source("b", run(ns))], &[]);
        let figure = browser::figures(&comparison).remove(0);
        let Chart::Rows(rows) = &figure.charts[0] else { panic!("not rows") };
        let Entry::Row(row) = rows.entries[0].clone() else { panic!("not a row") };
        let shown =
            |mark: &&Mark| matches!(mark, Mark::Point { at, is_hollow: false, .. } if (at - ns / 100.0).abs() < 1e-9);
        assert_eq!(row.marks.iter().filter(shown).count(), 1, "{:?}", row.marks);
        (row.value, figure.says[0].1.clone())
    };
    let (value, said) = drawn(300.0);
    assert!(value.starts_with("3.00×") && said.ends_with("1 figure in common: 1 regression."), "{value}: {said}");
    let (value, said) = drawn(100.0);
    assert!(value.starts_with("1.00×") && said.contains("no figure is known to have changed"), "{value}: {said}");
}

#[test]
fn each_verdict_has_a_mark_of_its_own_and_the_key_those_that_are_drawn() {
    use chronoscope_render::browser::{Chart, Entry, Hue};

    let comparison = compare(&source("a", scaled(1.0, 0)), &[source("b", scaled(0.5, 1))], &[]);
    let figure = browser::figures(&comparison).remove(0);
    let Chart::Rows(rows) = &figure.charts[0] else { panic!("not rows") };
    let hues = rows.entries.iter().filter_map(|entry| match entry {
        Entry::Row(row) => Some((row.value.rsplit(' ').next()?.to_owned(), row.hue)),
        Entry::Heading(_) => None,
    });
    let hues: Vec<(String, Hue)> = hues.collect();
    assert!(hues.contains(&("improvement".to_owned(), Hue::Green)) && hues.contains(&("noise".to_owned(), Hue::Blue)));
    assert!(hues.iter().all(|(_, hue)| *hue != Hue::Orange), "nothing became worse: {hues:?}");
    let key: Vec<&str> = figure.key.iter().map(|(_, _, name)| name.as_str()).collect();
    assert_eq!((key.first(), key.last()), (Some(&"improvement"), Some(&"within the noise")));
}

#[test]
fn a_browser_shows_another_processor_before_any_chart() {
    let moved = |second: u32, name: &str| {
        let mut record = scaled(1.0, second);
        record.machine.cpu.brand = Some("AMD EPYC".to_owned());
        record.machine.cpu.microarchitecture = Some(name.to_owned());
        record
    };
    let comparison = compare(&source("a", moved(0, "Zen 4")), &[source("b", moved(1, "Zen 5"))], &[]);
    let said = browser::figures(&comparison).remove(0).says;
    assert_eq!(said[1].1, "CPU: AMD EPYC (Zen 4) → AMD EPYC (Zen 5).");
    let same = compare(&source("a", scaled(1.0, 0)), &[source("b", scaled(1.0, 1))], &[]);
    assert_eq!(browser::figures(&same).remove(0).says.len(), 1);
}

#[test]
fn verdicts_are_counted_in_english() {
    let said = |factor: f64| {
        let comparison = compare(&source("a", scaled(1.0, 0)), &[source("b", scaled(factor, 1))], &[]);
        view::answer(&comparison.runs[0], true)
    };
    let (worse, better, same) = (said(1.5), said(0.5), said(1.0));
    assert!(worse.contains(" regressions; ") && worse.ends_with(" within the noise"), "{worse}");
    assert!(better.contains(" improvements; ") && better.ends_with(" within the noise"), "{better}");
    assert!(same.starts_with("no figure is known to have changed"), "{same}");
}

#[test]
fn states_are_not_gone_where_too_few_processes_looked_for_them() {
    let of_processes = |processes: usize, findings: Vec<Finding>| {
        let mut record = document(include_str!("../../../tests/fixtures/study.json")).unwrap();
        let study = record.content.study.as_mut().expect("it is a study");
        let one = study.processes[0].clone();
        study.processes = vec![one; processes];
        Record { findings, ..record }
    };
    let base = of_processes(24, vec![Finding::new(STATES, "136 ns in 14 of 24 processes, 163 ns in 10")]);
    let vanished = |processes| {
        let this = source("b", of_processes(processes, Vec::new()));
        compare(&source("a", base.clone()), &[this], &[]).runs[0].findings_vanished.len()
    };
    assert_eq!([9, 10].map(vanished), [0, 1]);
}

#[test]
fn what_was_never_late_and_now_is_has_become_worse() {
    for kind in
        [pace::figures::LATENESS, pace::figures::RESPONSE, hiccups::figures::LATENESS, pauses::figures::LATENESS]
    {
        let of = |value: f64| Figure::bare(kind, "a", value).unwrap();
        let verdict = |base: f64, this: f64, runs: &[f64]| {
            let runs: Vec<Vec<Figure>> = runs.iter().map(|value| vec![of(*value)]).collect();
            let noise = noise_between(&of(base), &runs);
            compare_figure(&of(base), &of(this), noise).verdict
        };
        assert_eq!(verdict(0.0, 5e7, &[]), verdict(1.0, 5e7, &[]), "{kind:?}");
        assert_eq!(verdict(0.0, 5e7, &[0.0; 12]), FigureVerdict::Regression, "{kind:?}");
        assert_eq!(verdict(5e7, -3.0, &[5e7; 12]), FigureVerdict::Improvement, "{kind:?}");
        assert_eq!(verdict(0.0, 0.0, &[0.0; 12]), FigureVerdict::Noise, "{kind:?}");
    }
}

#[test]
fn several_runs_of_one_machine_tell_the_noise() {
    let runs = |levels: &[f64]| -> Vec<Source> {
        levels.iter().enumerate().map(|(i, level)| source("run", scaled(*level, i as u32 + 1))).collect()
    };
    let base = source("base", scaled(1.0, 0));
    let noisy = compare(&base, &runs(&[1.2, 0.8, 1.1, 1.3]), &[]);
    let found = latency(&noisy, 3);
    assert_eq!((found.verdict, found.noise.runs), (FigureVerdict::Noise, 3), "{found:?}");
    let quiet = compare(&base, &runs(&[1.001, 0.999, 1.0, 1.3]), &[]);
    assert_eq!(latency(&quiet, 3).verdict, FigureVerdict::Regression);
    // Of other conditions, nothing is known.
    let mut others = runs(&[1.2, 0.8, 1.1]);
    others.iter_mut().for_each(|other| other.record.machine.kernel.release = "0.1".to_owned());
    others.push(source("run", scaled(1.3, 9)));
    assert_eq!(latency(&compare(&base, &others, &[]), 3).noise.runs, 0);
    // One run given many times is one run.
    let same: Vec<Source> = (0..5).map(|_| source("same", scaled(1.3, 9))).collect();
    assert_eq!(latency(&compare(&base, &same, &[]), 0).noise.runs, 0);
    let copies: Vec<Source> = (0..12).map(|_| source("copy", scaled(1.0, 8))).chain(runs(&[1.3])).collect();
    assert_eq!(latency(&compare(&base, &copies, &[]), 12).noise.runs, 0, "copies of one run are one");
}

#[test]
fn what_changed_all_runs_is_not_their_noise() {
    let slow: Vec<Source> = (1..=5).map(|run| source("slow", scaled(1.5 + 0.001 * f64::from(run), run))).collect();
    let compared = compare(&source("base", scaled(1.0, 0)), &slow, &[]);
    for run in 0..slow.len() {
        let found = latency(&compared, run);
        assert_eq!((found.verdict, found.noise.runs), (FigureVerdict::Regression, 4), "{found:?}");
    }
}

#[test]
fn a_large_change_is_believed_without_an_interval() {
    let bare = |value: f64| Figure::bare(runtimes::figures::LATENCY, "a", value).unwrap();
    let verdict = |value| compare_figure(&bare(100.0), &bare(value), Noise { band_pct: 5.0, runs: 0 }).verdict;
    assert_eq!(verdict(1_000.0), FigureVerdict::Regression);
    assert_eq!(verdict(40.0), FigureVerdict::Improvement);
    assert_eq!((verdict(150.0), verdict(100.0)), (FigureVerdict::Unresolved, FigureVerdict::Unresolved));
}

#[test]
fn the_better_direction_decides_what_a_change_is() {
    let judged = |kind: &'static FigureKind, factor: f64| {
        let of = |value: f64| Figure::new(kind, "a", Estimate::certain(value)).unwrap();
        compare_figure(&of(100.0), &of(100.0 * factor), Noise { band_pct: 10.0, runs: 0 }).verdict
    };
    for (kind, more, less) in [
        (LATENCY, FigureVerdict::Regression, FigureVerdict::Improvement),
        (TICK, FigureVerdict::Changed, FigureVerdict::Changed),
    ] {
        assert_eq!((judged(kind, 2.0), judged(kind, 0.5), judged(kind, 1.05)), (more, less, FigureVerdict::Noise));
    }
}

#[test]
fn an_interval_that_allows_both_decides_nothing() {
    let judged = |low: f64, high: f64, confidence: f64, runs: u32| {
        let base = Figure::new(LATENCY, "a", Estimate::certain(100.0)).unwrap();
        let value = Estimate { estimate: (low + high) / 2.0, low, high, confidence };
        let this = Figure::new(LATENCY, "a", value).unwrap();
        compare_figure(&base, &this, Noise { band_pct: 5.0, runs }).verdict
    };
    assert_eq!(judged(103.0, 110.0, 0.99, 0), FigureVerdict::Unresolved);
    assert_eq!(judged(106.0, 110.0, 0.99, 0), FigureVerdict::Regression);
    assert_eq!(judged(99.0, 101.0, 0.99, 0), FigureVerdict::Noise);
    assert_eq!(judged(106.0, 110.0, 0.75, 0), FigureVerdict::Unresolved, "too few processes");
    assert_eq!(judged(106.0, 110.0, 0.75, 5), FigureVerdict::Regression, "the band has the error in it");
    let bare = |value: f64| Figure::bare(SKEW, "a", value).unwrap();
    let skew = compare_figure(&bare(100.0), &bare(300.0), Noise { band_pct: 100.0, runs: 0 });
    assert_eq!(skew.verdict, FigureVerdict::Regression, "a bound has no interval of its own");
}

/// The median lateness of a pause has an interval of 75 %: what it allows, one of 95 % allows too.
#[test]
fn an_interval_of_little_confidence_that_reaches_into_the_noise_is_inconclusive() {
    let judged = |low: f64, high: f64, runs: u32| {
        let base = Figure::new(pauses::figures::LATENESS, "a", Estimate::certain(100.0)).unwrap();
        let value = Estimate { estimate: 17.5, low, high, confidence: 0.75 };
        let this = Figure::new(pauses::figures::LATENESS, "a", value).unwrap();
        compare_figure(&base, &this, Noise { band_pct: 130.0, runs }).verdict
    };
    assert_eq!(judged(15.0, 63.0, 0), FigureVerdict::Unresolved, "63 % is within a factor of 2.3");
    assert_eq!(judged(15.0, 40.0, 0), FigureVerdict::Improvement);
    assert_eq!(judged(15.0, 63.0, 5), FigureVerdict::Improvement, "the band has the error in it");
    assert_eq!(judged(15.0, 101.0, 5), FigureVerdict::Unresolved, "it may not have changed at all");
}

#[test]
fn a_shortest_interval_that_jumps_as_those_of_one_machine_do_is_no_regression() {
    for kind in [WITHIN_1PCT, WITHIN_10PCT] {
        let of = |value: f64| Figure::bare(kind, "a", value).unwrap();
        for runs in [0, 12] {
            let known: Vec<Vec<Figure>> = (0..runs).map(|_| vec![of(170.0)]).collect();
            let verdict = |this: f64| compare_figure(&of(170.0), &of(this), noise_between(&of(170.0), &known)).verdict;
            assert_eq!(verdict(180.0), FigureVerdict::Noise);
            assert_eq!(verdict(3_500.0), FigureVerdict::Unresolved, "seen in 1 of 18 checks");
            assert_eq!(verdict(40e6), FigureVerdict::Regression);
        }
    }
}

/// Runs of one machine that differ by a known noise, each with its own interval: how often a figure is called changed.
fn false_alarms(runs: usize, run_sd: f64, within_sd: f64) -> f64 {
    const TRIALS: u32 = 4_000;
    let mut draws = Draws::new(3);
    let mut run = || {
        let level = 18.7 * (run_sd * draws.normal()).exp() * (within_sd * draws.normal()).exp();
        let off = (1.96 * within_sd).exp();
        let value = Estimate { estimate: level, low: level / off, high: level * off, confidence: 0.95 };
        vec![Figure::new(LATENCY, "a", value).unwrap()]
    };
    let changed = (0..TRIALS).filter(|_| {
        let known: Vec<Vec<Figure>> = (0..runs).map(|_| run()).collect();
        let this = run();
        let noise = noise_between(&known[0][0], &known);
        let verdict = compare_figure(&known[0][0], &this[0], noise).verdict;
        matches!(verdict, FigureVerdict::Regression | FigureVerdict::Improvement)
    });
    changed.count() as f64 / f64::from(TRIALS)
}

#[test]
fn runs_that_are_alike_are_rarely_called_changed() {
    for runs in [3, 5, 10, 30] {
        for (run_sd, within_sd) in [(0.01, 0.002), (0.05, 0.01), (0.3, 0.01), (0.02, 0.05)] {
            let alarms = false_alarms(runs, run_sd, within_sd);
            assert!(alarms <= 0.05, "{runs} runs, {run_sd} between, {within_sd} within: {alarms}");
        }
    }
    // Without runs to tell, the usual band is an assumption, and holds where it is true.
    assert!(false_alarms(1, 0.015, 0.002) <= 0.05);
    assert!(false_alarms(1, 0.1, 0.002) > 0.05, "or the test shows nothing");
}

#[test]
fn a_comparison_is_a_document_that_is_shown_again() {
    let mut compared = record();
    compared.content.comparison =
        Some(compare(&source("a.json", scaled(1.0, 0)), &[source("b.json", scaled(1.5, 1))], &[]));
    let text = json(&compared).unwrap();
    assert_eq!(document(&text).unwrap().content.comparison, compared.content.comparison);
    for (full, columns) in [(false, 60), (true, 80), (true, 118)] {
        let page = view::page(compared.content.comparison.as_ref().unwrap(), full, Width::of_columns(columns)).finish();
        let page = anstream::adapter::strip_str(&page).to_string();
        assert!(page.contains("regression") && page.contains("a.json"), "{page}");
        assert_eq!(page.contains("noise  ") || page.contains(" noise\n"), full || columns == 60, "{page}");
    }
}
