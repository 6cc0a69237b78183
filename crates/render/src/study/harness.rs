//! The cost of measuring, and disturbances.

use chronoscope_harness::record::Disturbance;
use chronoscope_harness::record::study::{Control, InterferenceProbe, Mode, StudyRecord, TokenCost};

use super::words::{amount, of};
use crate::disturbance;
use crate::grid::Mood;
use crate::machine::cpu_list;
use crate::words::{counted, given, quoted};
use chronoscope_harness::quantity::{PERCENT, TIME, count, limit, ms, ns, percent, three_digits};

/// The token count used as an example in the line on backoff.
const EXAMPLE_TOKENS: u64 = 20;

/// A fact about the harness: its name, mood, and words.
pub(super) type Fact = (&'static str, Mood, String);

/// What holds for every study of a run: how the harness measures here.
pub(super) fn of_run(record: &StudyRecord) -> Vec<Fact> {
    let mut facts = vec![("clock", Mood::Plain, clock(record)), ("empty loop", Mood::Plain, empty_loop(record))];
    facts.extend(record.study().tokens.as_ref().map(|tokens| ("tokens", Mood::Plain, token_line(tokens))));
    facts
}

/// What this study did, and what happened to it.
pub(super) fn of_study(record: &StudyRecord) -> Vec<Fact> {
    let mut facts = vec![("plan", Mood::Plain, plan(record))];
    facts.push(match &record.study().interference_probe {
        Some(interference_probe) => {
            ("interference", Mood::warning_if(interference_probe.is_noisy()), interference_said(interference_probe))
        }
        None => ("interference", Mood::Quiet, "no interference probe ran".to_owned()),
    });
    facts.extend(
        (record.study().control.as_ref())
            .map(|control| ("control", Mood::warning_if(control.verdicts_wrong > 0), control_said(control))),
    );
    facts.push(("processes", Mood::Plain, processes(record)));
    for process in &record.study().processes {
        if let Some(reason) = &process.reason_incomplete {
            let text = format!("process {} did not finish: {}", process.process, given(Some(reason)));
            facts.push(("", Mood::Warning, format!("{text}; its partial results count")));
        }
    }
    facts
}

fn plan(record: &StudyRecord) -> String {
    let plan = &record.study().plan;
    let mode = match plan.mode {
        Mode::AverageTime => "average time".to_owned(),
        Mode::Throughput => "throughput".to_owned(),
        Mode::SampleTime => "single operations".to_owned(),
        Mode::SingleShot => "one cold operation per iteration".to_owned(),
        Mode::Batch(operations) => format!("batches of {}", counted(operations, "operation", "operations")),
    };
    let iterations = counted(u64::from(plan.rounds), "iteration", "iterations");
    format!(
        "{mode}, {} × {iterations} of each cell within {}, CPUs {}, margin {}, confidence {}, seed {}",
        counted(u64::from(plan.processes), "process", "processes"),
        ms(plan.budget_ms as f64),
        cpu_list(&plan.cpus),
        limit(plan.margin_pct),
        chronoscope_harness::quantity::confidence(plan.confidence),
        plan.seed
    )
}

fn clock(record: &StudyRecord) -> String {
    let Some(clock) = &record.study().clock else {
        return "unknown: no process started".to_owned();
    };
    let shares = record.study().cells.iter().map(|cell| cell.clock_share_pct);
    let most = shares.filter(|share| share.is_finite()).fold(0.0, f64::max);
    let (name, error, batch) = (quoted(&clock.name), ns(clock.error_ns), ns(clock.batch_ns));
    format!(
        "{name}, two readings resolve {error}; a batch includes {batch} of overhead, at most {} of its time, which \
         every interval covers",
        percent(most)
    )
}

fn empty_loop(record: &StudyRecord) -> String {
    match &record.study().empty_loop_ns {
        Some(turn) => format!(
            "{} per turn: shown, never subtracted; what cannot be told from it is written `< …`",
            amount(TIME, turn)
        ),
        None => "not measured; never subtracted".to_owned(),
    }
}

fn token_line(tokens: &TokenCost) -> String {
    format!(
        "{EXAMPLE_TOKENS} tokens ≈ {}: {} per token and {} per call; R² {}, every point within {} of the line",
        ns(tokens.ns(EXAMPLE_TOKENS as f64)),
        amount(TIME, &tokens.ns_per_token),
        amount(TIME, &tokens.call_ns),
        r_squared(tokens.r_squared),
        percent(tokens.largest_deviation_pct)
    )
}

fn r_squared(value: f64) -> String {
    if (0.0..=1.0).contains(&value) { format!("{:.5}", (value * 1e5).floor() / 1e5) } else { three_digits(value) }
}

fn interference_said(interference_probe: &InterferenceProbe) -> String {
    let mut rest = Vec::new();
    for (iterations, words) in [
        (interference_probe.iterations_shared, "shared the core with a neighbour"),
        (interference_probe.iterations_slow, "ran slow"),
        (interference_probe.iterations_preempted, "lost the CPU"),
    ] {
        if iterations > 0 {
            rest.push(format!("{} {words}", count(iterations)));
        }
    }
    let rest = if rest.is_empty() { String::new() } else { format!(": {}", rest.join(", ")) };
    let iterations = of(interference_probe.iterations_quiet, interference_probe.iterations);
    format!(
        "{iterations} iterations undisturbed{rest}; a turn of its loop {}, a link of its chain {}",
        ns(interference_probe.quiet_turn_ns),
        ns(interference_probe.quiet_link_ns)
    )
}

fn control_said(control: &Control) -> String {
    let alarms = if control.alarms == 0 { "no".to_owned() } else { count(u64::from(control.alarms)) };
    format!(
        "{alarms} false {} in {} of an operation with itself, {} wrong; {}",
        if control.alarms == 1 { "alarm" } else { "alarms" },
        counted(u64::from(control.comparisons), "comparison", "comparisons"),
        counted(u64::from(control.verdicts_wrong), "verdict", "verdicts"),
        resolution(control)
    )
}

/// How small a difference the study can resolve, in words; with few comparisons, nothing.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::study::Control;
/// use chronoscope_render::study::resolution;
///
/// let control = Control { comparisons: 48, alarms: 0, verdicts_wrong: 0, resolvable_pct: 1.16, resolvable_ns: 0.069 };
/// assert!(resolution(&control).starts_with("median resolution ± 1.2 % or ± 0.069 ns"));
/// assert!(resolution(&Control { comparisons: 2, ..control }).starts_with("too few"));
/// ```
pub fn resolution(control: &Control) -> String {
    if !control.is_telling() {
        return "too few to estimate the resolution; every comparison has its own interval".to_owned();
    }
    format!(
        "median resolution {} or {}; every comparison has its own interval",
        PERCENT.off(control.resolvable_pct),
        TIME.off(control.resolvable_ns)
    )
}

fn processes(record: &StudyRecord) -> String {
    let complete = record.study().processes.iter().filter(|process| process.reason_incomplete.is_none()).count() as u64;
    let mut all: Option<Disturbance> = None;
    for process in &record.study().processes {
        all.get_or_insert_default().merge(&process.disturbance);
    }
    let suffered = all.map_or_else(|| "nothing was measured".to_owned(), |all| disturbance::said(&all));
    format!("{} complete; {suffered}", of(complete, record.study().processes.len() as u64))
}
