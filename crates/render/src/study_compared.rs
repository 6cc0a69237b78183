use chronoscope_harness::finding::Severity;
use chronoscope_harness::record::study::{ComparedCell, Difference, StudyCompared};
use chronoscope_harness::study_compare::{NOT_SLOWER, conclusion};

use crate::Width;
use crate::grid::{Column, Grid, Mood, NONE};
use crate::study::varying::Varying;
use crate::text::Text;
use chronoscope_harness::quantity::{confidence, limit, ns, three_digits};

/// Renders a study compared with earlier records of itself as text with ANSI styles, for a terminal of this width.
///
/// # Guarantees
/// As for [`terminal`](crate::study::terminal): never panics, and the record's strings cannot control the terminal.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::study::StudyCompared;
/// use chronoscope_render::{Width, study_compared};
///
/// let compared = StudyCompared {
///     study: "publish".into(),
///     earlier: "target/chronoscope/publish/main.json".into(),
///     earlier_started_at: "2026-11-21T12:00:00Z".into(),
///     more_earlier: Vec::new(),
///     allowance_pct: Some(5.0),
///     margin_pct: 1.0,
///     confidence: 0.999,
///     warnings: vec!["another kernel: 6.8 then, 6.9 now".into()],
///     cells: Vec::new(),
///     only_earlier: Vec::new(),
///     only_now: Vec::new(),
///     conclusion: None,
/// };
/// assert!(study_compared(&compared, Width::default()).contains("another kernel"));
/// ```
pub fn study_compared(compared: &StudyCompared, width: Width) -> String {
    let mut text = Text::with_width(width);
    text.section(&title(compared));
    for warning in &compared.warnings {
        text.sentence(Mood::Warning, "!", warning);
    }
    let grid = grid(compared);
    if !grid.rows.is_empty() {
        text.table_with_moods(&grid.columns, grid.rows);
    }
    for (mood, sign, said) in sentences(compared) {
        text.sentence(mood, sign, &said);
    }
    text.finish()
}

pub(crate) fn title(compared: &StudyCompared) -> String {
    let more = match compared.more_earlier.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let cells = || compared.cells.iter().map(|cell| (cell.backoff_tokens, cell.threads));
    let common = Varying::over(cells()).common(cells().next());
    format!("{} compared with {}{more}{common}", compared.study, compared.earlier)
}

/// What follows the table, each with its mood and its sign.
pub(crate) fn sentences(compared: &StudyCompared) -> Vec<(Mood, &'static str, String)> {
    let mut said: Vec<(Mood, &'static str, String)> = match compared.cells.is_empty() {
        true => vec![(Mood::Warning, "!", "the records have no measurement in common".to_owned())],
        false => sum(compared).into_iter().collect(),
    };
    for (cells, whose) in [(&compared.only_earlier, "earlier records"), (&compared.only_now, "the new one")] {
        if let Some(first) = cells.first() {
            let more = if cells.len() > 1 { format!(" and {} more", cells.len() - 1) } else { String::new() };
            said.push((Mood::Quiet, " ", format!("only in {whose}: {first}{more}")));
        }
    }
    said.push((Mood::Quiet, " ", how(compared)));
    said
}

/// What the ratio is of, and what its interval promises.
fn how(compared: &StudyCompared) -> String {
    let Some(allowance_pct) = compared.allowance_pct else {
        return format!(
            "ratio: new over earlier, of processes that ran at {} and now; {} intervals. Comparing separate runs is \
             weaker than .compare within one run: anything the machine did differently counts as a difference",
            compared.earlier_started_at,
            confidence(compared.confidence)
        );
    };
    let interval = match compared.more_earlier.is_empty() {
        true => String::new(),
        false => format!("; its interval, over their range, holds with {}", confidence(compared.confidence)),
    };
    format!(
        "ratio: this run over the median of earlier ones, the latest of {}{interval}. Faster and slower take {} more, since the \
         level of whole runs moves. --against and --against-rev let the processes of two builds take turns",
        compared.earlier_started_at,
        limit(allowance_pct)
    )
}

/// One row for each cell of all records.
pub(crate) fn grid(compared: &StudyCompared) -> Grid {
    let mut columns = vec![Column::left("case")];
    columns.extend(Varying::columns());
    columns.extend(["earlier", "now", "ratio"].map(Column::right));
    columns.extend([Column::right("interval").tied(), Column::left("verdict")]);
    let mut grid = Grid::new(&columns);
    let varying = Varying::over(compared.cells.iter().map(|cell| (cell.backoff_tokens, cell.threads)));
    for cell in &compared.cells {
        grid.row(mood(cell, compared.margin_pct), row(cell, varying, compared.margin_pct));
    }
    grid.without_empty_columns()
}

