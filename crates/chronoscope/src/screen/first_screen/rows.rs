//! The words of the first screen, row by row.

use anstyle::Style;

use super::cells::{Cell, Row, align};
use super::mark;
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::judgement::Judgement;
use crate::judgement::causality::{AcrossCores, Causality};
use crate::judgement::counter::Counter;
use crate::judgement::grade::Grade;
use crate::judgement::host::{Host, Reason};
use crate::judgement::monotonic::Monotonic;
use crate::judgement::noise::{LostTo, Noise, NoiseAdvice};
use crate::judgement::path::FastPath;
use crate::judgement::skew::Skew;
use crate::judgement::uses::{Avoid, Uses, WrongFor};
use crate::probe::runtime::Runtime;
use crate::screen::verdict::answered;
use crate::sections::sync::discipline::DisciplineState;
use crate::sections::sync::plan::SYNC;
use chronoscope_harness::estimators::intervals::{ShortestInterval, Tolerance};
use chronoscope_harness::finding::{Finding, HostState};
use chronoscope_harness::quantity::{TIME, count, ms, ns, share};
use chronoscope_harness::record::{Known, Path};
use chronoscope_harness::study_rules::NOISY_MACHINE;
use chronoscope_probes::RuntimeKind;
use chronoscope_render::line::Line;
use chronoscope_render::page::fitted;
use chronoscope_render::palette::{CRITICAL, DIM, GOOD, PLAIN, TITLE, WARNING};
use chronoscope_render::title::emulated;
use chronoscope_render::words::{counted, given, quoted};

/// Columns of what a record says itself, which may be of any length.
const NAME: usize = 34;
const HOSTNAME: usize = 24;
const REASON: usize = 60;
const MEND: usize = 92;
const SENTENCE: usize = 140;
/// Reasons for the state of the host on the screen, at most.
const REASONS: usize = 3;

/// The title, and the state of the host.
pub fn title(record: &Record, host: &Host) -> (Line, Line) {
    let hostname = fitted(record.machine.hostname.as_deref().unwrap_or("hostname unknown"), HOSTNAME);
    let tool = fitted(&format!("{} {}", record.tool.name, record.tool.version), NAME);
    let rest = format!(" · {hostname} · {} · {}", machine(record), ms(record.elapsed_ms as f64));
    let is_known = host.state != HostState::Unknown;
    let so_far = if is_known && !host.complete { " so far" } else { "" };
    let (style, word) = (style_of(host.state), host.state.word());
    (Line::styled(TITLE, &tool).and(&rest), Line::styled(TITLE, "HOST: ").with(style, &format!("{word}{so_far}")))
}

fn style_of(state: HostState) -> Style {
    match state {
        HostState::Ok => GOOD,
        HostState::Unknown => DIM,
        HostState::Noisy | HostState::Degraded => WARNING,
        HostState::Broken => CRITICAL,
    }
}

/// What the machine runs on, and how many CPUs it has.
fn machine(record: &Record) -> String {
    let machine = &record.machine;
    let cpus = machine.cpu.online.map_or_else(|| record.content.plan.cpus.len() as u64, u64::from);
    let hypervisor = &machine.hypervisor;
    match (machine.emulated_by(), hypervisor.present) {
        (Some(by), _) => format!("{}, {}", fitted(by, HOSTNAME), counted(cpus, "CPU", "CPUs")),
        (None, Some(true)) => {
            let name = fitted(hypervisor.name.as_deref().unwrap_or("a hypervisor"), HOSTNAME);
            format!("{name}, {}", counted(cpus, "vCPU", "vCPUs"))
        }
        (None, Some(false)) => format!("bare metal, {}", counted(cpus, "CPU", "CPUs")),
        (None, None) => counted(cpus, "CPU", "CPUs"),
    }
}

/// Every row of the screen but the last, in order.
pub fn rows(record: &Record, judgement: &Judgement, about: &Host) -> Vec<Row> {
    let mut rows = Vec::new();
    rows.extend(emulated(&record.machine).map(|text| noted(&fitted(&text, SENTENCE))));
    rows.extend(record.interrupted.then(|| noted("interrupted: partial results follow")));
    rows.extend(host(about, &record.findings, judgement.noise.lost.is_some()));
    rows.extend(uses(record, &judgement.uses));
    rows.extend(runtimes_left(record.content.runtimes()));
    rows.extend(avoid(record, &judgement.uses.avoid));
    rows.push(one_shot(record, &judgement.uses));
    rows.extend(judgement.questions.iter().map(|question| {
        let (grade, text) = answered(question);
        row("TIME", 1, [graded(grade, &fitted(&text, SENTENCE))])
    }));
    rows.push(trust(record, judgement));
    rows.push(noise(&judgement.noise));
    let since = record.content.since.as_ref().map(|since| Line::plain(&fitted(&since.sentence, SENTENCE)));
    rows.extend(since.map(|said| row("SINCE", 1, [said])));
    rows
}

