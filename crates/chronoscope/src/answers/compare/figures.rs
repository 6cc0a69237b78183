//! The figures of a document, section by section.

use std::collections::BTreeSet;

use chronoscope_harness::record::study::Cell;
use chronoscope_harness::record::{Document, Estimate};

use super::figure::{Figure, FigureKind};
use crate::document::{Content, Record};
use crate::sections::clocks::report::ClockReport;
use chronoscope_harness::estimators::intervals::Tolerance;
use chronoscope_harness::estimators::latency::Latency;

/// Every figure of a document that another may have too, each once.
pub fn figures(record: &Record) -> Vec<Figure> {
    let sections = [of_clocks, of_verdict, of_pauses, of_runtimes, of_study, of_pace, of_hiccups, of_sync];
    let mut seen = BTreeSet::new();
    let mut all: Vec<Figure> = sections.into_iter().flat_map(|of| of(record)).collect();
    all.retain(|figure| seen.insert((figure.kind, figure.subject.clone())));
    all
}

fn estimate(latency: &Latency) -> Estimate {
    Estimate { estimate: latency.estimate, low: latency.low, high: latency.high, confidence: latency.confidence }
}

fn of_clocks(record: &Document<Content>) -> Vec<Figure> {
    let of_clock = |clock: &ClockReport| {
        let name = clock.name.name();
        let latency = clock.latency_ns.as_ref().map(estimate);
        let tick = clock.tick.as_ref().and_then(|tick| tick.period_ns);
        [
            latency.and_then(|latency| Figure::new(FigureKind::Latency, name, latency)),
            clock.step_ns().and_then(|step| Figure::bare(FigureKind::Step, name, step)),
            tick.and_then(|tick| Figure::new(FigureKind::Tick, name, tick)),
        ]
    };
    record.clocks.iter().filter(|clock| clock.available).flat_map(of_clock).flatten().collect()
}

fn of_verdict(record: &Document<Content>) -> Vec<Figure> {
    let kinds = [FigureKind::IntervalWithin1Pct, FigureKind::IntervalWithin10Pct];
    let of_clock = |clock: &crate::answers::report::ClockVerdict| {
        let shortest = Tolerance::ALL.map(|tolerance| clock.promise.within(tolerance).known_from_ns());
        let name = clock.name.name().to_owned();
        kinds.into_iter().zip(shortest).filter_map(move |(kind, ns)| Figure::bare(kind, name.clone(), ns?))
    };
    let skew = record.verdict.skew_not_excluded_ns;
    let skew = skew.and_then(|ns| Figure::bare(FigureKind::Skew, "between CPUs", ns));
    record.verdict.clocks.iter().flat_map(of_clock).chain(skew).collect()
}

fn of_pauses(record: &Document<Content>) -> Vec<Figure> {
    let Some(pause) = record.pauses.report.as_ref() else { return Vec::new() };
    let of_method = |method: &crate::sections::pauses::report::PauseMethod| {
        let figures = &method.figures;
        let requested = figures.requested_ns;
        let late = figures.p50_ns.map(|ns| ns - requested as f64);
        let length = chronoscope_harness::quantity::length(std::time::Duration::from_nanos(requested));
        Figure::new(FigureKind::PauseLateness, format!("{}, {length}", figures.name), late)
    };
    pause.methods.iter().filter_map(of_method).collect()
}

fn of_runtimes(record: &Document<Content>) -> Vec<Figure> {
    let of_runtime = |runtime: &crate::sections::runtimes::report::Runtime| {
        let title = runtime.title();
        let of_clock = |clock: &crate::sections::runtimes::report::RuntimeClock| {
            let latency = clock.latency_ns.as_ref().map(estimate)?;
            Figure::new(FigureKind::RuntimeLatency, format!("{title} {}", clock.name), latency)
        };
        runtime.clocks.iter().filter_map(of_clock).collect::<Vec<_>>()
    };
    record.runtimes.iter().flat_map(of_runtime).collect()
}

