//! What was checked about the clocks: what failed first, then what is not known, then what holds.

use chronoscope_harness::quantity::{MANY, TIME, count, ns};
use chronoscope_harness::record::Known;
use chronoscope_render::line::Line;
use chronoscope_render::page::fitted;
use chronoscope_render::palette::{DIM, PLAIN};
use chronoscope_render::words::{counted, given, quoted};

use super::cells::Row;
use super::mark;
use super::uses::doubted;
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::judgement::Judgement;
use crate::judgement::causality::{AcrossCores, Causality};
use crate::judgement::counter::Counter;
use crate::judgement::grade::Grade;
use crate::judgement::monotonic::Monotonic;
use crate::judgement::path::FastPath;
use crate::judgement::skew::Skew;
use crate::judgement::words::names;
use crate::sections::sync::plan::SYNC;

/// Columns of what a record says itself, which may be of any length.
const REASON: usize = 60;
const DAEMON: usize = 24;

/// A mark per check. What the lines of attention say of the wall clock is not said again.
pub fn trust(record: &Record, judgement: &Judgement) -> Row {
    let mut checks: Vec<(Grade, String)> = backwards(record, judgement);
    checks.push((judgement.path.grade(), system_call(&judgement.path)));
    // A doubt is told where the reads of the counter are.
    let is_told = doubted(record, judgement).is_some();
    checks.extend((!is_told).then(|| (judgement.counter.grade, counter(record, &judgement.counter))));
    // What was seen to go backwards says more than a bound that was not broken.
    let is_told = judgement.causality.grade() == Grade::Critical && judgement.skew.grade() == Grade::Good;
    checks.extend((!is_told).then(|| (judgement.skew.grade(), skew(record, &judgement.skew))));
    let wall_clock = (judgement.wall_clock, wall_clock(record, judgement.wall_clock));
    checks.extend(Some(wall_clock).filter(|(grade, _)| *grade <= Grade::Unknown));
    checks.sort_by_key(|(grade, _)| std::cmp::Reverse(*grade));
    Row::named("TRUST", checks.iter().map(|(grade, said)| graded(*grade, said)))
}

/// A conclusion with its mark.
pub fn graded(grade: Grade, text: &str) -> Line {
    let (style, sign) = mark(grade);
    Line::styled(style, sign).with(if grade == Grade::Unknown { DIM } else { PLAIN }, text)
}

/// A reason, of which there is little room.
fn why(reason: Option<&str>) -> String {
    fitted(&given(reason), REASON)
}

/// Whether a clock went backwards within a thread or between CPUs; in one sentence where none did either.
fn backwards(record: &Record, judgement: &Judgement) -> Vec<(Grade, String)> {
    let (one, across) = (&judgement.monotonic, &judgement.causality);
    if let (Monotonic::Steady, AcrossCores::Causal { clocks, new_values, .. }) = (one, &across.across_cores) {
        let of_all = record.machine.cpu.allowed.len();
        let between = match record.content.causality().cpus_observed()[..] {
            [one, other] if of_all > 2 => format!("CPUs {one} and {other} of {of_all}"),
            ref observed if observed.len() < of_all => format!("{} of its {of_all} CPUs", observed.len()),
            ref observed => observed.len().to_string(),
        };
        let (clocks, values) = (counted(*clocks, "clock", "clocks"), many(*new_values));
        return vec![(
            Grade::Good,
            format!("{clocks} never stepped back, on one CPU or in {values} values between {between}"),
        )];
    }
    let of_durations = judgement.uses.durations.as_ref().filter(|clock| record.content.causal(clock) == Some(true));
    let sound = of_durations.filter(|_| across.grade() != Grade::Good).map(|clock| {
        let values = many(new_values(record, clock));
        (Grade::Good, format!("{} did not step back between CPUs: {values} values", quoted(clock.name())))
    });
    let found = [(one.grade(), one_thread(record, one)), (across.grade(), across_cores(record, across))];
    found.into_iter().chain(sound).collect()
}

fn many(count: u64) -> String {
    MANY.value(count as f64)
}

/// Values of this clock that another CPU saw, each once.
fn new_values(record: &Record, clock: &ClockId) -> u64 {
    let rows = record.content.causality().litmus.iter().filter(|row| row.name == *clock);
    rows.map(|row| row.fresh).fold(0, u64::saturating_add)
}

/// Consecutive reads of one thread.
fn reads(record: &Record) -> u64 {
    let in_steps = record.content.clocks().clocks.iter().filter_map(|clock| Some(clock.granularity.as_ref()?.reads));
    let in_a_row = record.content.reads().iter().map(|reads| reads.count);
    in_steps.chain(in_a_row).fold(0_u64, u64::saturating_add)
}

