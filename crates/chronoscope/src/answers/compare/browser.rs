//! A comparison on a page for browsers: every figure as a ratio, with the range that noise alone explains.

use chronoscope_harness::quantity::{RATIO, confidence, three_digits};
use chronoscope_render::Width;
use chronoscope_render::axis::Scale;
use chronoscope_render::browser::{Chart, Entry, Figure, Hue, InKey, Mark, Row, Rows, Shape};
use chronoscope_render::page::Page;
use chronoscope_render::text::Mood;

use super::report::{Comparison, FigureCompared, FigureVerdict, RunCompared};
use super::view::{answer, by_verdict, differing, mood, of_run};

/// A figure for each document that was compared.
pub fn figures(comparison: &Comparison) -> Vec<Figure> {
    comparison.runs.iter().map(figure).collect()
}

fn figure(run: &RunCompared) -> Figure {
    let entries = by_verdict(run).into_iter().filter_map(row).map(Entry::Row).collect();
    let word = |ratio| RATIO.value(ratio);
    let rows =
        Rows { entries, scale: Scale::Log, word, axis_name: "this over the base".to_owned(), reference: Some(1.0) };
    let differences = run.differences.iter().map(|difference| (Mood::Warning, format!("{}.", differing(difference))));
    let mut numbers = Page::default();
    numbers.append(of_run(run, true, Width::default()));
    Figure {
        id: "compared",
        short: "compared",
        title: format!("Compared: {}", run.run.source),
        says: [(Mood::Plain, format!("{}.", answer(run, true)))].into_iter().chain(differences).collect(),
        charts: vec![Chart::Rows(rows)],
        key: key(run),
        how: "Dashed: the same as in the base. A band reaches as far as runs of an unchanged machine may differ; thick is the interval \
              of the ratio. What changed lies beyond its band: all of the interval where the noise is assumed; where it is known from \
              runs, the mark, and an interval clear of the dashed line."
            .to_owned(),
        numbers,
    }
}

/// The colour and the shape of a verdict, and whether it is hollow.
const fn drawn_as(verdict: FigureVerdict) -> (Hue, Shape, bool) {
    match verdict {
        FigureVerdict::Regression => (Hue::Orange, Shape::Square, false),
        FigureVerdict::Changed => (Hue::Ochre, Shape::Triangle, false),
        FigureVerdict::Improvement => (Hue::Green, Shape::Diamond, false),
        FigureVerdict::Unresolved => (Hue::Ink, Shape::Circle, true),
        FigureVerdict::Noise => (Hue::Blue, Shape::Circle, false),
    }
}

/// The verdicts that are drawn.
fn key(run: &RunCompared) -> Vec<InKey> {
    let drawn = FigureVerdict::ALL.into_iter().filter(|verdict| run.count(*verdict) > 0);
    let entry = |verdict: FigureVerdict| {
        let (hue, shape, is_hollow) = drawn_as(verdict);
        let name = if verdict == FigureVerdict::Noise { "within the noise" } else { verdict.word() };
        (hue, Some((shape, is_hollow)), name.to_owned())
    };
    drawn.map(entry).collect()
}

fn row(figure: &FigureCompared) -> Option<Row> {
    let ratio = figure.ratio?;
    let (hue, shape, is_hollow) = drawn_as(figure.verdict);
    let factor = figure.noise.factor();
    let mut marks = vec![Mark::Band { from: 1.0 / factor, to: factor }];
    marks.extend(ratio.interval().map(|(from, to)| Mark::Interval { from, to }));
    marks.push(Mark::Point { at: ratio.estimate, shape, is_hollow });
    let is_weak = ratio.has_interval() && !ratio.has_confidence();
    let doubt = if is_weak { format!(", interval of {}", confidence(ratio.confidence)) } else { String::new() };
    Some(Row {
        name: format!("{} {}", figure.subject, figure.kind.words),
        hue,
        marks,
        value: format!("{} {}", RATIO.value(ratio.estimate), figure.verdict.word()),
        mood: mood(figure.verdict),
        more: format!("noise × {}{doubt}", three_digits(factor)),
        ..Row::default()
    })
}