fn of_study(record: &Document<Content>) -> Vec<Figure> {
    let Some(study) = record.study.as_ref() else { return Vec::new() };
    let of_cell = |cell: &Cell| {
        let mut words = vec![cell.case.clone()];
        words.extend(cell.role.clone());
        words.extend(cell.parameters.iter().map(|(name, value)| format!("{name} {value}")));
        words.push(format!("{} tokens", cell.backoff_tokens));
        words.push(threads(cell.threads));
        Figure::new(FigureKind::OperationTime, format!("{}: {}", study.name, words.join(", ")), cell.time_ns?)
    };
    study.cells.iter().filter_map(of_cell).collect()
}

fn of_pace(record: &Document<Content>) -> Vec<Figure> {
    let Some(pace) = record.pace.as_ref() else { return Vec::new() };
    let subject = format!("pace of {}", chronoscope_harness::quantity::PER_SECOND.value(pace.rate_per_s));
    let times = [(FigureKind::PaceLateness, &pace.lateness_ns), (FigureKind::PaceResponse, &pace.response_ns)];
    times.into_iter().filter_map(|(kind, times)| Figure::bare(kind, subject.clone(), times.p99 as f64)).collect()
}

fn of_hiccups(record: &Document<Content>) -> Vec<Figure> {
    let Some(hiccups) = record.hiccups.report.as_ref() else { return Vec::new() };
    let of_way = |way: &crate::sections::hiccups::report::Hiccups| {
        Figure::bare(FigureKind::HiccupLateness, way.way.name(), way.figures.late_ns_p99 as f64)
    };
    hiccups.all.iter().filter_map(of_way).collect()
}

fn of_sync(record: &Document<Content>) -> Vec<Figure> {
    let bound = record.sync.report.as_ref().and_then(|sync| sync.bound.value());
    bound.and_then(|bound| Figure::bare(FigureKind::ClockError, "wall clock", bound.error_ns)).into_iter().collect()
}

fn threads(count: u32) -> String {
    chronoscope_render::words::counted(count.into(), "thread", "threads")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::document;

    fn of(text: &str) -> Vec<Figure> {
        figures(&document(text).unwrap())
    }

    fn has(figures: &[Figure], kind: FigureKind, subject: &str) -> bool {
        figures.iter().any(|figure| figure.kind == kind && figure.subject.contains(subject))
    }

    #[test]
    fn every_kind_of_document_has_figures() {
        let check = of(include_str!("../../../tests/fixtures/record.json"));
        assert!(has(&check, FigureKind::Latency, "CLOCK_MONOTONIC") && has(&check, FigureKind::Skew, "between CPUs"));
        assert!(has(&check, FigureKind::IntervalWithin1Pct, "CLOCK_MONOTONIC"), "{check:?}");
        let runtimes = of(include_str!("../../../tests/fixtures/runtimes.json"));
        assert!(has(&runtimes, FigureKind::RuntimeLatency, "System.nanoTime"), "{runtimes:?}");
        let study = of(include_str!("../../../tests/fixtures/study.json"));
        assert!(has(&study, FigureKind::OperationTime, "1 thread"), "{study:?}");
        let pace = of(include_str!("../../../tests/fixtures/pace.json"));
        assert!(has(&pace, FigureKind::PaceLateness, "pace of"), "{pace:?}");
        let hiccups = of(include_str!("../../../../../docs/shown/hiccups.json"));
        assert!(has(&hiccups, FigureKind::HiccupLateness, "spin"), "{hiccups:?}");
    }

    #[test]
    fn a_document_that_names_a_clock_twice_has_its_figure_once() {
        let mut record = document(include_str!("../../../tests/fixtures/record.json")).unwrap();
        let before = figures(&record).len();
        let again = record.clocks.clocks.clone();
        record.clocks.extend(again);
        assert_eq!(figures(&record).len(), before);
    }
}
