//! The raw curves, what is left of them after a subtraction, and the direct comparison.

use chronoscope_harness::quantity::TIME;
use chronoscope_harness::record::study::{Cell, Estimate, StudyRecord};
use chronoscope_render::text::counted;

use super::cases::{BASELINES, OWN, PLAIN, VOLATILE};
use super::model::{View, views};
use super::naive::{Less, differences};
use super::published;
use crate::{Block, Chart, Panel, Series, Spot, Topic, Unit};

const TOKENS: &str = "tokens of work";

pub(super) fn all(record: &StudyRecord, naive: &Block, model: &Block) -> Vec<Chart> {
    [raw(record), subtracted(record, naive), direct(record, model)].into_iter().flatten().collect()
}

fn raw(record: &StudyRecord) -> Option<Chart> {
    let of = |case: &&'static str| {
        let tokens = record.study().plan.backoff_tokens.iter();
        Series::of(case, tokens.map(|tokens| Spot::of_cell(*tokens as f64, record.cell(case, *tokens, 1))))
    };
    let panel = Panel::over(TOKENS, "time of one operation, one thread", Unit::Ns, OWN.iter().map(of).collect());
    let sentences = [spread(record), told_apart(record)].into_iter().flatten().collect();
    Chart::of(Topic::Times, "Five operations, with more and more work", sentences, vec![panel])
}

/// The five cells on one thread with so much work; those without a time or a bound are left out.
fn five(record: &StudyRecord, tokens: u64) -> Vec<(&'static str, Estimate)> {
    let known = |case: &'static str| Some((case, reach(record.cell(case, tokens, 1)?)?));
    OWN.into_iter().filter_map(known).collect()
}

/// A time, or from nothing to its bound.
fn reach(cell: &Cell) -> Option<Estimate> {
    let bound = || {
        let high = cell.below_ns?;
        Some(Estimate { low: 0.0, ..Estimate::certain(high) })
    };
    cell.time_ns.or_else(bound)
}

/// The least and the most time of the five without work.
fn spread(record: &StudyRecord) -> Option<String> {
    let tokens = record.study().plan.backoff_tokens.iter().copied().min()?;
    let found = five(record, tokens);
    let least = found.iter().min_by(|a, b| a.1.estimate.total_cmp(&b.1.estimate))?;
    let most = found.iter().max_by(|a, b| a.1.estimate.total_cmp(&b.1.estimate))?;
    let time = |(case, _): &(&str, Estimate)| {
        let cell = record.cell(case, tokens, 1)?;
        let time = cell.time_ns.map(|time| TIME.amount(&time)).or_else(|| cell.below_ns.map(|ns| TIME.below(ns)))?;
        Some(format!("\"{case}\" takes {time}"))
    };
    Some(format!("with {}, {} and {}", counted(tokens, "token", "tokens"), time(least)?, time(most)?))
}

/// From where no two of the five differ by more than their intervals.
fn told_apart(record: &StudyRecord) -> Option<String> {
    let mut tokens = record.study().plan.backoff_tokens.clone();
    tokens.sort_unstable();
    let differ = |tokens: u64| {
        let known: Vec<Estimate> =
            five(record, tokens).into_iter().map(|(_, time)| time).filter(Estimate::has_confidence).collect();
        // Of fewer, nothing is known of all five.
        if known.len() < OWN.len() {
            return None;
        }
        let least = known.iter().map(|time| time.high).reduce(f64::min)?;
        let most = known.iter().map(|time| time.low).reduce(f64::max)?;
        Some(least < most)
    };
    let tried = tokens.len();
    let known: Vec<(u64, bool)> = tokens.into_iter().filter_map(|tokens| Some((tokens, differ(tokens)?))).collect();
    let Some(last) = known.last() else {
        return Some("too few processes measured all five to tell them apart".to_owned());
    };
    let known_where = if known.len() == tried { "tried" } else { "at which all five are known" };
    let all_after = known.iter().rposition(|(_, differ)| *differ).map_or(0, |at| at + 1);
    Some(match known.get(all_after) {
        Some((from, _)) => {
            format!(
                "from {} the intervals of all five overlap at every backoff {known_where}, which does not show that they take equally \
                 long{}",
                counted(*from, "token", "tokens"),
                compared_directly(record, *from)
            )
        }
        None => {
            let last = counted(last.0, "token", "tokens");
            format!("with {last}, the most {known_where}, some of the five still differ by more than their intervals")
        }
    })
}

