//! A machine in one picture, to publish.

mod facts;

use std::time::Duration;

pub use facts::{Facts, judged};

use chronoscope_harness::quantity::{MANY, TIME, length, ms, ns, share};
use chronoscope_render::browser::{Card, Fact, Hue, Mark, Row, Shape, Span};
use chronoscope_render::text::Mood;
use chronoscope_render::title::moment;
use chronoscope_sources::SourceId;

use crate::document::Record;
use crate::judgement::host::Host;
use crate::judgement::noise::Noise;
use crate::screen::browser::badge;
use crate::screen::browser::look::{of_clock, path_words};
use crate::screen::first_screen;
use facts::{ClockFacts, CoreFacts, IntervalFacts, SleepFacts};

/// What is not in the document.
const UNKNOWN: &str = "not known";
/// What a read is called that is a system call on every machine.
const BY_SYSTEM_CALL: &str = "by system call";
/// The longest interval on the ruler, in nanoseconds.
const LONGEST: f64 = 1e7;

/// The card of a check.
///
/// # Errors
/// With the reason, for any other document.
pub fn card(record: &Record) -> Result<Card, String> {
    let facts = Facts::of(record)?;
    let (judgement, host) = judged(record)?;
    let clock = facts::clock(record, judgement);
    let (headline, read_ns) = headline(record, &facts);
    let about = facts.clocksource.as_ref().map_or_else(String::new, |name| format!(" · clocksource {name}"));
    let about = format!("{}{about}", first_screen::cpus(record));
    let rows = facts::compared(record, clock).zip(&facts.reads);
    Ok(Card {
        title: format!("{}, {about}: {} {}", facts.cpu, headline.value, headline.name),
        name: facts.cpu.clone(),
        about,
        badge: Some(verdict(&facts, host)),
        note: first_screen::gravest(record, host, &judgement.noise).map(|said| (Mood::Warning, said)),
        rows: rows
            .map(|(clock, read)| {
                let (hue, shape) = of_clock(clock, &record.machine);
                let is_call = clock.name == SourceId::MonotonicSystemCall;
                let name = if is_call { BY_SYSTEM_CALL } else { &read.clock }.to_owned();
                let marks = vec![Mark::Point { at: read.latency_ns, shape, is_hollow: false }];
                Row { name, is_code: !is_call, hue, marks, value: ns(read.latency_ns), ..Row::default() }
            })
            .collect(),
        facts: figures(&facts, &judgement.noise),
        spans: facts.clock.as_ref().zip(read_ns).map_or_else(Vec::new, |(clock, read_ns)| spans(clock, read_ns)),
        word: Some(ns),
        headline,
        foot: [
            format!("{} {} · {}", facts.tool.name, facts.tool.version, moment(&facts.started_at)),
            format!("one check, {}", ms(facts.elapsed_ms as f64)),
        ],
    })
}

/// The state of the host; of an emulated one, that.
pub fn verdict(facts: &Facts, host: &Host) -> (Mood, String) {
    match &facts.emulated_by {
        Some(_) => (Mood::Warning, "EMULATED".to_owned()),
        None => (badge(host).0, first_screen::state(host)),
    }
}

/// What a read of the clock costs, in words and in nanoseconds.
fn headline(record: &Record, facts: &Facts) -> (Row, Option<f64>) {
    let name = facts.clock.as_ref().map(|clock| clock.name.as_str());
    let read = name.and_then(|name| facts.reads.iter().find(|read| read.clock == name));
    let report = name.and_then(|name| record.content.clocks().clock(&name.into()));
    let value = read.map_or_else(|| UNKNOWN.to_owned(), |read| ns(read.latency_ns));
    let way = report.and_then(|clock| path_words(clock, &record.machine));
    let way = way.map_or_else(String::new, |way| format!(", {way}"));
    let of = name.map_or_else(|| "what a read of the clock costs".to_owned(), |name| format!("to read {name}{way}"));
    let hue = report.map_or((Hue::Ink, Shape::Circle), |clock| of_clock(clock, &record.machine)).0;
    (Row { name: of, hue, value, ..Row::default() }, read.map(|read| read.latency_ns))
}

fn figures(facts: &Facts, noise: &Noise) -> Vec<Fact> {
    let clock = facts.clock.as_ref();
    let of_run = [clock.map(step), Some(between(&facts.cores)), clock.map(shortest), facts.sleep.as_ref().map(late)];
    of_run.into_iter().flatten().chain([lost(facts, noise)]).collect()
}

