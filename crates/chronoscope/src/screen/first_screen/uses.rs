//! Which clock to use for what: what a read costs, and what one interval timed with it is good for.

use chronoscope_harness::estimators::intervals::{ShortestInterval, TimedIntervals, Tolerance};
use chronoscope_harness::quantity::{ns, share};
use chronoscope_probes::RuntimeKind;
use chronoscope_render::line::Line;
use chronoscope_render::page::fitted;
use chronoscope_render::palette::{DIM, TITLE, WARNING};
use chronoscope_render::words::quoted;
use chronoscope_sources::Family;

use super::cells::{Row, align};
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::judgement::Judgement;
use crate::judgement::grade::Grade;
use crate::judgement::uses::{Avoid, WrongFor};
use crate::probe::runtime::Runtime;
use crate::sections::sync::discipline::DisciplineState;

/// Columns of a purpose, of a clock's name, and of a latency.
const PURPOSE: usize = 17;
const CLOCK: usize = 24;
const LATENCY: usize = 8;
/// Columns of a name in a sentence.
const NAME: usize = 34;
/// The purpose of whoever uses the Rust library, by its name.
const LIBRARY: &str = "chronoscope-clock";
/// Clocks that are named to keep away from; more are on the full page.
const MOST: usize = 3;
/// Runtimes that are left out last.
const RUNTIMES: usize = 2;

/// The table, and below it what to keep away from.
pub fn uses(record: &Record, judgement: &Judgement) -> Vec<Row> {
    let mut rows = of_machine(record, judgement);
    let of_runtimes = record.content.runtimes().iter().filter_map(of_runtime).enumerate();
    rows.extend(of_runtimes.map(|(place, row)| row.ranked(if place < RUNTIMES { 5 } else { 7 })));
    if rows.is_empty() {
        let none = Line::styled(DIM, "no clock can be recommended: --full says why");
        rows.push(Row::after(Line::styled(DIM, "?  "), [none]));
    } else {
        rows.insert(0, entry(TITLE, ["WHAT TO USE", "CLOCK", "ONE READ", "SHORTEST STOP−START ± ERROR"]));
        align(&mut rows);
    }
    rows.extend(runtimes_left(record.content.runtimes()));
    rows.extend(never(record, judgement));
    rows
}

fn entry(style: anstyle::Style, [purpose, clock, latency, good]: [&str; 4]) -> Row {
    let latency = format!("{latency:>LATENCY$}");
    Row::of(
        [fitted(purpose, PURPOSE), fitted(clock, CLOCK), latency, good.to_owned()].map(|it| Line::styled(style, &it)),
    )
}

fn of_machine(record: &Record, judgement: &Judgement) -> Vec<Row> {
    let uses = &judgement.uses;
    let of_clock = |purpose: &str, clock: Option<&ClockId>, good: Option<&str>| {
        let clock = record.content.clocks().clock(clock?)?;
        let latency = clock.latency_ns.as_ref().map(|latency| latency.per_read.estimate);
        let of_clock = || clock.intervals.as_ref().map_or_else(String::new, timed);
        // The name is what is typed; a counter's readings are no nanoseconds, and a clock of the library is in no standard library.
        let name = match family(&clock.name) {
            Some(Family::Counter) => format!("{} (ticks)", clock.name),
            Some(Family::Library) if purpose != LIBRARY => format!("{} (library)", clock.name),
            _ => clock.name.to_string(),
        };
        Some(used(purpose, &name, latency, &good.map_or_else(of_clock, str::to_owned)))
    };
    let is_across_threads = |clock: &ClockId| {
        record.content.causal(clock) == Some(true)
            && record.content.clocks().clock(clock).is_some_and(|clock| clock.causal_by_design)
    };
    let durations = match uses.durations.as_ref().is_some_and(is_across_threads) {
        true => "durations",
        false => "in one thread",
    };
    let short = match uses.short_intervals.as_ref().is_some_and(is_across_threads) {
        true => "short durations",
        false => "short, 1 thread",
    };
    let rows = [
        of_clock(durations, uses.durations.as_ref(), None),
        of_clock(short, uses.short_intervals.as_ref(), None),
        of_clock("time of day", uses.time_of_day.as_ref(), Some(wall_clock(record, judgement.wall_clock))),
        of_clock(LIBRARY, uses.rust_hot_path.as_ref(), Some("Rust: cheap, monotonic")),
    ];
    rows.into_iter().flatten().collect()
}

fn used(purpose: &str, clock: &str, latency_ns: Option<f64>, good: &str) -> Row {
    entry(chronoscope_render::palette::PLAIN, [purpose, clock, &latency_ns.map_or_else(|| "?".to_owned(), ns), good])
}