/// Where the direct comparison still tells volatile from plain, from this backoff up.
fn compared_directly(record: &StudyRecord, from: u64) -> String {
    let Some(found) = record.comparison(VOLATILE, PLAIN, 1) else { return String::new() };
    let known: Vec<_> = found
        .points
        .iter()
        .filter(|point| point.backoff_tokens >= from && point.difference_ns.has_confidence())
        .collect();
    let mut differ: Vec<u64> =
        known.iter().filter(|point| point.difference_ns.is_resolved()).map(|point| point.backoff_tokens).collect();
    differ.sort_unstable();
    let verdict = match &differ[..] {
        _ if known.is_empty() => return String::new(),
        [] => "do not differ for certain at any of these backoffs either".to_owned(),
        [one] => format!("differ at {}", counted(*one, "token", "tokens")),
        [least, .., most] => {
            format!("differ at {} of {} backoffs, from {least} to {most} tokens", differ.len(), known.len())
        }
    };
    format!(": compared directly, volatile and plain v++ {verdict}")
}

fn subtracted(record: &StudyRecord, naive: &Block) -> Option<Chart> {
    let found = differences(record);
    let panel = |baseline: &'static str| {
        let of = |case: &'static str| {
            let points = found.iter().filter(|less| (less.case, less.baseline) == (case, baseline));
            Series::of(case, points.map(|less| Some(Spot::new(less.tokens as f64, less.ns))))
        };
        let title = format!("less \"{baseline}\"");
        Panel::over(TOKENS, title, Unit::DifferenceNs, vec![of(VOLATILE), of(PLAIN)])
    };
    let negative = BASELINES.into_iter().filter_map(|baseline| negative(baseline, &found));
    let sentences = naive.main().into_iter().chain(negative).collect();
    let panels = BASELINES.map(panel).into();
    Chart::of(Topic::Subtractions, "What a subtraction would say", sentences, panels)
}

/// How many differences from this baseline no cost can be.
pub(super) fn negative(baseline: &str, found: &[Less]) -> Option<String> {
    let of: Vec<&Less> = found.iter().filter(|less| less.baseline == baseline).collect();
    let below: Vec<&&Less> = of.iter().filter(|less| less.ns.estimate < 0.0).collect();
    let (count, is_known) = (below.len(), below.iter().all(|less| less.ns.has_confidence()));
    let sure = below.iter().filter(|less| less.ns.has_confidence() && less.ns.high < 0.0).count();
    let found = match (count, sure) {
        (0, _) => "none is negative".to_owned(),
        (1, 0) if !is_known => "1 is negative, of too few processes to be sure".to_owned(),
        (count, 0) if !is_known => format!("{count} are negative, of too few processes to be sure"),
        (1, 0) => "1 is negative, with an interval that includes 0".to_owned(),
        (1, _) => "1 is negative, and so is its whole interval".to_owned(),
        (count, 0) => format!("{count} are negative, with intervals that include 0"),
        (count, sure) if count == sure => format!("{count} are negative, and so are their whole intervals"),
        (count, sure) => format!("{count} are negative, {sure} of them with the whole interval"),
    };
    (!of.is_empty()).then(|| format!("less \"{baseline}\": of {} differences {found}", of.len()))
}

fn direct(record: &StudyRecord, model: &Block) -> Option<Chart> {
    let panel = |view: &View| {
        let (case, baseline) = view.pair;
        let points = record.comparison(case, baseline, view.threads).map(|found| found.points.iter());
        let points = points.into_iter().flatten();
        let ours = Series::of(
            &format!("{case} less {baseline}"),
            points.map(|point| Some(Spot::new(point.backoff_tokens as f64, point.difference_ns))),
        );
        let series = [ours].into_iter().chain(published::differences(case, view.threads)).collect();
        Panel::over(TOKENS, &view.title, Unit::DifferenceNs, series)
    };
    let panels = views(record).iter().map(panel).collect();
    Chart::of(Topic::Direct, "Volatile and plain, compared directly", model.main(), panels)
}
