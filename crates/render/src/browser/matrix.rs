use maud::{Markup, html};

use super::marks::part;
use super::texts::prose;
use crate::axis::{Axis, Scale};

/// Height of the whole, and of a cell at most, in pixels.
const HEIGHT: f64 = 600.0;
const TALLEST: f64 = 24.0;
/// Cells from this height on have a gap between them, in pixels.
const SEPARATE: f64 = 8.0;
/// Width of a cell for its height, at most.
const WIDER: f64 = 1.6;
/// Pixels that the label of a line takes, down and across, and the least width of a drawing.
const LABEL: [f64; 2] = [15.0, 28.0];
const NARROWEST: f64 = 300.0;
/// Maximum cells drawn, since a record may have any number of them; the tables have more.
const MOST: usize = 2_000;
/// A larger ratio of the largest value to the smallest takes equal steps of colour for equal ratios.
const DECADE: f64 = 10.0;
/// The colours of the ramp.
const COLOURS: usize = 6;

/// What is between each two things: a square of cells, the darker on light paper the more.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// The names of the lines, from the top and from the left.
    pub names: Vec<String>,
    /// The cells that have a value, the most important first.
    pub cells: Vec<Cell>,
    /// What separates groups of lines, from the top.
    pub borders: Vec<Border>,
    /// What lies beyond an outer border, and beyond another one.
    pub border_names: [String; 2],
    /// Writes a value.
    pub word: fn(f64) -> String,
    /// What the lines are.
    pub lines: String,
    /// What the colours show.
    pub amount: String,
}

/// An end of a group of lines.
#[derive(Clone, Copy, Debug)]
pub struct Border {
    /// The first line after it.
    pub before: usize,
    /// Whether a group of groups ends there too.
    pub is_outer: bool,
}

/// The value between two lines; it is drawn on both sides of the diagonal.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// Places among the names.
    pub lines: [usize; 2],
    /// Its value, which its colour shows.
    pub value: f64,
    /// More about it, shown where a pointer rests.
    pub more: String,
    /// Whether something is wrong with it.
    pub is_bad: bool,
}

impl Matrix {
    /// The square; None where no cell has a value.
    pub(super) fn drawn(&self) -> Option<Markup> {
        let cells: Vec<&Cell> = self.cells.iter().take(MOST).filter(|cell| self.has(cell)).collect();
        let ramp = Ramp::of(cells.iter().map(|cell| cell.value))?;
        let lines = self.names.len().max(1);
        let side = (HEIGHT / lines as f64).min(TALLEST);
        let (height, width) = (side * lines as f64, side * WIDER * lines as f64);
        let left_out = self.cells.len().saturating_sub(MOST);
        let across = |line: usize| part(line as f64 / lines as f64);
        let down = |line: usize| format!("{:.1}", side * line as f64);
        let middle = |line: usize| (line as f64 + 0.5) / lines as f64;
        // Between smaller cells a gap would be most of them.
        let gap = if side < SEPARATE { "" } else { " gap" };
        Some(html! {
            div.mx {
                (self.key(&ramp, cells.iter().any(|cell| cell.is_bad)))
                svg.pl height=(format!("{height:.1}")) style=(format!("max-width:{width:.0}px")) role="img" aria-label=(self.said(&ramp, cells.len())) {
                    rect.none width="100%" height=(format!("{height:.1}")) {}
                    @for cell in &cells {
                        g data-t=(cell.more) {
                            @for [x, y] in [cell.lines, [cell.lines[1], cell.lines[0]]] {
                                rect class={ "cell c-" (ramp.colour(cell.value)) (gap) } x=(across(x)) y=(down(y)) width=(across(1)) height=(down(1)) {}
                            }
                        }
                    }
                    @for [a, b] in cells.iter().filter(|cell| cell.is_bad).map(|cell| cell.lines) {
                        @for [x, y] in [[a, b], [b, a]] { rect.no x=(across(x)) y=(down(y)) width=(across(1)) height=(down(1)) pointer-events="none" {} }
                    }
                    (self.bordered(&format!("{height:.1}")))
                    @for (line, name) in self.names.iter().enumerate().step_by(every(side, LABEL[0])) {
                        text x="-8" y=(format!("{:.1}", height * middle(line))) dy="4" text-anchor="end" { (name) }
                    }
                    @for (line, name) in self.names.iter().enumerate().step_by(every(NARROWEST / lines as f64, LABEL[1])) {
                        text x=(part(middle(line))) y=(format!("{:.1}", height + 16.0)) text-anchor="middle" { (name) }
                    }
                }
                div.xl style=(format!("max-width:{width:.0}px")) { (self.lines) }
            }
            @if left_out > 0 { p.how { (left_out) " more are not drawn." } }
        })
    }