fn row(label: &'static str, rank: u8, cells: impl IntoIterator<Item = Line>) -> Row {
    Row { label, cells: cells.into_iter().map(Cell::new).collect(), rank }
}

fn noted(text: &str) -> Row {
    row("NOTE", 0, [Line::styled(WARNING, &format!("! {text}"))])
}

/// What the state means, and the findings behind it, each with what to do. `shows_noise`: the row NOISE tells what was lost.
fn host(host: &Host, findings: &[Finding], shows_noise: bool) -> Vec<Row> {
    if host.state == HostState::Ok && host.complete && host.reasons.is_empty() {
        return Vec::new();
    }
    let unchecked = if host.complete { "" } else { "; not all was checked: --full" };
    let meaning = format!("{}{unchecked}", host.state.about());
    // What is behind it says more than what it means.
    let is_told = host.complete && host.state != HostState::Broken && !host.reasons.is_empty();
    let mut rows = vec![row("HOST", if is_told { 6 } else { 2 }, [Line::styled(DIM, &meaning)])];
    let reasons = host.reasons.iter().take(REASONS).enumerate();
    rows.extend(reasons.map(|(place, reason)| {
        let said = reason_said(reason, &reason.of(findings), shows_noise && reason.id == NOISY_MACHINE.id);
        row("HOST", if place == 0 { 0 } else { 4 }, [said])
    }));
    let more = host.reasons.len().saturating_sub(REASONS);
    let words = counted(more as u64, "more finding", "more findings");
    rows.extend((more > 0).then(|| row("HOST", 0, [Line::styled(DIM, &format!("+ {words}: --full"))])));
    rows
}

fn reason_said(reason: &Reason, findings: &[&Finding], is_told_by_noise: bool) -> Line {
    let times = if findings.len() > 1 { format!(" ({}×)", count(findings.len() as u64)) } else { String::new() };
    let lead = Line::styled(style_of(reason.class), &format!("{}{times}", fitted(&reason.id, NAME)));
    if is_told_by_noise {
        return lead.and(": see NOISE");
    }
    let first = findings.first();
    match first.and_then(|finding| finding.advice.first()) {
        Some(mend) => lead.and(&format!(" → {}", fitted(mend, MEND))),
        None => lead.and(&first.map_or_else(String::new, |it| format!(": {}", fitted(&it.evidence.summary, MEND)))),
    }
}

fn uses(record: &Record, uses: &Uses) -> Vec<Row> {
    let of_clock = |rank: u8, purpose: &str, clock: Option<&ClockId>, shows_step: bool| {
        let clock = record.content.clocks().clock(clock?)?;
        let step = clock.step_ns().filter(|_| shows_step);
        let latency = clock.latency_ns.as_ref().map(|latency| latency.per_read.estimate);
        Some(use_said(rank, purpose, clock.name.name(), (latency, clock.path, step)))
    };
    let is_across_threads = |clock: &ClockId| {
        record.content.causal(clock) == Some(true)
            && record.content.clocks().clock(clock).is_some_and(|clock| clock.causal_by_design)
    };
    let durations = match uses.durations.as_ref().is_some_and(is_across_threads) {
        true => "durations across threads",
        false => "durations in one thread",
    };
    let of_runtime = |runtime: &Runtime| {
        let clock = runtime.clock_for_durations()?;
        let latency = clock.latency_ns.as_ref().map(|latency| latency.per_read.estimate);
        let title = fitted(&runtime.title(), NAME);
        Some(use_said(5, &title, &clock.name, (latency, clock.path, clock.step_ns())))
    };
    let of_machine = [
        of_clock(0, durations, uses.durations.as_ref(), true),
        of_clock(3, "shortest, in one thread", uses.short_intervals.as_ref(), true),
        of_clock(2, "time of day", uses.time_of_day.as_ref(), true),
        of_clock(2, "Rust crate chronoscope-clock", uses.rust_hot_path.as_ref(), false),
    ];
    let of_runtimes = record.content.runtimes().iter().filter_map(of_runtime);
    let mut rows: Vec<Row> = of_machine.into_iter().flatten().chain(of_runtimes).collect();
    if rows.is_empty() {
        return vec![row("USE", 0, [Line::styled(DIM, "? no clock can be recommended: --full")])];
    }
    align(&mut rows);
    rows
}

