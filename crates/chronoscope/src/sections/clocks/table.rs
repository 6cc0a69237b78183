use crate::document::Record;
use crate::sections::clocks::plan::{GRANULARITY, LATENCY, PATHS};
use crate::sections::clocks::report::{ClockReport, ClocksReport};
use chronoscope_harness::estimators::latency::Latency;
use chronoscope_harness::record::{Path, PathMethod};

use crate::screen::step::{AS_A_READ, AS_A_READ_MEANS, observed_step};
use crate::sections::clocks::latency::interference::{core_cycle_ns, quiet_iterations};
use crate::sections::clocks::library_clock::view as library_clock;
use chronoscope_harness::quantity::{TIME, confidence, ns, percent, three_digits};
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{DIM, PLAIN};
use chronoscope_render::table::{Align, Table};
use chronoscope_render::words::{given, quoted};

const UNKNOWN: &str = "–";
/// Marks for confidences other than the one in the header.
const MARKS: [&str; 4] = ["¹", "²", "³", "⁴"];

pub fn show(page: &mut Page, record: &Record) {
    page.section("CLOCKS");
    if record.content.clocks().clocks.is_empty() {
        page.paragraph(Line::plain("  "), DIM, "no clocks in this record");
        return;
    }
    let confidences = Confidences::of(record);
    let mut table = Table::new(&[
        ("clock", Align::Left),
        ("path", Align::Left),
        ("latency", Align::Right),
        (&confidences.header(), Align::Right),
        ("p50", Align::Right),
        ("p99", Align::Right),
        ("declared", Align::Right),
        ("observed", Align::Right),
        ("ordered", Align::Left),
        ("causal", Align::Left),
    ])
    .tied(&[&confidences.header()])
    .apart(&[("p50", "latency p50"), ("p99", "latency p99")]);
    for clock in &record.content.clocks().clocks {
        if clock.available {
            table.row(PLAIN, cells(record, clock, &confidences));
        } else {
            let reason = given(clock.reason_unavailable.as_deref());
            table.remark(DIM, clock.name.name(), &format!("unavailable: {reason}"));
        }
    }
    page.table(table);
    for note in notes(record, &confidences) {
        page.paragraph(Line::plain("  "), DIM, &note);
    }
}

fn cells(record: &Record, clock: &ClockReport, confidences: &Confidences) -> [String; 10] {
    let unknown = || UNKNOWN.to_owned();
    let latency = clock.latency_ns.as_ref();
    let of_latency = |part: fn(&Latency) -> f64| latency.map_or_else(unknown, |latency| ns(part(latency)));
    let yes = |value: bool| if value { "yes" } else { "no" }.to_owned();
    [
        clock.name.to_string(),
        path(clock, clock.exits_on(&record.machine)),
        of_latency(|latency| latency.per_read.estimate),
        latency
            .and_then(|latency| Some((latency, latency.per_read.interval()?)))
            .map_or_else(unknown, |(latency, (low, high))| {
                format!("{}{}", TIME.interval(low, high), confidences.mark(latency))
            }),
        of_latency(|latency| latency.p50),
        of_latency(|latency| latency.p99),
        clock.resolution_ns_declared.map_or_else(unknown, ns),
        observed(clock),
        yes(clock.ordered),
        record.content.causal(&clock.name).map_or_else(unknown, yes),
    ]
}

fn path(clock: &ClockReport, traps: bool) -> String {
    let Some(path) = clock.path else {
        return UNKNOWN.to_owned();
    };
    // The table has no column to spare.
    let mut words = if path == Path::Syscall { "syscall" } else { path_word(path) }.to_owned();
    match clock.path_evidence.as_ref().map(|evidence| evidence.method) {
        Some(PathMethod::Proved) => words.push_str(" proved"),
        Some(PathMethod::Counted) => words.push_str(" counted"),
        Some(PathMethod::Inferred) => words.push_str(" inferred"),
        Some(PathMethod::ByConstruction) | None => {}
    }
    if traps {
        words.push_str(", traps");
    }
    words
}

