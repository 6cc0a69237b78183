use maud::{Markup, html};

use super::marks::{Hue, Shape, point};
use super::matrix::Matrix;
use super::plot::Plot;
use super::rows::Rows;
use super::tables;
use super::texts::{TITLE, bare, prose, sentences};
use crate::grid::Mood;
use crate::page::Page;

/// A section of a page: what was found in plain words, the drawing, how to read it, and the numbers.
#[derive(Debug, Default)]
pub struct Figure {
    /// Its name in links, and for whoever asks for this one alone.
    pub id: &'static str,
    /// What its link is called.
    pub short: &'static str,
    /// Its title in plain words.
    pub title: String,
    /// What was found, in sentences that could have come out the other way.
    pub says: Vec<(Mood, String)>,
    /// The drawings, one below the other.
    pub charts: Vec<Chart>,
    /// What the marks stand for.
    pub key: Vec<InKey>,
    /// How to read the drawing.
    pub how: String,
    /// The numbers, as on the page for terminals.
    pub numbers: Page,
}

/// A hue, a shape and whether it is hollow, and what such marks stand for.
pub type InKey = (Hue, Option<(Shape, bool)>, String);

/// A drawing.
#[derive(Clone, Debug)]
pub enum Chart {
    /// A line per thing on one axis.
    Rows(Rows),
    /// Plots side by side where there is room.
    Plots(Vec<Plot>),
    /// What is between each two things.
    Matrix(Matrix),
}

impl Figure {
    /// Its numbers take from `room`, the bytes that are left for those of the page.
    pub(super) fn drawn(self, room: &mut usize) -> Markup {
        let charts: Vec<Markup> = self
            .charts
            .iter()
            .enumerate()
            .filter_map(|(place, chart)| chart.drawn(&format!("{}-{place}", self.id)))
            .collect();
        // What is drawn below in its own way is not drawn with characters, too.
        let numbers = if charts.is_empty() { self.numbers } else { self.numbers.without_drawings() };
        html! {
            "\n" section id=(self.id) {
                h2 { (prose(&self.title)) }
                (sentences(&self.says))
                @for chart in &charts { figure aria-label=(bare(&self.title, TITLE)) { (chart) } }
                @if !self.key.is_empty() && !charts.is_empty() { (key(&self.key)) }
                @if !self.how.is_empty() && !charts.is_empty() { p.how { (prose(&self.how)) } }
                @if !numbers.is_empty() {
                    details open[charts.is_empty()] { summary { "The numbers" } (tables::page(numbers, room)) }
                }
            }
        }
    }
}

fn key(entries: &[InKey]) -> Markup {
    html! {
        div.key {
            @for (hue, mark, name) in entries {
                span class=(hue.class()) {
                    @if let Some((shape, is_hollow)) = mark {
                        svg viewBox="-7 -7 14 14" aria-hidden="true" { (point(0.0, 0.0, *shape, *is_hollow)) }
                    }
                    i { (prose(name)) }
                }
            }
        }
    }
}

impl Chart {
    fn drawn(&self, id: &str) -> Option<Markup> {
        match self {
            Self::Rows(rows) => rows.drawn(id),
            Self::Matrix(matrix) => matrix.drawn(),
            Self::Plots(plots) => (!plots.is_empty()).then(|| html! {
                div class=(if plots.len() > 1 { "small" } else { "one" }) { @for plot in plots { div { (plot.drawn()) } } }
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Scale;
    use crate::browser::{Entry, Mark, Row};
    use crate::line::Line;

    fn page(charts: Vec<Chart>, more: &[&str]) -> String {
        let mut numbers = Page::default();
        numbers.section_of_drawings("BARS", "long is many");
        numbers.drawing([Line::plain("####")]);
        more.iter().for_each(|title| numbers.section(title));
        if !more.is_empty() {
            numbers.paragraph(Line::new(), anstyle::Style::new(), "a number");
        }
        Figure { id: "x", charts, numbers, ..Figure::default() }.drawn(&mut 100_000).0
    }

    #[test]
    fn what_a_chart_draws_has_no_heading_among_the_numbers() {
        let row = Row { marks: vec![Mark::Extreme { at: 1.0 }], ..Row::default() };
        let rows = Rows {
            entries: vec![Entry::Row(row)],
            scale: Scale::Log,
            word: |_| String::new(),
            axis_name: String::new(),
            reference: None,
        };
        let charts = || vec![Chart::Rows(rows.clone())];
        let drawn = page(charts(), &["EMPTY", "MORE"]);
        assert!(drawn.contains("<h3>MORE</h3>") && drawn.contains("a number"), "{drawn}");
        assert!(!drawn.contains("BARS") && !drawn.contains("EMPTY") && !drawn.contains("####"), "{drawn}");
        let nothing = page(charts(), &[]);
        assert!(!nothing.contains("The numbers") && !nothing.contains("long is many"), "{nothing}");
        // Where nothing else is drawn, the characters are.
        let alone = page(Vec::new(), &[]);
        assert!(alone.contains("<h3>BARS (long is many)</h3>") && alone.contains("####"), "{alone}");
    }
}
