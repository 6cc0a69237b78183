//! The rows of the first screen in words: every judgement here was made by the rules of `answers`.

use anstyle::Style;

use super::cells::{Cell, Row, align};
use crate::answers::conclusions::Grade;
use crate::answers::first_screen::report::{
    Avoid, ClockUse, FirstScreen, LostTo, NoiseAdvice, OneShot, Purpose, TrustCheck, TrustTopic, WrongFor,
};
use crate::answers::host::{Host, Reason};
use crate::answers::verdict_words::answered;
use crate::document::Record;
use chronoscope_harness::estimators::intervals::ShortestInterval;
use chronoscope_harness::finding::HostState;
use chronoscope_harness::quantity::{TIME, count, ms, ns, share};
use chronoscope_harness::record::Path;
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
/// The finding whose evidence and advice have a row of their own.
const TOLD_BY_NOISE: &str = "noisy_machine";
/// Reasons for the state of the host on the screen, at most.
const REASONS: usize = 3;

/// The title, and the state of the host.
pub fn title(record: &Record, screen: &FirstScreen) -> (Line, Line) {
    let hostname = fitted(record.machine.hostname.as_deref().unwrap_or("hostname unknown"), HOSTNAME);
    let tool = fitted(&format!("{} {}", record.tool.name, record.tool.version), NAME);
    let rest = format!(" · {hostname} · {} · {}", machine(record), ms(record.elapsed_ms as f64));
    let is_known = screen.host.state != HostState::Unknown;
    let so_far = if is_known && !screen.host.complete { " so far" } else { "" };
    let (style, word) = (style_of(screen.host.state), screen.host.state.word());
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
    let cpus = machine.cpu.online.map_or_else(|| record.plan.cpus.len() as u64, u64::from);
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
pub fn rows(record: &Record, screen: &FirstScreen) -> Vec<Row> {
    let mut rows = Vec::new();
    rows.extend(emulated(&record.machine).map(|text| noted(&fitted(&text, SENTENCE))));
    rows.extend(record.interrupted.then(|| noted("interrupted: partial results follow")));
    rows.extend(host(&screen.host, screen.noise.lost.is_some()));
    rows.extend(uses(&screen.uses));
    rows.extend(runtimes_left(&screen.runtimes_left));
    rows.extend(avoid(&screen.avoid));
    rows.push(one_shot(&screen.one_shot));
    rows.extend(answers(record));
    rows.push(trust(&screen.trust));
    rows.push(noise(screen));
    let since = record.since.as_ref().map(|since| Line::plain(&fitted(&since.sentence, SENTENCE)));
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
fn host(host: &Host, shows_noise: bool) -> Vec<Row> {
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
        let said = reason_said(reason, shows_noise && reason.id == TOLD_BY_NOISE);
        row("HOST", if place == 0 { 0 } else { 4 }, [said])
    }));
    let more = host.reasons.len().saturating_sub(REASONS);
    let words = counted(more as u64, "more finding", "more findings");
    rows.extend((more > 0).then(|| row("HOST", 0, [Line::styled(DIM, &format!("+ {words}: --full"))])));
    rows
}

fn reason_said(reason: &Reason, is_told_by_noise: bool) -> Line {
    let times = if reason.findings > 1 { format!(" ({}×)", count(reason.findings)) } else { String::new() };
    let lead = Line::styled(style_of(reason.class), &format!("{}{times}", fitted(&reason.id, NAME)));
    if is_told_by_noise {
        return lead.and(": see NOISE");
    }
    match &reason.mend {
        Some(mend) => lead.and(&format!(" → {}", fitted(mend, MEND))),
        None => lead.and(&format!(": {}", fitted(&reason.summary, MEND))),
    }
}

fn uses(uses: &[ClockUse]) -> Vec<Row> {
    if uses.is_empty() {
        return vec![row("USE", 0, [Line::styled(DIM, "? no clock can be recommended: --full")])];
    }
    let mut rows: Vec<Row> = uses.iter().map(use_said).collect();
    align(&mut rows);
    rows
}

