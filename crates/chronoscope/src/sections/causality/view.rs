use std::cmp::Ordering;

use crate::clock_id::ClockId;
use crate::document::Record;
use crate::judgement::rules::non_causal_read::{BACK_BY_ONE_COUNT, NON_CAUSAL_READ, UNORDERED_READ_NOT_CAUSAL};
use crate::screen::findings;
use crate::sections::causality::plan::{LITMUS, OFFSETS};
use crate::sections::causality::report::{Causality, Litmus, LitmusOutcome, PairOffset};
use anstyle::Style;
use chronoscope_harness::quantity::{PERCENT, TIME, count, ns, share};
use chronoscope_harness::record::{Disturbance, Quantiles};
use chronoscope_render::disturbance;
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{CRITICAL, DIM, PLAIN};
use chronoscope_render::table::{Align, Table};

/// Maximum rows of each table on the page of a check: the number of CPU pairs is quadratic, that of clocks is not.
const CHECK_ROWS: Rows = Rows { pairs: 6, litmus: 16, quantiles: false };
const ALL_ROWS: Rows = Rows { pairs: usize::MAX, litmus: usize::MAX, quantiles: true };

/// Of new values that went backwards, in older documents.
const NOT_COUNTED: &str = "not counted";

/// Maximum rows of each table, and whether they have the quantiles of round trips and of steps back.
#[derive(Clone, Copy)]
struct Rows {
    pairs: usize,
    litmus: usize,
    quantiles: bool,
}

/// The worst pairs and runs.
pub fn show_in_check(page: &mut Page, record: &Record) {
    section(page, record, CHECK_ROWS);
}

/// All pairs and runs, each with its disturbance.
pub fn show(page: &mut Page, record: &Record) {
    section(page, record, ALL_ROWS);
    let causality = record.content.causality();
    disturbed(page, of_pairs(causality).chain(of_runs(causality)));
}

/// The offsets of all pairs, and what disturbed each.
pub fn show_pairs(page: &mut Page, record: &Record) {
    pairs(page, record, ALL_ROWS);
    disturbed(page, of_pairs(record.content.causality()));
}

/// All runs of the litmus, and what disturbed each.
pub fn show_litmus(page: &mut Page, record: &Record) {
    litmus(page, record, ALL_ROWS);
    disturbed(page, of_runs(record.content.causality()));
}

fn of_pairs(causality: &Causality) -> impl Iterator<Item = (String, &Disturbance)> {
    causality.pairs.iter().map(|pair| (format!("{} CPU {}–{}", pair.clock, pair.a, pair.b), &pair.disturbance))
}

fn of_runs(causality: &Causality) -> impl Iterator<Item = (String, &Disturbance)> {
    causality.litmus.iter().map(|run| (format!("{} CPU {}→{}", run.name, run.writer, run.reader), &run.disturbance))
}

fn disturbed<'a>(page: &mut Page, measured: impl Iterator<Item = (String, &'a Disturbance)>) {
    let mut table = Table::new(&[
        ("measurement", Align::Left),
        ("steal", Align::Right),
        ("involuntary switches", Align::Right),
        ("migrations", Align::Right),
        ("bound to CPUs", Align::Left),
    ]);
    let mut rows = 0_usize;
    for (name, suffered) in measured {
        let [steal, switches, migrations] = disturbance::figures(suffered);
        table.row(PLAIN, [name, steal, switches, migrations, disturbance::bound(suffered)]);
        rows += 1;
    }
    if rows > 0 {
        page.heading("Disturbance of each");
        page.table(table);
    }
}

fn section(page: &mut Page, record: &Record, rows: Rows) {
    let seen = &record.content.sections.causality;
    page.section("ACROSS CORES");
    if let Some(reason) = &seen.report.reason_unavailable {
        page.paragraph(Line::plain("  "), DIM, &format!("not tested: {reason}"));
        if seen.report.pairs.is_empty() && seen.report.litmus.is_empty() {
            return;
        }
    }
    if seen.report.pairs.is_empty() {
        page.paragraph(Line::plain("  "), DIM, &format!("offsets {}", record.content.not_tested(&[OFFSETS])));
    } else {
        pairs(page, record, rows);
    }
    if seen.report.litmus.is_empty() {
        page.paragraph(Line::plain("  "), DIM, &format!("litmus {}", record.content.not_tested(&[LITMUS])));
    } else {
        litmus(page, record, rows);
    }
}

fn pairs(page: &mut Page, record: &Record, rows: Rows) {
    let limit = rows.pairs;
    let mut pairs: Vec<&PairOffset> = record.content.causality().pairs.iter().collect();
    if pairs.len() > limit {
        pairs.sort_by(|x, y| {
            let faults = y.violations.cmp(&x.violations);
            faults.then(y.skew_not_excluded_ns().total_cmp(&x.skew_not_excluded_ns()))
        });
    }
    let has_round_trips = rows.quantiles && pairs.iter().any(|pair| pair.round_trip_ns.is_some());
    let mut columns = vec![
        ("a", Align::Right),
        ("b", Align::Right),
        ("clock", Align::Left),
        ("offset b − a", Align::Right),
        ("skew, if any", Align::Right),
        ("rounds", Align::Right),
        ("violations", Align::Right),
    ];
    if has_round_trips {
        columns.extend([("round trip p50", Align::Right), ("p99", Align::Right)]);
    }
    let mut table = Table::new(&columns).named_by(3);
    for pair in pairs.iter().take(limit) {
        let [offset, skew] = offset_and_skew(pair);
        let names = [pair.a.to_string(), pair.b.to_string(), pair.clock.to_string()];
        let found = [offset, skew, count(pair.rounds), count(pair.violations)];
        let round_trip = has_round_trips.then(|| quantiles(pair.round_trip_ns));
        let style = if pair.shows_skew() { CRITICAL } else { PLAIN };
        table.cells(style, names.into_iter().chain(found).chain(round_trip.into_iter().flatten()).collect());
    }
    page.table(table);
    left_out(page, pairs.len(), limit, "rows, worst first");
    let causality = record.content.causality();
    if let Some(tested) = causality.pairs_tested_of_more() {
        let text = format!("{} of {} CPU pairs tested", count(tested), count(causality.pairs_possible));
        page.paragraph(Line::plain("  "), DIM, &text);
    }
}

