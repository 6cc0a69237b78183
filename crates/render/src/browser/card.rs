use maud::{Markup, PreEscaped, html};
use unicode_width::UnicodeWidthChar;

use super::rows::Row;
use super::sheet::harmless;
use crate::axis::{Axis, Scale};
use crate::grid::Mood;
use crate::words::tick as tick_word;

/// The picture, in pixels: what previews of links show whole.
const SIZE: (f64, f64) = (1200.0, 630.0);
/// Left and right edges of everything.
const EDGES: (f64, f64) = (56.0, 1144.0);
/// Maximum rows and facts: more have no room.
const ROWS: usize = 4;
const FACTS: usize = 5;
/// Text shrinks to this share of its size before it is cut.
const SHRUNK: f64 = 0.6;
/// Everything that a ruler can show, in nanoseconds.
const RULER: [f64; 2] = [1.0, 1e7];

const STYLE: &str = "text{font-family:Inter,'Segoe UI',system-ui,Roboto,'DejaVu Sans',sans-serif;fill:#f2efe8}\
.c{font-family:'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace}.b{font-weight:700}\
text.q{fill:#9fb0bd}text.ok,text.k1{fill:#3fd0a5}text.warn,text.k4{fill:#f0c95a}text.bad,text.k2{fill:#ff9a52}text.k0{fill:#6cb8f0}text.k3{fill:#eba3cb}\
rect.ok{stroke:#3fd0a5}rect.warn{stroke:#f0c95a}rect.bad{stroke:#ff9a52}rect.q{stroke:#9fb0bd}\
line{stroke:#2b3843;stroke-width:2}line.q{stroke:#9fb0bd}\
.k0{color:#6cb8f0}.k1{color:#3fd0a5}.k2{color:#ff9a52}.k3{color:#eba3cb}.k4{color:#f0c95a}.ink{color:#f2efe8}\
.m{fill:currentColor;stroke:currentColor;stroke-width:0}\
.z0{fill:#1d3a4f}.z1{fill:#235b80}.z2{fill:#2a86c4}";

/// A machine in one picture, to publish.
#[derive(Clone, Debug, Default)]
pub struct Card {
    /// What the picture says, for those who cannot see it.
    pub title: String,
    /// The machine.
    pub name: String,
    /// What is quiet below the name.
    pub about: String,
    /// The verdict in a word.
    pub badge: Option<(Mood, String)>,
    /// What must be known before any figure.
    pub note: Option<(Mood, String)>,
    /// The figure that everything else is beside, and what it is of.
    pub headline: Row,
    /// Values on one axis, each with a point.
    pub rows: Vec<Row>,
    /// Figures side by side.
    pub facts: Vec<Fact>,
    /// Parts of a logarithmic axis of time.
    pub spans: Vec<Span>,
    /// What writes a value of an axis.
    pub word: Option<fn(f64) -> String>,
    /// At the lower left and right.
    pub foot: [String; 2],
}

/// A figure of a card.
#[derive(Clone, Debug, Default)]
pub struct Fact {
    /// What it is.
    pub name: String,
    /// It in words.
    pub value: String,
    /// How the reader should take it.
    pub mood: Mood,
    /// More about it.
    pub more: String,
}

/// A part of the ruler of a card.
#[derive(Clone, Debug)]
pub struct Span {
    /// Where it begins, in nanoseconds.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// What it is good for, and the same in less room.
    pub names: [String; 2],
}

