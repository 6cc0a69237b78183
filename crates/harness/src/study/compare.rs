//! Compares a study's record with earlier ones, the level that its times had. The runs may be days apart. Pure functions.

use super::matched;
use crate::finding::{Finding, Kind, Meaning, NO_ACTION};
use crate::quantity::limit;
use crate::record::study::{Cell, ComparedCell, Difference, Estimate, SavedRun, StudyCompared, StudyRecord};
use crate::stats::{compare, confidence_of_each, median};

/// A change of level that says nothing of the program, in percent. Runs of one program were seen to differ by 2.8 %, since the
/// frequency of the CPU moves between runs and may stay for one whole run where it is; this is twice that, rounded down.
const ALLOWANCE_PCT: f64 = 5.0;
const ALLOWED: f64 = 1.0 + ALLOWANCE_PCT / 100.0;
/// With fewer saved runs, next to nothing is known of how runs vary.
const FEW_RUNS: usize = 3;

/// Compares every cell that a record shares with earlier ones, each with the path of its file. The last is the latest.
///
/// An earlier run is one value of the level of a cell, its time: processes of one run share what the machine did meanwhile. The
/// ratio is to the median of these values; its interval takes this run's own interval over their range. Were the program unchanged,
/// a run's time would lie within the range of n others with a probability of 1 − 2/(n + 1), whatever the distribution, if runs are
/// alike: that bounds the confidence. Below 95 %, which takes 39 runs, faster and slower need a difference of 5 % more than the
/// interval.
///
/// Margin and confidence come from the new record's plan. Cells whose operation is too short, or that failed, are
/// unresolved.
pub fn compare_studies(earlier: &[(String, StudyRecord)], now: &StudyRecord) -> StudyCompared {
    let margin_pct = now.plan.margin_pct;
    let mut all: Vec<SavedRun> = earlier
        .iter()
        .map(|(file, record)| SavedRun { file: file.clone(), started_at: record.started_at.clone() })
        .collect();
    let latest = all.pop().unwrap_or_default();
    let cells: Vec<ComparedCell> =
        now.cells.iter().filter_map(|cell| compare_cell(earlier, cell, margin_pct)).collect();
    let attained = cells.iter().filter_map(|cell| cell.ratio).map(|ratio| ratio.confidence).reduce(f64::min);
    let plan = matched::joined(&now.plan, earlier.iter().map(|(_, record)| &record.plan));
    let mut only_earlier: Vec<String> =
        earlier.iter().flat_map(|(_, record)| matched::alone(&plan, &record.cells, &now.cells)).collect();
    only_earlier.sort();
    only_earlier.dedup();
    let is_new = |cell: &&Cell| earlier.iter().all(|(_, record)| matched::find(&record.cells, cell).is_none());
    let mut cells = cells;
    // All cells share what their runs had in common, so that each has to hold for all.
    let wanted = confidence_of_each(Estimate::LEAST_CONFIDENCE, cells.len());
    for cell in &mut cells {
        let beyond = |ratio: &Estimate| ratio.low > ALLOWED.max(1.0 + margin_pct / 100.0) || ratio.high < 1.0 / ALLOWED;
        let is_weak = cell.ratio.is_some_and(|ratio| ratio.confidence < wanted && !beyond(&ratio));
        if is_weak && matches!(cell.verdict, Difference::Faster | Difference::Slower) {
            cell.verdict = Difference::Unresolved;
        }
    }
    let mut compared = StudyCompared {
        study: now.study.name.clone(),
        earlier: latest.file,
        earlier_started_at: latest.started_at,
        more_earlier: all,
        margin_pct,
        allowance_pct: Some(ALLOWANCE_PCT),
        confidence: attained.unwrap_or(0.0),
        warnings: warnings(earlier, now),
        cells,
        only_earlier,
        only_now: now.cells.iter().filter(is_new).map(|cell| matched::words(&plan, cell)).collect(),
        conclusion: None,
    };
    compared.conclusion = conclusion(&compared);
    compared
}

