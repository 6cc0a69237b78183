use super::*;
use chronoscope_harness::estimators::latch::{ReleaseRow, ThreadReleaseReport};
use chronoscope_harness::estimators::pauses::{PauseFigures, Pauses};
use chronoscope_harness::record::{Estimate, Histogram};
use chronoscope_probes::RuntimeKind;
use chronoscope_render::browser::Entry;

fn record() -> Record {
    crate::json::document(include_str!("../../../../tests/fixtures/runtimes.json")).unwrap()
}

fn row_of<'a>(figure: &'a Figure, name: &str) -> &'a Row {
    let Some(Chart::Rows(rows)) = figure.charts.first() else { panic!("{figure:?}") };
    let found = rows.entries.iter().find_map(|entry| match entry {
        Entry::Row(row) if row.name == name => Some(row),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no {name}: {rows:?}"))
}

fn named(record: &Record, id: &str) -> Figure {
    figures(record).into_iter().find(|figure| figure.id == id).unwrap()
}

fn sentences(figure: &Figure) -> String {
    figure.says.iter().map(|(_, sentence)| sentence.as_str()).collect::<Vec<_>>().join(" ")
}

/// The only runtime of a record, with this changed.
fn with(change: impl Fn(&mut Runtime)) -> Figure {
    let mut record = record();
    let runtimes = &mut record.content.sections.runtimes.report;
    runtimes.retain(|runtime| runtime.clock_for_durations().is_some());
    runtimes.truncate(1);
    change(&mut runtimes[0]);
    figures(&record).remove(0)
}

fn durations(runtime: &mut Runtime) -> &mut RuntimeClock {
    runtime.clocks.iter_mut().find(|clock| clock.kind == TimeKind::Monotonic).unwrap()
}

#[test]
fn each_clock_has_a_row_in_the_look_of_its_path() {
    let figure = with(|runtime| {
        let clock = durations(runtime);
        (clock.name, clock.path) = ("now".to_owned(), Some(Path::Syscall));
        let latency = clock.latency_ns.as_mut().unwrap();
        latency.per_read.estimate = 32.0;
        latency.processes = vec![latency.processes[0]; 11];
        latency.per_read.confidence = 0.999;
    });
    let row = row_of(&figure, "now");
    let (hue, shape) = look::of_path(Some(Path::Syscall));
    assert_eq!((row.hue, row.is_best), (hue, true));
    assert!(row.marks.contains(&Mark::Point { at: 32.0, shape, is_hollow: false }), "{row:?}");
    assert!(row.value.starts_with("32.0 ns"), "{row:?}");
}

#[test]
fn what_has_no_interval_is_hollow() {
    let figure = with(|runtime| {
        let latency = durations(runtime).latency_ns.as_mut().unwrap();
        latency.processes.truncate(1);
    });
    let Some(Chart::Rows(rows)) = figure.charts.first() else { panic!("{figure:?}") };
    let is_hollow = |mark: &Mark| matches!(mark, Mark::Point { is_hollow: true, .. });
    let best = |entry: &&Entry| matches!(entry, Entry::Row(row) if row.is_best);
    let Some(Entry::Row(row)) = rows.entries.iter().find(best) else { panic!("{rows:?}") };
    assert!(row.marks.iter().any(is_hollow) && row.marks.len() == 1, "{row:?}");
}

#[test]
fn what_is_added_is_told_and_that_nothing_is() {
    let told = |low, estimate, high| {
        let ns = Estimate { estimate, low, high, confidence: 0.999 };
        sentences(&with(|runtime| {
            let clock = durations(runtime);
            clock.added = Some(AddedLatency { over: ClockId::default(), ns });
        }))
    };
    assert!(told(8.0, 9.0, 10.0).contains("adds 9.00 ns"), "{}", told(8.0, 9.0, 10.0));
    assert!(told(-2.0, -1.0, -0.5).contains("takes 1.00 ns less"));
    assert!(
        told(-0.1, 0.1, 0.3).contains("adds nothing that can be measured (< 0.300 ns)"),
        "{}",
        told(-0.1, 0.1, 0.3)
    );
}

#[test]
fn whether_calls_enter_the_kernel_is_told() {
    let told = |path: Option<Path>| {
        sentences(&with(|runtime| {
            runtime.clocks.retain(|clock| clock.kind != TimeKind::Cpu);
            runtime.clocks.iter_mut().for_each(|clock| clock.path = path);
        }))
    };
    assert!(told(Some(Path::Vdso)).contains("No call enters the kernel"), "{}", told(Some(Path::Vdso)));
    assert!(told(None).contains("is not known"), "{}", told(None));
    assert!(!told(Some(Path::Syscall)).contains("enters the kernel"), "a finding says it");
}

#[test]
fn languages_that_were_not_measured_are_named_with_the_reason() {
    let mut record = crate::rules::tests::blank();
    let missing = |kind| Runtime { reason_unavailable: Some("not found".to_owned()), ..crate::probe::unasked(kind) };
    record.content.sections.runtimes.report =
        vec![missing(RuntimeKind::Go), missing(RuntimeKind::Java), missing(RuntimeKind::Java)];
    let figure = figures(&record).remove(0);
    assert_eq!(sentences(&figure), "No language runtime could be measured. Not measured: Go, Java (not found).");
    assert!(figure.charts.is_empty());
}

#[test]
fn an_empty_record_has_no_chart() {
    let mut drawn = figures(&crate::rules::tests::blank());
    assert!(drawn.len() == 1 && drawn.remove(0).charts.is_empty());
}

#[test]
fn pauses_of_java_are_drawn_beside_the_published_ones() {
    let mut record = record();
    let estimate = Estimate { estimate: 1_284.0, low: 1.0, high: 2.0, confidence: 0.5 };
    let method = |name: &str, mean_ns: f64| PauseFigures {
        name: name.to_owned(),
        requested_ns: 1_000,
        samples: 5,
        mean_ns,
        p50_ns: estimate,
        p99_ns: mean_ns,
        p999_ns: None,
        histogram: Histogram::default(),
        max_over_ns: 0.0,
        cpu_share: 0.5,
        early: 0,
        preempted: None,
    };
    let methods = vec![method("Thread.sleep", 1_060_000.0), method("Thread.onSpinWait", 1_100.0)];
    let runtimes = &mut record.content.sections.runtimes;
    runtimes.report.truncate(1);
    (runtimes.report[0].kind, runtimes.report[0].available) = (RuntimeKind::Java, true);
    runtimes.report[0].pause = Some(Pauses { methods, unavailable: Vec::new(), rounds: 3 });
    let figure = named(&record, "runtime-pauses");
    assert!(
        sentences(&figure).starts_with("A pause of 1 µs takes from 1.10 µs by `Thread.onSpinWait` of Java"),
        "{figure:?}"
    );
    let Some(Chart::Plots(plots)) = figure.charts.first() else { panic!("{figure:?}") };
    let [_, sleep, spin] = plots[0].curves.as_slice() else { panic!("{plots:?}") };
    assert_eq!(sleep.points, [(1_000.0, 1_060_000.0)]);
    assert_eq!((sleep.marks.len(), spin.marks.len()), (1, 0));
}

#[test]
fn released_threads_have_a_row_for_each_call() {
    let mut record = record();
    let known = |estimate| Some(Estimate { estimate, low: estimate, high: estimate, confidence: 0.0 });
    let row = |call: &str, serial: f64, together: f64| ReleaseRow {
        call: call.to_owned(),
        serial_ns: known(serial),
        concurrent_ns: known(together),
        slowdown: None,
        control_share: None,
        verdict: None,
        inside_ns_p50: None,
        inside_ns_p99: None,
        wake_ns_p50: None,
        wake_ns_max: None,
    };
    let runtimes = &mut record.content.sections.runtimes;
    let one = runtimes.report.iter_mut().find(|runtime| runtime.available).unwrap();
    let rows = vec![row("nothing", 0.5, 4_000.0), row("now", 20.0, 4_100.0)];
    one.latch = Some(ThreadReleaseReport { threads: 100, rows, stamp_step_ns: None });
    let figure = named(&record, "runtime-latch");
    assert!(
        sentences(&figure).contains("takes 4.10 µs to call `now`, and 4.00 µs to call nothing at all."),
        "{figure:?}"
    );
    let drawn = row_of(&figure, "now");
    assert_eq!((drawn.marks.len(), drawn.value.as_str()), (2, "20.0 ns · 4.10 µs"));
}