pub const fn path_word(path: Path) -> &'static str {
    match path {
        Path::Register => "register",
        Path::Vdso => "vDSO",
        Path::Syscall => "system call",
    }
}

fn observed(clock: &ClockReport) -> String {
    observed_step(clock.step, UNKNOWN)
}

/// The confidences of the intervals in a table: the highest is in the header, the others are marked.
struct Confidences {
    words: Vec<String>,
}

impl Confidences {
    fn of(record: &Record) -> Self {
        let mut found: Vec<(f64, String)> = Vec::new();
        let latencies = record.content.clocks().clocks.iter().filter_map(|clock| clock.latency_ns.as_ref());
        for latency in latencies.filter(|latency| latency.per_read.has_interval()) {
            let word = confidence(latency.per_read.confidence);
            if !found.iter().any(|(_, known)| *known == word) {
                found.push((latency.per_read.confidence, word));
            }
        }
        found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        Self { words: found.into_iter().map(|(_, word)| word).collect() }
    }

    fn header(&self) -> String {
        self.words.first().map_or_else(|| "interval".to_owned(), |word| format!("{word} int."))
    }

    fn mark(&self, latency: &Latency) -> String {
        let word = confidence(latency.per_read.confidence);
        match self.words.iter().position(|known| *known == word) {
            None | Some(0) => String::new(),
            Some(place) => MARKS.get(place - 1).map_or_else(|| format!(" at {word}"), |mark| (*mark).to_owned()),
        }
    }

    /// The meaning of the marks, and a note if too few processes ran for the usual confidence.
    fn note(&self) -> Option<String> {
        let usual = confidence(1.0);
        let first = self.words.first()?;
        let marked: Vec<String> =
            self.words[1..].iter().zip(MARKS).map(|(word, mark)| format!("{mark} {word}")).collect();
        match (marked.is_empty(), *first == usual) {
            (true, true) => None,
            (true, false) => Some(format!("intervals are at {first} confidence, not {usual}: too few processes")),
            (false, _) => Some(format!("{}, not {first}: too few processes", marked.join(", "))),
        }
    }
}

fn notes(record: &Record, confidences: &Confidences) -> Vec<String> {
    let mut remarks = Vec::new();
    remarks.extend(confidences.note());
    let ClocksReport { clocks, harness: overhead, .. } = record.content.clocks();
    if clocks.iter().any(|clock| clock.available && clock.exits_on(&record.machine)) {
        remarks.push("traps: every read exits to the hypervisor".to_owned());
    }
    let untested = |name: &str, missing: fn(&ClockReport) -> bool, part| {
        let affected = clocks.iter().any(|clock| clock.available && missing(clock));
        affected.then(|| format!("{UNKNOWN} under {name}: not tested: {}", record.content.reason_missing(&[part])))
    };
    remarks.extend(untested("latency", |clock| clock.latency_ns.is_none(), LATENCY));
    remarks.extend(untested("observed", |clock| clock.step.is_none(), GRANULARITY));
    if clocks.iter().any(ClockReport::hides_its_tick) {
        remarks.push("observed: a step longer than a read, or the tick on whose multiples the readings lie".to_owned());
    }
    if clocks.iter().any(|clock| observed(clock) == AS_A_READ) {
        remarks.push(AS_A_READ_MEANS.to_owned());
    }
    remarks.extend(untested("path", |clock| clock.path.is_none(), PATHS));
    let mut notes = Vec::new();
    if !remarks.is_empty() {
        notes.push(remarks.join(" · "));
    }
    notes.extend(library_clock::said(record));
    notes.extend(cycles(record));
    notes.push(harness(record));
    notes.extend(overhead.as_ref().map(|overhead| quiet_iterations(&overhead.interference, &record.machine)));
    notes
}

