use crate::clock_id::ClockId;
use crate::document::Record;
use crate::judgement::rules::non_causal_read::{BACK_BY_ONE_COUNT, NON_CAUSAL_READ, UNORDERED_READ_NOT_CAUSAL};
use crate::screen::findings;
use crate::sections::causality::plan::{LITMUS, OFFSETS};
use crate::sections::causality::report::{Causality, Litmus, LitmusOutcome, PairOffset};
use anstyle::Style;
use chronoscope_harness::quantity::{TIME, count, ns, share};
use chronoscope_harness::record::Disturbance;
use chronoscope_render::disturbance;
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{CRITICAL, DIM, PLAIN};
use chronoscope_render::table::{Align, Table};

/// Maximum rows of each table on the page of a check: the number of CPU pairs is quadratic, that of clocks is not.
const CHECK_ROWS: Rows = Rows { pairs: 6, litmus: 16 };
const ALL_ROWS: Rows = Rows { pairs: usize::MAX, litmus: usize::MAX };

/// Maximum rows of each table.
#[derive(Clone, Copy)]
struct Rows {
    pairs: usize,
    litmus: usize,
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
    pairs(page, record, usize::MAX);
    disturbed(page, of_pairs(record.content.causality()));
}

/// All runs of the litmus, and what disturbed each.
pub fn show_litmus(page: &mut Page, record: &Record) {
    litmus(page, record, usize::MAX);
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
        pairs(page, record, rows.pairs);
    }
    if seen.report.litmus.is_empty() {
        page.paragraph(Line::plain("  "), DIM, &format!("litmus {}", record.content.not_tested(&[LITMUS])));
    } else {
        litmus(page, record, rows.litmus);
    }
}

fn pairs(page: &mut Page, record: &Record, limit: usize) {
    let mut pairs: Vec<&PairOffset> = record.content.causality().pairs.iter().collect();
    if pairs.len() > limit {
        pairs.sort_by(|x, y| {
            let faults = y.violations.cmp(&x.violations);
            faults.then(y.skew_not_excluded_ns().total_cmp(&x.skew_not_excluded_ns()))
        });
    }
    let mut table = Table::new(&[
        ("a", Align::Right),
        ("b", Align::Right),
        ("clock", Align::Left),
        ("offset b − a", Align::Right),
        ("skew, if any", Align::Right),
        ("rounds", Align::Right),
        ("violations", Align::Right),
    ])
    .named_by(3);
    for pair in pairs.iter().take(limit) {
        let [offset, skew] = offset_and_skew(pair);
        table.row(
            if pair.shows_skew() { CRITICAL } else { PLAIN },
            [
                pair.a.to_string(),
                pair.b.to_string(),
                pair.clock.to_string(),
                offset,
                skew,
                count(pair.rounds),
                count(pair.violations),
            ],
        );
    }
    page.table(table);
    left_out(page, pairs.len(), limit, "rows, worst first");
    let causality = record.content.causality();
    if let Some(tested) = causality.pairs_tested_of_more() {
        let text = format!("{} of {} CPU pairs tested", count(tested), count(causality.pairs_possible));
        page.paragraph(Line::plain("  "), DIM, &text);
    }
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

fn litmus(page: &mut Page, record: &Record, limit: usize) {
    let mut runs: Vec<&Litmus> = record.content.causality().litmus.iter().collect();
    let all = runs.len();
    if all > limit {
        runs.sort_by(|x, y| y.share().total_cmp(&x.share()).then(y.rate_upper_95().total_cmp(&x.rate_upper_95())));
        let mut shown: Vec<&ClockId> = Vec::new();
        runs.retain(|run| {
            let is_worst = !shown.contains(&&run.name);
            shown.push(&run.name);
            is_worst
        });
        runs.truncate(limit);
    }
    let mut table = Table::new(&[
        ("litmus", Align::Left),
        ("CPUs", Align::Left),
        ("observations", Align::Right),
        ("new values", Align::Right),
        ("violations", Align::Right),
        ("rate", Align::Right),
        ("worst step back", Align::Right),
    ])
    .named_by(2)
    .tied(&["new values"]);
    for run in &runs {
        let (rate, worst) = match run.outcome() {
            LitmusOutcome::WentBack { share } => (self::share(share), ns(run.worst_ns)),
            LitmusOutcome::Held { rate_below } => (format!("< {}", share(rate_below)), "none".to_owned()),
            LitmusOutcome::TooFewValues => ("–".to_owned(), "–".to_owned()),
        };
        table.row(
            style(record, run),
            [
                run.name.to_string(),
                format!("{}→{}", run.writer, run.reader),
                count(run.observations),
                count(run.fresh),
                count(run.went_back().0),
                rate,
                worst,
            ],
        );
    }
    page.table(table);
    left_out(page, all, runs.len(), "litmus runs, of each clock that of the highest rate");
    let of = match runs.iter().any(|run| run.rate_is_of() == "observations") {
        true => "observations, since the document does not count such new values,",
        false => "new values",
    };
    let mut notes = vec![format!(
        "violations: {of} at which the reader's clock was behind; rate: their share; with none, the upper 95 % bound of that of new values"
    )];
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