    /// The borders, outer ones wider, each on a margin of paper: it lies between cells of any colour.
    fn bordered(&self, height: &str) -> Markup {
        let lines = self.names.len();
        let path = |is_outer: bool| -> String {
            let of =
                self.borders.iter().filter(|border| border.is_outer == is_outer && (1..lines).contains(&border.before));
            of.map(|border| format!("M{0} 0V{lines}M0 {0}H{lines}", border.before)).collect()
        };
        html! {
            @for (class, path) in [("bi", path(false)), ("bo", path(true))] {
                @if !path.is_empty() {
                    svg.(class) width="100%" height=(height) viewBox=(format!("0 0 {lines} {lines}")) preserveAspectRatio="none" pointer-events="none" {
                        path.pm d=(path) {}
                        path d=(path) {}
                    }
                }
            }
        }
    }

    /// Whether it can be drawn.
    fn has(&self, cell: &Cell) -> bool {
        cell.value.is_finite() && cell.lines.iter().all(|line| *line < self.names.len())
    }

    fn key(&self, ramp: &Ramp, has_bad: bool) -> Markup {
        html! {
            div.key {
                span {
                    i { (prose(&format!("{}: {}", self.amount, (self.word)(ramp.least)))) }
                    @for colour in 0..COLOURS { (swatch(&format!("c-{colour}"), 0.0)) }
                    i { (prose(&(self.word)(ramp.most))) }
                }
                span { (swatch("none", 0.0)) i { "not tried" } }
                @for (class, is_outer, name) in [("bo", true, &self.border_names[0]), ("bi", false, &self.border_names[1])] {
                    @if self.borders.iter().any(|border| border.is_outer == is_outer) {
                        span { svg.(class) viewBox="0 0 14 14" aria-hidden="true" { path d="M7 0V14" {} } i { (name) } }
                    }
                }
                @if has_bad { span { (swatch("no", 1.0)) i { "they disagree" } } }
            }
        }
    }

    /// The square in words, for who cannot see it.
    fn said(&self, ramp: &Ramp, cells: usize) -> String {
        format!("{} of {cells} pairs: {} to {}", self.amount, (self.word)(ramp.least), (self.word)(ramp.most))
    }
}

/// A square of this class, so many pixels inside its box.
fn swatch(class: &str, inside: f64) -> Markup {
    let side = 14.0 - 2.0 * inside;
    html! { svg viewBox="0 0 14 14" aria-hidden="true" { rect class=(class) x=(inside) y=(inside) width=(side) height=(side) {} } }
}

/// Each how many lines have a label, so that labels of this size have room.
fn every(line: f64, label: f64) -> usize {
    // A float-to-int cast saturates.
    ((label / line).ceil() as usize).max(1).next_power_of_two()
}

/// The range of the values, in colours.
struct Ramp {
    least: f64,
    most: f64,
    axis: Axis,
}

impl Ramp {
    fn of(values: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let least = values.clone().reduce(f64::min)?;
        let most = values.reduce(f64::max)?;
        let scale = if least > 0.0 && most / least > DECADE { Scale::Log } else { Scale::Linear };
        let ends = if least < most { vec![least, most] } else { vec![least] };
        Some(Self { least, most, axis: Axis::of_sweep(&ends, 2, Some(scale))? })
    }

    fn colour(&self, value: f64) -> usize {
        step_of(self.axis.place(value).unwrap_or(0.0))
    }
}

