//! A study's record beside an earlier one: another process on another day. Pure functions.

use crate::record::study::{Cell, ComparedCell, Difference, Estimate, StudyCompared, StudyRecord};
use crate::stats::{Comparison, Interval, compare, holm, t_two_sided};

/// The ratio of two independent samples of durations, with the probability of one at least as far from 1 if there were no
/// difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Welch {
    /// New over earlier, of geometric means.
    pub ratio: Interval,
    /// Two-sided. 1 where one of the samples has a single value.
    pub p_value: f64,
}

/// The ratio of `now` over `earlier`, two independent samples of durations such as one value per process. None if one of
/// them holds no value that is finite and above 0.
///
/// Both are compared as logarithms, so that an interval of their difference is one of the ratio. With a single value on a
/// side nothing is known of the spread, and the confidence is 0.
///
/// # Sources
/// B. L. Welch, "The Generalization of 'Student's' Problem when Several Different Population Variances are Involved",
/// Biometrika 34, 1947; degrees of freedom after F. E. Satterthwaite, Biometrics Bulletin 2, 1946.
///
/// # Examples
/// ```
/// use chronoscope_harness::welch_ratio;
///
/// let found = welch_ratio(&[20.0, 20.1, 19.9, 20.2], &[22.0, 22.2, 21.9, 22.1], 0.999).unwrap();
/// assert!(found.ratio.low > 1.05 && found.ratio.high < 1.15 && found.p_value < 1e-4);
/// ```
pub fn welch_ratio(earlier: &[f64], now: &[f64], confidence: f64) -> Option<Welch> {
    Some(welch(&Sample::of(earlier)?, &Sample::of(now)?, confidence))
}

fn welch(earlier: &Sample, now: &Sample, confidence: f64) -> Welch {
    let log_ratio = now.mean - earlier.mean;
    let (Some(a), Some(b)) = (earlier.squared_error, now.squared_error) else {
        return Welch { ratio: Interval::point(log_ratio.exp()), p_value: 1.0 };
    };
    let squared_error = a + b;
    if squared_error == 0.0 {
        // Without any spread the means themselves decide.
        let p_value = if log_ratio == 0.0 { 1.0 } else { 0.0 };
        return Welch { ratio: Interval { confidence, ..Interval::point(log_ratio.exp()) }, p_value };
    }
    // By shares, which neither overflow nor vanish as squares of squares do. Below one degree is rounding.
    let share = a / squared_error;
    let freedom = 1.0 / (share.powi(2) / (earlier.n - 1.0) + (1.0 - share).powi(2) / (now.n - 1.0));
    let freedom = if freedom.is_nan() { freedom } else { freedom.max(1.0) };
    let error = squared_error.sqrt();
    Welch {
        ratio: Interval::student(log_ratio, error, freedom, confidence).map(f64::exp),
        p_value: t_two_sided(log_ratio / error, freedom).unwrap_or(1.0),
    }
}

/// Logarithms of durations.
struct Sample {
    n: f64,
    mean: f64,
    /// The square of the mean's standard error; none for a single value.
    squared_error: Option<f64>,
}

impl Sample {
    fn of(durations: &[f64]) -> Option<Self> {
        let logs: Vec<f64> =
            durations.iter().filter(|value| value.is_finite() && **value > 0.0).map(|value| value.ln()).collect();
        let n = logs.len() as f64;
        let first = *logs.first()?;
        // Relative to the first, so that equal values have exactly no spread.
        let mean = first + logs.iter().map(|log| log - first).sum::<f64>() / n;
        let squares = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>();
        Some(Self { n, mean, squared_error: (logs.len() > 1).then(|| squares / (n - 1.0) / n) })
    }
}

/// Compares every cell that both records hold, by the values of their processes. `file` says where the earlier one lies.
///
/// The margin and the confidence are those of the new record's plan. Cells of an operation that takes too short a time, or
/// that failed, are unresolved.
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
    StudyCompared {
        study: now.study.name.clone(),
        earlier: file.to_owned(),
        earlier_started_at: earlier.started_at.clone(),
        margin_pct,
        confidence,
        warnings: warnings(earlier, now),
        cells,
        only_earlier: alone(earlier, now),
        only_now: alone(now, earlier),
    }
}