fn one_thread(record: &Record, found: &Monotonic) -> String {
    match found {
        Monotonic::Steady => format!("no clock stepped back on one thread: {} reads", many(reads(record))),
        Monotonic::SteppedBack => "a clock stepped back on one thread".to_owned(),
        Monotonic::PartlyTested { untested } => {
            format!("steps back on one thread: {}", why(Some(&format!("not tested for {}", names(untested)))))
        }
        Monotonic::NotTested { reason } => format!("steps back on one thread: {}", why(Some(reason))),
    }
}

fn across_cores(record: &Record, found: &Causality) -> String {
    match &found.across_cores {
        AcrossCores::Causal { clocks, new_values, .. } => {
            let clocks = counted(*clocks, "clock", "clocks");
            format!("{clocks} never stepped back between CPUs: {} values", many(*new_values))
        }
        AcrossCores::WentBackwards { .. } => {
            let must_not = |clock: &ClockId| record.content.clocks().clock(clock).is_some_and(|it| it.causal_by_design);
            let rows = record.content.causality().litmus.iter();
            let worst = rows.filter(|row| row.steps_back() && must_not(&row.name)).map(|row| row.worst_ns);
            let by = worst.reduce(f64::max).map_or_else(String::new, |by| format!(", by ≤ {}", ns(by)));
            let of = found.clocks.iter().filter(|of| of.causal == Some(false) && must_not(&of.clock));
            let clocks: Vec<ClockId> = of.map(|of| of.clock.clone()).collect();
            format!("stepped back between CPUs{by}: {}", fitted(&names(&clocks), REASON))
        }
        AcrossCores::Unknown { unknown, .. } => {
            format!("steps back between CPUs: {}", why(Some(&format!("unknown for {}", names(unknown)))))
        }
        AcrossCores::NotTested { reason } => format!("steps back between CPUs: {}", why(Some(reason))),
    }
}

fn counter(record: &Record, found: &Counter) -> String {
    let name = if record.machine.tsc.cpuid.is_some() { "TSC" } else { "counter" };
    match found.grade {
        Grade::Good => format!("{name} invariant"),
        _ => format!("{name}: {}", why(found.doubt.as_deref())),
    }
}

fn system_call(found: &FastPath) -> String {
    match found {
        FastPath::Vdso { .. } => "OS clock: no system call".to_owned(),
        FastPath::SystemCall { .. } => "CLOCK_MONOTONIC is a system call".to_owned(),
        FastPath::ProbablyVdso { .. } => "system call: inferred, not proved".to_owned(),
        FastPath::Unknown { reason } | FastPath::NotTested { reason } => format!("system call: {}", why(Some(reason))),
    }
}

fn skew(record: &Record, found: &Skew) -> String {
    let causality = record.content.causality();
    let of = causality.pairs_tested_of_more().map_or_else(String::new, |tested| {
        format!(" in the {} of {} pairs tried", count(tested), count(causality.pairs_possible))
    });
    match found {
        Skew::NotExcluded { below_ns } => format!("CPU skew adds {}{of}", TIME.below(*below_ns)),
        Skew::Apart { up_to_ns } => format!("skew between CPUs up to {}{of}", ns(*up_to_ns)),
        Skew::NotTested { reason } => format!("skew: {}", why(Some(reason))),
    }
}

/// The wall clock: by what it is disciplined, and how far off it may be.
fn wall_clock(record: &Record, grade: Grade) -> String {
    let Some(report) = record.content.sync() else {
        return format!("wall clock: {}", why(Some(&record.content.reason_missing(&[SYNC]))));
    };
    let by = report.discipline.by.map(|kind| fitted(kind.name(), DAEMON));
    match (grade, &report.bound, by) {
        (Grade::Unknown, Known::Unavailable(reason), _) => format!("wall clock: {}", why(Some(reason))),
        (Grade::Unknown, Known::Value(_), _) => format!("wall clock: {}", why(None)),
        (_, Known::Value(bound), by) if bound.error_ns.is_finite() => {
            format!("wall clock by {}: {}", by.as_deref().unwrap_or("NTP"), TIME.off(bound.error_ns))
        }
        (_, _, Some(by)) => format!("wall clock by {by}: error unknown"),
        (_, _, None) => "wall clock disciplined, error unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::{blank, judged};

    #[test]
    fn nothing_measured_earns_no_tick() {
        let record = judged(blank());
        let row = trust(&record, record.content.judgement.as_ref().unwrap());
        assert_eq!(row.cells.len(), 6);
        for cell in &row.cells {
            assert!(cell.line.text().starts_with("? "), "{}", cell.line.text());
        }
    }
}
