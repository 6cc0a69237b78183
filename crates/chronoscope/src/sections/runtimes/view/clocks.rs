use super::published;
use crate::document::Record;
use crate::probe::runtime::{Bounded, ConcurrentLatency, Runtime, RuntimeClock, TimeKind};
use crate::screen::step::{AS_A_READ_MEANS, observed_step};
use crate::sections::runtimes::plan::COUNTED_READS;
use chronoscope_harness::estimators::latency::Latency;
use chronoscope_harness::record::Path;

use chronoscope_harness::quantity::{
    BARE, TIME, confidence, count, hertz, ms, ns, share, share_in_column, three_digits,
};
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{DIM, PLAIN, TITLE};
use chronoscope_render::table::{Align, Table};
use chronoscope_render::words::{counted, given};

const NONE: &str = "–";

/// The table of every runtime's clocks.
pub fn show(page: &mut Page, record: &Record) {
    let measured: Vec<&Runtime> = record.content.runtimes().iter().filter(|runtime| runtime.available).collect();
    page.section("RUNTIMES: clocks measured from inside each runtime");
    if measured.is_empty() {
        page.paragraph(Line::plain("  "), DIM, "no runtime could be measured");
        return;
    }
    let threads = measured.iter().flat_map(|runtime| &runtime.clocks).find_map(|clock| Some(clock.concurrent?.threads));
    let concurrent = threads.map_or_else(|| "threads".to_owned(), |threads| format!("{threads} thr."));
    let mut table = Table::new(&[
        ("clock", Align::Left),
        ("path", Align::Left),
        ("latency", Align::Right),
        ("± %", Align::Right),
        ("added", Align::Right),
        (&concurrent, Align::Right),
        ("decl.", Align::Right),
        ("obs.", Align::Right),
        ("eq. %", Align::Right),
        ("gap", Align::Right),
        ("1 %?", Align::Right),
        ("10 %?", Align::Right),
    ])
    .tied(&["± %", "10 %?"]);
    for runtime in &measured {
        table.title(TITLE, &runtime.title(), &introduction(runtime));
        for clock in &runtime.clocks {
            table.cells(PLAIN, cells(clock));
        }
    }
    page.table(table);
    let declared =
        measured.iter().flat_map(|runtime| runtime.clocks.iter().filter_map(|clock| declares(runtime, clock)));
    let mut declared: Vec<String> = declared.collect();
    // Two installations may be one version.
    declared.dedup();
    for said in &declared {
        page.paragraph(Line::plain("  "), DIM, said);
    }
    if !record.machine.is_emulated() {
        published::show(page, &measured);
    }
    page.paragraph(Line::plain("  "), DIM, &explanation(&measured));
}

/// The usual interval clock of each, in few columns.
pub fn brief(page: &mut Page, record: &Record) {
    let mut table = Table::new(&[
        ("runtime", Align::Left),
        ("clock", Align::Left),
        ("path", Align::Left),
        ("latency", Align::Right),
        ("observed", Align::Right),
        ("predicted 1 %", Align::Right),
        ("predicted 10 %", Align::Right),
    ])
    .named_by(2);
    for runtime in record.content.runtimes().iter().filter(|runtime| runtime.available) {
        let Some(clock) = runtime.clocks.iter().find(|clock| clock.kind == TimeKind::Monotonic) else { continue };
        let [within_1pct, within_10pct] = claimed(clock);
        let latency = clock.latency_ns.as_ref().map_or_else(none, |latency| ns(latency.per_read.estimate));
        table.row(
            PLAIN,
            [runtime.title(), clock.name.clone(), path(clock), latency, observed(clock), within_1pct, within_10pct],
        );
    }
    page.table(table);
    page.paragraph(Line::plain("  "), DIM, &format!("predicted: {PREDICTED}"));
}

/// The meaning of the predicted intervals.
const PREDICTED: &str = "shortest interval that two reads should time to this accuracy, calculated from empty intervals \
                     and steps, not tried: trials of the same clock may confirm another";

fn none() -> String {
    NONE.to_owned()
}

fn introduction(runtime: &Runtime) -> String {
    let mut words = vec![counted(u64::from(runtime.processes), "process", "processes")];
    words.extend(runtime.start_ms.map(|start| format!("starts in {}", ms(start))));
    words.extend(runtime.loop_overhead_ns.as_ref().map(|empty| format!("empty loop {}", ns(empty.per_read.estimate))));
    words.push(runtime.name.clone());
    words.extend(runtime.executable.as_deref().map(|executable| given(Some(executable))));
    words.join(", ")
}