fn quantiles(of: Option<Quantiles>) -> [String; 2] {
    of.map_or_else(|| ["", ""].map(str::to_owned), |of| [of.p50, of.p99].map(ns))
}

/// The offset between two CPUs, and how large the skew may be.
pub fn offset_and_skew(pair: &PairOffset) -> [String; 2] {
    match pair.reason_not_constant {
        Some(_) => ["not constant".to_owned(), format!("≥ {}", ns(pair.skew_not_excluded_ns()))],
        None => {
            let offset = format!("{} ± {}", ns(pair.offset_ns), ns(pair.half_width_ns));
            [offset, TIME.below(pair.skew_not_excluded_ns())]
        }
    }
}

fn litmus(page: &mut Page, record: &Record, rows: Rows) {
    let limit = rows.litmus;
    let mut runs: Vec<&Litmus> = record.content.causality().litmus.iter().collect();
    let all = runs.len();
    if all > limit {
        let rank = |run: &Litmus| [run.share().unwrap_or_default(), run.rate_upper_95().unwrap_or(1.0), run.worst_ns];
        let by_rank = |x: &&Litmus, y: &&Litmus| {
            let places = rank(y).into_iter().zip(rank(x));
            places.fold(Ordering::Equal, |order, (y, x)| order.then(y.total_cmp(&x)))
        };
        runs.sort_by(by_rank);
        let mut shown: Vec<&ClockId> = Vec::new();
        runs.retain(|run| {
            let is_worst = !shown.contains(&&run.name);
            shown.push(&run.name);
            is_worst
        });
        runs.truncate(limit);
    }
    let has_steps = rows.quantiles && runs.iter().any(|run| run.back_ns.is_some());
    let mut columns = vec![
        ("litmus", Align::Left),
        ("CPUs", Align::Left),
        ("observations", Align::Right),
        ("new values", Align::Right),
        ("violations", Align::Right),
        ("rate", Align::Right),
        ("worst step back", Align::Right),
    ];
    if has_steps {
        columns.extend([("step back p50", Align::Right), ("p99", Align::Right)]);
    }
    let mut table = Table::new(&columns).named_by(2).tied(&["new values"]);
    for run in &runs {
        let (rate, worst) = match run.outcome() {
            LitmusOutcome::WentBack { share } => {
                (share.map_or_else(|| NOT_COUNTED.to_owned(), self::share), ns(run.worst_ns))
            }
            LitmusOutcome::Held { rate_below } => (PERCENT.below(100.0 * rate_below), "none".to_owned()),
            LitmusOutcome::TooFewValues => ("–".to_owned(), "–".to_owned()),
        };
        let went_back = run.went_back().map_or_else(|| NOT_COUNTED.to_owned(), count);
        let names = [run.name.to_string(), format!("{}→{}", run.writer, run.reader)];
        let found = [count(run.observations), count(run.fresh), went_back, rate, worst];
        let steps = has_steps.then(|| quantiles(run.back_ns));
        let cells = names.into_iter().chain(found).chain(steps.into_iter().flatten());
        table.cells(style(record, run), cells.collect());
    }
    page.table(table);
    left_out(
        page,
        all,
        runs.len(),
        "litmus runs, of each clock that of the highest rate; without rates, that of the longest step back",
    );
    let about = "violations: new values at which the reader's clock was behind; rate: their share; with none, the upper 95 % bound of that";
    let mut notes = vec![about.to_owned()];
    if runs.iter().any(|run| run.went_back().is_none()) {
        notes.push(format!("{NOT_COUNTED}: the document has steps back, but not of how many new values"));
    }
    if runs.iter().any(|run| run.outcome() == LitmusOutcome::TooFewValues) {
        notes.push(format!("–: inconclusive, fewer than {} new values", count(Litmus::FEWEST_NEW_VALUES)));
    }
    page.paragraph(Line::plain("  "), DIM, &notes.join(" · "));
}

/// A run without violations is drawn plainly, whatever other runs of its clock found.
fn style(record: &Record, run: &Litmus) -> Style {
    match run.outcome() {
        LitmusOutcome::WentBack { .. } => {
            findings::style(record, &[NON_CAUSAL_READ, BACK_BY_ONE_COUNT, UNORDERED_READ_NOT_CAUSAL], &run.name)
        }
        LitmusOutcome::Held { .. } | LitmusOutcome::TooFewValues => PLAIN,
    }
}

fn left_out(page: &mut Page, all: usize, limit: usize, what: &str) {
    if all > limit {
        page.paragraph(Line::plain("  "), DIM, &format!("{limit} of {all} {what}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_clock_whose_rate_was_not_counted_the_longest_step_back_is_shown() {
        let text = include_str!("../../../tests/fixtures/zen4/check.json");
        let record = crate::json::document(text).unwrap();
        let mut page = Page::with_width(chronoscope_render::Width::of_columns(120));
        litmus(&mut page, &record, CHECK_ROWS);
        let page = anstream::adapter::strip_str(&page.finish()).to_string();
        let row = page.lines().find(|line| line.starts_with("Unordered")).unwrap_or_default();
        assert!(row.ends_with("711 ns"), "{page}");
    }
}
