//! Synthetic records for tests, with only what the experiments read from a record.

use std::collections::BTreeMap;

use chronoscope_harness::Mode;
use chronoscope_harness::record::study::{
    Cell, CellProcess, Comparison, ComparisonPoint, Difference, Estimate, Leading, OperationPart, Steadiness,
    StudyClock, StudyContent, StudyIteration, StudyPlan, StudyRecord, StudyReport, TokenCost,
};
use chronoscope_harness::record::{Document, Machine, Tool};

use crate::{Chart, Conclusions, Item, Series, Spot, Value};

/// Asserts that the pages of these records are those in `src/experiments/golden`. `UPDATE_GOLDEN=1` rewrites the file; review
/// the difference before committing.
pub(crate) fn assert_pages(name: &str, conclude: fn(&StudyRecord) -> Conclusions, records: Vec<(&str, StudyRecord)>) {
    let page = |(place, (title, record)): (usize, &(&str, StudyRecord))| {
        let conclusions = conclude(record);
        // Charts have the sentences of the page, and values of the record: one shows how.
        let charts: Vec<String> =
            conclusions.charts.iter().filter(|_| place == 0).flat_map(drawn).map(|line| line + "\n").collect();
        format!("=== {title}\n{}\n{}\n{}\n", conclusions.question, page(&conclusions), charts.concat())
    };
    let pages: String = records.iter().enumerate().map(page).collect();
    let path = format!("{}/src/experiments/golden/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        return std::fs::write(path, pages).unwrap();
    }
    assert!(
        std::fs::read_to_string(&path).unwrap_or_default() == pages,
        "{path} differs from what is concluded now:\n{pages}"
    );
}

/// All sentences and tables, one line each.
fn page(conclusions: &Conclusions) -> String {
    let row = |row: &Vec<Value>| row.iter().map(Value::to_string).collect::<Vec<_>>().join("  ");
    let lines = |item: &Item| match item {
        Item::Statement(statement) => vec![statement.text.clone()],
        Item::Table(grid) => {
            [grid.title.clone(), grid.columns.join("  ")].into_iter().chain(grid.rows.iter().map(row)).collect()
        }
    };
    let blocks = [&conclusions.naive, &conclusions.model, &conclusions.published];
    blocks.iter().flat_map(|block| &block.items).flat_map(lines).collect::<Vec<_>>().join("\n")
}

/// What a chart shows: its sentences, then a line for each series, level and number of CPUs.
fn drawn(chart: &Chart) -> Vec<String> {
    let mut lines = vec![format!("[chart] {}", chart.title)];
    lines.extend(chart.sentences.iter().map(|sentence| format!("  {sentence}")));
    for panel in &chart.panels {
        lines.push(format!(
            "  [panel] {}; {:?} by {}{}",
            panel.title,
            panel.unit,
            panel.places,
            panel.names.join(", ")
        ));
        for Series { name, is_published, points } in &panel.series {
            let value = |spot: &Spot| match (spot.value, spot.below) {
                (Some(value), _) => format!("{:.4} at {}", value.estimate, spot.at),
                (None, below) => format!("< {:.4} at {}", below.unwrap(), spot.at),
            };
            let values: Vec<String> = points.iter().map(value).collect();
            lines.push(format!("    {name}{}: {}", if *is_published { " (published)" } else { "" }, values.join(", ")));
        }
        lines.extend(panel.levels.iter().map(|level| format!("    level {}: {:.4}", level.name, level.value)));
        lines.extend(panel.cpus.map(|cpus| format!("    {cpus} CPUs")));
    }
    lines
}

pub(crate) fn interval(estimate: f64, half: f64) -> Estimate {
    Estimate { estimate, low: estimate - half, high: estimate + half, confidence: 0.999 }
}

