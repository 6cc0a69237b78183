//! A comparison as a page.

use chronoscope_harness::finding::Severity;
use chronoscope_harness::quantity::{RATIO, TIME, count, three_digits};
use chronoscope_harness::record::Estimate;
use chronoscope_render::Width;
use chronoscope_render::page::Page;
use chronoscope_render::text::{Column, Mood, Text};
use chronoscope_render::words::{counted, given};

use crate::figures::figure::FigureKind;

use super::report::{ComparedRun, Comparison, Difference, FigureCompared, FigureVerdict, FindingName, RunCompared};

/// Renders a comparison as text with ANSI styles, for a terminal of this width: figures that changed or are inconclusive, and with
/// `full` all of them.
pub fn page(comparison: &Comparison, full: bool, width: Width) -> Page {
    let mut text = Text::with_width(width);
    text.line(Mood::Plain, &base(comparison));
    let mut page = text.into_page();
    comparison.runs.iter().for_each(|run| page.append(of_run(run, full, width)));
    page
}

/// What the others are compared with.
pub fn base(comparison: &Comparison) -> String {
    format!("base: {}", named(&comparison.base))
}

fn named(run: &ComparedRun) -> String {
    let hostname = given_name(run.hostname.as_deref());
    format!(
        "{} · {} · {hostname} · {} · {} {}",
        run.source, run.command, run.started_at, run.tool.name, run.tool.version
    )
}

fn given_name(hostname: Option<&str>) -> String {
    hostname.map_or_else(|| "hostname unknown".to_owned(), |name| given(Some(name)))
}

/// One document against the base.
pub fn of_run(run: &RunCompared, full: bool, width: Width) -> Page {
    let mut text = Text::with_width(width);
    text.section(&format!("COMPARED {}", run.run.source));
    text.line(Mood::Quiet, &named(&run.run));
    text.sentence(if has_changed(run) { Mood::Warning } else { Mood::Good }, "·", &answer(run, full));
    for difference in &run.differences {
        text.sentence(Mood::Warning, "!", &differing(difference));
    }
    for finding in &run.findings_appeared {
        text.sentence(Mood::Warning, "+", &format!("finding {}", finding_words(finding, true)));
    }
    for finding in &run.findings_vanished {
        text.sentence(Mood::Good, "−", &format!("finding {}", finding_words(finding, false)));
    }
    let mut figures = by_verdict(run);
    figures.retain(|figure| full || is_change(figure.verdict));
    if !figures.is_empty() {
        text.table_with_moods(&columns(), figures.iter().map(|figure| (mood(figure.verdict), row(figure))));
    }
    for (alone, whose) in [(&run.only_base, "the base"), (&run.only_this, "this run")] {
        if let Some(first) = alone.first() {
            let more = if alone.len() > 1 { format!(" and {} more", alone.len() - 1) } else { String::new() };
            text.sentence(Mood::Quiet, " ", &format!("only in {whose}: {first}{more}"));
        }
    }
    for assumption in &run.assumptions {
        text.sentence(Mood::Quiet, " ", assumption);
    }
    text.into_page()
}

/// What else differs.
pub fn differing(Difference { what, base, this }: &Difference) -> String {
    format!("{what}: {base} → {this}")
}

/// The figures, those that changed first.
pub fn by_verdict(run: &RunCompared) -> Vec<&FigureCompared> {
    let mut figures: Vec<&FigureCompared> = run.figures.iter().collect();
    let rank = |verdict: FigureVerdict| FigureVerdict::ALL.iter().position(|one| *one == verdict);
    figures.sort_by_key(|figure| rank(figure.verdict));
    figures
}

