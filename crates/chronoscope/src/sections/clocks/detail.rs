//! The page of `chronoscope clocks`: every clock in full.

use crate::document::Record;
use crate::sections::clocks::latency::measure::ESTIMATOR;
use crate::sections::clocks::plan::LATENCY;
use crate::sections::clocks::report::ClockReport;
use chronoscope_harness::estimators::latency::{Latency, ProcessSummary};
use chronoscope_harness::estimators::steps::Granularity;
use chronoscope_harness::estimators::tick::{Step, Tick};
use chronoscope_harness::literature::Article;
use chronoscope_harness::record::PathMethod;

use crate::screen::{findings, verdict};
use crate::sections::clocks::library_clock::view as library_clock;
use crate::sections::clocks::table::{cycles_said, path_word};
use crate::shared_findings::NEGATIVE_ELAPSED;
use chronoscope_harness::quantity::{TIME, confidence, ns, share};
use chronoscope_render::bars::{SCALE, bars};
use chronoscope_render::line::Line;
use chronoscope_render::page::{Page, wrapped};
use chronoscope_render::palette::{DIM, PLAIN};
use chronoscope_render::words::counted;
use chronoscope_render::{disturbance, machine};

/// Of documents of earlier builds.
const ANOTHER_ESTIMATOR: &str =
    "latencies are estimates of the build that made this document, and not medians of the processes' medians";
/// Maximum rows of a histogram here.
const ROWS: usize = 12;

/// Every clock with all its measurements, then the counter, the clocksources and the intervals.
pub fn show(page: &mut Page, record: &Record) {
    for clock in record.content.clocks().clocks.iter().filter(|clock| clock.available) {
        one(page, record, clock);
    }
    verdict::trials(page, record);
    library_clock::show(page, record);
    counter(page, record);
    clocksources(page, record);
    messages(page, record);
    if let Some(harness) = &record.content.clocks().harness {
        page.section("METHOD");
        let said = if record.content.clocks().has_its_estimator() { ESTIMATOR } else { ANOTHER_ESTIMATOR };
        page.paragraph(Line::plain("  "), PLAIN, said);
        if let Some(latency) = &harness.loop_overhead_ns {
            latency_said(page, "empty loop", latency);
        }
    }
}

/// Kernel messages about clocks since boot.
fn messages(page: &mut Page, record: &Record) {
    let messages = record.machine.kernel.messages.all();
    if messages.is_empty() {
        return;
    }
    page.section("KERNEL MESSAGES ON CLOCKS");
    for message in messages {
        page.paragraph(Line::plain("  "), PLAIN, message);
        if let Some(meaning) = meaning(message, record.machine.hypervisor.present == Some(true)) {
            page.paragraph(Line::plain("    "), DIM, meaning);
        }
    }
}

/// What a kernel message means that sounds worse than it is.
///
/// # Sources
/// Linux, arch/x86/kernel/cpu/amd.c: the message is that `TscFreqSel` (bit 24 of the register HWCR) is not set.
fn meaning(message: &str, is_guest: bool) -> Option<&'static str> {
    message.contains("TSC doesn't count with P0 frequency").then_some(match is_guest {
        true => "harmless in a guest: the hypervisor does not show the bit that the kernel looks for; the TSC's rate is measured (TSC)",
        false => "the firmware has not set TscFreqSel, so that the TSC may not run at the base frequency; its rate is measured (TSC)",
    })
}

fn one(page: &mut Page, record: &Record, clock: &ClockReport) {
    page.section(&chronoscope_render::page::fitted(clock.name.name(), 80));
    path(page, clock);
    if let Some(latency) = &clock.latency_ns {
        latency_said(page, "latency", latency);
        processes(page, latency);
    } else {
        page.entry("latency", DIM, "not measured");
    }
    if let Some(cycles) = cycles_said(clock, record) {
        page.entry("ticks", PLAIN, &cycles);
        if clock.published_cycles(&record.machine).is_some() {
            page.entry("", DIM, &published_cycles());
        }
    }
    let declared = clock.resolution_ns_declared.map_or_else(|| "none".to_owned(), ns);
    page.entry("resolution", PLAIN, &format!("{declared} declared"));
    granularity(page, record, clock);
    if let Some(tick) = &clock.tick {
        page.entry("tick", PLAIN, &tick_said(tick));
    }
    let causality = record.content.judgement.as_ref().and_then(|judgement| judgement.causality.of(&clock.name));
    if let Some(reason) = causality.and_then(|of| of.reason_unknown.as_ref()) {
        page.entry("causal", DIM, &format!("not known: {reason}"));
    }
    let part = record.content.parts.iter().find(|report| report.part == LATENCY);
    if let Some(part) = part.filter(|_| clock.latency_ns.is_some()) {
        let said = disturbance::said(&part.disturbance);
        page.entry("disturbance", PLAIN, &format!("latency part, all clocks: {said}"));
    }
    histograms(page, clock);
}