/// A record without cells, of a machine with 2 CPUs, where a token takes 2 ns.
pub(crate) fn record(tokens: &[u64], threads: &[u32]) -> StudyRecord {
    let plan = StudyPlan {
        cases: Vec::new(),
        backoff_tokens: tokens.to_vec(),
        threads: threads.to_vec(),
        parameters: Vec::new(),
        comparisons: Vec::new(),
        mode: Mode::AverageTime,
        budget_ms: 1_000,
        processes: 12,
        rounds: 4,
        batches: 0,
        warm_up_batches: 1,
        cpus: vec![0, 1],
        margin_pct: 1.0,
        confidence: 0.999,
        seed: 1,
    };
    let study = StudyReport {
        measured_ms: 12_345,
        clock: Some(StudyClock { name: "ordered, verified".into(), error_ns: 12.5, batch_ns: 25.0 }),
        empty_loop_ns: Some(interval(0.3, 0.01)),
        tokens: Some(TokenCost {
            ns_per_token: interval(2.0, 0.01),
            call_ns: interval(0.0, 0.01),
            r_squared: 1.0,
            largest_deviation_pct: 0.5,
        }),
        ..StudyReport::planned("made up", plan)
    };
    let tool = Tool { name: "chronoscope".into(), version: "0".into() };
    Document::new("study", tool, Machine::default(), StudyContent { study, against: None })
}

/// A cell of twelve processes: each of these times is that of three.
pub(crate) fn cell(case: &str, tokens: u64, threads: u32, processes: [f64; 4]) -> Cell {
    let mean = processes.iter().sum::<f64>() / 4.0;
    let process = |(i, ns): (u32, &f64)| CellProcess::alike(i, *ns);
    Cell {
        case: case.into(),
        role: None,
        parameters: BTreeMap::new(),
        backoff_tokens: tokens,
        threads,
        oversubscribed: threads > 2,
        operations_per_batch: 100,
        leads: if threads == 1 { Leading::Typical } else { Leading::Mean },
        time_ns: Some(interval(mean, 0.01)),
        below_ns: None,
        reason_no_time: None,
        typical_ns: Some(interval(mean, 0.01)),
        mean_ns: Some(interval(mean, 0.01)),
        rare_calls: None,
        states: Vec::new(),
        throughput_per_s: None,
        handles: None,
        allocates: None,
        clock_share_pct: 0.01,
        steadiness: None,
        overlap_share: None,
        own_threads: false,
        iterations: 16,
        iterations_quiet: 16,
        latencies: None,
        part: None,
        processes: (0..).zip([processes; 3].as_flattened()).map(process).collect(),
    }
}

/// A comparison with these differences, by tokens.
pub(crate) fn comparison(
    case: &str,
    baseline: &str,
    threads: u32,
    points: &[(u64, Estimate, Difference)],
) -> Comparison {
    let point = |(tokens, difference_ns, verdict): &(u64, Estimate, Difference)| ComparisonPoint {
        backoff_tokens: *tokens,
        leads: if threads == 1 { Leading::Typical } else { Leading::Mean },
        difference_ns: *difference_ns,
        ratio: interval(1.0 + difference_ns.estimate / 10.0, 0.001),
        other_ratio: None,
        verdict: *verdict,
        has_states: false,
        pairs: 64,
    };
    Comparison {
        case: case.into(),
        baseline: baseline.into(),
        parameters: BTreeMap::new(),
        threads,
        points: points.iter().map(point).collect(),
        model: None,
    }
}

/// The claimed and actual rates, per second, each ± 1 %.
pub(crate) fn part(claimed: f64, done: f64, timed_share: f64) -> OperationPart {
    OperationPart {
        part_ns: interval(1e9 / claimed, 1e7 / claimed),
        claimed_per_s: interval(claimed, claimed / 100.0),
        external_per_s: interval(done, done / 100.0),
        inflation: interval(claimed / done, claimed / done / 100.0),
        timed_share,
        preemptions_per_iteration: 1.0,
    }
}

/// Of a time that rises by so many percent in the last third of an iteration.
pub(crate) fn rising(pct: f64) -> Steadiness {
    Steadiness { within_iteration_pct: Some(interval(pct, 0.5)), ..Steadiness::default() }
}

/// A cell where each process made one iteration with these batches.
pub(crate) fn series(case: &str, batches_ns: &[f64], steadiness: Steadiness) -> Cell {
    let mut cell = cell(case, 0, 1, [1.0; 4]);
    for process in &mut cell.processes {
        let iteration = StudyIteration { quiet: true, batches_ns: batches_ns.to_vec() };
        process.iterations = vec![iteration];
    }
    cell.steadiness = Some(steadiness);
    cell
}