impl Card {
    /// The picture as one SVG file.
    ///
    /// # Guarantees
    /// It asks for nothing and has no script. Every text is escaped, and kept within its own room: it shrinks, then is cut. Never
    /// panics, for any text or number.
    pub fn finish(self) -> String {
        let (wide, high) = SIZE;
        let picture = html! {
            svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (wide) " " (high) } width=(wide) height=(high) role="img" aria-labelledby="card-title" {
                title id="card-title" { (self.title) }
                style { (PreEscaped(STYLE)) }
                rect width=(wide) height=(high) fill="#11181f" {}
                "\n" (self.head())
                "\n" (self.beside())
                @for (place, fact) in self.facts.iter().take(FACTS).enumerate() { "\n" (self.fact(place, fact)) }
                "\n" (self.ruler())
                "\n" (Text::at(EDGES.0, 602.0, 640.0).sized(18.0).classed("q").says(&self.foot[0]))
                (Text::at(EDGES.1, 602.0, 420.0).ending().sized(18.0).classed("q").says(&self.foot[1]))
            }
        };
        harmless(&picture.into_string())
    }

    fn head(&self) -> Markup {
        let badge = self.badge.as_ref().map(|(mood, word)| (mood_of(*mood), word, advance(word) * 22.0 + 32.0));
        let taken = badge.as_ref().map_or(0.0, |(.., width)| width.min(400.0) + 24.0);
        html! {
            (Text::at(EDGES.0, 82.0, EDGES.1 - EDGES.0 - taken).sized(46.0).classed("b").says(&self.name))
            (Text::at(EDGES.0, 120.0, EDGES.1 - EDGES.0).sized(24.0).classed("q").says(&self.about))
            @if let Some((class, word, width)) = badge {
                @let width = width.min(400.0);
                rect class=(class) x=(pixels(EDGES.1 - width)) y="46" width=(pixels(width)) height="42" rx="8" fill="none" stroke-width="2" {}
                (Text::at(EDGES.1 - width / 2.0, 75.0, width - 24.0).centred().sized(22.0).classed(&format!("b {class}")).says(word))
            }
            @if let Some((mood, said)) = &self.note {
                (Text::at(EDGES.0, 150.0, EDGES.1 - EDGES.0).sized(17.0).classed(mood_of(*mood)).says(said))
            }
        }
    }

    /// The figure that counts, and the values that it is beside.
    fn beside(&self) -> Markup {
        let rows = &self.rows[..self.rows.len().min(ROWS)];
        let values = rows.iter().flat_map(|row| &row.marks).flat_map(super::marks::Mark::values);
        // Room for a mark at either end.
        let axis = Axis::of_results(values.flat_map(|value| [value / 1.5, value * 1.5]), Scale::Log);
        let of = &self.headline;
        html! {
            (Text::at(EDGES.0, 244.0, 480.0).sized(84.0).classed(&format!("b {}", of.hue.class())).says(&of.value))
            (Text::at(EDGES.0, 282.0, 520.0).sized(22.0).says(&of.name))
            @for (place, row) in rows.iter().enumerate() {
                @let y = 190.0 + 31.0 * place as f64;
                (Text::at(784.0, y + 7.0, 190.0).ending().sized(20.0).classed(if row.is_code { "c" } else { "" }).says(&row.name))
                line x1="800" x2="1030" y1=(pixels(y)) y2=(pixels(y)) {}
                @if let Some(axis) = &axis {
                    svg class=(row.hue.class()) x="800" y=(pixels(y - 16.0)) width="230" height="32" viewBox="0 0 143.75 20" overflow="visible" {
                        @for mark in row.marks.iter().filter_map(|mark| mark.on(axis, 20.0)) { (mark) }
                    }
                }
                (Text::at(EDGES.1, y + 7.0, 106.0).ending().sized(20.0).says(&row.value))
            }
        }
    }

    fn fact(&self, place: usize, fact: &Fact) -> Markup {
        let each = (EDGES.1 - EDGES.0) / self.facts.len().min(FACTS) as f64;
        let x = EDGES.0 + each * place as f64;
        let room = each - if place + 1 == self.facts.len().min(FACTS) { 0.0 } else { 28.0 };
        html! {
            @if place > 0 { line x1=(pixels(x - 14.0)) x2=(pixels(x - 14.0)) y1="326" y2="420" {} }
            (Text::at(x, 342.0, room).sized(17.0).classed("q").says(&fact.name))
            (Text::at(x, 384.0, room).sized(32.0).classed(&format!("b {}", mood_of(fact.mood))).says(&fact.value))
            (Text::at(x, 414.0, room).sized(15.0).classed("q").says(&fact.more))
        }
    }

    fn ruler(&self) -> Markup {
        let Some((axis, word)) = Axis::of_results(RULER.into_iter(), Scale::Log).zip(self.word) else {
            return html! {};
        };
        let at = |value: f64| axis.place(value).map(|part| EDGES.0 + (EDGES.1 - EDGES.0) * part);
        let spans: Vec<(f64, f64, &Span)> =
            self.spans.iter().filter_map(|span| Some((at(span.from)?, at(span.to)?, span))).collect();
        html! {
            @for (place, (from, to, span)) in spans.iter().enumerate().filter(|(_, (from, to, _))| to > from) {
                rect class={ "z" (place.min(2)) } x=(pixels(*from)) width=(pixels(to - from)) y="480" height="39" {}
                @if let Some(name) = span.names.iter().find(|name| advance(name) * 17.0 <= to - from - 8.0) {
                    (Text::at(f64::midpoint(*from, *to), 506.0, to - from).centred().sized(17.0).says(name))
                }
            }
            line.q x1=(EDGES.0) x2=(EDGES.1) y1="520" y2="520" {}
            @for tick in &axis.ticks {
                @if let Some(x) = at(*tick) {
                    line.q x1=(pixels(x)) x2=(pixels(x)) y1="520" y2="528" {}
                    (self.label(x, &tick_word(&word(*tick))))
                }
            }
        }
    }

    /// The label of a tick, within the edges.
    fn label(&self, x: f64, word: &str) -> Markup {
        let text = Text { x, ..Text::at(x, 550.0, 120.0).sized(16.0).classed("q") };
        match x {
            x if x <= EDGES.0 => text.says(word),
            x if x >= EDGES.1 => text.ending().says(word),
            _ => text.centred().says(word),
        }
    }
}