fn fact(name: &str, value: String, more: String) -> Fact {
    Fact { name: name.to_owned(), value, more, ..Fact::default() }
}

pub fn step(clock: &ClockFacts) -> Fact {
    let declared =
        clock.resolution_declared_ns.map_or_else(String::new, |declared| format!("declared {}", ns(declared)));
    let seen = match (clock.step_ns, clock.smallest_step_is_a_read) {
        (Some(step), _) => ns(step),
        (None, Some(true)) => "≤ a read".to_owned(),
        (None, _) => UNKNOWN.to_owned(),
    };
    fact("clock steps", seen, declared)
}

pub fn between(cores: &CoreFacts) -> Fact {
    let values = cores.causal_values.map(|values| format!("none of {} went back", MANY.value(values as f64)));
    let back = || "a clock went backwards".to_owned();
    let more = values.unwrap_or_else(|| if cores.went_backwards == Some(true) { back() } else { String::new() });
    let mood = if cores.went_backwards == Some(true) { Mood::Bad } else { Mood::Plain };
    match (cores.skew_below_ns, cores.skew_up_to_ns) {
        (_, Some(up_to)) => Fact { mood: Mood::Bad, ..fact("CPUs are apart", format!("up to {}", ns(up_to)), more) },
        (Some(below), None) => Fact { mood, ..fact("CPUs agree to", TIME.below(below), more) },
        (None, None) => Fact { mood, ..fact("CPUs agree to", UNKNOWN.to_owned(), more) },
    }
}

pub fn shortest(clock: &ClockFacts) -> Fact {
    let (ten, one) = (&clock.interval_within_10pct, &clock.interval_within_1pct);
    let more = match one.from_ns {
        _ if ten.tried_to_ns.is_some() => "no length tried was confirmed".to_owned(),
        Some(from) => format!("±1 % from {}{}", ns(from), predicted(one)),
        None => predicted(ten).trim_start().to_owned(),
    };
    fact("one interval ±10 %", from(ten), more)
}

/// From which length an interval is timed.
fn from(interval: &IntervalFacts) -> String {
    match (interval.from_ns, interval.tried_to_ns) {
        (Some(from), _) => format!("≥ {}", ns(from)),
        (None, Some(tried)) => format!("> {}", ns(tried)),
        (None, None) => UNKNOWN.to_owned(),
    }
}

const fn predicted(interval: &IntervalFacts) -> &'static str {
    if interval.is_confirmed { "" } else { " (predicted)" }
}

fn late(sleep: &SleepFacts) -> Fact {
    let name = format!("sleep({}) late by", length(Duration::from_nanos(sleep.requested_ns)));
    let pauser = sleep.pauser_late_p50_ns.map_or_else(String::new, |late| format!("Pauser {}", ns(late)));
    fact(&name, ns(sleep.late_p50_ns), pauser)
}

pub fn lost(facts: &Facts, noise: &Noise) -> Fact {
    let Some(lost) = &facts.time_lost else {
        return fact("time lost", UNKNOWN.to_owned(), noise.reason_unmeasured.clone().unwrap_or_default());
    };
    let mood = if noise.advice.is_some() { Mood::Warning } else { Mood::Plain };
    let more = format!("gaps > {}, worst {}", ns(lost.gaps_above_ns), ns(lost.longest_gap_ns));
    Fact { mood, ..fact("time lost", share(lost.share), more) }
}

/// What each length of an interval is timed with.
fn spans(clock: &ClockFacts, read_ns: f64) -> Vec<Span> {
    let named =
        |from: Option<f64>, to: f64, names: [&str; 2]| Some(Span { from: from?, to, names: names.map(str::to_owned) });
    let (ten, one) = (clock.interval_within_10pct.from_ns, clock.interval_within_1pct.from_ns);
    [
        named(ten.map(|_| read_ns), ten.unwrap_or(LONGEST), ["time a batch", "batch"]),
        named(ten, one.unwrap_or(LONGEST), ["one interval ±10 %", "±10 %"]),
        named(one, LONGEST, ["one interval ±1 %", "±1 %"]),
    ]
    .into_iter()
    .flatten()
    .collect()
}