/// A clock with what a read costs, the path of a read, and its step.
fn use_said(
    rank: u8,
    purpose: &str,
    clock: &str,
    (latency, path, step): (Option<f64>, Option<Path>, Option<f64>),
) -> Row {
    let latency = latency.map_or_else(|| "?".to_owned(), |latency| format!("{}/read", ns(latency)));
    let path = match path {
        Some(Path::Vdso) => "vDSO",
        Some(Path::Syscall) => "syscall",
        Some(Path::Register) | None => "",
    };
    let step = step.map_or_else(String::new, |step| format!("steps {}", ns(step)));
    let place = format!("{path} {step}");
    row("USE", rank, [purpose, &fitted(clock, NAME), &latency, place.trim()].map(Line::plain))
}

/// Those that users time with, and for which there was no time; each once.
fn runtimes_left(runtimes: &[Runtime]) -> Option<Row> {
    let is_left = |runtime: &&Runtime| runtime.out_of_time && runtime.kind != RuntimeKind::C;
    let mut names: Vec<String> = runtimes.iter().filter(is_left).map(|left| fitted(&left.title(), NAME)).collect();
    names.dedup();
    let said = format!("{} not run → chronoscope runtimes", names.join(", "));
    (!names.is_empty()).then(|| row("USE", 4, [Line::styled(DIM, &said)]))
}

fn avoid(record: &Record, avoid: &[Avoid]) -> Option<Row> {
    /// More are on the full page.
    const MOST: usize = 3;
    let said = |wrong_for: WrongFor| {
        let clocks: Vec<&Avoid> = avoid.iter().filter(|each| each.purpose == wrong_for).collect();
        let causality = record.content.causality();
        let mut names: Vec<String> =
            clocks.iter().take(MOST).map(|each| quoted(&fitted(each.clock.name(), NAME))).collect();
        names.extend((clocks.len() > MOST).then(|| format!("{} more", clocks.len() - MOST)));
        let worst = clocks.iter().filter_map(|each| causality.worst_share(&each.clock)).reduce(f64::max);
        let up_to = if clocks.len() > 1 { "up to " } else { "" };
        let share = worst.map(|worst| format!(" in {up_to}{} of tries", share(worst)));
        let names = names.join(", ");
        (!clocks.is_empty()).then(|| match wrong_for {
            WrongFor::Everything => format!("{names} for anything: backward steps{}", share.unwrap_or_default()),
            WrongFor::BetweenThreads => {
                let share = share.map_or_else(String::new, |share| format!(" (went backwards{share})"));
                format!("{names} between threads{share}")
            }
            WrongFor::Durations => {
                format!("{names} for durations: it can be set back (Java: nanoTime, not currentTimeMillis)")
            }
        })
    };
    let words: Vec<String> =
        [WrongFor::Everything, WrongFor::BetweenThreads, WrongFor::Durations].into_iter().filter_map(said).collect();
    (!words.is_empty()).then(|| row("USE", 2, [Line::styled(WARNING, "avoid").and(&format!(" {}", words.join("; ")))]))
}

/// The shortest interval of the clock for durations, then that of one which times shorter ones.
fn one_shot(record: &Record, uses: &Uses) -> Row {
    let clocks = [&uses.durations, &uses.short_intervals].into_iter().flatten();
    let shots = clocks.filter_map(|clock| Some((clock, record.content.clocks().intervals_of(clock)?)));
    let said: Vec<String> = shots
        .map(|(clock, timed)| {
            let [one, ten] = Tolerance::ALL.map(|tolerance| from(timed.shortest(tolerance)));
            format!("by {}: ±10 % {ten}, ±1 % {one}", quoted(&fitted(clock.name(), NAME)))
        })
        .collect();
    let Some((first, others)) = said.split_first() else {
        return row("TIME", 0, [Line::styled(DIM, "? shortest interval: not tested")]);
    };
    let first = format!("one shot {first}");
    let words = [first.as_str()].into_iter().chain(others.iter().map(String::as_str));
    row("TIME", 0, words.chain(["shorter: time a batch"]).map(Line::plain))
}