fn path(page: &mut Page, clock: &ClockReport) {
    let word = clock.path.map_or("unknown", path_word);
    let text = match &clock.path_evidence {
        Some(evidence) => {
            let method = match evidence.method {
                PathMethod::ByConstruction => "by construction",
                PathMethod::Proved => "proved",
                PathMethod::Counted => "counted",
                PathMethod::Inferred => "inferred",
            };
            format!("{word}, {method}: {}", evidence.detail)
        }
        None => format!("{word}, {}", clock.reason_path_unknown.as_deref().unwrap_or("not tested")),
    };
    page.entry("path", PLAIN, &text);
}

fn latency_said(page: &mut Page, name: &str, latency: &Latency) {
    let interval = match latency.per_read.interval() {
        Some((low, high)) => {
            format!("interval {} with confidence {}", TIME.interval(low, high), confidence(latency.per_read.confidence))
        }
        None => "no interval: one process".to_owned(),
    };
    let text = format!(
        "{} ({interval}) · p50 {} · p99 {} · {} of {}",
        ns(latency.per_read.estimate),
        ns(latency.p50),
        ns(latency.p99),
        counted(latency.batches, "batch", "batches"),
        counted(latency.reads_per_batch, "read", "reads"),
    );
    page.entry(name, PLAIN, &text);
}

/// Every process in one row: how many, and the range of their figures. Each one's are in the document.
fn processes(page: &mut Page, latency: &Latency) {
    let range = |part: fn(&ProcessSummary) -> f64| {
        let (low, high) = latency
            .processes
            .iter()
            .map(part)
            .fold((f64::MAX, f64::MIN), |(low, high), each| (low.min(each), high.max(each)));
        TIME.interval(low, high)
    };
    if !latency.processes.is_empty() {
        let processes = counted(latency.processes.len() as u64, "process", "processes");
        let text = format!("{processes}: p50 {}, minimum {}", range(|each| each.p50), range(|each| each.minimum));
        page.entry("", PLAIN, &text);
    }
}

fn granularity(page: &mut Page, record: &Record, clock: &ClockReport) {
    let Some(seen) = &clock.granularity else {
        page.entry("steps", DIM, "not measured");
        return;
    };
    page.entry("steps", PLAIN, &granularity_said(clock, seen));
    if seen.backward_steps > 0 {
        let steps = counted(seen.backward_steps, "step", "steps");
        let style = findings::style(record, &[NEGATIVE_ELAPSED], &clock.name);
        page.entry("", style, &format!("{steps} backward, the largest {}", ns(seen.worst_backward_ns)));
    }
}

fn granularity_said(clock: &ClockReport, seen: &Granularity) -> String {
    let smallest = match (clock.granularity_ns, clock.step.and_then(Step::is_hidden)) {
        (Some(least), Some(true)) => {
            let was_looked_for = clock.tick.as_ref().is_some_and(Tick::was_looked_for);
            let meaning = match clock.moves_in_ns() {
                Some(_) if clock.keeps_readings_apart() => ", shorter than the tick: readings are kept apart",
                Some(tick) if least < tick => ", the tick in whole units",
                Some(_) => ", not the tick, which is shorter",
                None if was_looked_for => ", between two reads in a row",
                None => ", between two reads in a row: a finer tick would not show",
            };
            format!("smallest difference {}{meaning}", ns(least))
        }
        (Some(step), _) => ns(step),
        (None, _) => "no step observed".to_owned(),
    };
    let quantum = seen.quantum_ns.map_or_else(|| "no common quantum".to_owned(), |q| format!("quantum {}", ns(q)));
    let backward = if seen.backward_steps == 0 { " · none backward" } else { "" };
    format!(
        "{smallest} · median step {} · {quantum} · {} in {} · {} of consecutive reads equal{backward}",
        ns(seen.step_ns_p50),
        counted(seen.steps, "step", "steps"),
        counted(seen.reads, "read", "reads"),
        share(seen.zero_share),
    )
}

fn tick_said(tick: &Tick) -> String {
    let readings = counted(tick.readings, "reading", "readings");
    match (&tick.period_ns, tick.shortest_ns.zip(tick.longest_ns)) {
        (Some(period), _) => {
            let found = TIME.amount(period);
            let part = tick.share.filter(|_| !tick.holds_all()).map_or_else(|| "all".to_owned(), share);
            format!("{found}: {part} of {readings} at irregular times are multiples of it")
        }
        (None, Some((shortest, longest))) => {
            format!("none from {} to {} in {readings} at irregular times", ns(shortest), ns(longest))
        }
        (None, None) => format!("unknown: too few of {readings} differ, or their distances are too regular"),
    }
}

