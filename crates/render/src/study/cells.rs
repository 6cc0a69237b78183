use std::collections::BTreeSet;

use chronoscope_harness::record::study::{
    Allocated, Cell, Estimate, Handled, Latencies, Leading, Mode, StudyPlan, StudyRecord,
};
use chronoscope_harness::study_rules::marks;

use super::Detail;
use super::comparisons::shown;
use super::varying::Varying;
use super::words::{amount, cell_title, parameters, threads, time, token_count};
use crate::grid::{Column, Grid, Mood, NONE};
use crate::words::given;
use chronoscope_harness::quantity::{
    BYTES_PER_SECOND, PER_SECOND, RATIO, TIME, confidence, count, ns, share, three_digits,
};

/// The cells shown at this detail.
pub(super) fn chosen(record: &StudyRecord, detail: Detail) -> Vec<&Cell> {
    let backoffs: BTreeSet<u64> = record.study().cells.iter().map(|cell| cell.backoff_tokens).collect();
    let backoffs: Vec<u64> = backoffs.into_iter().collect();
    let shown: BTreeSet<u64> = shown(&backoffs, detail).copied().collect();
    record.study().cells.iter().filter(|cell| shown.contains(&cell.backoff_tokens)).collect()
}

/// What names a cell: a column for whatever is not the same everywhere.
struct Names<'a> {
    plan: &'a StudyPlan,
    has_parameters: bool,
    varying: Varying,
}

impl<'a> Names<'a> {
    fn of(record: &'a StudyRecord, cells: &[&Cell]) -> Self {
        let differ = |of: fn(&Cell, &Cell) -> bool| cells.windows(2).any(|two| !of(two[0], two[1]));
        Self {
            plan: &record.study().plan,
            has_parameters: differ(|a, b| a.parameters == b.parameters),
            varying: Varying::over(cells.iter().map(|cell| (cell.backoff_tokens, cell.threads))),
        }
    }

    fn columns() -> Vec<Column> {
        let own = [Column::left("case"), Column::left("role").naming(), Column::left("parameters").naming()];
        own.into_iter().chain(Varying::columns()).collect()
    }

    fn row(&self, cell: &Cell) -> Vec<String> {
        let parameters = if self.has_parameters { parameters(&cell.parameters) } else { String::new() };
        let own = [cell.case.clone(), cell.role.clone().unwrap_or_default(), parameters.trim_start().to_owned()];
        own.into_iter().chain(self.varying.cells(cell.backoff_tokens, cell.threads)).collect()
    }

    /// What all cells have in common, in words.
    fn common(&self, cells: &[&Cell]) -> Vec<String> {
        let Some(cell) = cells.first() else { return Vec::new() };
        let parameters = parameters(&cell.parameters).trim_start().to_owned();
        let said = [
            (!self.has_parameters && !parameters.is_empty(), parameters),
            (!self.varying.threads && self.plan.names_threads(cell.threads), threads(cell.threads)),
            (
                !self.varying.tokens && self.plan.has_backoff(),
                format!("{} of backoff", token_count(cell.backoff_tokens)),
            ),
        ];
        said.into_iter().filter(|(holds, _)| *holds).map(|(_, text)| text).collect()
    }
}

/// What the times of all these cells have in common, for the title of their table.
pub(super) fn heading(record: &StudyRecord, cells: &[&Cell]) -> String {
    let mut common = Names::of(record, cells).common(cells);
    if record.study().plan.has_backoff() {
        common.push("backoff included".to_owned());
    }
    common.extend(common_number(cells).map(|leads| leads.word().to_owned()));
    common.push(format!("{} intervals", confidence(record.study().confidence())));
    common.join(", ")
}

/// Which number leads in all of these cells; None where it is not one.
fn common_number(cells: &[&Cell]) -> Option<Leading> {
    let mut leads = cells.iter().filter(|cell| cell.time_ns.is_some()).map(|cell| cell.leads);
    let first = leads.next()?;
    leads.all(|other| other == first).then_some(first)
}

/// The cells as a table, a line each.
pub(super) fn grid(record: &StudyRecord, cells: &[&Cell], detail: Detail) -> Grid {
    let mut columns = Names::columns();
    columns.extend(
        ["time", "number", "other", "p50", "p99", "per second", "throughput", "allocates", "quiet", "overlap"]
            .map(Column::right),
    );
    columns.push(Column::left("marks"));
    let mut grid = Grid::new(&columns);
    let names = Names::of(record, cells);
    for cell in cells {
        let mut row = names.row(cell);
        row.extend(figures(record, cell, detail, common_number(cells).is_none()));
        grid.row(mood(cell), row);
    }
    grid.without_empty_columns()
}

fn figures(record: &StudyRecord, cell: &Cell, detail: Detail, names_number: bool) -> Vec<String> {
    let is_full = detail == Detail::Full;
    let single = |value: fn(&Latencies) -> f64| {
        cell.latencies.as_ref().map_or_else(|| NONE.to_owned(), |latencies| resolved(latencies, value(latencies)))
    };
    let other = |other: Estimate| format!("{} {}", cell.leads.other().word(), amount(TIME, &other));
    let is_parted = cell.other_ns().filter(|_| is_full || cell.rare_calls.is_some());
    let throughput = cell.throughput_per_s.filter(|_| is_full || record.study().plan.mode == Mode::Throughput);
    let quiet =
        if is_full { format!("{}/{}", count(cell.iterations_quiet), count(cell.iterations)) } else { String::new() };
    vec![
        time(cell.time_ns, cell.below_ns, |time| amount(TIME, time)),
        cell.time_ns.filter(|_| names_number).map_or_else(String::new, |_| cell.leads.word().to_owned()),
        is_parted.map_or_else(String::new, other),
        single(|of| of.ns.p50),
        single(|of| of.ns.p99),
        throughput.map_or_else(|| NONE.to_owned(), |throughput| PER_SECOND.value(throughput.estimate)),
        throughput_of(cell),
        cell.allocates.map_or_else(String::new, allocates),
        quiet,
        cell.overlap_share.filter(|_| is_full).map_or_else(String::new, share),
        if is_full { marks(cell).join(", ") } else { String::new() },
    ]
}

