use std::collections::BTreeSet;

use chronoscope_harness::record::study::{Cell, StudyRecord};
use chronoscope_harness::study_rules::marks;

use super::Detail;
use super::comparisons::shown;
use super::words::{cell_name, cell_time, parameters, rate, threads, token_count};
use crate::grid::{Column, Grid, Mood};
use crate::words::given;
use chronoscope_harness::quantity::{PER_SECOND, count, ns, share, three_digits};

/// The cells shown at this detail.
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
        grid.row(mood(cell), row(cell));
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

fn mood(cell: &Cell) -> Mood {
    match cell.below_ns {
        Some(_) => Mood::Quiet,
        None => Mood::warning_if(cell.is_without_time() || cell.is_unsteady()),
    }
}

/// Why cells have no time, one sentence each.
pub(super) fn reasons(cells: &[&Cell]) -> Vec<String> {
    let without = cells.iter().filter(|cell| cell.is_without_time());
    let sentence = |cell: &&Cell| {
        let place = format!("{}, {}, {}", cell_name(cell), token_count(cell.backoff_tokens), threads(cell.threads));
        format!("{place}: no time: {}", given(cell.reason_no_time.as_deref()))
    };
    without.map(sentence).collect()
}

/// The claims of timestamps around part of the loop, as a table; None if no case takes them.
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
            grid.row(Mood::warning_if(part.is_inflated()), cells);
        }
    }
    (!grid.rows.is_empty()).then_some(grid)
}

/// The percentiles of a cell's single operations in one sentence, and how they were measured.
pub(super) fn percentiles(cell: &Cell) -> Option<[String; 2]> {
    let latencies = cell.latencies.as_ref()?;
    let values = [
        ("p50", latencies.p50_ns),
        ("p90", latencies.p90_ns),
        ("p99", latencies.p99_ns),
        ("p99.9", latencies.p999_ns),
        ("max", latencies.maximum_ns),
    ];
    let resolved = |(name, value): (&str, f64)| match latencies.is_resolved(value) {
        true => format!("{name} {}", ns(value)),
        false => format!("{name} < {}", ns(latencies.resolved_from_ns)),
    };
    let how = format!(
        "{} operations timed, {} untimed between samples; the clock takes {} of the time and resolves operations ≥ {}",
        count(latencies.samples),
        count(latencies.untimed_between),
        chronoscope_harness::quantity::percent(latencies.clock_share_pct),
        ns(latencies.resolved_from_ns)
    );
    let left_out = latencies.maximum_ns_left_out.map(|maximum_ns| {
        let visits = latencies.visits_left_out;
        let iterations = if visits == 1 { "iteration" } else { "iterations" };
        format!("; left out: {} {iterations} that the machine disturbed, max {}", count(visits), ns(maximum_ns))
    });
    Some([values.map(resolved).join(" · "), how + &left_out.unwrap_or_default()])
}