fn compare_cells(earlier: &Cell, now: &Cell, margin_pct: f64, confidence: f64) -> ComparedCell {
    let (before, after) = (of_forks(earlier), of_forks(now));
    let is_bounded = |found: &Welch| found.ratio.low.is_finite() && found.ratio.high.is_finite();
    let found = welch_ratio(&before, &after, confidence).filter(is_bounded);
    let verdict = found.map_or(Difference::Unresolved, |found| match compare(&found.ratio, margin_pct / 100.0) {
        Comparison::Faster => Difference::Faster,
        Comparison::Slower => Difference::Slower,
        Comparison::Same => Difference::Same,
        Comparison::Unresolved => Difference::Unresolved,
    });
    ComparedCell {
        case: now.case.clone(),
        role: now.role.clone(),
        parameters: now.parameters.clone(),
        backoff_tokens: now.backoff_tokens,
        threads: now.threads,
        earlier_ns: Sample::of(&before).map(|sample| sample.mean.exp()),
        now_ns: Sample::of(&after).map(|sample| sample.mean.exp()),
        forks: (before.len() as u32, after.len() as u32),
        ratio: found.map(|found| Estimate {
            estimate: found.ratio.estimate,
            low: found.ratio.low,
            high: found.ratio.high,
            confidence: found.ratio.confidence,
        }),
        verdict,
        p_value: found.map_or(1.0, |found| found.p_value),
        significant_in_family: false,
    }
}

/// One value per process, where the operation can be told from nothing.
fn of_forks(cell: &Cell) -> Vec<f64> {
    if cell.time_ns.is_none() {
        return Vec::new();
    }
    cell.forks.iter().filter_map(|fork| fork.time_ns).filter(|ns| ns.is_finite() && *ns > 0.0).collect()
}

/// Whether two cells are of the same combination.
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
    let role = cell.role.iter().map(|role| format!(", {role}"));
    let parameters = cell.parameters.iter().map(|(name, value)| format!(", {name} {value}"));
    let details: String = role.chain(parameters).collect();
    format!("{}{details}, {} tokens, {} threads", cell.case, cell.backoff_tokens, cell.threads)
}