/// What all threads of a cell handle per second; empty unless its case says what an operation handles.
fn throughput_of(cell: &Cell) -> String {
    match cell.handles.zip(cell.throughput_per_s.map(|throughput| throughput.estimate)) {
        Some((Handled::Bytes(bytes), per_s)) => BYTES_PER_SECOND.value(bytes as f64 * per_s),
        Some((Handled::Items(items), per_s)) => PER_SECOND.value(items as f64 * per_s),
        None => String::new(),
    }
}

/// `2.00 (128 B)`: blocks of memory per operation, and their bytes; `0` if there are none.
fn allocates(of: Allocated) -> String {
    if of == (Allocated { blocks: 0.0, bytes: 0.0 }) {
        return "0".to_owned();
    }
    format!("{} ({} B)", three_digits(of.blocks), three_digits(of.bytes))
}

/// The time of a single operation, or that it is too short to tell.
fn resolved(latencies: &Latencies, value: f64) -> String {
    if latencies.is_resolved(value) { ns(value) } else { format!("< {}", ns(latencies.resolved_from_ns)) }
}

fn mood(cell: &Cell) -> Mood {
    match cell.below_ns {
        Some(_) => Mood::Quiet,
        None => Mood::warning_if(cell.is_without_time() || cell.is_unsteady()),
    }
}

/// Why cells have no time, one sentence each; a case that failed says so by itself.
pub(super) fn reasons(record: &StudyRecord, cells: &[&Cell]) -> Vec<String> {
    let failed = |cell: &Cell| record.study().failures.iter().any(|failure| failure.case == cell.case);
    let without = cells.iter().filter(|cell| cell.is_without_time() && !failed(cell));
    let title = |cell: &Cell| cell_title(&record.study().plan, cell);
    without.map(|cell| format!("{}: no time: {}", title(cell), given(cell.reason_no_time.as_deref()))).collect()
}

/// What the columns of [`parts`] are: averages that do not follow from each other.
pub(super) const OF_PARTS: &str = "between stamps: the mean operation of all threads; claimed: each thread's operations over its own time between stamps, summed over \
     threads, so that a thread with short ones outweighs the mean; batch stamped: the median over batches of the share between stamps";

/// The claims of timestamps around part of the loop, as a table; None if no case takes them.
pub(super) fn parts(record: &StudyRecord) -> Option<Grid> {
    let cells: Vec<&Cell> = record.study().cells.iter().filter(|cell| cell.part.is_some()).collect();
    let names = Names::of(record, &cells);
    let mut columns = Names::columns();
    columns.extend(
        ["between stamps", "claimed", "from outside", "inflation", "batch stamped", "preemptions"].map(Column::right),
    );
    let mut grid = Grid::new(&columns);
    for (cell, part) in cells.iter().filter_map(|cell| Some((cell, cell.part?))) {
        let mut row = names.row(cell);
        row.extend([
            amount(TIME, &part.part_ns),
            amount(PER_SECOND, &part.claimed_per_s),
            amount(PER_SECOND, &part.external_per_s),
            amount(RATIO, &part.inflation),
            share(part.timed_share),
            three_digits(part.preemptions_per_iteration),
        ]);
        grid.row(Mood::warning_if(part.is_inflated()), row);
    }
    (!grid.rows.is_empty()).then(|| grid.without_empty_columns())
}

/// The percentiles of a cell's single operations in one sentence, and how they were measured.
pub(super) fn percentiles(cell: &Cell) -> Option<[String; 2]> {
    let latencies = cell.latencies.as_ref()?;
    let values = [
        ("p50", latencies.ns.p50),
        ("p90", latencies.ns.p90),
        ("p99", latencies.ns.p99),
        ("p99.9", latencies.ns.p999),
        ("max", latencies.ns.max),
    ];
    let said = |(name, value): (&str, f64)| format!("{name} {}", resolved(latencies, value));
    let how = format!(
        "{} operations timed, {} untimed between samples; the clock takes {} of the time and resolves operations ≥ {}",
        count(latencies.samples),
        count(latencies.untimed_between),
        chronoscope_harness::quantity::percent(latencies.clock_share_pct),
        ns(latencies.resolved_from_ns)
    );
    Some([values.map(said).join(" · "), how])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throughput_is_of_what_an_operation_handles() {
        let record = crate::study::parse(include_str!("../../tests/fixtures/study.json")).unwrap();
        let of = |threads: u32| record.cell("relaxed", 0, threads).cloned().unwrap();
        let handled = |handles: Handled, threads: u32| throughput_of(&Cell { handles: Some(handles), ..of(threads) });
        assert_eq!(handled(Handled::Bytes(4096), 1), "931 GB/s", "4096 bytes in 4.4 ns");
        assert_eq!(handled(Handled::Items(2), 1), "455 M/s");
        assert_eq!(handled(Handled::Items(1), 2), PER_SECOND.value(of(2).throughput_per_s.unwrap().estimate));
        assert_eq!(throughput_of(&of(1)), "");
        assert_eq!(allocates(Allocated { blocks: 2.0, bytes: 128.0 }), "2.00 (128 B)");
        assert_eq!(allocates(Allocated { blocks: 0.0, bytes: 0.0 }), "0");
    }
}