fn row(cell: &ComparedCell, varying: Varying, margin_pct: f64) -> Vec<String> {
    let time = |value: Option<f64>| value.map_or_else(|| NONE.to_owned(), ns);
    let interval = |low: f64, high: f64| format!("{}–{}", three_digits(low), three_digits(high));
    let role = cell.role.iter().cloned();
    let parameters = cell.parameters.iter().map(|(name, value)| format!("{name} {value}"));
    let name: Vec<String> = std::iter::once(cell.case.clone()).chain(role).chain(parameters).collect();
    let [tokens, threads] = varying.cells(cell.backoff_tokens, cell.threads);
    vec![
        name.join(", "),
        tokens,
        threads,
        time(cell.earlier_ns),
        time(cell.now_ns),
        cell.ratio.map_or_else(|| NONE.to_owned(), |ratio| three_digits(ratio.estimate)),
        cell.ratio
            .filter(|ratio| ratio.has_interval())
            .map_or_else(|| NONE.to_owned(), |ratio| interval(ratio.low, ratio.high)),
        verdict(cell, margin_pct),
    ]
}

fn verdict(cell: &ComparedCell, margin_pct: f64) -> String {
    let word = match cell.verdict {
        Difference::Faster => "faster",
        Difference::Slower => "slower",
        Difference::Same => return format!("same within {}", limit(margin_pct)),
        Difference::Unresolved => return "inconclusive".to_owned(),
    };
    if cell.is_significant() { word.to_owned() } else { format!("{word}, not significant among this many comparisons") }
}

fn mood(cell: &ComparedCell, margin_pct: f64) -> Mood {
    match cell.verdict {
        Difference::Slower if cell.is_regression(margin_pct) => Mood::Bad,
        Difference::Slower => Mood::Warning,
        Difference::Faster if cell.is_significant() => Mood::Good,
        Difference::Faster | Difference::Same => Mood::Plain,
        Difference::Unresolved => Mood::Quiet,
    }
}

fn sum(compared: &StudyCompared) -> Option<(Mood, &'static str, String)> {
    let found = compared.conclusion.clone().or_else(|| conclusion(compared))?;
    let (mood, sign) = match found.severity {
        Severity::Notice if found.is(NOT_SLOWER) => (Mood::Plain, "✔"),
        Severity::Notice => (Mood::Plain, "·"),
        Severity::Warning | Severity::Critical => (Mood::Bad, "✘"),
    };
    Some((mood, sign, found.evidence.summary))
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;
    use chronoscope_harness::record::study::Estimate;

    use super::*;

    fn cell(verdict: Difference, estimate: f64, significant_in_family: bool) -> ComparedCell {
        ComparedCell {
            case: "a".to_owned(),
            role: None,
            parameters: Default::default(),
            backoff_tokens: 0,
            threads: 1,
            earlier_ns: Some(10.0),
            now_ns: Some(10.0 * estimate),
            forks: (5, 5),
            ratio: Some(Estimate { estimate, low: estimate - 0.004, high: estimate + 0.004, confidence: 0.999 }),
            verdict,
            p_value: None,
            significant_in_family: Some(significant_in_family),
        }
    }

    fn compared(cells: Vec<ComparedCell>) -> StudyCompared {
        StudyCompared {
            study: "publish".to_owned(),
            earlier: "old.json".to_owned(),
            earlier_started_at: "2026-11-21T12:00:00Z".to_owned(),
            more_earlier: Vec::new(),
            allowance_pct: None,
            margin_pct: 1.0,
            confidence: 0.999,
            warnings: Vec::new(),
            cells,
            only_earlier: Vec::new(),
            only_now: Vec::new(),
            conclusion: None,
        }
    }

    fn said(cells: Vec<ComparedCell>) -> String {
        strip_str(&study_compared(&compared(cells), Width::default())).to_string()
    }

    #[cfg(feature = "html")]
    #[test]
    fn a_page_has_what_the_terminal_has() {
        let mut record = crate::study::parse(include_str!("../tests/fixtures/study.json")).unwrap();
        assert!(!crate::study::html(&record).contains("old.json"));
        let found = StudyCompared {
            warnings: vec!["another kernel".to_owned()],
            ..compared(vec![cell(Difference::Slower, 1.3, true)])
        };
        record.compared = Some(found);
        let page = crate::study::html(&record);
        for told in [
            "publish compared with old.json",
            "another kernel",
            "<tr class=\"bad\"><td>a</td>",
            "✘ 1 of 1 became slower",
            "ratio: new over earlier",
        ] {
            assert!(page.contains(told), "{told}");
        }
    }

    #[test]
    fn the_sum_ticks_nothing_that_a_row_calls_slower() {
        let quiet = said(vec![cell(Difference::Same, 1.0, false)]);
        assert!(quiet.contains("✔ none of 1 is known to be slower by more than 1 %\n"), "{quiet}");
        let unsure = said(vec![cell(Difference::Slower, 1.3, false), cell(Difference::Same, 1.0, false)]);
        assert!(unsure.contains("slower, not significant among this many comparisons"), "{unsure}");
        assert!(
            !unsure.contains('✔') && unsure.contains("; 1 slower, but not significant among this many comparisons"),
            "{unsure}"
        );
        let little = said(vec![cell(Difference::Slower, 1.008, true)]);
        assert!(!little.contains('✔') && little.contains("; 1 slower by an estimated 1 % or less"), "{little}");
        let open = said(vec![cell(Difference::Unresolved, 1.1, false)]);
        assert!(!open.contains('✔') && open.contains("; 1 inconclusive"), "{open}");
        assert!(said(vec![cell(Difference::Slower, 1.3, true)]).contains("✘ 1 of 1 became slower"));
    }
}