pub const BECAME_SLOWER: Kind = Kind::warning(
    "became_slower",
    Meaning {
        about: "an operation takes longer than in earlier runs or in another build",
        evidence: "how many cells became slower by the margin or more (`cells_slower`)",
        mend: "find the change with --against, which runs both builds interleaved",
    },
);
pub const NOT_SLOWER: Kind = Kind::notice(
    "not_slower",
    Meaning {
        about: "no operation takes longer than in earlier runs or in another build",
        evidence: "that no cell became slower (`cells_slower` is 0)",
        mend: NO_ACTION,
    },
);
pub const NOT_KNOWN_SLOWER: Kind = Kind::notice(
    "not_known_slower",
    Meaning {
        about: "no operation is known to take longer than in earlier runs or in another build",
        evidence: "how many cells became slower (`cells_slower` is 0), and how many are inconclusive",
        mend: "measure longer or on a quieter machine to settle the rest",
    },
);

/// The kinds of conclusions of a comparison.
pub const KINDS: &[Kind] = &[BECAME_SLOWER, NOT_SLOWER, NOT_KNOWN_SLOWER];

/// The overall conclusion of a comparison with earlier records; None without compared cells.
///
/// # Examples
/// ```
/// # let text = include_str!("../../tests/fixtures/study.json");
/// use chronoscope_harness::record::parse_study;
/// use chronoscope_harness::study_compare::{compare_studies, conclusion};
///
/// let record = parse_study(text)?;
/// let itself = compare_studies(&[("main.json".to_owned(), record.clone())], &record);
/// assert_eq!(conclusion(&itself), itself.conclusion);
/// # Ok::<(), chronoscope_harness::record::ReportError>(())
/// ```
pub fn conclusion(compared: &StudyCompared) -> Option<Finding> {
    let margin_pct = compared.margin_pct;
    let judged = |cell: &ComparedCell| (cell.verdict, cell.is_regression(margin_pct), cell.is_significant());
    overall(compared.cells.iter().map(judged), margin_pct)
}

/// The overall conclusion from the verdicts of all cells, each with whether it is slower beyond the margin, and whether a difference
/// stays significant among all of them.
pub(super) fn overall(cells: impl Iterator<Item = (Difference, bool, bool)>, margin_pct: f64) -> Option<Finding> {
    let cells: Vec<(Difference, bool, bool)> = cells.collect();
    let count = |belongs: &dyn Fn(&(Difference, bool, bool)) -> bool| cells.iter().filter(|cell| belongs(cell)).count();
    let (of, margin) = (cells.len(), limit(margin_pct));
    let slower = count(&|(_, is_regression, _)| *is_regression);
    let found = |kind: Kind, text: String| Some(Finding::new(kind, text).value("cells_slower", slower as f64));
    if of == 0 {
        return None;
    }
    if slower > 0 {
        let text = format!("{slower} of {of} became slower by an estimated {margin} or more");
        return found(BECAME_SLOWER, text);
    }
    let is_slower = |verdict: Difference| verdict == Difference::Slower;
    let rest = [
        (count(&|(verdict, ..)| *verdict == Difference::Unresolved), "inconclusive".to_owned()),
        (
            count(&|(verdict, _, is_significant)| is_slower(*verdict) && !is_significant),
            "slower, but not significant among this many comparisons".to_owned(),
        ),
        (
            count(&|(verdict, _, is_significant)| is_slower(*verdict) && *is_significant),
            format!("slower by an estimated {margin} or less"),
        ),
    ];
    let rest: String =
        rest.iter().filter(|(cells, _)| *cells > 0).map(|(cells, words)| format!("; {cells} {words}")).collect();
    let kind = if rest.is_empty() { NOT_SLOWER } else { NOT_KNOWN_SLOWER };
    found(kind, format!("none of {of} is known to be slower by more than {margin}{rest}"))
}