/// `finding` is of this document if `is_new`, else of the base.
fn finding_words(finding: &FindingName, is_new: bool) -> String {
    let here = finding.severity.word();
    let severity = match finding.severity_in_other.map(Severity::word) {
        Some(there) if is_new => format!(" ({there} → {here})"),
        Some(there) => format!(" ({here} → {there})"),
        None => format!(" ({here})"),
    };
    let subject = finding.subject.as_ref().map_or_else(String::new, |subject| format!(": {subject}"));
    format!("{}{severity}{subject}", finding.id)
}

fn columns() -> [Column; 7] {
    [
        Column::left("subject"),
        Column::left("figure").naming(),
        Column::right("base"),
        Column::right("this"),
        Column::right("ratio"),
        Column::right("noise").tied(),
        Column::left("verdict"),
    ]
}

fn row(figure: &FigureCompared) -> Vec<String> {
    let ratio = |ratio: Estimate| match ratio.has_confidence() {
        true => RATIO.difference(&ratio),
        false => RATIO.value(ratio.estimate),
    };
    vec![
        figure.subject.clone(),
        figure.kind.words.to_owned(),
        value(figure.kind, &figure.base),
        value(figure.kind, &figure.this),
        figure.ratio.map_or_else(|| "–".to_owned(), ratio),
        format!("× {}", three_digits(figure.noise.factor())),
        figure.verdict.word().to_owned(),
    ]
}

fn value(kind: &FigureKind, of: &Estimate) -> String {
    match of.has_confidence() {
        _ if kind.is_bound => TIME.below(of.estimate),
        true => TIME.difference(of),
        false => TIME.value(of.estimate),
    }
}

pub fn mood(verdict: FigureVerdict) -> Mood {
    match verdict {
        FigureVerdict::Regression => Mood::Bad,
        FigureVerdict::Improvement => Mood::Good,
        FigureVerdict::Changed => Mood::Warning,
        FigureVerdict::Unresolved => Mood::Quiet,
        FigureVerdict::Noise => Mood::Plain,
    }
}

/// Whether this says that a figure changed.
fn is_change(verdict: FigureVerdict) -> bool {
    match verdict {
        FigureVerdict::Regression | FigureVerdict::Improvement | FigureVerdict::Changed => true,
        FigureVerdict::Unresolved | FigureVerdict::Noise => false,
    }
}

fn has_changed(run: &RunCompared) -> bool {
    run.figures.iter().any(|figure| is_change(figure.verdict))
}

fn counted_verdict(verdict: FigureVerdict, figures: u64) -> String {
    match verdict {
        FigureVerdict::Regression => counted(figures, "regression", "regressions"),
        FigureVerdict::Improvement => counted(figures, "improvement", "improvements"),
        FigureVerdict::Changed => format!("{} changed", count(figures)),
        FigureVerdict::Unresolved => format!("{} inconclusive", count(figures)),
        FigureVerdict::Noise => format!("{} within the noise", count(figures)),
    }
}

/// How many figures changed; first of all, since most who ask want to hear that none did.
pub fn answer(run: &RunCompared, full: bool) -> String {
    if run.figures.is_empty() {
        return "the documents have no figure in common".to_owned();
    }
    let counted_verdicts = |is_meant: &dyn Fn(FigureVerdict) -> bool| {
        let meant = FigureVerdict::ALL.into_iter().filter(|verdict| is_meant(*verdict) && run.count(*verdict) > 0);
        meant.map(|verdict| counted_verdict(verdict, run.count(verdict) as u64)).collect::<Vec<_>>().join(", ")
    };
    let all = counted(run.figures.len() as u64, "figure in common", "figures in common");
    let others = counted_verdicts(&|verdict| !is_change(verdict));
    let where_they_are = if full { "" } else { " (--full)" };
    match (counted_verdicts(&is_change), others.is_empty()) {
        (changed, true) => format!("{all}: {changed}"),
        (changed, false) if changed.is_empty() => {
            format!("no figure is known to have changed, of {all}: {others}{where_they_are}")
        }
        (changed, false) => format!("{all}: {changed}; {others}{where_they_are}"),
    }
}