/// The cost of the plain counter read in cycles, and the published figure.
fn cycles(record: &Record) -> Option<String> {
    let counter = |clock: &&ClockReport| clock.counter_ticks(&record.machine).is_some();
    let clocks = &record.content.clocks().clocks;
    let clock = clocks.iter().filter(counter).find(|clock| !clock.ordered).or_else(|| clocks.iter().find(counter))?;
    let unpublished = match (record.machine.is_emulated(), clock.published_cycles(&record.machine)) {
        (true, _) => "; emulated: not a figure of hardware",
        (false, None) => "; Agner Fog's table of 2016 has no row for this CPU",
        (false, Some(_)) => "",
    };
    Some(format!("{}: {}{unpublished}", clock.name, cycles_said(clock, record)?))
}

/// A counter read's cost in ticks of the counter and in core cycles, in words.
pub fn cycles_said(clock: &ClockReport, record: &Record) -> Option<String> {
    let machine = &record.machine;
    let (ticks, serialised) = clock.counter_ticks(machine)?;
    let mut text = format!("{} TSC ticks per read", three_digits(ticks));
    if let Some(serialised) = serialised {
        text.push_str(&format!(", {} with a fence after each", three_digits(serialised)));
    }
    let cycles = core_cycles(clock, record);
    if let Some(cycles) = cycles {
        text.push_str(&format!("; a read takes {} core cycles", three_digits(cycles)));
    }
    if let Some((published, core)) = clock.published_cycles(machine).zip(machine.cpu.microarchitecture.as_ref()) {
        let unknown = if cycles.is_none() { ", whose length is not known here" } else { "" };
        text.push_str(&format!("; published for {core}: {} core cycles{unknown}", three_digits(published)));
    }
    Some(text)
}

/// A read's cost in cycles of the core, which may run faster or slower than the counter.
fn core_cycles(clock: &ClockReport, record: &Record) -> Option<f64> {
    let probe = &record.content.clocks().harness.as_ref().filter(|_| !record.machine.is_emulated())?.interference;
    Some(clock.latency_ns.as_ref()?.per_read.estimate / core_cycle_ns(probe)?)
}

fn harness(record: &Record) -> String {
    let Some(harness) = &record.content.clocks().harness else {
        return "measurement overhead not measured".to_owned();
    };
    let loops = match &harness.loop_overhead_ns {
        Some(latency) => format!("empty loop {} per turn", ns(latency.per_read.estimate)),
        None => "empty loop not measured".to_owned(),
    };
    let timer = format!(
        "timer {}, each reading within ± {} at worst, at most {} of a batch",
        quoted(harness.timer.name()),
        ns(harness.timer_cost_ns),
        percent(harness.timer_error_pct)
    );
    let is_counter = record.content.clocks().clock(&harness.timer).is_some_and(ClockReport::is_counter);
    let doubt = record.content.counter_doubt().filter(|_| is_counter).map_or_else(String::new, |doubt| {
        format!("; the timer is the counter, at its rate during this run, although {doubt}")
    });
    format!("{loops}, {timer}; shown, never subtracted{doubt}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::estimators::tick::Tick;
    use chronoscope_harness::record::study::Estimate;

    #[test]
    fn the_tick_is_observed_where_a_read_hides_it() {
        let period_ns = Some(Estimate { estimate: 279.4, low: 279.3, high: 279.5, confidence: 0.999 });
        let clock = |granularity_ns, is_latency, period_ns| {
            crate::rules::tests::stepped(ClockReport {
                granularity_ns,
                granularity_is_latency: is_latency,
                tick: Some(Tick { period_ns, ..Tick::default() }),
                ..ClockReport::default()
            })
        };
        for (clock, said) in [
            (clock(Some(558.0), Some(true), period_ns), "279 ns"),
            (clock(Some(558.0), Some(true), None), AS_A_READ),
            (clock(Some(100.0), Some(false), None), "100 ns"),
            (clock(None, None, None), UNKNOWN),
        ] {
            assert_eq!(observed(&clock), said);
        }
    }
}
