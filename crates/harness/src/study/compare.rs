//! A study's record compared with an earlier one, from another process on another day. Pure functions.

use crate::finding::{Finding, Kind};
use crate::quantity::limit;
use crate::record::study::{Cell, ComparedCell, Difference, StudyCompared, StudyRecord, place};
use crate::stats::{Welch, compare, geometric_mean, holm, welch_ratio};

/// Compares every cell present in both records, using one value per process. `file` is the path of the earlier record.
///
/// Margin and confidence come from the new record's plan. Cells whose operation is too short, or that failed, are
/// unresolved.
pub fn compare_studies(earlier: &StudyRecord, now: &StudyRecord, file: &str) -> StudyCompared {
    let (margin_pct, confidence) = (now.plan.margin_pct, now.plan.confidence);
    let pairs: Vec<(&Cell, &Cell)> = now
        .cells
        .iter()
        .filter_map(|cell| Some((earlier.cells.iter().find(|other| is_same(other, cell))?, cell)))
        .collect();
    let mut cells: Vec<ComparedCell> =
        pairs.iter().map(|(earlier, now)| compare_cells(earlier, now, margin_pct, confidence)).collect();
    let p_values: Vec<f64> = cells.iter().map(|cell| cell.p_value).collect();
    for (cell, significant) in cells.iter_mut().zip(holm(&p_values, 1.0 - confidence)) {
        cell.significant_in_family = significant;
    }
    let mut compared = StudyCompared {
        study: now.study.name.clone(),
        earlier: file.to_owned(),
        earlier_started_at: earlier.started_at.clone(),
        margin_pct,
        confidence,
        warnings: warnings(earlier, now),
        cells,
        only_earlier: alone(earlier, now),
        only_now: alone(now, earlier),
        conclusion: None,
    };
    compared.conclusion = conclusion(&compared);
    compared
}

pub const BECAME_SLOWER: Kind = Kind::warning("became_slower", "an operation takes longer than in an earlier record");
pub const NOT_SLOWER: Kind = Kind::notice("not_slower", "no operation takes longer than in an earlier record");
pub const NOT_KNOWN_SLOWER: Kind =
    Kind::notice("not_known_slower", "no operation is known to take longer than in an earlier record");

/// The overall conclusion of a comparison with an earlier record; None without compared cells.
///
/// # Examples
/// ```
/// # let text = include_str!("../../tests/fixtures/study.json");
/// use chronoscope_harness::record::parse_study;
/// use chronoscope_harness::study_compare::{NOT_SLOWER, compare_studies, conclusion};
///
/// let record = parse_study(text)?;
/// let itself = compare_studies(&record, &record, "main.json");
/// assert_eq!(conclusion(&itself), itself.conclusion);
/// # Ok::<(), chronoscope_harness::record::ReportError>(())
/// ```
pub fn conclusion(compared: &StudyCompared) -> Option<Finding> {
    let count = |belongs: &dyn Fn(&ComparedCell) -> bool| compared.cells.iter().filter(|cell| belongs(cell)).count();
    let margin = limit(compared.margin_pct);
    let of = compared.cells.len();
    let slower = count(&|cell| cell.is_regression(compared.margin_pct));
    let found = |kind: Kind, text: String| Some(Finding::new(kind, text).value("cells_slower", slower as f64));
    if of == 0 {
        return None;
    }
    if slower > 0 {
        let text = format!("{slower} of {of} became slower by an estimated {margin} or more");
        return found(BECAME_SLOWER, text);
    }
    let rest = [
        (count(&|cell| cell.verdict == Difference::Unresolved), "inconclusive".to_owned()),
        (
            count(&|cell| cell.verdict == Difference::Slower && !cell.significant_in_family),
            "slower, but not significant among this many comparisons".to_owned(),
        ),
        (
            count(&|cell| cell.verdict == Difference::Slower && cell.significant_in_family),
            format!("slower by an estimated {margin} or less"),
        ),
    ];
    let rest: String =
        rest.iter().filter(|(cells, _)| *cells > 0).map(|(cells, words)| format!("; {cells} {words}")).collect();
    let kind = if rest.is_empty() { NOT_SLOWER } else { NOT_KNOWN_SLOWER };
    found(kind, format!("none of {of} is known to be slower by more than {margin}{rest}"))
}