/// A cell compared with the level of the earlier runs that have it; None if none has.
fn compare_cell(earlier: &[(String, StudyRecord)], now: &Cell, margin_pct: f64) -> Option<ComparedCell> {
    let cells: Vec<&Cell> = earlier.iter().filter_map(|(_, record)| matched::find(&record.cells, now)).collect();
    let processes = |cell: &Cell| cell.forks.iter().filter(|fork| fork.time_ns.is_some()).count() as u32;
    let level: Vec<Estimate> = cells.iter().filter_map(|cell| cell.time_ns).collect();
    let ratio = now.time_ns.and_then(|time| ratio_to(&level, &time));
    let is_known = level.iter().chain(&now.time_ns).all(Estimate::has_confidence);
    let of_forks = cells.first().map(|_| cells.iter().map(|cell| processes(cell)).sum())?;
    Some(ComparedCell {
        case: now.case.clone(),
        role: now.role.clone(),
        parameters: now.parameters.clone(),
        backoff_tokens: now.backoff_tokens,
        threads: now.threads,
        earlier_ns: median(level.iter().map(|time| time.estimate).collect()),
        now_ns: now.time_ns.map(|time| time.estimate),
        forks: (of_forks, processes(now)),
        ratio,
        verdict: ratio.map_or(Difference::Unresolved, |ratio| judge(&ratio, is_known, margin_pct)),
        p_value: None,
        significant_in_family: None,
    })
}

/// The ratio of a time to the level of earlier runs, which is wherever the interval of one of them is. None without a level above 0.
fn ratio_to(level: &[Estimate], time: &Estimate) -> Option<Estimate> {
    let low = level.iter().map(|time| time.low).reduce(f64::min)?;
    let high = level.iter().map(|time| time.high).reduce(f64::max)?;
    let middle = level.iter().map(|time| time.estimate).collect();
    let middle = median(middle).filter(|_| low > 0.0 && high.is_finite())?;
    let within_range = 1.0 - 2.0 / (level.len() as f64 + 1.0);
    Some(Estimate {
        estimate: time.estimate / middle,
        low: time.low / high,
        high: time.high / low,
        confidence: (time.confidence + within_range - 1.0).max(0.0),
    })
}

/// The verdict of a ratio to the level of earlier runs, if the times of all have enough confidence.
fn judge(ratio: &Estimate, is_known: bool, margin_pct: f64) -> Difference {
    let allowed = 1.0 + ALLOWANCE_PCT.max(margin_pct) / 100.0;
    match compare(ratio, margin_pct / 100.0) {
        Difference::Unresolved if is_known && ratio.low > allowed => Difference::Slower,
        Difference::Unresolved if is_known && ratio.high < 1.0 / allowed => Difference::Faster,
        verdict => verdict,
    }
}

/// How weak the comparison is, and the differences between the runs apart from the operations.
fn warnings(earlier: &[(String, StudyRecord)], now: &StudyRecord) -> Vec<String> {
    let mut warnings = Vec::new();
    if earlier.len() < FEW_RUNS {
        let runs = if earlier.len() == 1 { "one saved run says nothing" } else { "two saved runs say next to nothing" };
        warnings.push(format!(
            "{runs} about the variation between runs; only differences beyond {} count. --against and --against-rev find smaller \
             ones; so do more saved runs, to a degree",
            limit(ALLOWANCE_PCT)
        ));
    }
    for (_, record) in earlier {
        for difference in differences(record, now) {
            if !warnings.contains(&difference) {
                warnings.push(difference);
            }
        }
    }
    warnings
}

