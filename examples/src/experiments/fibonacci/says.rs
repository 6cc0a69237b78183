use chronoscope_harness::literature::measure::{MEAN_OF_FIRST, MEAN_OF_RUN, STAMPED};
use chronoscope_harness::literature::{self, Article};
use chronoscope_harness::quantity::{PERCENT, RATIO, TIME};
use chronoscope_harness::record::study::{Estimate, Steadiness, StudyRecord};
use chronoscope_render::text::{count, percent};

use super::cases::{TIMED_ALONE, TIMED_OUTSIDE};
use super::growth::Growth;
use crate::reading::{doubt, quotient};
use crate::{Block, Value};

pub(super) const MS: f64 = 1e6;
/// The length of a time-bound run, in milliseconds.
pub(super) const WINDOWS: [f64; 4] = [1.0, 10.0, 100.0, 1_000.0];
/// Calls in a work-bound run.
pub(super) const FIRST_CALLS: [u64; 3] = [100, 1_000, 10_000];
/// The call taken as an early one: the first on the curve.
const EARLY_CALL: u64 = 100;
/// Calls shown on the curve.
pub(super) const CURVE: [u64; 9] = [100, 1_000, 5_000, 10_000, 30_000, 100_000, 200_000, 300_000, 400_000];

pub(super) fn naive(record: &StudyRecord, growth: &Growth) -> Block {
    let mut block = Block::default();
    let windows = WINDOWS.iter().map(|ms| {
        vec![Value::text("run for a time"), Value::text(format!("{ms} ms")), mean(growth.mean_of_window(ms * MS))]
    });
    let stamps = vec![Value::text("stamp each call"), Value::text("the whole run"), stamped(record)];
    let first_calls = FIRST_CALLS.iter().map(|calls| {
        let length = format!("first {}", count(*calls));
        vec![Value::text("run so many calls"), Value::text(length), mean(growth.mean_of_first(*calls))]
    });
    let rows = windows.chain([stamps]).chain(first_calls).collect();
    block.table("Three bad answers", &["method", "length", "mean per call"], rows);
    let answers = WINDOWS.iter().filter_map(|ms| Some((ms, growth.mean_of_window(ms * MS)?)));
    let answers: Vec<(&f64, Estimate)> = answers.collect();
    let quoted: Vec<String> = answers.iter().map(|(ms, mean)| format!("{} in {ms} ms", TIME.amount(mean))).collect();
    let quoted = format!("\"a call takes {}\"", quoted.join("; "));
    match answers.as_slice() {
        [] => {
            block.conclude("nothing: no process ran long enough");
        }
        [_] => {
            block.conclude(format!("{quoted}: no process ran longer"));
        }
        [(_, shortest), .., (_, longest)] if differ(shortest, longest) => {
            let text = format!("{quoted}: the answer depends on the length of the run");
            block.conclude(text).with("shortest_run_ns", *shortest).with("longest_run_ns", *longest);
            if let Some(times) = quotient(longest, shortest) {
                block.say(format!(
                    "the longest of these runs says {} what the shortest says, of the same code",
                    RATIO.amount(&times)
                ));
            }
        }
        [(_, shortest), ..] if !shortest.has_confidence() => {
            block.conclude(format!("{quoted}{}", doubt(shortest)));
        }
        _ => {
            block.conclude(format!("{quoted}: this run cannot tell its lengths apart"));
        }
    }
    if let (Some(clock), Some(first)) = (&record.study().clock, growth.at(EARLY_CALL).filter(|first| first.low > 0.0)) {
        block.say(format!(
            "stamps around each call: the clock resolves no less than {}, {} of call {EARLY_CALL}",
            TIME.amount(&Estimate::certain(clock.error_ns)),
            percent(100.0 * clock.error_ns / first.estimate)
        ));
    }
    block.say("the first calls alone: that holds for so many calls, and for no other program");
    block
}

fn mean(found: Option<Estimate>) -> Value {
    Value::or(found.map(Value::Ns), "the run was shorter")
}

/// Whether two intervals are disjoint.
fn differ(one: &Estimate, other: &Estimate) -> bool {
    let known = one.has_confidence() && other.has_confidence();
    known && (one.high < other.low || other.high < one.low)
}

fn stamped(record: &StudyRecord) -> Value {
    Value::or(stamped_ns(record).map(Value::Ns), "not measured")
}

/// The mean by stamps around each call.
pub(super) fn stamped_ns(record: &StudyRecord) -> Option<Estimate> {
    Some(record.cell(TIMED_ALONE, 0, 1)?.part?.part_ns)
}

/// The time of some calls, and of the last.
pub(super) fn curve(growth: &Growth) -> Vec<(u64, Estimate)> {
    let calls = growth.calls();
    let shown = CURVE.into_iter().filter(|index| *index < calls).chain(calls.checked_sub(1));
    shown.filter_map(|index| Some((index, growth.at(index)?))).collect()
}