fn compare_cells(earlier: &Cell, now: &Cell, margin_pct: f64, confidence: f64) -> ComparedCell {
    let (before, after) = (of_forks(earlier), of_forks(now));
    let is_bounded = |found: &Welch| found.ratio.low.is_finite() && found.ratio.high.is_finite();
    let found = welch_ratio(&before, &after, confidence).filter(is_bounded);
    ComparedCell {
        case: now.case.clone(),
        role: now.role.clone(),
        parameters: now.parameters.clone(),
        backoff_tokens: now.backoff_tokens,
        threads: now.threads,
        earlier_ns: geometric_mean(&before),
        now_ns: geometric_mean(&after),
        forks: (before.len() as u32, after.len() as u32),
        ratio: found.map(|found| found.ratio),
        verdict: found.map_or(Difference::Unresolved, |found| compare(&found.ratio, margin_pct / 100.0)),
        p_value: found.map_or(1.0, |found| found.p_value),
        significant_in_family: false,
    }
}

/// One value per process, where the operation is distinguishable from an empty loop.
fn of_forks(cell: &Cell) -> Vec<f64> {
    if cell.time_ns.is_none() {
        return Vec::new();
    }
    cell.forks.iter().filter_map(|fork| fork.time_ns).filter(|ns| ns.is_finite() && *ns > 0.0).collect()
}

/// Whether two cells are the same combination.
fn is_same(a: &Cell, b: &Cell) -> bool {
    let key = |cell: &Cell| (cell.backoff_tokens, cell.threads);
    key(a) == key(b) && a.case == b.case && a.role == b.role && a.parameters == b.parameters
}

/// The cells of `record` that `other` lacks, in words.
fn alone(record: &StudyRecord, other: &StudyRecord) -> Vec<String> {
    let lacks = |cell: &&Cell| !other.cells.iter().any(|its| is_same(its, cell));
    record.cells.iter().filter(lacks).map(words).collect()
}

fn words(cell: &Cell) -> String {
    let role = cell.role.as_ref().map_or_else(String::new, |role| format!(", {role}"));
    format!("{}{role}, {}", cell.case, place(&cell.parameters, cell.backoff_tokens, cell.threads))
}