/// A line of text and the room it has.
#[derive(Clone, Debug)]
struct Text {
    x: f64,
    y: f64,
    room: f64,
    size: f64,
    anchor: &'static str,
    class: String,
}

impl Text {
    /// From `x` on, on the base line `y`.
    fn at(x: f64, y: f64, room: f64) -> Self {
        Self { x, y, room, size: 16.0, anchor: "start", class: String::new() }
    }

    fn sized(self, size: f64) -> Self {
        Self { size, ..self }
    }

    fn classed(self, class: &str) -> Self {
        Self { class: class.trim().to_owned(), ..self }
    }

    /// Up to `x`.
    fn ending(self) -> Self {
        Self { anchor: "end", ..self }
    }

    fn centred(self) -> Self {
        Self { anchor: "middle", ..self }
    }

    /// How wide its letters are, in those of a bold font.
    fn wide(&self) -> f64 {
        let is = |name: &str| self.class.split(' ').any(|class| class == name);
        match () {
            () if is("b") => 1.0,
            () if is("c") => 0.88,
            () => 0.92,
        }
    }

    /// The text in a window of its own: whatever a font makes of it, nothing outside is covered.
    fn says(self, text: &str) -> Markup {
        let (from, x) = match self.anchor {
            "end" => (self.x - self.room, "100%"),
            "middle" => (self.x - self.room / 2.0, "50%"),
            _ => (self.x, "0"),
        };
        let wide = self.wide();
        let size = (self.room / (advance(text) * wide).max(1e-3)).clamp(self.size * SHRUNK, self.size);
        let shown = cut(text, self.room / (size * wide));
        html! {
            @if !shown.is_empty() {
                svg x=(pixels(from)) y=(pixels(self.y - 1.1 * self.size)) width=(pixels(self.room)) height=(pixels(1.5 * self.size)) {
                    text class=[(!self.class.is_empty()).then_some(&self.class)] x=(x) y=(pixels(1.1 * self.size)) font-size=(pixels(size))
                        text-anchor=[(self.anchor != "start").then_some(self.anchor)] { (shown) }
                }
            }
        }
    }
}

