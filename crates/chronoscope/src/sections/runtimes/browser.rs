//! The section on a page for browsers: what reading the clock costs in each language, how long its pauses are, and what threads that
//! are released together take.

mod latch;
mod parts;
mod pause;
#[cfg(test)]
mod tests;

use chronoscope_harness::quantity::{TIME, ns};
use chronoscope_harness::record::Path;
use chronoscope_render::axis::Scale;
use chronoscope_render::browser::{Chart, Figure, Mark, Row, Rows};
use chronoscope_render::page::Page;
use chronoscope_render::text::Mood;
use chronoscope_render::words::given;

use self::parts::{headed, measured};
use super::estimate::native_clock;
use super::plan::RUNTIMES;
use super::view;
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::judgement::rules::runtime_failed::RUNTIME_FAILED;
use crate::probe::runtime::{AddedLatency, Bounded, Runtime, RuntimeClock, TimeKind};
use crate::screen::browser::look;
use crate::screen::browser::told::{self, code};
use crate::sections::clocks::report::ClockReport;

pub fn figures(record: &Record) -> Vec<Figure> {
    let has_pause = measured(record).any(|runtime| runtime.pause.is_some());
    let has_latch = measured(record).any(|runtime| runtime.latch.is_some());
    let is_asked = record.content.sections.runtimes.plan.as_ref().is_none_or(|plan| plan.clocks);
    let mut figures = Vec::new();
    if is_asked || !(has_pause || has_latch) {
        figures.push(clocks(record));
    }
    if has_pause {
        figures.push(pause::figure(record));
    }
    if has_latch {
        figures.push(latch::figure(record));
    }
    if let Some(first) = figures.first_mut() {
        view::gaps(&mut first.numbers, record);
        first.says.extend(told::warnings(record, "runtimes"));
        first.says.extend(left_out(record));
    }
    figures
}

fn clocks(record: &Record) -> Figure {
    let native = native(record, TimeKind::Monotonic);
    let reference = native.and_then(latency_of);
    let mut entries = Vec::new();
    let natives = [TimeKind::Monotonic, TimeKind::Wall].into_iter().filter_map(|kind| native_row(record, kind));
    entries.extend(headed("native", natives.collect()));
    for runtime in measured(record) {
        entries.extend(headed(&runtime.title(), rows(runtime)));
    }
    let rows = Rows { entries, scale: Scale::Log, word: ns, axis_name: "time per read".to_owned(), reference };
    let mut numbers = Page::default();
    if measured(record).next().is_some() {
        view::clocks::show(&mut numbers, record);
    }
    Figure {
        id: "runtimes",
        short: "languages",
        title: "What the languages add".to_owned(),
        says: said(record, native),
        key: look::key(&rows),
        charts: if measured(record).next().is_some() { vec![Chart::Rows(rows)] } else { Vec::new() },
        how: "Dashed: the system's clock, read by native code. In brackets: what the language adds to a native read in the same round. \
              Thick: the interval. Hollow: there is none, for want of processes. Bold: the language's clock for durations."
            .to_owned(),
        numbers,
    }
}

/// The system's own clock of this kind, as native code reads it.
fn native(record: &Record, kind: TimeKind) -> Option<&ClockReport> {
    record.content.clocks().clock(&ClockId::from(native_clock(kind)))
}

fn latency_of(clock: &ClockReport) -> Option<f64> {
    Some(clock.latency_ns.as_ref()?.per_read.estimate)
}

fn native_row(record: &Record, kind: TimeKind) -> Option<Row> {
    let clock = native(record, kind)?;
    let at = latency_of(clock)?;
    let (hue, shape) = look::of_clock(clock, &record.machine);
    let marks = vec![Mark::Point { at, shape, is_hollow: false }];
    Some(Row { name: clock.name.name().to_owned(), is_code: true, hue, marks, value: ns(at), ..Row::default() })
}

/// The clocks of a runtime, the cheapest first.
fn rows(runtime: &Runtime) -> Vec<Row> {
    let mut rows: Vec<(f64, Row)> = runtime.clocks.iter().filter_map(|clock| row(runtime, clock)).collect();
    rows.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    rows.into_iter().map(|(_, row)| row).collect()
}

fn row(runtime: &Runtime, clock: &RuntimeClock) -> Option<(f64, Row)> {
    let latency = clock.latency_ns.as_ref()?;
    let (hue, shape) = look::of_path(clock.path);
    let at = latency.per_read.estimate;
    let has_interval = view::clocks::has_interval(latency);
    let mut marks = Vec::new();
    let mut more = format!("{}, {}\n{}", runtime.title(), clock.name, ns(at));
    if has_interval {
        let (from, to) = (latency.per_read.low, latency.per_read.high);
        marks.push(Mark::Interval { from, to });
        more.push_str(&format!(" ({})", TIME.interval(from, to)));
    }
    marks.push(Mark::Point { at, shape, is_hollow: !has_interval });
    let added = clock.added.as_ref().map(|added| view::clocks::difference(added.difference_ns()));
    let value = added.map_or_else(|| ns(at), |added| format!("{} ({added})", ns(at)));
    let is_best = runtime.clock_for_durations().is_some_and(|best| best.name == clock.name);
    let name = clock.name.clone();
    Some((at, Row { name, is_code: true, hue, marks, value, more, is_best, ..Row::default() }))
}