/// What differs beside the operations.
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
        .map(|((name, before), (_, after))| format!("another {name}: {before} then, {after} now"))
        .collect();
    for (record, when) in [(earlier, "earlier"), (now, "new")] {
        if record.interrupted {
            warnings.push(format!("the {when} run was stopped before its end"));
        }
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::study::{CellFork, Mode, Outliers, StudyContent, StudyPlan, StudyReport};
    use crate::record::{Document, Machine, Tool};
    use proptest::prelude::*;

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
            visits: 0,
            visits_quiet: 0,
            latencies: None,
            part: None,
            forks: forks
                .map(|(fork, ns)| CellFork { fork: fork as u32, time_ns: Some(*ns), ..CellFork::default() })
                .collect(),
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
        assert_eq!(found.cells[0].forks, (5, 5));
    }

    #[test]
    fn what_only_one_record_holds_is_said() {
        let ns = [10.0, 10.1];
        let found = compare_studies(&record(vec![cell("a", 0, &ns)]), &record(vec![cell("b", 4, &ns)]), "old.json");
        assert!(found.cells.is_empty() && !found.has_regression());
        assert_eq!(found.only_earlier, ["a, 0 tokens, 1 threads"]);
        assert_eq!(found.only_now, ["b, 4 tokens, 1 threads"]);
    }

    #[test]
    fn another_machine_or_convention_is_warned_of() {
        let mut earlier = record(vec![cell("a", 0, &[10.0, 10.1])]);
        earlier.machine.cpu.brand = Some("Old CPU".to_owned());
        earlier.plan.margin_pct = 5.0;
        earlier.interrupted = true;
        let found = compare_studies(&earlier, &record(vec![cell("a", 0, &[10.0, 10.1])]), "old.json");
        assert_eq!(found.warnings.len(), 3, "{:?}", found.warnings);
        assert_eq!(found.warnings[0], "another CPU: Old CPU then, unknown now");
    }

    #[test]
    fn too_short_an_operation_is_not_compared() {
        let mut short = cell("a", 0, &[0.1, 0.1]);
        short.time_ns = None;
        let found = compare_studies(&record(vec![cell("a", 0, &[10.0, 10.1])]), &record(vec![short]), "old.json");
        assert_eq!((found.cells[0].verdict, found.cells[0].ratio), (Difference::Unresolved, None));
    }

    #[test]
    fn one_process_decides_nothing_and_no_spread_decides_all() {
        let lone = welch_ratio(&[10.0], &[20.0, 20.0], 0.99).unwrap();
        assert_eq!((lone.p_value, lone.ratio.confidence), (1.0, 0.0));
        let exact = welch_ratio(&[10.0, 10.0], &[20.0, 20.0], 0.99).unwrap();
        assert_eq!((exact.p_value, exact.ratio.low), (0.0, exact.ratio.high));
        assert_eq!(welch_ratio(&[10.0; 2], &[10.0; 2], 0.99).unwrap().p_value, 1.0);
        assert_eq!(welch_ratio(&[0.0, f64::NAN], &[1.0], 0.99), None);
    }

    #[test]
    fn any_number_of_values_is_judged() {
        // Hundreds of millions of degrees of freedom: an inversion of Student's t by the library never returns there.
        let sample = |n: f64, mean: f64| Sample { n, mean, squared_error: Some(1.0 / n) };
        for n in [1e6, 1e8, 1e12, 1e300] {
            let found = welch(&sample(n, 0.0), &sample(n, 0.1), 0.95);
            assert!((found.ratio.estimate - 0.1_f64.exp()).abs() < 1e-9, "{n}: {found:?}");
            assert!(found.ratio.low > 1.0 && found.ratio.high < 1.2 && found.p_value < 0.05, "{n}: {found:?}");
        }
        // A spread that is no number decides nothing, and the smallest one is still a spread.
        let odd = |error: f64| Sample { n: 2.0, mean: 0.1, squared_error: Some(error) };
        for error in [f64::NAN, f64::INFINITY] {
            let found = welch(&odd(error), &odd(1e-4), 0.95);
            assert_eq!((found.ratio.confidence, found.p_value), (0.0, 1.0), "{error}: {found:?}");
        }
        let tiny = welch(&odd(f64::MIN_POSITIVE), &odd(0.0), 0.95);
        assert!(tiny.ratio.confidence > 0.9 && tiny.ratio.low <= tiny.ratio.high, "{tiny:?}");
    }

    #[test]
    fn it_is_the_textbook_test() {
        // Logs 1…5 against 2, 4, …, 10: Welch gives t = 1.8974 on 5.8824 degrees of freedom.
        let earlier: Vec<f64> = (1..=5).map(|log| f64::from(log).exp()).collect();
        let now: Vec<f64> = (1..=5).map(|log| f64::from(2 * log).exp()).collect();
        let found = welch_ratio(&earlier, &now, 0.95).unwrap();
        assert!((found.p_value - 0.107_531).abs() < 1e-4, "{}", found.p_value);
    }

    proptest! {
        #[test]
        fn nothing_panics(
            earlier in prop::collection::vec(any::<f64>(), 0..8),
            now in prop::collection::vec(any::<f64>(), 0..8),
            confidence in any::<f64>(),
        ) {
            let _ = welch_ratio(&earlier, &now, confidence);
        }

        #[test]
        fn interval_and_test_agree_and_sides_can_be_swapped(
            earlier in prop::collection::vec(1.0_f64..100.0, 2..8),
            now in prop::collection::vec(1.0_f64..100.0, 2..8),
        ) {
            let found = welch_ratio(&earlier, &now, 0.95).unwrap();
            let swapped = welch_ratio(&now, &earlier, 0.95).unwrap();
            prop_assert!((found.ratio.low * swapped.ratio.high - 1.0).abs() < 1e-6);
            prop_assert!((found.p_value - swapped.p_value).abs() < 1e-9);
            let excludes = found.ratio.low > 1.0 || found.ratio.high < 1.0;
            prop_assert!(excludes == (found.p_value < 0.05) || (found.p_value - 0.05).abs() < 1e-6);
        }
    }
}