/// Differences between the runs, apart from the operations.
fn warnings(earlier: &StudyRecord, now: &StudyRecord) -> Vec<String> {
    let said = |value: &Option<String>| value.clone().unwrap_or_else(|| "unknown".to_owned());
    let facts = |record: &StudyRecord| {
        [
            ("CPU", said(&record.machine.cpu.brand)),
            ("kernel", record.machine.kernel.release.clone()),
            ("hypervisor", said(&record.machine.hypervisor.name)),
            ("number of CPUs", record.plan.cpus.len().to_string()),
            ("clock", said(&record.clock.as_ref().map(|clock| clock.name.clone()))),
            ("mode", format!("{:?}", record.plan.mode)),
            ("margin", format!("{} %", record.plan.margin_pct)),
            ("confidence", record.plan.confidence.to_string()),
            ("version of the program", format!("{} {}", record.tool.name, record.tool.version)),
        ]
    };
    let mut warnings: Vec<String> = facts(earlier)
        .into_iter()
        .zip(facts(now))
        .filter(|((_, before), (_, after))| before != after)
        .map(|((name, before), (_, after))| format!("different {name}: {before} then, {after} now"))
        .collect();
    for (record, when) in [(earlier, "earlier"), (now, "new")] {
        if record.interrupted {
            warnings.push(format!("the {when} run was interrupted"));
        }
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::study::{CellProcess, Estimate, Mode, Outliers, StudyContent, StudyPlan, StudyReport};
    use crate::record::{Document, Machine, Tool};

    fn cell(case: &str, backoff_tokens: u64, forks_ns: &[f64]) -> Cell {
        let forks = forks_ns.iter().enumerate();
        Cell {
            case: case.to_owned(),
            role: None,
            parameters: Default::default(),
            backoff_tokens,
            threads: 1,
            oversubscribed: false,
            operations_per_batch: 1000,
            time_ns: Some(Estimate { estimate: forks_ns[0], low: 0.0, high: 1e9, confidence: 0.999 }),
            below_ns: None,
            reason_no_time: None,
            median_ns: None,
            minimum_ns: None,
            throughput_per_s: None,
            clock_share_pct: 0.0,
            variance: None,
            steadiness: None,
            autocorrelation: None,
            outliers: Outliers::default(),
            modes: Vec::new(),
            overlap_share: None,
            own_threads: false,
            slows_core: None,
            switches_by_itself: false,
            visits: 0,
            visits_quiet: 0,
            latencies: None,
            part: None,
            forks: forks
                .map(|(fork, ns)| CellProcess { fork: fork as u32, time_ns: Some(*ns), ..CellProcess::default() })
                .collect(),
            marks: None,
        }
    }

    fn record(cells: Vec<Cell>) -> StudyRecord {
        let study = StudyReport {
            name: "publish".to_owned(),
            measured_ms: 1,
            plan: StudyPlan {
                cases: vec!["a".to_owned()],
                backoff_tokens: vec![0],
                threads: vec![1],
                parameters: Vec::new(),
                comparisons: Vec::new(),
                mode: Mode::AverageTime,
                budget_ms: 1,
                forks: 5,
                rounds: 1,
                batches: 0,
                warm_up_batches: 0,
                cpus: vec![0],
                margin_pct: 1.0,
                confidence: 0.99,
                seed: 1,
            },
            clock: None,
            empty_loop_ns: None,
            tokens: None,
            canary: None,
            cells,
            comparisons: Vec::new(),
            control: None,
            failures: Vec::new(),
            forks: Vec::new(),
            conclusions: None,
        };
        let tool = Tool { name: "test".to_owned(), version: "1".to_owned() };
        Document::new("study", tool, Machine::default(), StudyContent { study, compared: None })
    }

    #[test]
    fn four_verdicts() {
        let base = [100.0, 100.1, 99.9, 100.05, 99.95];
        let times = |factor: f64| base.map(|ns| ns * factor);
        let wild = [60.0, 150.0, 90.0, 120.0, 80.0];
        let earlier = record((0..4).map(|tokens| cell("a", tokens, &base)).collect());
        let now = record(vec![
            cell("a", 0, &times(0.9)),
            cell("a", 1, &times(1.1)),
            cell("a", 2, &times(1.002)),
            cell("a", 3, &wild),
        ]);
        let found = compare_studies(&earlier, &now, "old.json");
        let verdicts: Vec<Difference> = found.cells.iter().map(|cell| cell.verdict).collect();
        assert_eq!(verdicts, [Difference::Faster, Difference::Slower, Difference::Same, Difference::Unresolved]);
        let regressions: Vec<bool> = found.cells.iter().map(|cell| cell.is_regression(1.0)).collect();
        assert_eq!(regressions, [false, true, false, false]);
        assert!(found.has_regression() && found.warnings.is_empty());
        let whole = |cells: &[ComparedCell]| {
            conclusion(&StudyCompared { cells: cells.to_vec(), ..found.clone() }).map(|found| found.id)
        };
        assert!(found.conclusion.as_ref().is_some_and(|found| found.is(BECAME_SLOWER)));
        assert_eq!(whole(&found.cells[2..3]).as_deref(), Some(NOT_SLOWER.id));
        assert_eq!(whole(&found.cells[2..]).as_deref(), Some(NOT_KNOWN_SLOWER.id), "one of them is inconclusive");
        assert_eq!(whole(&[]), None);
        assert_eq!(found.cells[0].forks, (5, 5));
    }

    #[test]
    fn what_only_one_record_holds_is_said() {
        let ns = [10.0, 10.1];
        let found = compare_studies(&record(vec![cell("a", 0, &ns)]), &record(vec![cell("b", 4, &ns)]), "old.json");
        assert!(found.cells.is_empty() && !found.has_regression());
        assert_eq!(found.only_earlier, ["a, 0 tokens, 1 thread"]);
        assert_eq!(found.only_now, ["b, 4 tokens, 1 thread"]);
    }

    #[test]
    fn another_machine_or_convention_is_warned_of() {
        let mut earlier = record(vec![cell("a", 0, &[10.0, 10.1])]);
        earlier.machine.cpu.brand = Some("Old CPU".to_owned());
        earlier.plan.margin_pct = 5.0;
        earlier.interrupted = true;
        let found = compare_studies(&earlier, &record(vec![cell("a", 0, &[10.0, 10.1])]), "old.json");
        assert_eq!(found.warnings.len(), 3, "{:?}", found.warnings);
        assert_eq!(found.warnings[0], "different CPU: Old CPU then, unknown now");
    }

    #[test]
    fn too_short_an_operation_is_not_compared() {
        let mut short = cell("a", 0, &[0.1, 0.1]);
        short.time_ns = None;
        let found = compare_studies(&record(vec![cell("a", 0, &[10.0, 10.1])]), &record(vec![short]), "old.json");
        assert_eq!((found.cells[0].verdict, found.cells[0].ratio), (Difference::Unresolved, None));
    }
}