fn histograms(page: &mut Page, clock: &ClockReport) {
    let column = page.column();
    let drawn = |title: &str, histogram| {
        let title = wrapped(&format!("{title} ({SCALE})"), column);
        let mut lines: Vec<Line> = title.iter().map(|piece| Line::styled(DIM, piece)).collect();
        lines.extend(bars(histogram, ROWS, column));
        lines
    };
    let latency = clock.latency_ns.as_ref().map(|latency| drawn("batch means", &latency.histogram));
    let steps = clock.granularity.as_ref().map(|seen| drawn("steps", &seen.histogram));
    match (latency, steps) {
        (Some(latency), Some(steps)) => page.side_by_side(latency, steps),
        (Some(lines), None) | (None, Some(lines)) => page.drawing(lines),
        (None, None) => {}
    }
}

fn counter(page: &mut Page, record: &Record) {
    let tsc = &record.machine.tsc;
    page.section("TSC");
    page.entry("CPUID", PLAIN, &machine::cpuid(tsc));
    page.entry("measured", PLAIN, machine::measured(tsc).trim_start_matches("measured "));
    for source in &tsc.frequency_sources {
        let style = if source.hz.value().is_some() { PLAIN } else { DIM };
        page.paragraph(Line::plain("  "), style, &machine::source(tsc, source));
    }
}

fn clocksources(page: &mut Page, record: &Record) {
    let clocksource = &record.machine.clocksource;
    page.section("CLOCKSOURCES");
    if let Some(reason) = &clocksource.reason_unavailable {
        page.paragraph(Line::plain("  "), DIM, &format!("unavailable: {reason}"));
    }
    for name in clocksource.names() {
        let lead = Line::styled(DIM, &format!("{:<12} ", chronoscope_render::page::fitted(name, 24)));
        let mut sources = record.content.judgement.iter().flat_map(|judgement| &judgement.clocksources);
        let advice = sources.find(|source| source.name == name);
        let advice = advice.map_or_else(String::new, |source| format!(" · {}", source.advice));
        page.paragraph(lead, PLAIN, &format!("{}{advice}", machine::rating(&record.machine, name)));
    }
}

/// Who published cycles of the plain read.
fn published_cycles() -> String {
    let remark = Article::Fog.remark().map_or_else(String::new, |remark| format!(" ({remark})"));
    format!("published: core cycles, {}{remark}", Article::Fog.cited())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::{readable, stepped};
    use chronoscope_harness::estimators::steps::{self, Steps};
    use chronoscope_harness::record::study::Estimate;
    use chronoscope_sources::{Rate, SourceId};

    #[test]
    fn a_message_of_the_firmware_is_explained() {
        let message = "[    0.0] [Firmware Bug]: TSC doesn't count with P0 frequency!";
        assert!(meaning(message, true).is_some_and(|said| said.starts_with("harmless in a guest")));
        assert!(meaning(message, false).is_some_and(|said| said.starts_with("the firmware")));
        assert_eq!(meaning("clocksource: Switched to clocksource tsc", true), None);
    }

    /// A Zen 5, whose tick is 26 counts, or 10.0149 ns.
    #[test]
    fn a_smallest_difference_is_set_against_the_tick() {
        let period_ns = Some(Estimate { estimate: 10.0149, low: 10.0149, high: 10.0149, confidence: 0.999 });
        let steps = Steps { changes: vec![20; 100], reads: 100, ..Steps::default() };
        let seen = steps::granularity(&steps, Rate::NANOSECONDS).unwrap().observed;
        for (declared_ns, least_ns, said) in [
            (0.385, 0.385, "shorter than the tick: readings are kept apart"),
            (1.0, 10.0, "the tick in whole units"),
            (1.0, 20.0, "not the tick, which is shorter"),
        ] {
            let clock = stepped(ClockReport {
                resolution_ns_declared: Some(declared_ns),
                granularity_ns: Some(least_ns),
                granularity_is_latency: Some(true),
                tick: Some(Tick { readings: 2_000, period_ns, ..Tick::default() }),
                ..readable(SourceId::CounterOrdered)
            });
            assert!(granularity_said(&clock, &seen).contains(said), "{least_ns}: {}", granularity_said(&clock, &seen));
        }
    }

    #[test]
    fn a_tick_is_told_with_what_it_rests_on() {
        let period_ns = Some(Estimate { estimate: 279.365, low: 279.36, high: 279.37, confidence: 0.999 });
        let bounds = Tick { readings: 2_000, shortest_ns: Some(2.5), longest_ns: Some(3_000.0), ..Tick::default() };
        let all = Tick { period_ns, coherence: Some(1.0), share: Some(1.0), ..bounds.clone() };
        let most = Tick { coherence: Some(0.9), share: Some(0.9), ..all.clone() };
        let unknown = Tick { readings: 2, ..Tick::default() };
        for (tick, said) in [
            (&all, "279.365 ns ± 0.005: all of 2\u{202f}000 readings at irregular times are multiples of it"),
            (&most, "279.365 ns ± 0.005: 90.0 % of 2\u{202f}000 readings at irregular times are multiples of it"),
            (&bounds, "none from 2.50 ns to 3.00 µs in 2\u{202f}000 readings at irregular times"),
            (&unknown, "unknown: too few of 2 readings differ, or their distances are too regular"),
        ] {
            assert_eq!(tick_said(tick), said);
        }
    }
}
