//! This build against another one.

use chronoscope_harness::finding::Severity;
use chronoscope_harness::quantity::{PERCENT, RATIO, confidence, limit, ns};
use chronoscope_harness::record::study::{Against, AgainstCell, Difference, Estimate};
use chronoscope_harness::study_against::NOT_SLOWER;

use super::varying::Varying;
use super::words::{amount, parameters, time, verdict};
use crate::grid::{Column, Grid, Mood};
use crate::words::given;

const NONE: &str = "–";

pub(super) fn title(against: &Against) -> String {
    let cells = || against.cells.iter().map(|cell| (cell.backoff_tokens, cell.threads));
    format!("this build against {}{}", against.other, Varying::over(cells()).common(cells().next()))
}

/// One row for each cell of both builds.
pub(super) fn grid(against: &Against) -> Grid {
    let mut columns = vec![Column::left("case")];
    columns.extend(Varying::columns());
    columns.extend(["this build", "other build", "ratio"].map(Column::right));
    columns.push(Column::left("verdict"));
    let mut grid = Grid::new(&columns);
    let varying = Varying::over(against.cells.iter().map(|cell| (cell.backoff_tokens, cell.threads)));
    for cell in &against.cells {
        grid.row(mood(cell, against), row(cell, varying, against.margin_pct));
    }
    grid.without_empty_columns()
}

fn row(cell: &AgainstCell, varying: Varying, margin_pct: f64) -> Vec<String> {
    let point = |time: &Estimate| ns(time.estimate);
    let [tokens, threads] = varying.cells(cell.backoff_tokens, cell.threads);
    let role = cell.role.as_ref().map_or_else(String::new, |role| format!(" / {role}"));
    vec![
        format!("{}{role}{}", cell.case, parameters(&cell.parameters)),
        tokens,
        threads,
        time(cell.this_ns, cell.this_below_ns, point),
        time(cell.other_ns, cell.other_below_ns, point),
        cell.ratio.filter(|_| cell.has_ratio()).map_or_else(|| NONE.to_owned(), |found| amount(RATIO, &found)),
        verdict(cell.verdict, cell.has_states, cell.difference_ns.as_ref(), margin_pct),
    ]
}

fn mood(cell: &AgainstCell, against: &Against) -> Mood {
    match cell.verdict {
        Difference::Slower if against.is_regression(cell) => Mood::Bad,
        Difference::Slower => Mood::Warning,
        Difference::Faster => Mood::Good,
        Difference::Same => Mood::Plain,
        Difference::Unresolved => Mood::Quiet,
    }
}

