//! A figure over time, and what changed meanwhile.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;

use chronoscope_harness::record::Estimate;
use chronoscope_harness::stats::median;

use super::run::Run;
use crate::machine::processor;

/// What a change of processors is called.
const CPU: &str = "CPU";
/// Labels below a chart.
const LABELS: usize = 6;

/// What differs from one run to the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The first run with it.
    pub run: i64,
    /// When that began, in seconds since 1970.
    pub started_s: i64,
    /// What changed.
    pub what: &'static str,
    /// What it was.
    pub before: String,
    /// What it is.
    pub after: String,
}

/// Where CPU, clocksource, kernel or version changed, in runs of one machine by time.
pub fn changes(runs: &[Run]) -> Vec<Change> {
    let facts = |run: &Run| {
        let Run { clocksource, kernel, cpu, tool, .. } = run;
        [
            (CPU, cpu.clone()),
            ("clocksource", clocksource.clone()),
            ("kernel", kernel.clone()),
            ("version", tool.clone()),
        ]
    };
    let step = |pair: &[Run]| {
        let [before, after] = pair else { return Vec::new() };
        let facts = facts(before).into_iter().zip(facts(after));
        let changed = facts.filter(|((_, before), (_, after))| before != after);
        let change = |((what, before), (_, now)): ((&'static str, String), (&str, String))| {
            let [before, now] = if what == CPU { processor::apart(&before, &now) } else { [before, now] };
            Change { run: after.id, started_s: after.started_s, what, before, after: now }
        };
        changed.map(change).collect()
    };
    runs.windows(2).flat_map(step).collect()
}

/// The values over time, in at most `most` spans of equally many runs: the median of each, with the interval of all in it.
pub fn binned(runs: &[Run], most: usize) -> Vec<(f64, Estimate)> {
    let valued: Vec<(i64, Estimate)> = runs.iter().filter_map(|run| Some((run.started_s, run.figure?))).collect();
    let bins = valued.len().min(most.max(1));
    let bin = |i: usize| {
        let of_bin = &valued[i * valued.len() / bins..(i + 1) * valued.len() / bins];
        let values = || of_bin.iter().map(|(_, value)| value);
        let at = median(of_bin.iter().map(|(at, _)| *at as f64))?;
        let estimate = median(values().map(|of| of.estimate))?;
        let confidence = values().map(|of| of.confidence).reduce(f64::min)?;
        // Where one run has no interval, none holds all of them.
        let intervals: Option<Vec<(f64, f64)>> = values().map(Estimate::interval).collect();
        let ends = intervals.into_iter().flatten().reduce(|(low, high), (l, h)| (low.min(l), high.max(h)));
        let found = ends.map(|(low, high)| Estimate { estimate, low, high, confidence });
        Some((at, found.unwrap_or(Estimate::without_interval(estimate))))
    };
    (0..bins).filter_map(bin).collect()
}

/// How moments are written: by time of day, by day, by month.
const FORMS: [&str; 3] = ["%a %H:%M", "%-d %b", "%b %Y"];
/// Those of [`FORMS`] that name a whole day or month.
const DAYS: usize = 1;
const MONTHS: usize = 2;
const DAY_S: f64 = 86_400.0;

/// The place among [`FORMS`] of the one that tells moments of this span apart, in seconds.
pub fn form(span_s: f64) -> usize {
    match () {
        () if span_s < 2.0 * DAY_S => 0,
        () if span_s < 360.0 * DAY_S => DAYS,
        () => MONTHS,
    }
}

/// At most `most` moments from `first` to `last` that the form at this place names: beginnings of days or of months in UTC, or else any
/// moments, in seconds since 1970.
pub fn ticks(first: f64, last: f64, form: usize, most: u32) -> Vec<f64> {
    let starts: fn(i64) -> Option<f64> = match form {
        DAYS => |day| Some(DAY_S * day as f64),
        MONTHS => month_begins,
        _ => return evenly(first, last, most),
    };
    let number = |at: f64| if form == DAYS { Some((at / DAY_S).floor() as i64) } else { month_of(at) };
    let (Some(from), Some(to)) = (number(first), number(last)) else { return Vec::new() };
    let from = if starts(from).is_some_and(|start| start < first) { from + 1 } else { from };
    let step = (to - from + 1).max(1).unsigned_abs().div_ceil(u64::from(most.max(1)));
    (from..=to).step_by(step as usize).filter_map(starts).collect()
}

/// So many moments, the first and the last among them.
fn evenly(first: f64, last: f64, most: u32) -> Vec<f64> {
    let spans = most.saturating_sub(1).max(1);
    (0..=spans).map(|span| first + f64::from(span) / f64::from(spans) * (last - first)).collect()
}

/// Months since the year 0, in UTC.
fn month_of(at: f64) -> Option<i64> {
    let moment = Timestamp::from_second(at as i64).ok()?.to_zoned_datetime(TimeZone::UTC);
    Some(12 * i64::from(moment.year()) + i64::from(moment.month()) - 1)
}

fn month_begins(month: i64) -> Option<f64> {
    let (year, month) = (i16::try_from(month.div_euclid(12)).ok()?, i8::try_from(month.rem_euclid(12) + 1).ok()?);
    let begins = Date::new(year, month, 1).ok()?.to_zoned_datetime(TimeZone::UTC).ok()?;
    Some(begins.timestamp().as_second() as f64)
}

/// A moment in seconds since 1970, in the form at this place; None if no calendar has it.
pub fn label(at: f64, form: usize, zone: &TimeZone) -> Option<String> {
    let moment = Timestamp::from_second(at as i64).ok()?;
    Some(moment.to_zoned_datetime(zone.clone()).strftime(FORMS.get(form)?).to_string())
}

/// Dates or times of day at some of these moments, in seconds since 1970: as much as tells them apart.
pub fn labels(moments: &[f64], zone: &TimeZone) -> Vec<(f64, String)> {
    let (Some(first), Some(last)) = (moments.first(), moments.last()) else { return Vec::new() };
    let form = form(last - first);
    let count = LABELS.min(moments.len());
    let at = |i: usize| moments[i * (moments.len() - 1) / count.saturating_sub(1).max(1)];
    let label = |at: f64| Some((at, label(at, form, zone)?));
    let mut labels: Vec<(f64, String)> = (0..count).filter_map(|i| label(at(i))).collect();
    labels.dedup_by(|a, b| a.1 == b.1);
    labels
}
