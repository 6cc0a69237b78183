use std::collections::BTreeSet;

use chronoscope_harness::record::study::{Cell, StudyRecord};

use super::Detail;
use super::comparisons::shown;
use super::words::{cell_name, cell_time, parameters, rate, threads, token_count};
use crate::grid::{Column, Grid, Mood};
use crate::words::given;
use chronoscope_harness::quantity::{PER_SECOND, count, ns, share, three_digits};

/// From this correlation of neighbours on, batches say less than their number promises.
const AUTOCORRELATED: f64 = 0.3;
/// Below this overlap the threads hardly ran together.
const OVERLAP: f64 = 0.5;
/// Below this share of quiet visits a cell was much disturbed.
const QUIET: f64 = 0.5;
/// From this share of severe outliers on they are named.
const SEVERE: f64 = 0.01;
/// From this share of batches on a second mode is named.
const MODE: f64 = 0.1;

/// The cells that are shown at this detail.
pub(super) fn chosen(record: &StudyRecord, detail: Detail) -> Vec<&Cell> {
    let backoffs: BTreeSet<u64> = record.cells.iter().map(|cell| cell.backoff_tokens).collect();
    let backoffs: Vec<u64> = backoffs.into_iter().collect();
    let shown: BTreeSet<u64> = shown(&backoffs, detail).copied().collect();
    record.cells.iter().filter(|cell| shown.contains(&cell.backoff_tokens)).collect()
}

/// The cells as a table.
pub(super) fn grid(cells: &[&Cell]) -> Grid {
    let mut grid = Grid::new(&[
        Column::left("case"),
        Column::left("role").naming(),
        Column::left("parameters").naming(),
        Column::right("tokens").naming(),
        Column::right("threads").naming(),
        Column::right("time"),
        Column::right("median"),
        Column::right("per second"),
        Column::right("quiet"),
        Column::right("overlap"),
        Column::left("marks"),
    ]);
    for cell in cells {
        grid.row(tone(cell), row(cell));
    }
    grid.without_empty_columns()
}

fn row(cell: &Cell) -> Vec<String> {
    vec![
        cell.case.clone(),
        cell.role.clone().unwrap_or_default(),
        parameters(&cell.parameters).trim_start().to_owned(),
        count(cell.backoff_tokens),
        cell.threads.to_string(),
        cell_time(cell),
        cell.median_ns.map_or_else(|| "–".to_owned(), |median| ns(median.estimate)),
        cell.throughput_per_s.map_or_else(|| "–".to_owned(), |throughput| PER_SECOND.value(throughput.estimate)),
        format!("{}/{}", count(cell.visits_quiet), count(cell.visits)),
        cell.overlap_share.map_or_else(String::new, share),
        marks(cell).join(", "),
    ]
}

fn tone(cell: &Cell) -> Mood {
    let never = cell.steadiness.is_some_and(|steadiness| steadiness.no_steady_state > 0 || steadiness.trend > 0);
    match (cell.time_ns, cell.below_ns) {
        (None, None) => Mood::Warning,
        (None, Some(_)) => Mood::Quiet,
        (Some(_), _) => Mood::warning_if(never),
    }
}

/// What to know of a cell beside its numbers.
fn marks(cell: &Cell) -> Vec<String> {
    let mut marks = Vec::new();
    if cell.time_ns.is_none() && cell.below_ns.is_none() {
        marks.push("see below".to_owned());
    }
    if cell.oversubscribed {
        marks.push("oversubscribed".to_owned());
    }
    if let Some(steadiness) = cell.steadiness {
        let never = u64::from(steadiness.no_steady_state) + u64::from(steadiness.trend);
        if never > 0 {
            let others = [steadiness.flat, steadiness.warm_up, steadiness.slow_down].map(u64::from);
            marks.push(format!("no steady state {never}/{}", never + others.iter().sum::<u64>()));
        }
    }
    match cell.modes.iter().filter(|mode| mode.share >= MODE).count() {
        0 | 1 => {}
        2 => marks.push("bimodal".to_owned()),
        modes => marks.push(format!("{modes} modes")),
    }
    if let Some(autocorrelation) = cell.autocorrelation.filter(|value| *value >= AUTOCORRELATED) {
        marks.push(format!("autocorrelated {autocorrelation:.2}"));
    }
    let batches: u64 = cell.visits.max(1);
    if cell.outliers.severe as f64 >= SEVERE * batches as f64 && cell.outliers.severe > 3 {
        marks.push(format!("outliers {}", count(cell.outliers.severe)));
    }
    if cell.overlap_share.is_some_and(|overlap| overlap < OVERLAP) && !cell.oversubscribed {
        marks.push("threads apart".to_owned());
    }
    if (cell.visits_quiet as f64) < QUIET * cell.visits as f64 {
        marks.push("disturbed".to_owned());
    }
    marks
}

/// Why cells have no time, one sentence each.
pub(super) fn reasons(cells: &[&Cell]) -> Vec<String> {
    let without = cells.iter().filter(|cell| cell.time_ns.is_none() && cell.below_ns.is_none());
    let sentence = |cell: &&Cell| {
        let place = format!("{}, {}, {}", cell_name(cell), token_count(cell.backoff_tokens), threads(cell.threads));
        format!("{place}: no time: {}", given(cell.reason_no_time.as_deref()))
    };
    without.map(sentence).collect()
}

/// What stamps around a part of the loop claim, as a table; none where no case asks for them.
pub(super) fn parts(record: &StudyRecord) -> Option<Grid> {
    let mut grid = Grid::new(&[
        Column::left("case"),
        Column::right("threads").naming(),
        Column::right("tokens").naming(),
        Column::right("between stamps"),
        Column::right("claimed"),
        Column::right("from outside"),
        Column::right("inflation"),
        Column::right("timed share"),
        Column::right("preemptions"),
    ]);
    for cell in &record.cells {
        if let Some(part) = cell.part {
            let cells = vec![
                cell_name(cell),
                cell.threads.to_string(),
                count(cell.backoff_tokens),
                super::words::duration(&part.part_ns),
                rate(&part.claimed_per_s),
                rate(&part.external_per_s),
                super::words::ratio(&part.inflation),
                share(part.timed_share),
                three_digits(part.preemptions_per_visit),
            ];
            grid.row(Mood::warning_if(part.inflation.low > 1.0), cells);
        }
    }
    (!grid.rows.is_empty()).then_some(grid)
}

/// The percentiles of a cell's single operations in one sentence, and how they were had.
pub(super) fn percentiles(cell: &Cell) -> Option<[String; 2]> {
    let latencies = cell.latencies.as_ref()?;
    let values = [
        ("p50", latencies.p50_ns),
        ("p90", latencies.p90_ns),
        ("p99", latencies.p99_ns),
        ("p99.9", latencies.p999_ns),
        ("max", latencies.maximum_ns),
    ];
    let resolved = |(name, value): (&str, f64)| match value < latencies.resolved_from_ns {
        true => format!("{name} < {}", ns(latencies.resolved_from_ns)),
        false => format!("{name} {}", ns(value)),
    };
    let how = format!(
        "{} operations timed, {} untimed between two; the clock takes {} of the time and tells operations from {} on",
        count(latencies.samples),
        count(latencies.untimed_between),
        chronoscope_harness::quantity::percent(latencies.clock_share_pct),
        ns(latencies.resolved_from_ns)
    );
    Some([values.map(resolved).join(" · "), how])
}