fn said(record: &Record, native: Option<&ClockReport>) -> Vec<(Mood, String)> {
    if measured(record).next().is_none() {
        let why = match record.content.runtimes().as_slice() {
            [] => told::sentence(&record.content.not_tested(&[RUNTIMES])),
            _ => "No language runtime could be measured.".to_owned(),
        };
        return vec![(Mood::Quiet, why)];
    }
    let mut said: Vec<(Mood, String)> = Vec::new();
    let read = native.and_then(|clock| Some((clock, latency_of(clock)?)));
    let read = read.map(|(clock, at)| format!("Native code reads {} in {}.", code(clock.name.name()), ns(at)));
    said.extend(read.into_iter().chain(range(record)).map(|sentence| (Mood::Plain, sentence)));
    said.extend(kernel(record));
    said
}

/// What the clocks for durations add, from the language that adds least to the one that adds most.
fn range(record: &Record) -> Option<String> {
    let mut added: Vec<(String, &RuntimeClock, &AddedLatency)> = measured(record)
        .filter_map(|runtime| {
            let clock = runtime.clock_for_durations()?;
            Some((runtime.title(), clock, clock.added.as_ref()?))
        })
        .collect();
    added.sort_by(|(.., a), (.., b)| a.ns.estimate.total_cmp(&b.ns.estimate));
    let told = |(title, clock, added): &(String, &RuntimeClock, &AddedLatency)| {
        format!("{} of {title} {}", code(&clock.name), adds(added.difference_ns()))
    };
    let (least, most) = (added.first()?, added.last()?);
    Some(match added.len() {
        1 => told::sentence(&told(least)),
        _ => format!("Of the clocks for durations, {}, the least, and {}, the most.", told(least), told(most)),
    })
}

fn adds(difference: Bounded) -> String {
    match difference {
        Bounded::Known(less) if less.is_sign_negative() => format!("takes {} less", ns(less.abs())),
        Bounded::Known(more) => format!("adds {}", ns(more)),
        Bounded::Below(most) => format!("adds nothing that can be measured ({})", TIME.below(most)),
    }
}

/// Whether reads enter the kernel; where they do, a finding says so.
fn kernel(record: &Record) -> Option<(Mood, String)> {
    let clocks = || measured(record).flat_map(|runtime| &runtime.clocks);
    let enters = |clock: &&RuntimeClock| clock.path == Some(Path::Syscall);
    let (of_time, of_cpu): (Vec<_>, Vec<_>) = clocks().partition(|clock| clock.kind != TimeKind::Cpu);
    if of_time.is_empty() || of_time.iter().any(enters) {
        return None;
    }
    let known = of_time.iter().filter(|clock| clock.path.is_some()).count();
    let cpu = if of_cpu.iter().any(enters) { "; those that count CPU time do" } else { "" };
    Some(match known {
        0 => (Mood::Quiet, "Whether its calls enter the kernel to tell the time is not known.".to_owned()),
        all if all == of_time.len() => (Mood::Plain, format!("No call enters the kernel to tell the time{cpu}.")),
        some => (
            Mood::Plain,
            format!("Of {} calls that tell the time, {some} are known not to enter the kernel{cpu}.", of_time.len()),
        ),
    })
}

/// The languages of which nothing was measured, by reason, but for those of which a finding says so.
fn left_out(record: &Record) -> Option<(Mood, String)> {
    let has_finding = record.findings.iter().any(|finding| finding.is(RUNTIME_FAILED));
    let is_told =
        |runtime: &Runtime| has_finding && runtime.has_failed() || measured(record).any(|one| one.kind == runtime.kind);
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for runtime in record.content.runtimes().iter().filter(|runtime| !is_told(runtime)) {
        let (reason, title) = (given(runtime.reason_unavailable.as_deref()), runtime.kind.title());
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, titles)) if titles.contains(&title) => {}
            Some((_, titles)) => titles.push(title),
            None => reasons.push((reason, vec![title])),
        }
    }
    let told: Vec<String> =
        reasons.iter().map(|(reason, titles)| format!("{} ({reason})", titles.join(", "))).collect();
    (!told.is_empty()).then(|| (Mood::Quiet, format!("Not measured: {}.", told.join("; "))))
}