fn cells(clock: &RuntimeClock) -> Vec<String> {
    let latency = clock.latency_ns.as_ref();
    let [within_1pct, within_10pct] = claimed(clock);
    vec![
        format!(" {}", clock.name),
        path(clock),
        latency.map_or_else(none, |latency| ns(latency.per_read.estimate)),
        latency.map_or_else(none, longer_side),
        clock.added.as_ref().map_or_else(none, |added| difference(added.difference_ns())),
        clock.concurrent.as_ref().map_or_else(none, |ConcurrentLatency { ns: cost, .. }| ns(cost.estimate)),
        clock.resolution_ns_declared.map_or_else(none, ns),
        observed(clock),
        clock.reads.as_ref().map_or_else(none, |reads| share_in_column(reads.zero_share)),
        largest_gap(clock),
        within_1pct,
        within_10pct,
    ]
}

fn claimed(clock: &RuntimeClock) -> [String; 2] {
    let interval = clock.claimed_interval_ns;
    [interval.within_1pct, interval.within_10pct].map(|claim| claim.map_or_else(none, ns))
}

/// Whether enough processes ran for an interval from which anything follows.
pub fn has_interval(latency: &Latency) -> bool {
    latency.processes.len() > 1 && latency.per_read.has_confidence()
}

/// How far the interval reaches on its longer side, in percent of the estimate.
fn longer_side(latency: &Latency) -> String {
    if !has_interval(latency) {
        return none();
    }
    let side =
        (latency.per_read.high - latency.per_read.estimate).max(latency.per_read.estimate - latency.per_read.low);
    BARE.reach(100.0 * side / latency.per_read.estimate.max(f64::MIN_POSITIVE))
}

/// A difference, or its upper bound.
pub fn difference(of: Bounded) -> String {
    match of {
        Bounded::Known(difference) => TIME.signed().value(difference),
        Bounded::Below(most) => TIME.below_in_table(most),
    }
}

/// The conclusion from the counted system calls.
fn path(clock: &RuntimeClock) -> String {
    let Some(calls) = &clock.system_calls else { return none() };
    match (clock.path, calls.several_per_read()) {
        (Some(Path::Syscall), Some(each)) => format!("{} syscalls", three_digits(each)),
        (Some(Path::Syscall), None) => "syscall".to_owned(),
        (Some(_), _) => "vDSO".to_owned(),
        (None, _) => format!("{} calls", share(calls.per_read())),
    }
}

fn observed(clock: &RuntimeClock) -> String {
    observed_step(clock.step, NONE)
}

fn largest_gap(clock: &RuntimeClock) -> String {
    match clock.largest_gap_ns() {
        Some(Bounded::Known(largest)) => ns(largest),
        Some(Bounded::Below(most)) => TIME.below_in_table(most),
        None => none(),
    }
}

/// What the interface says of its frequency.
fn declares(runtime: &Runtime, clock: &RuntimeClock) -> Option<String> {
    let frequency = clock.frequency_hz_declared.map(|hz| format!("a frequency of {}", hertz(hz)));
    let fine = clock
        .high_resolution_declared
        .map(|fine| if fine { "that it is high-resolution" } else { "that it is not high-resolution" }.to_owned());
    let words: Vec<String> = frequency.into_iter().chain(fine).collect();
    (!words.is_empty()).then(|| format!("{}: {} declares {}", runtime.title(), clock.name, words.join(" and ")))
}

fn explanation(measured: &[&Runtime]) -> String {
    let latencies =
        || measured.iter().flat_map(|runtime| &runtime.clocks).filter_map(|clock| clock.latency_ns.as_ref());
    let of_intervals = latencies().filter(|latency| has_interval(latency)).map(|latency| latency.per_read.confidence);
    let lowest = of_intervals.fold(f64::INFINITY, f64::min);
    let at = match lowest {
        lowest if lowest.is_finite() => format!(" at {} or more", confidence(lowest)),
        _ => String::new(),
    };
    let few = match latencies().all(has_interval) {
        true => "",
        false => "; –: fewer than the six that it takes",
    };
    format!(
        "path: from the system calls for the time in {} reads; ± %: the longer side of the interval{at}, over processes interleaved \
         with those of the other runtimes{few}; added: over a native read in the same round{}, with < where it may be 0, negative where the clock's call costs less than the native one; {}\
         decl.: the declared resolution; obs.: the smallest step seen while it was read until it moved; a shorter one than a read is the tick on whose multiples the readings lie; {AS_A_READ_MEANS}; eq. %: \
         equal ones of reads in a row; gap: the largest difference between two of these, with < where steps hide shorter ones; \
         1 %?, 10 %?: {PREDICTED}; how each loop is made: `notes` in the record",
        count(u64::from(COUNTED_READS)),
        beneath(measured),
        concurrent_said(measured)
    )
}