/// From where a clock times intervals, and how that is known if not by trials.
fn from(shortest: ShortestInterval) -> String {
    match shortest {
        ShortestInterval::Confirmed(from) => format!("from {}", ns(from)),
        ShortestInterval::Claimed(from) => format!("from {} (untried)", ns(from)),
        ShortestInterval::NotConfirmed { tried_to_ns, expected_from_ns, .. } => {
            format!("not up to {} (expect {})", ns(tried_to_ns), ns(expected_from_ns))
        }
        ShortestInterval::Unknown => "unknown".to_owned(),
    }
}

fn graded(grade: Grade, text: &str) -> Line {
    let (style, sign) = mark(grade);
    Line::styled(style, sign).with(if grade == Grade::Unknown { DIM } else { PLAIN }, text)
}

fn trust(record: &Record, judgement: &Judgement) -> Row {
    let checks = [
        (judgement.monotonic.grade(), one_thread(record, &judgement.monotonic)),
        (judgement.causality.grade(), across_cores(record, &judgement.causality)),
        (judgement.counter.grade, counter(record, &judgement.counter)),
        (judgement.path.grade(), system_call(&judgement.path)),
        (judgement.skew.grade(), skew(&judgement.skew)),
        (judgement.wall_clock, wall_clock(record, judgement.wall_clock)),
    ];
    row("TRUST", 0, checks.iter().map(|(grade, said)| graded(*grade, said)))
}

/// A reason, of which there is little room.
fn why(reason: Option<&str>) -> String {
    fitted(&given(reason), REASON)
}

fn names(clocks: &[ClockId]) -> String {
    clocks.iter().map(ClockId::name).collect::<Vec<_>>().join(", ")
}

fn one_thread(record: &Record, found: &Monotonic) -> String {
    let in_steps = record.content.clocks().clocks.iter().filter_map(|clock| Some(clock.granularity.as_ref()?.reads));
    let tries = in_steps.chain(record.content.reads().iter().map(|reads| reads.count)).fold(0_u64, u64::saturating_add);
    match found {
        Monotonic::Steady => format!("no backward step on one thread in {} reads", count(tries)),
        Monotonic::SteppedBack => "a clock steps back on one thread".to_owned(),
        Monotonic::PartlyTested { untested } => {
            format!("backward steps on one thread: {}", why(Some(&format!("not tested for {}", names(untested)))))
        }
        Monotonic::NotTested { reason } => format!("backward steps on one thread: {}", why(Some(reason))),
    }
}

fn across_cores(record: &Record, found: &Causality) -> String {
    match &found.across_cores {
        AcrossCores::Causal { new_values, .. } => {
            let cores = counted(record.content.causality().cpus_observed(), "core", "cores");
            format!("no backward step across {cores} in {} tries", count(*new_values))
        }
        AcrossCores::WentBackwards { observations, violations, .. } => {
            format!("across cores: backwards {violations} times in {} tries", count(*observations))
        }
        AcrossCores::Unknown { unknown, .. } => {
            format!("across cores: {}", why(Some(&format!("unknown for {}", names(unknown)))))
        }
        AcrossCores::NotTested { reason } => format!("across cores: {}", why(Some(reason))),
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
        FastPath::Vdso { .. } => "no system call".to_owned(),
        FastPath::SystemCall { .. } => "CLOCK_MONOTONIC is a system call".to_owned(),
        FastPath::ProbablyVdso { .. } => "system call: inferred, not proved".to_owned(),
        FastPath::Unknown { reason } | FastPath::NotTested { reason } => format!("system call: {}", why(Some(reason))),
    }
}

fn skew(found: &Skew) -> String {
    match found {
        Skew::NotExcluded { below_ns } => format!("skew {}", TIME.below(*below_ns)),
        Skew::Apart { up_to_ns } => format!("cores disagree by up to {}", ns(*up_to_ns)),
        Skew::NotTested { reason } => format!("skew: {}", why(Some(reason))),
    }
}