/// The colour of a share of the whole ramp, 0 to 1.
pub(super) fn step_of(share: f64) -> usize {
    // A float-to-int cast saturates, and the last colour is the end of the ramp.
    ((share * COLOURS as f64) as usize).min(COLOURS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(names: usize, values: &[f64]) -> Matrix {
        let cell = |(place, value): (usize, &f64)| Cell {
            lines: [place, place + 1],
            value: *value,
            more: format!("pair {place}"),
            is_bad: false,
        };
        Matrix {
            names: (0..names).map(|name| format!("n{name}")).collect(),
            cells: values.iter().enumerate().map(cell).collect(),
            borders: Vec::new(),
            border_names: ["another house", "another room"].map(str::to_owned),
            word: |value| format!("{value} ns"),
            lines: "CPU".to_owned(),
            amount: "bound".to_owned(),
        }
    }

    #[test]
    fn a_cell_is_drawn_on_both_sides_of_the_diagonal_in_the_colour_of_its_value() {
        let drawn = matrix(4, &[30.0, 90.0]).drawn().unwrap().0;
        let rect = |colour: u32, x: &str, y: &str| {
            format!(r#"<rect class="cell c-{colour} gap" x="{x}" y="{y}" width="25.00%" height="24.0"></rect>"#)
        };
        let least = [rect(0, "0.00%", "24.0"), rect(0, "25.00%", "0.0")].concat();
        let most = [rect(5, "25.00%", "48.0"), rect(5, "50.00%", "24.0")].concat();
        for (told, both) in [("pair 0", least), ("pair 1", most)] {
            let cell = format!(r#"<g data-t="{told}">{both}</g>"#);
            assert!(drawn.contains(&cell), "{cell}: {drawn}");
        }
        assert_eq!(drawn.matches("class=\"cell").count(), 4);
        assert!(
            drawn.contains("30\u{a0}ns") && drawn.contains("90\u{a0}ns") && !drawn.contains("they disagree"),
            "{drawn}"
        );
    }

    #[test]
    fn a_bad_cell_has_an_outline_that_the_key_explains() {
        let mut bad = matrix(3, &[30.0]);
        bad.cells[0].is_bad = true;
        let drawn = bad.drawn().unwrap().0;
        assert_eq!(drawn.matches("class=\"no\"").count(), 3, "two cells and the key: {drawn}");
        assert!(drawn.contains("they disagree"));
    }

    #[test]
    fn borders_separate_groups_and_the_key_names_them() {
        let mut of = matrix(8, &[30.0]);
        let plain = of.drawn().unwrap().0;
        assert!(!plain.contains("another"), "{plain}");
        let border = |before, is_outer| Border { before, is_outer };
        of.borders =
            vec![border(2, false), border(4, true), border(6, false), border(8, true), border(usize::MAX, true)];
        let drawn = of.drawn().unwrap().0;
        assert_eq!(drawn.matches("d=\"M2 0V8M0 2H8M6 0V8M0 6H8\"").count(), 2, "a line and its margin: {drawn}");
        assert_eq!(drawn.matches("d=\"M4 0V8M0 4H8\"").count(), 2, "{drawn}");
        assert!(drawn.contains("another house") && drawn.contains("another room"), "{drawn}");
    }

    #[test]
    fn equal_ratios_are_equal_steps_of_colour_over_more_than_a_decade() {
        let colours = |values: [f64; 3]| {
            let ramp = Ramp::of(values.into_iter()).unwrap();
            values.map(|value| ramp.colour(value))
        };
        assert_eq!(colours([10.0, 100.0, 1_000.0]), [0, 3, 5]);
        assert_eq!(colours([10.0, 55.0, 100.0]), [0, 3, 5]);
        assert_eq!(colours([0.0, 50.0, 100.0]), [0, 3, 5]);
        assert_eq!(colours([7.0; 3]), [3; 3], "one value has no less and no more");
    }

    #[test]
    fn any_number_of_lines_and_values_can_be_drawn() {
        assert!(matrix(0, &[]).drawn().is_none());
        assert!(matrix(2, &[f64::NAN]).drawn().is_none());
        let many = matrix(5_000, &[20.0; 4_999]).drawn().unwrap().0;
        assert_eq!(many.matches("class=\"cell").count(), 2 * MOST);
        assert!(many.contains("2999 more are not drawn"), "{}", &many[many.len() - 200..]);
        assert!(many.matches("<text").count() < 100, "labels would cover each other");
        assert!(matrix(1, &[5.0]).drawn().is_none(), "a cell beside the square");
    }
}
