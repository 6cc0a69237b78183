//! Rules that limit a figure: each is judged by the ends of its interval.

use std::time::Duration;

use chronoscope_bench::{percentage, time};

use super::report::{Judged, LimitUnit, Measured, RuleOutcome};
use super::rule::Rule;
use crate::clock_id::ClockId;
use crate::document::{Outcome, Record};
use crate::figures::limit::{Absent, Bounds, Takes};
use crate::figures::table::LimitInDocument;
use chronoscope_harness::quantity::{length, limit as percent_limit};

/// The most that a figure may be.
struct AtMost {
    unit: LimitUnit,
    value: f64,
    /// As in sentences: `40 ns`.
    words: String,
}

/// The rule with this limit: `40ns`, or `monotonic=40ns` of a clock.
///
/// # Errors
/// What is wrong, and what is accepted.
pub fn rule(limit: &'static LimitInDocument, value: &str) -> Result<Rule, String> {
    let (clock, value) = match limit.takes {
        Takes::TimeOfClock => {
            let names_none = || format!("`{value}` names no limit; choose CLOCK=TIME, such as monotonic=40ns");
            let (name, value) = value.rsplit_once('=').ok_or_else(names_none)?;
            (Some(clock(name.trim())?), value)
        }
        _ => (None, value),
    };
    let (most, told) = at_most(limit.takes, value)?;
    let of_clock = clock.as_ref().map_or_else(String::new, |clock| format!("{clock}="));
    let told = format!("{} {of_clock}{told}", limit.option);
    Ok(Rule::new(told, move |record| judge(limit, record, clock.as_ref(), &most)))
}

fn clock(name: &str) -> Result<ClockId, String> {
    ClockId::called(name).ok_or_else(|| {
        let names: Vec<&str> = chronoscope_sources::SourceId::all().map(|id| id.name()).collect();
        format!("unknown clock `{name}`; choose monotonic, realtime, a path such as /dev/ptp0, or {}", names.join(", "))
    })
}

/// The limit, and how it is written.
fn at_most(takes: Takes, text: &str) -> Result<(AtMost, String), String> {
    const ACCEPTED: &str = "a time such as 40ns or 5ms";
    let wrong = |why: String| format!("`{}`: {why}", text.trim());
    if takes == Takes::Share {
        let value = percentage(text, "more than 0% to 100%").map_err(wrong)?;
        return Ok((AtMost { unit: LimitUnit::Percent, value, words: percent_limit(value) }, format!("{value}%")));
    }
    let time = time(text, ACCEPTED).map_err(wrong)?;
    if time == Duration::ZERO {
        return Err(wrong(format!("no time meets it; choose {ACCEPTED}")));
    }
    let most = AtMost { unit: LimitUnit::Ns, value: time.as_nanos() as f64, words: length(time) };
    Ok((most, humantime::format_duration(time).to_string().replace(' ', "")))
}

fn judge(limit: &LimitInDocument, record: &Record, clock: Option<&ClockId>, most: &AtMost) -> Judged {
    let mut reports = record.content.parts.iter().filter(|report| limit.parts.contains(&report.part)).peekable();
    if reports.peek().is_some() && reports.all(|report| matches!(report.outcome, Outcome::Failed | Outcome::Skipped)) {
        return Judged::unknown(format!("not measured: {}", record.content.reason_missing(limit.parts)));
    }
    match (limit.find)(record, clock) {
        Ok(known) => held_against(known, most, limit.mend),
        Err(Absent::NotMeasured(what)) => Judged::unknown(what + ": " + &record.content.reason_missing(limit.parts)),
        Err(Absent::Because(why, advice)) => advice.into_iter().fold(Judged::unknown(why), Judged::advice),
    }
}

fn held_against(known: Bounds, most: &AtMost, mend: &str) -> Judged {
    let least = known.least.filter(|(least, _)| *least > most.value);
    let outcome = match least {
        Some(_) => RuleOutcome::Failed,
        None => RuleOutcome::of_limit(known.certain.0, known.certain.1, most.value),
    };
    let finite = |number: f64| Some(number).filter(|number| number.is_finite());
    let measured = Measured {
        unit: most.unit,
        limit: most.value,
        estimate: known.estimate.and_then(finite),
        low: finite(known.interval.0),
        high: finite(known.interval.1),
    };
    let words = format!("{}, limit {}{}", known.words, most.words, least.map_or(known.doubt, |(_, words)| words));
    let advice = if outcome == RuleOutcome::Unresolved { known.narrow } else { mend };
    Judged { measured: Some(measured), ..Judged::seen(outcome, words) }.advice(advice)
}