pub(super) fn model(record: &StudyRecord, growth: &Growth) -> Block {
    let mut block = Block::default();
    let last = growth.calls().checked_sub(1);
    let rows = curve(growth).into_iter().map(|(index, time)| vec![Value::Count(index), Value::Ns(time)]).collect();
    block.table("Time per call by the index of the call", &["call", "time"], rows);
    let steadiness = record.cell(TIMED_OUTSIDE, 0, 1).and_then(|cell| cell.steadiness);
    let grows = growth
        .at(EARLY_CALL)
        .zip(last.and_then(|last| growth.at(last)))
        .is_some_and(|(first, last)| differ(&first, &last));
    block.conclude(match steadiness {
        None => "the detector has nothing to judge".to_owned(),
        Some(found) => verdict(&found, grows, record),
    });
    let Some(line) = growth.line() else {
        block.say("there are too few batches for a line");
        return block;
    };
    // Either coefficient of a line may be negative, and neither is a measured time.
    let (a, b) = (TIME.signed().difference(&line.a_ns), TIME.signed().difference(&line.b_ns.times(1_000.0)));
    let where_from = format!(
        "a line through {} medians or more of neighbouring batches in each process, R² of these medians ≥ {:.3}",
        count(line.medians as u64),
        line.r_squared
    );
    if line.b_ns.is_resolved() {
        let text =
            format!("instead of one number: time(n) ≈ a + b·n, a = {a}, b = {b} per thousand calls ({where_from})");
        block.conclude(text).with("a_ns", line.a_ns).with("b_ns_per_call", line.b_ns);
    } else {
        let text =
            format!("a line through the calls has no slope that is resolved: {b} per thousand calls ({where_from})");
        block.say(text).with("b_ns_per_call", line.b_ns);
    }
    if let Some(mean) = growth.mean() {
        block.say(format!(
            "medians leave interruptions out: by the line the mean call takes {}, measured with them {}",
            TIME.signed().difference(&Estimate::certain(line.mean_ns)).trim_start_matches('+'),
            TIME.amount(&mean)
        ));
    }
    if let Some(vague) = line.vague_before().filter(|vague| *vague > 0) {
        block.say(format!(
            "before call {} the line says nothing: there b·n is less than the {} that a may be off; see the table",
            count(vague),
            TIME.value(line.a_reach_ns())
        ));
    }
    if line.r_squared < 0.95 {
        block.say("the line is coarse: it leaves part of these medians unexplained; see the table");
    }
    block
}

/// The detector's verdict, in words. `grows`: whether the table shows calls that differ.
fn verdict(found: &Steadiness, grows: bool, record: &StudyRecord) -> String {
    // Its growth rate is given once, with its interval: by the line below.
    match (found.change_pct(), found.within_iteration_pct.or(found.within_process_pct)) {
        (Some(change), _) => format!(
            "there is no steady state: the time changes by {} from the middle third of the calls to the last, so no single number \
             is the time of this operation",
            PERCENT.signed().difference(&change)
        ),
        (None, None) => {
            let took = TIME.amount(&Estimate::certain(record.study().plan.budget_ms as f64 * MS));
            format!("the series are too short to tell: take longer than {took}")
        }
        (None, Some(_)) if grows => {
            "the detector finds a steady state, which contradicts the curve above: trust the curve".to_owned()
        }
        (None, Some(_)) => "the detector finds a steady state".to_owned(),
    }
}

/// What was measured of Fibonacci numbers by other programs, at such a length.
fn figure(measure: &'static str, runtime: &str, at: Option<f64>) -> Value {
    let found = literature::of(Article::Jmh, measure).find(|figure| figure.runtime == runtime && figure.place() == at);
    Value::or(found.map(|figure| Value::text(figure.said())), "–")
}

pub(super) fn published(record: &StudyRecord, growth: &Growth) -> Block {
    let mut block = Block::default();
    let none = || Value::text("–");
    let windows = WINDOWS.iter().map(|ms| {
        let by = Value::text(format!("a run of {ms} ms"));
        let [java, rust] = ["Java", "Rust"].map(|runtime| figure(MEAN_OF_RUN, runtime, Some(*ms)));
        vec![by, java, rust, mean(growth.mean_of_window(ms * MS))]
    });
    let first_calls = FIRST_CALLS.iter().map(|calls| {
        let by = Value::text(format!("the first {} calls", count(*calls)));
        vec![by, figure(MEAN_OF_FIRST, "Java", Some(*calls as f64)), none(), mean(growth.mean_of_first(*calls))]
    });
    let stamps = vec![Value::text("each call stamped"), figure(STAMPED, "Java", None), none(), stamped(record)];
    block.table(
        "Mean per call; Java on JDK 25 (runs: plain program; first calls and stamps: JMH 1.37) and Rust, at 2.8 GHz",
        &["by", "Java", "Rust", "ours"],
        windows.chain(first_calls).chain([stamps]).collect(),
    );
    block.say(format!(
        "article: {}: without a steady state, time-based, per-call and first-calls figures are three different things",
        Article::Nanotrust.cited()
    ));
    if let Some(mean) = growth.mean() {
        block
            .say(format!(
                "ours over the {} calls that every process made: {}",
                count(growth.calls()),
                TIME.amount(&mean)
            ))
            .with("mean_of_run_ns", mean);
    }
    block
}