/// The width of a text in ems, no less than usual fonts give it.
fn advance(text: &str) -> f64 {
    text.chars().map(advance_of).sum()
}

fn advance_of(c: char) -> f64 {
    match (c, c.width().unwrap_or(1)) {
        (_, 0) => 0.0,
        (_, 2..) => 1.05,
        (' ' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' | 'i' | 'j' | 'l' | 'I' | '·', _) => 0.39,
        ('m' | 'M' | 'w' | 'W' | '%' | '@' | '…', _) => 1.1,
        ('f' | 'r' | 't' | '(' | ')', _) => 0.5,
        (c, _) if c.is_ascii_uppercase() => 0.8,
        _ => 0.7,
    }
}

/// As much of a text as `room` ems hold, with an ellipsis.
fn cut(text: &str, room: f64) -> String {
    if advance(text) <= room * 1.001 {
        return text.to_owned();
    }
    let mut left = room - advance_of('…');
    let fits = |c: &char| {
        left -= advance_of(*c);
        left >= 0.0
    };
    let mut shown: String = text.chars().take_while(fits).collect();
    shown.push('…');
    shown
}

/// A place, to a tenth of a pixel.
fn pixels(at: f64) -> String {
    let text = format!("{at:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

const fn mood_of(mood: Mood) -> &'static str {
    match mood {
        Mood::Plain => "",
        Mood::Quiet => "q",
        Mood::Good => "ok",
        Mood::Warning => "warn",
        Mood::Bad => "bad",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::browser::{Hue, Mark, Shape};

    fn row(name: &str, at: f64) -> Row {
        let marks = vec![Mark::Point { at, shape: Shape::Circle, is_hollow: false }];
        Row { name: name.to_owned(), hue: Hue::Blue, marks, value: format!("{at} ns"), ..Row::default() }
    }

    #[test]
    fn a_text_shrinks_and_is_cut_to_its_room() {
        let drawn = |text: &str| Text::at(0.0, 20.0, 100.0).sized(20.0).says(text).into_string();
        assert!(drawn("short").contains("font-size=\"20\">short<"), "{}", drawn("short"));
        let longer = drawn("a longer one");
        assert!(!longer.contains("font-size=\"20\"") && longer.contains(">a longer one<"), "{longer}");
        for long in ["W".repeat(1_000), "\u{6f22}".repeat(1_000), "e\u{301}".repeat(1_000)] {
            let drawn = drawn(&long);
            assert!(drawn.contains("font-size=\"12\"") && drawn.contains('…') && drawn.len() < 260, "{drawn}");
        }
        assert_eq!(drawn(""), "");
    }

    #[test]
    fn any_number_is_drawn_within_the_picture() {
        for at in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300, 1e-300] {
            let span = |from, to| Span { from, to, names: ["a".to_owned(), String::new()] };
            let spans = vec![span(1.0, at), span(at, 1e3), span(1e3, 1e9)];
            let card = Card {
                rows: vec![row("a", at), row("b", 20.0)],
                spans,
                word: Some(|value| format!("{value} ns")),
                ..Card::default()
            };
            let drawn = card.finish();
            assert!(
                !drawn.contains("=\"NaN") && !drawn.contains("=\"inf") && !drawn.contains("width=\"-"),
                "{at}: {drawn}"
            );
        }
    }

    #[test]
    fn what_has_no_room_is_left_out() {
        let fact = |at: usize| Fact { name: format!("fact {at}"), ..Fact::default() };
        let card = Card {
            rows: (0..9).map(|at| row(&format!("row {at}"), 10.0)).collect(),
            facts: (0..9).map(fact).collect(),
            ..Card::default()
        };
        let drawn = card.finish();
        assert!(drawn.contains("row 3") && !drawn.contains("row 4"), "{drawn}");
        assert!(drawn.contains("fact 4") && !drawn.contains("fact 5"), "{drawn}");
    }
}