/// What the table does not show, each with its mood and its sign.
pub(super) fn sentences(against: &Against) -> Vec<(Mood, &'static str, String)> {
    let mut said: Vec<(Mood, &'static str, String)> = Vec::new();
    if let Some(found) = &against.conclusion {
        let (mood, sign) = match found.severity {
            Severity::Notice if found.is(NOT_SLOWER) => (Mood::Plain, "✔"),
            Severity::Notice => (Mood::Plain, "·"),
            Severity::Warning | Severity::Critical => (Mood::Bad, "✘"),
        };
        said.push((mood, sign, found.evidence.summary.clone()));
    } else {
        said.push((Mood::Warning, "!", "the builds have no measurement in common".to_owned()));
    }
    if let Some(floor_pct) = against.floor_pct {
        let text = format!(
            "{} instead of the margin of {}: this run's comparisons of an operation with itself resolve no less, so a smaller \
             difference does not fail it",
            PERCENT.reach(floor_pct),
            limit(against.margin_pct)
        );
        said.push((Mood::Plain, "·", text));
    }
    said.extend(against.warnings.iter().map(|warning| (Mood::Warning, "!", warning.clone())));
    for failure in &against.failures {
        let text =
            format!("{} failed in the other build, at {}: {}", failure.case, failure.at, given(Some(&failure.reason)));
        said.push((Mood::Warning, "!", text));
    }
    for (cells, whose) in [(&against.only_other, "the other build"), (&against.only_this, "this build")] {
        if let Some(first) = cells.first() {
            let more = if cells.len() > 1 { format!(" and {} more", cells.len() - 1) } else { String::new() };
            said.push((Mood::Quiet, " ", format!("only in {whose}: {first}{more}")));
        }
    }
    let pairs = against.cells.iter().map(|cell| cell.pairs).max().unwrap_or(0);
    let mut how =
        format!("ratio: this build over the other, the median over {pairs} pairs of processes that took turns");
    if against.has_intervals() {
        how += &format!("; the intervals of all cells hold at once at {}", confidence(against.confidence));
    }
    said.push((Mood::Quiet, " ", how));
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::record::study::Leading;

    fn cell(verdict: Difference, of: f64) -> AgainstCell {
        let around = |estimate: f64, half: f64| Estimate {
            estimate,
            low: estimate - half,
            high: estimate + half,
            confidence: 0.9995,
        };
        AgainstCell {
            case: "a".to_owned(),
            role: None,
            parameters: [("size".to_owned(), "64".to_owned())].into(),
            backoff_tokens: 0,
            threads: 1,
            leads: Leading::Typical,
            this_ns: Some(around(10.0 * of, 0.01)),
            this_below_ns: None,
            other_ns: Some(around(10.0, 0.01)),
            other_below_ns: None,
            difference_ns: Some(around(10.0 * of - 10.0, 0.02)),
            ratio: Some(around(of, 0.002)),
            verdict,
            has_states: false,
            pairs: 0,
        }
    }

    fn against(cells: Vec<AgainstCell>) -> Against {
        Against {
            other: "v1.0".to_owned(),
            margin_pct: 1.0,
            floor_pct: None,
            confidence: 0.999,
            warnings: vec!["too few".to_owned()],
            cells,
            only_this: vec!["b".to_owned(), "c".to_owned()],
            only_other: Vec::new(),
            failures: Vec::new(),
            processes: Vec::new(),
            conclusion: None,
        }
    }

    #[test]
    fn a_row_has_both_times_the_ratio_and_the_verdict() {
        let found = grid(&against(vec![cell(Difference::Slower, 1.02), cell(Difference::Same, 1.0)]));
        let cells = |at: usize| found.rows[at].1.iter().map(|cell| cell.replace('\u{a0}', " ")).collect::<Vec<_>>();
        assert_eq!(cells(0), ["a size=64", "10.2 ns", "10.0 ns", "1.0200× ± 0.0020", "slower"]);
        assert_eq!(cells(1)[3], "1.0000× ± 0.0020");
        assert_eq!((found.rows[0].0, found.rows[1].0), (Mood::Bad, Mood::Plain));
    }

    #[test]
    fn backoff_and_threads_have_columns_where_they_differ() {
        let at = |backoff_tokens, threads| AgainstCell { backoff_tokens, threads, ..cell(Difference::Same, 1.0) };
        let seen = |cells: Vec<AgainstCell>| {
            let found = against(cells);
            let columns = grid(&found).columns.into_iter().map(|column| column.title);
            (title(&found).contains("threads"), columns.take_while(|title| title != "this build").collect::<Vec<_>>())
        };
        let said = |names_threads: bool, columns: &[&str]| {
            (names_threads, columns.iter().map(|&title| title.to_owned()).collect())
        };
        assert_eq!(seen(vec![at(0, 1)]), said(false, &["case"]));
        assert_eq!(seen(vec![at(0, 4), at(8, 4)]), said(true, &["case", "tokens"]));
        assert_eq!(seen(vec![at(0, 1), at(0, 2)]), said(false, &["case", "threads"]));
    }

    #[test]
    fn how_many_times_nothing_something_takes_is_not_said() {
        let nothing = AgainstCell { other_ns: None, other_below_ns: Some(0.3), ..cell(Difference::Slower, 40.0) };
        let row = grid(&against(vec![nothing, cell(Difference::Same, 1.0)])).rows[0].1.clone();
        assert_eq!(row[2..], ["< 0.300 ns", NONE, "slower"]);
    }

    #[test]
    fn a_margin_that_the_run_cannot_resolve_is_raised_and_that_is_said() {
        let slower = vec![cell(Difference::Slower, 1.02)];
        let raised = Against { floor_pct: Some(3.2), ..against(slower.clone()) };
        assert_eq!((grid(&raised).rows[0].0, grid(&against(slower)).rows[0].0), (Mood::Warning, Mood::Bad));
        let said = |against: &Against| sentences(against).iter().any(|(.., text)| text.starts_with("3.2 % instead of"));
        assert!(said(&raised) && !said(&against(Vec::new())));
    }

    #[test]
    fn what_is_lost_is_named() {
        let said: Vec<String> = sentences(&against(Vec::new())).into_iter().map(|(.., text)| text).collect();
        assert_eq!(said[1], "too few");
        assert!(said[2].ends_with("1 more"), "{said:?}");
    }
}
