//! A comparison on a page for browsers: every figure as a ratio, with the range that noise alone explains.

use chronoscope_harness::quantity::{RATIO, three_digits};
use chronoscope_render::Width;
use chronoscope_render::axis::Scale;
use chronoscope_render::browser::{Chart, Entry, Figure, Hue, Mark, Row, Rows, Shape};
use chronoscope_render::page::Page;
use chronoscope_render::text::Mood;

use super::report::{Comparison, FigureCompared, FigureVerdict, RunCompared};
use super::view::{answer, by_verdict, mood, of_run};

/// A figure for each document that was compared.
pub fn figures(comparison: &Comparison) -> Vec<Figure> {
    comparison.runs.iter().map(figure).collect()
}

fn figure(run: &RunCompared) -> Figure {
    let entries = by_verdict(run).into_iter().filter_map(row).map(Entry::Row).collect();
    let word = |ratio| RATIO.value(ratio);
    let rows =
        Rows { entries, scale: Scale::Log, word, axis_name: "this over the base".to_owned(), reference: Some(1.0) };
    let of = |hue, shape, is_hollow, name: &str| (hue, Some((shape, is_hollow)), name.to_owned());
    let mut numbers = Page::default();
    numbers.append(of_run(run, true, Width::default()));
    Figure {
        id: "compared",
        short: "compared",
        title: format!("Compared: {}", run.run.source),
        says: vec![(Mood::Plain, answer(run, true))],
        charts: vec![Chart::Rows(rows)],
        key: vec![
            of(Hue::Orange, Shape::Square, false, "changed"),
            of(Hue::Blue, Shape::Circle, false, "within the noise"),
            of(Hue::Ink, Shape::Circle, true, "inconclusive"),
        ],
        how: "Dashed: the same as in the base. A band reaches as far as runs of an unchanged machine may differ; thick is the interval \
              of the ratio."
            .to_owned(),
        numbers,
    }
}

fn row(figure: &FigureCompared) -> Option<Row> {
    let ratio = figure.ratio?;
    let (hue, shape) = match figure.verdict {
        FigureVerdict::Regression | FigureVerdict::Improvement | FigureVerdict::Changed => (Hue::Orange, Shape::Square),
        FigureVerdict::Noise => (Hue::Blue, Shape::Circle),
        FigureVerdict::Unresolved => (Hue::Ink, Shape::Circle),
    };
    let factor = figure.noise.factor();
    let mut marks = vec![Mark::Band { from: 1.0 / factor, to: factor }];
    marks.extend(ratio.interval().map(|(from, to)| Mark::Interval { from, to }));
    marks.push(Mark::Point { at: ratio.estimate, shape, is_hollow: figure.verdict == FigureVerdict::Unresolved });
    Some(Row {
        name: format!("{} {}", figure.subject, figure.kind.words),
        hue,
        marks,
        value: format!("{} {}", RATIO.value(ratio.estimate), figure.verdict.word()),
        mood: mood(figure.verdict),
        more: format!("noise × {}", three_digits(factor)),
        ..Row::default()
    })
}