/// The wall clock: by what it is disciplined, and how far off it may be.
fn wall_clock(record: &Record, grade: Grade) -> String {
    let Some(report) = record.content.sync() else {
        return format!("wall clock: {}", why(Some(&record.content.reason_missing(&[SYNC]))));
    };
    let by = report.discipline.by.map(|kind| fitted(kind.name(), HOSTNAME));
    match (grade, &report.bound, by) {
        (Grade::Unknown, Known::Unavailable(reason), _) => format!("wall clock: {}", why(Some(reason))),
        (Grade::Unknown, Known::Value(_), _) => format!("wall clock: {}", why(None)),
        (_, Known::Value(bound), by) if bound.error_ns.is_finite() => {
            format!("{}: {}", by.as_deref().unwrap_or("NTP"), TIME.off(bound.error_ns))
        }
        (_, _, Some(by)) => format!("{by}: error unknown"),
        (_, _, None) if report.discipline.state == DisciplineState::Disciplined => {
            "wall clock disciplined, error unknown".to_owned()
        }
        (_, _, None) => "wall clock not disciplined (no NTP)".to_owned(),
    }
}

fn noise(noise: &Noise) -> Row {
    let Some(lost) = noise.lost else {
        let reason = fitted(&given(noise.reason_unmeasured.as_deref()), REASON);
        return row("NOISE", 0, [graded(Grade::Unknown, &format!("not measured: {reason}"))]);
    };
    let gaps = format!("gaps > {}, worst {}", ns(lost.above_ns), ns(lost.worst_ns));
    let lost_share = share(lost.share);
    let Some(advice) = noise.advice else {
        return row("NOISE", 0, [graded(Grade::Good, &format!("{lost_share} of time lost: {gaps}"))]);
    };
    let by = match lost.mostly_by {
        LostTo::Quota => "to a CPU quota",
        LostTo::OtherThreads => "to other threads",
        LostTo::OtherGuests => "to other guests",
        LostTo::Interrupts => "to interrupts or the host",
        LostTo::Unknown => "(cause not counted)",
    };
    let todo = match advice {
        NoiseAdvice::RaiseQuota => "→ raise the quota while you measure, or use a cpuset",
        NoiseAdvice::PinToIdleCpu => "→ pin to an idle CPU",
        NoiseAdvice::StopOtherWork => "→ stop other work",
        NoiseAdvice::DedicatedCpus => "→ use CPUs that the host dedicates to this guest",
        NoiseAdvice::MoveInterrupts => "→ move interrupts to another CPU; repeat and take the median",
    };
    row("NOISE", 0, [graded(Grade::Warning, &format!("{lost_share} of time lost {by}: {gaps}")), Line::plain(todo)])
}

/// Where everything else is.
pub fn more(left_out: usize) -> Vec<Cell> {
    let left_out = (left_out > 0).then(|| counted(left_out as u64, "more row", "more rows"));
    let places = "--full · causality · runtimes · history · advise --symptom".to_owned();
    left_out.into_iter().chain([places]).map(|text| Cell::new(Line::styled(DIM, &text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::unasked;
    use crate::rules::tests::{blank, judged, litmus, readable};

    fn text(row: &Row) -> String {
        row.cells.iter().map(|cell| cell.line.text()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn nothing_measured_earns_no_tick() {
        let record = judged(blank());
        let row = trust(&record, record.content.judgement.as_ref().unwrap());
        assert_eq!(row.cells.len(), 6);
        assert!(row.cells.iter().all(|cell| cell.line.text().starts_with("? ")), "{}", text(&row));
    }

    #[test]
    fn only_a_tested_clock_is_for_several_threads() {
        let mut record = blank();
        record.content.sections.clocks.report.clocks.push(readable("CLOCK_MONOTONIC"));
        let first = |record: &Record| {
            let record = judged(record.clone());
            text(&uses(&record, &record.content.judgement.as_ref().unwrap().uses)[0])
        };
        assert!(first(&record).starts_with("durations in one thread CLOCK_MONOTONIC"));
        record.content.sections.causality.plan.litmus_pairs = vec![(0, 1)];
        record.content.sections.causality.report.litmus.push(litmus("CLOCK_MONOTONIC", 10_000, 0));
        assert!(first(&record).starts_with("durations across threads CLOCK_MONOTONIC"));
    }

    #[test]
    fn a_runtime_without_time_is_named_once_and_one_without_an_answer_is_not() {
        let left = |kind, out_of_time| Runtime { out_of_time, ..unasked(kind) };
        let (java, go) = (left(RuntimeKind::Java, true), left(RuntimeKind::Go, false));
        let row = runtimes_left(&[java.clone(), java, go, left(RuntimeKind::C, true)]).unwrap();
        assert_eq!(text(&row), "Java not run → chronoscope runtimes");
    }
}