/// What a reading of the wall clock is good for.
fn wall_clock(record: &Record, grade: Grade) -> &'static str {
    let state = record.content.sync().as_ref().map(|report| report.discipline.state);
    match (grade, state) {
        (Grade::Good | Grade::Unknown, _) => "for dates, not durations",
        (_, Some(DisciplineState::NotDisciplined)) => "! synchronisation not seen",
        (Grade::Warning | Grade::Critical, _) => "! doubtful",
    }
}

fn of_runtime(runtime: &Runtime) -> Option<Row> {
    let clock = runtime.clock_for_durations()?;
    let latency = clock.latency_ns.as_ref().map(|latency| latency.per_read.estimate);
    let good = timed(&TimedIntervals::claimed(clock.claimed_interval_ns));
    Some(used(&runtime.title(), &clock.name, latency, &good))
}

/// From where a pair of reads times an interval, to 10 % and, where trials confirm it, to 1 %.
fn timed(timed: &TimedIntervals) -> String {
    let [one, ten] = Tolerance::ALL.map(|tolerance| timed.shortest(tolerance));
    let from = |ns_from: f64, tolerance: Tolerance| format!("{} ±{} %", ns(ns_from), tolerance.percent());
    match (ten, one) {
        (ShortestInterval::Confirmed(ten), ShortestInterval::Confirmed(one)) => {
            format!("{}, {}", from(ten, Tolerance::TenPercent), from(one, Tolerance::OnePercent))
        }
        (ShortestInterval::Confirmed(ten), _) => from(ten, Tolerance::TenPercent),
        (ShortestInterval::Claimed(ten), _) => format!("{} (predicted)", from(ten, Tolerance::TenPercent)),
        (ShortestInterval::NotConfirmed { tried_to_ns, .. }, _) => format!("> {}, not confirmed", ns(tried_to_ns)),
        (ShortestInterval::Unknown, _) => "not known".to_owned(),
    }
}

/// Those that users time with, and for which there was no time; each once.
fn runtimes_left(runtimes: &[Runtime]) -> Option<Row> {
    let is_left = |runtime: &&Runtime| runtime.out_of_time && runtime.kind != RuntimeKind::C;
    let mut names: Vec<&str> = runtimes.iter().filter(is_left).map(|left| left.kind.title()).collect();
    names.dedup();
    let said = format!("not measured yet: {} → chronoscope runtimes", names.join(", "));
    (!names.is_empty()).then(|| Row::of([Line::styled(DIM, &said)]).ranked(4))
}

/// The reads of a counter that something speaks against, and what; None if nothing does, or none can be read.
pub fn doubted(record: &Record, judgement: &Judgement) -> Option<String> {
    let doubt = judgement.counter.doubt.as_deref().filter(|_| judgement.counter.grade > Grade::Unknown)?;
    let counters = record.content.clocks().clocks.iter().filter(|clock| clock.available && is_counter(&clock.name));
    let counters: Vec<String> = counters.map(|clock| quoted(clock.name.name())).take(MOST).collect();
    (!counters.is_empty()).then(|| format!("Never: {}: {}", counters.join(", "), fitted(doubt, NAME)))
}

fn family(clock: &ClockId) -> Option<Family> {
    clock.known().map(|id| id.facts().family)
}

fn is_counter(clock: &ClockId) -> bool {
    family(clock) == Some(Family::Counter)
}