fn use_said(each: &ClockUse) -> Row {
    let (rank, purpose) = match &each.purpose {
        Purpose::Durations { across_threads: true } => (0, "durations across threads".to_owned()),
        Purpose::Durations { across_threads: false } => (0, "durations in one thread".to_owned()),
        Purpose::ShortIntervals => (3, "shortest, in one thread".to_owned()),
        Purpose::TimeOfDay => (2, "time of day".to_owned()),
        Purpose::RustHotPath => (2, "Rust crate chronoscope-clock".to_owned()),
        Purpose::Runtime { title } => (5, fitted(title, NAME)),
    };
    let latency = each.latency_ns.map_or_else(|| "?".to_owned(), |latency| format!("{}/read", ns(latency)));
    let path = match each.path {
        Some(Path::Vdso) => "vDSO",
        Some(Path::Syscall) => "syscall",
        Some(Path::Register) | None => "",
    };
    let step = each.step_ns.filter(|_| each.purpose != Purpose::RustHotPath);
    let step = step.map_or_else(String::new, |step| format!("steps {}", ns(step)));
    let name = fitted(each.clock.name(), NAME);
    row(
        "USE",
        rank,
        [purpose, name, latency, format!("{path} {step}").trim().to_owned()].map(|text| Line::plain(&text)),
    )
}

fn runtimes_left(titles: &[String]) -> Option<Row> {
    let names: Vec<String> = titles.iter().map(|title| fitted(title, NAME)).collect();
    let said = format!("{} not run → chronoscope runtimes", names.join(", "));
    (!titles.is_empty()).then(|| row("USE", 4, [Line::styled(DIM, &said)]))
}