fn differences(earlier: &StudyRecord, now: &StudyRecord) -> Vec<String> {
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
    use super::super::made_up::{cell, record};
    use super::*;

    fn saved(records: impl IntoIterator<Item = StudyRecord>) -> Vec<(String, StudyRecord)> {
        records.into_iter().enumerate().map(|(i, record)| (format!("{i}.json"), record)).collect()
    }

    /// A cell of a run of five processes that differ by 0.1 %.
    fn level(ns: f64) -> Cell {
        let mut cell = cell("a", 0, &[1.0, 1.001, 0.999, 1.0005, 0.9995].map(|of| ns * of));
        cell.time_ns = Some(Estimate { estimate: ns, low: ns * 0.999, high: ns * 1.001, confidence: 0.999 });
        cell
    }

    /// The verdict of a time of `now_ns` after runs with these.
    fn verdict(earlier_ns: &[f64], now_ns: f64) -> Difference {
        let earlier = saved(earlier_ns.iter().map(|ns| record(vec![level(*ns)])));
        compare_studies(&earlier, &record(vec![level(now_ns)])).cells[0].verdict
    }

    #[test]
    fn a_change_of_level_is_no_verdict() {
        // As runs of one program were seen to differ.
        for earlier in [&[100.0][..], &[100.0, 100.1], &[100.0, 100.1, 99.9], &[100.0; 20]] {
            for (now, expected) in [
                (97.2, Difference::Unresolved),
                (102.9, Difference::Unresolved),
                (100.0, Difference::Unresolved),
                (106.0, Difference::Slower),
                (94.0, Difference::Faster),
            ] {
                assert_eq!(verdict(earlier, now), expected, "{now} after {earlier:?}");
            }
        }
    }

    #[test]
    fn runs_that_vary_widen_the_interval() {
        assert_eq!(verdict(&[100.0], 107.0), Difference::Slower);
        assert_eq!(verdict(&[100.0, 101.0, 104.0], 107.0), Difference::Unresolved);
        let runs = saved([100.0, 101.0, 104.0].map(|ns| record(vec![level(ns)])));
        let found = compare_studies(&runs, &record(vec![level(107.0)]));
        let ratio = found.cells[0].ratio.unwrap();
        let (low, high) = (0.999 * 107.0 / (1.001 * 104.0), 1.001 * 107.0 / (0.999 * 100.0));
        assert!((ratio.low - low).abs() < 1e-9 && (ratio.high - high).abs() < 1e-9, "{ratio:?}");
        assert!((ratio.estimate - 107.0 / 101.0).abs() < 1e-9 && (ratio.confidence - 0.499).abs() < 1e-9);
        assert_eq!((found.earlier.as_str(), found.more_earlier.len(), found.cells[0].forks), ("2.json", 2, (15, 5)));
        assert!(found.warnings.is_empty(), "{:?}", found.warnings);
    }

    #[test]
    fn what_an_earlier_run_leaves_open_stays_open() {
        let coarse = |low: f64, high: f64, confidence: f64| {
            let time = Estimate { estimate: 100.0, low, high, confidence };
            saved([record(vec![Cell { time_ns: Some(time), ..level(100.0) }])])
        };
        let after =
            |earlier: &[(String, StudyRecord)]| compare_studies(earlier, &record(vec![level(107.0)])).cells[0].verdict;
        assert_eq!(after(&coarse(90.0, 125.0, 0.999)), Difference::Unresolved, "its interval holds 107");
        assert_eq!(after(&coarse(99.9, 100.1, 0.5)), Difference::Unresolved, "two processes");
        assert_eq!(after(&coarse(99.9, 100.1, 0.999)), Difference::Slower);
    }

    #[test]
    fn many_runs_decide_by_themselves() {
        let runs: Vec<f64> = (0..45).map(|run| 100.0 + 0.001 * f64::from(run)).collect();
        assert_eq!(verdict(&runs, 100.02), Difference::Same);
        assert_eq!(verdict(&runs, 103.0), Difference::Slower);
        assert_eq!(verdict(&runs[..30], 103.0), Difference::Unresolved, "30 runs hold the next with 93.5 %");
    }

    #[test]
    fn many_cells_take_more_runs() {
        let runs = saved((0..45).map(|run| {
            let ns = 100.0 + 0.001 * f64::from(run);
            record((0..10).map(|tokens| Cell { backoff_tokens: tokens, ..level(ns) }).collect())
        }));
        let of = |cells: u64, ns: f64| {
            let now = (0..cells).map(|tokens| Cell { backoff_tokens: tokens, ..level(ns) });
            compare_studies(&runs, &record(now.collect())).cells[0].verdict
        };
        assert_eq!((of(1, 103.0), of(1, 100.02)), (Difference::Slower, Difference::Same));
        assert_eq!(of(10, 103.0), Difference::Unresolved);
        assert_eq!(of(10, 100.02), Difference::Same, "no alarm, whatever their number");
        assert_eq!(of(10, 112.0), Difference::Slower, "beyond what runs differ by");
    }

    #[test]
    fn few_runs_say_how_weak_they_are() {
        let said = |runs: &[f64]| {
            let found =
                compare_studies(&saved(runs.iter().map(|ns| record(vec![level(*ns)]))), &record(vec![level(100.0)]));
            (found.warnings.join("\n"), found.confidence)
        };
        let (one, confidence) = said(&[100.0]);
        assert!(one.starts_with("one saved run says nothing about the variation between runs") && one.contains("5 %"));
        assert_eq!(confidence, 0.0);
        assert!(said(&[100.0; 2]).0.starts_with("two saved runs") && said(&[100.0; 3]).0.is_empty());
    }

    #[test]
    fn the_conclusion_counts_what_is_slower() {
        let runs = saved([record(vec![level(100.0), Cell { backoff_tokens: 1, ..level(100.0) }])]);
        let now = |ns: f64| record(vec![level(ns), Cell { backoff_tokens: 1, ..level(100.0) }]);
        let slower = compare_studies(&runs, &now(120.0));
        assert!(slower.has_regression() && slower.has_unresolved());
        assert!(
            slower.conclusion.is_some_and(|found| found.is(BECAME_SLOWER) && found.evidence.summary.contains("1 of 2"))
        );
        let open = compare_studies(&runs, &now(101.0));
        assert!(!open.has_regression() && open.conclusion.is_some_and(|found| found.is(NOT_KNOWN_SLOWER)));
        assert!(overall([(Difference::Same, false, true)].into_iter(), 1.0).is_some_and(|found| found.is(NOT_SLOWER)));
        assert_eq!(overall(std::iter::empty(), 1.0), None);
    }

    #[test]
    fn what_only_one_record_holds_is_said() {
        let ns = [10.0, 10.1];
        let (earlier, mut now) = (saved([record(vec![cell("a", 0, &ns)])]), record(vec![cell("b", 4, &ns)]));
        let found = compare_studies(&earlier, &now);
        assert!(found.cells.is_empty() && !found.has_regression());
        assert_eq!(
            (found.only_earlier, found.only_now),
            (vec!["a".to_owned()], vec!["b".to_owned()]),
            "nothing is swept"
        );
        now.plan.backoff_tokens = vec![4];
        let found = compare_studies(&earlier, &now);
        assert_eq!(found.only_earlier, ["a, 0 tokens"]);
        assert_eq!(found.only_now, ["b, 4 tokens"]);
    }

    #[test]
    fn another_machine_or_convention_is_warned_of() {
        let mut earlier = record(vec![cell("a", 0, &[10.0, 10.1])]);
        earlier.machine.cpu.brand = Some("Old CPU".to_owned());
        earlier.plan.margin_pct = 5.0;
        earlier.interrupted = true;
        let runs = saved([earlier.clone(), earlier.clone(), earlier]);
        let found = compare_studies(&runs, &record(vec![cell("a", 0, &[10.0, 10.1])]));
        assert_eq!(found.warnings.len(), 3, "each once: {:?}", found.warnings);
        assert_eq!(found.warnings[0], "different CPU: Old CPU then, unknown now");
    }

    #[test]
    fn too_short_an_operation_is_not_compared() {
        let mut short = cell("a", 0, &[0.1, 0.1]);
        short.time_ns = None;
        let found = compare_studies(&saved([record(vec![cell("a", 0, &[10.0, 10.1])])]), &record(vec![short]));
        assert_eq!((found.cells[0].verdict, found.cells[0].ratio), (Difference::Unresolved, None));
    }
}