/// What went backwards: a clock that must not, and one that may, between threads.
///
/// A counter that something speaks against is for nothing, whichever way it is read.
fn never(record: &Record, judgement: &Judgement) -> Option<Row> {
    let doubted = doubted(record, judgement);
    let said = |wrong_for: WrongFor| {
        let is_meant = |each: &&Avoid| {
            let is_told = doubted.is_some() && is_counter(&each.clock);
            each.purpose == wrong_for && !is_told
        };
        let clocks: Vec<&Avoid> = judgement.uses.avoid.iter().filter(is_meant).collect();
        let mut names: Vec<String> =
            clocks.iter().take(MOST).map(|each| quoted(&fitted(each.clock.name(), NAME))).collect();
        names.extend((clocks.len() > MOST).then(|| format!("{} more", clocks.len() - MOST)));
        let names = names.join(", ");
        let causality = record.content.causality();
        let worst = clocks.iter().filter_map(|each| causality.worst_share(&each.clock)).reduce(f64::max);
        let values = worst.map(|worst| format!("{} of values", share(worst)));
        match wrong_for {
            WrongFor::Everything if !clocks.is_empty() => {
                let rate = values.map_or_else(String::new, |values| format!(" ({values})"));
                Some(format!("Never: {names}, which stepped back{rate}"))
            }
            WrongFor::BetweenThreads if !clocks.is_empty() => {
                let rate = values.map_or_else(String::new, |values| format!(": up to {values} early"));
                Some(format!("Not between threads: {names} (unfenced{rate})"))
            }
            // The row of the wall clock says so.
            WrongFor::Everything | WrongFor::BetweenThreads | WrongFor::Durations => None,
        }
    };
    let words: Vec<Line> = doubted
        .iter()
        .cloned()
        .chain([WrongFor::Everything, WrongFor::BetweenThreads].into_iter().filter_map(said))
        .map(|said| Line::styled(WARNING, &said))
        .collect();
    (!words.is_empty()).then(|| Row::of(words).ranked(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::unasked;
    use crate::rules::tests::{blank, judged, litmus, readable};
    use crate::sections::clocks::report::ClockReport;
    use chronoscope_harness::estimators::intervals::DirectInterval;

    fn text(row: &Row) -> String {
        row.cells.iter().map(|cell| cell.line.text()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn only_a_tested_clock_is_for_several_threads() {
        let mut record = blank();
        record.content.sections.clocks.report.clocks.push(readable("CLOCK_MONOTONIC"));
        let first = |record: &Record| {
            let record = judged(record.clone());
            text(&uses(&record, record.content.judgement.as_ref().unwrap())[1])
        };
        assert!(first(&record).starts_with("in one thread CLOCK_MONOTONIC"));
        record.content.sections.causality.plan.litmus_pairs = vec![(0, 1)];
        record.content.sections.causality.report.litmus.push(litmus("CLOCK_MONOTONIC", 10_000, 0));
        assert!(first(&record).starts_with("durations CLOCK_MONOTONIC"));
    }

    #[test]
    fn a_counter_is_said_to_return_ticks() {
        let mut record = blank();
        record.content.sections.clocks.report.clocks.extend(["rdtsc", "CLOCK_MONOTONIC"].map(readable));
        let mut record = judged(record);
        let judgement = record.content.judgement.as_mut().unwrap();
        (judgement.uses.durations, judgement.uses.short_intervals) =
            (Some("CLOCK_MONOTONIC".into()), Some("rdtsc".into()));
        let rows = uses(&record, record.content.judgement.as_ref().unwrap());
        assert!(text(&rows[1]).contains("CLOCK_MONOTONIC ") && !text(&rows[1]).contains("ticks"), "{}", text(&rows[1]));
        assert!(text(&rows[2]).contains("rdtsc (ticks)"), "{}", text(&rows[2]));
        record.content.sections.clocks.report.clocks.push(readable("Clock::now"));
        record.content.judgement.as_mut().unwrap().uses.short_intervals = Some("Clock::now".into());
        let rows = uses(&record, record.content.judgement.as_ref().unwrap());
        assert!(text(&rows[2]).contains("Clock::now (library)"), "{}", text(&rows[2]));
    }

    #[test]
    fn a_runtime_without_time_is_named_once_and_one_without_an_answer_is_not() {
        let left = |kind, out_of_time| Runtime { out_of_time, ..unasked(kind) };
        let (java, go) = (left(RuntimeKind::Java, true), left(RuntimeKind::Go, false));
        let row = runtimes_left(&[java.clone(), java, go, left(RuntimeKind::C, true)]).unwrap();
        assert_eq!(text(&row), "not measured yet: Java → chronoscope runtimes");
    }

    #[test]
    fn every_clock_that_went_back_between_threads_is_named_with_the_largest_share_of_them() {
        let mut record = blank();
        let names = ["rdtsc", "Unordered", "a`b; c"];
        let read_early = |name| ClockReport { causal_by_design: false, ..readable(name) };
        record.content.sections.clocks.report.clocks = names.map(read_early).to_vec();
        let back = names.into_iter().zip([20, 40, 10]);
        record.content.sections.causality.report.litmus = back.map(|(name, back)| litmus(name, 1_000, back)).collect();
        let record = judged(record);
        let said = never(&record, record.content.judgement.as_ref().unwrap()).unwrap();
        let wanted = "Not between threads: rdtsc, Unordered, `a'b; c` (unfenced: up to 4.00 % of values early)";
        assert_eq!(text(&said), wanted);
    }

    #[test]
    fn what_no_trial_confirmed_is_a_prediction() {
        let claimed = DirectInterval { within_1pct: Some(3_000.0), within_10pct: Some(300.0) };
        assert_eq!(timed(&TimedIntervals::claimed(claimed)), "300 ns ±10 % (predicted)");
        assert_eq!(timed(&TimedIntervals::claimed(DirectInterval::default())), "not known");
    }
}