fn avoid(avoid: &[Avoid]) -> Option<Row> {
    /// More are on the full page.
    const MOST: usize = 3;
    let said = |wrong_for: WrongFor| {
        let clocks: Vec<&Avoid> = avoid.iter().filter(|each| each.purpose == wrong_for).collect();
        let mut names: Vec<String> =
            clocks.iter().take(MOST).map(|each| quoted(&fitted(each.clock.name(), NAME))).collect();
        names.extend((clocks.len() > MOST).then(|| format!("{} more", clocks.len() - MOST)));
        let worst = clocks.iter().filter_map(|each| each.backward_share).reduce(f64::max);
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

fn one_shot(shots: &[OneShot]) -> Row {
    if shots.is_empty() {
        return row("TIME", 0, [Line::styled(DIM, "? shortest interval: not tested")]);
    }
    let said = |(place, shot): (usize, &OneShot)| {
        let name = quoted(&fitted(shot.clock.name(), NAME));
        let limits = format!("±10 % {}, ±1 % {}", from(shot.within_10pct), from(shot.within_1pct));
        Line::plain(&format!("{}by {name}: {limits}", if place == 0 { "one shot " } else { "" }))
    };
    let shorter = Line::plain("shorter: time a batch");
    row("TIME", 0, shots.iter().enumerate().map(said).chain([shorter]))
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

/// The intervals that the user asked about.
fn answers(record: &Record) -> Vec<Row> {
    let said = |(grade, text): (Grade, String)| row("TIME", 1, [graded(grade, &fitted(&text, SENTENCE))]);
    record.verdict.questions.iter().map(|question| said(answered(question))).collect()
}

fn graded(grade: Grade, text: &str) -> Line {
    let (style, sign) = match grade {
        Grade::Good => (GOOD, "✔ "),
        Grade::Unknown => (DIM, "? "),
        Grade::Warning => (WARNING, "! "),
        Grade::Critical => (CRITICAL, "✘ "),
    };
    Line::styled(style, sign).with(if grade == Grade::Unknown { DIM } else { PLAIN }, text)
}

fn trust(checks: &[TrustCheck]) -> Row {
    row("TRUST", 0, checks.iter().map(|check| graded(check.grade, &check_said(check))))
}

fn check_said(check: &TrustCheck) -> String {
    use Grade::{Critical, Good, Unknown, Warning};

    let why = || fitted(&given(check.reason.as_deref()), REASON);
    let tries = || check.tries.map_or_else(String::new, |tries| format!(" in {}", count(tries)));
    let by = |usual: &str| fitted(check.by.as_deref().unwrap_or(usual), HOSTNAME);
    let cpus = || counted(check.cpus.unwrap_or_default(), "core", "cores");
    match (check.topic, check.grade) {
        (TrustTopic::OneThread, Good) => format!("no backward step on one thread{} reads", tries()),
        (TrustTopic::OneThread, Unknown) => format!("backward steps on one thread: {}", why()),
        (TrustTopic::OneThread, _) => "a clock steps back on one thread".to_owned(),
        (TrustTopic::AcrossCores, Good) => format!("no backward step across {}{} tries", cpus(), tries()),
        (TrustTopic::AcrossCores, Unknown) => format!("across cores: {}", why()),
        (TrustTopic::AcrossCores, _) => format!("across cores: {}{} tries", why(), tries()),
        (TrustTopic::Counter, Good) => format!("{} invariant", by("counter")),
        (TrustTopic::Counter, _) => format!("{}: {}", by("counter"), why()),
        (TrustTopic::NoSystemCall, Good) => "no system call".to_owned(),
        (TrustTopic::NoSystemCall, Unknown) => format!("system call: {}", why()),
        (TrustTopic::NoSystemCall, _) => "CLOCK_MONOTONIC is a system call".to_owned(),
        (TrustTopic::Skew, Good) => format!("skew {}", check.bound_ns.map_or_else(why, |bound| TIME.below(bound))),
        (TrustTopic::Skew, Unknown) => format!("skew: {}", why()),
        (TrustTopic::Skew, _) => {
            format!("cores disagree by up to {}", check.bound_ns.map_or_else(why, ns))
        }
        (TrustTopic::WallClock, grade) => {
            wall_clock_said(check, grade == Good || grade == Warning || grade == Critical)
        }
    }
}

/// The wall clock: by what it is disciplined, and how far off it may be.
fn wall_clock_said(check: &TrustCheck, is_known: bool) -> String {
    let by = fitted(check.by.as_deref().unwrap_or("NTP"), HOSTNAME);
    match (is_known, check.bound_ns) {
        (true, Some(bound)) => format!("{by}: {}", TIME.off(bound)),
        (true, None) if check.by.is_some() => format!("{by}: error unknown"),
        (true, None) if check.grade == Grade::Good => "wall clock disciplined, error unknown".to_owned(),
        (true, None) => "wall clock not disciplined (no NTP)".to_owned(),
        (false, _) => format!("wall clock: {}", fitted(&given(check.reason.as_deref()), REASON)),
    }
}

fn noise(screen: &FirstScreen) -> Row {
    let Some(lost) = screen.noise.lost else {
        let reason = fitted(&given(screen.noise.reason_unmeasured.as_deref()), REASON);
        return row("NOISE", 0, [graded(Grade::Unknown, &format!("not measured: {reason}"))]);
    };
    let gaps = format!("gaps > {}, worst {}", ns(lost.above_ns), ns(lost.worst_ns));
    let lost_share = share(lost.share);
    let Some(advice) = screen.noise.advice else {
        return row("NOISE", 0, [graded(Grade::Good, &format!("{lost_share} of time lost: {gaps}"))]);
    };
    let by = match lost.mostly_by {
        LostTo::OtherThreads => "to other threads",
        LostTo::OtherGuests => "to other guests",
        LostTo::Interrupts => "to interrupts or the host",
        LostTo::Unknown => "(cause not counted)",
    };
    let todo = match advice {
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