/// The reference clocks for those of the runtimes.
fn beneath(measured: &[&Runtime]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for added in measured.iter().flat_map(|runtime| &runtime.clocks).filter_map(|clock| clock.added.as_ref()) {
        if !names.contains(&added.over.name()) {
            names.push(added.over.name());
        }
    }
    if names.is_empty() {
        String::new()
    } else {
        format!(" of {}, whichever measures the same kind of time", names.join(", "))
    }
}

/// The meaning of the column for several threads.
fn concurrent_said(measured: &[&Runtime]) -> String {
    let of = || {
        measured.iter().filter_map(|runtime| Some((runtime, runtime.clocks.iter().find_map(|clock| clock.concurrent)?)))
    };
    let Some((_, concurrent)) = of().next() else {
        return "threads: latency per thread while several read at once, which was not measured; ".to_owned();
    };
    let serial = if of().any(|(runtime, _)| runtime.parallel == Some(false)) {
        " (mostly within one thread's turn where a runtime runs one thread at a time)"
    } else {
        ""
    };
    format!("{0} thr.: latency per thread while {0} threads read at once{serial}; ", concurrent.threads)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::estimators::tick::Step;

    #[test]
    fn the_tick_is_observed_where_a_read_hides_it() {
        let record = crate::json::document(include_str!("../../../../tests/fixtures/runtimes.json")).unwrap();
        let mut clock = record.content.runtimes().iter().find_map(|runtime| runtime.clocks.first()).unwrap().clone();
        let mut said = |step| {
            clock.step = step;
            observed(&clock)
        };
        assert_eq!(said(Some(Step::WithinARead { ns: 558.0 })), "= read");
        assert_eq!(said(Some(Step::Tick { ns: 279.4, is_hidden: Some(true) })), "279 ns");
        assert_eq!(said(Some(Step::Seen { ns: 100.0 })), "100 ns");
        assert_eq!(said(None), NONE);
    }

    #[test]
    fn an_interval_reaches_as_far_as_its_longer_side() {
        let record = crate::json::document(include_str!("../../../../tests/fixtures/record.json")).unwrap();
        let mut latency = record.content.clocks().clocks.iter().find_map(|clock| clock.latency_ns.clone()).unwrap();
        (latency.per_read.estimate, latency.per_read.low, latency.per_read.high) = (17.9, 17.88, 18.38);
        latency.processes = vec![latency.processes[0]; 3];
        assert_eq!(longer_side(&latency), "2.7");
        latency.per_read.confidence = 0.5;
        assert_eq!(longer_side(&latency), "–", "of two processes");
    }

    #[test]
    fn the_table_of_many_processes_is_in_one_part() {
        let mut record = crate::json::document(include_str!("../../../../tests/fixtures/runtimes.json")).unwrap();
        for clock in record.content.sections.runtimes.report.iter_mut().flat_map(|runtime| &mut runtime.clocks) {
            if let Some(latency) = &mut clock.latency_ns {
                latency.processes = vec![latency.processes[0]; 3];
                latency.per_read.high = latency.per_read.estimate * 1.12;
                latency.per_read.confidence = 0.999;
            }
        }
        let mut page = Page::with_width(chronoscope_render::Width::of_columns(118));
        show(&mut page, &record);
        let text = page.finish();
        let heads: Vec<&str> = text.lines().filter(|line| line.contains("± %") && line.contains("decl.")).collect();
        assert!(heads.len() == 1 && heads[0].contains("10 %?"), "{text}");
        assert!(text.contains(" 12 ") && text.contains(">99.9"), "{text}");
    }

    #[test]
    fn published_figures_do_not_stand_beside_those_of_an_emulated_cpu() {
        let mut record = crate::json::document(include_str!("../../../../tests/fixtures/runtimes.json")).unwrap();
        let is_published = |record: &Record| {
            let mut page = Page::with_width(chronoscope_render::Width::of_columns(118));
            show(&mut page, record);
            page.finish().contains("Nanotrusting the Nanotime")
        };
        assert!(is_published(&record));
        record.machine.cpu.emulation.is_emulated = Some(true);
        assert!(!is_published(&record));
    }
}
