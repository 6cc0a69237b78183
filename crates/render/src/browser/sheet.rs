use chronoscope_harness::record::clean;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::figure::Figure;
use super::tables;
use super::texts::{class, prose, sign};
use crate::grid::Mood;
use crate::page::Page;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// What a browser compares the script with before it runs it; a test computes it.
const SCRIPT_SHA256: &str = "pQ69eGWYx+aw7jeEpgyzN3//ijMoESnbMTB96n68wn8=";

/// A whole page.
#[derive(Debug, Default)]
pub struct Sheet {
    /// Its title.
    pub title: String,
    /// The circumstances, in quiet text.
    pub meta: String,
    /// What must be known before any figure.
    pub warnings: Vec<String>,
    /// The verdict in a word, and what it was found to be.
    pub badge: Option<(Mood, String)>,
    /// The answer.
    pub lead: String,
    /// What to use for what, with what is left to say of it.
    pub choices: Vec<Choice>,
    /// Boxes beside it: a heading and lines.
    pub boxes: Vec<(String, Vec<(Mood, String)>)>,
    /// What was found, from what to do to why.
    pub figures: Vec<Figure>,
    /// What was concluded besides, as on the page for terminals.
    pub rest: Page,
    /// What it was made from.
    pub source: String,
}

/// What to use for a purpose.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The purpose; empty for a remark in place of a choice.
    pub purpose: String,
    /// What to use, as it is typed; or the remark.
    pub name: String,
    /// What it costs.
    pub cost: String,
    /// What it is good for.
    pub good: String,
}

impl Sheet {
    /// The names of its figures.
    pub fn ids(&self) -> Vec<&'static str> {
        self.figures.iter().map(|figure| figure.id).collect()
    }

    /// The page with only the figure called `id`, of which it is about then; None if there is none.
    pub fn only(mut self, id: &str) -> Option<Self> {
        self.figures.retain(|figure| figure.id == id);
        let Self { title, meta, figures, source, .. } = self;
        (!figures.is_empty()).then(|| Self { title, meta, figures, source, ..Self::default() })
    }

    /// The page as one file.
    ///
    /// # Guarantees
    /// It asks for nothing: its own policy forbids every request, and every script but its own, which it names by hash. Without that
    /// script nothing is missing but values under the pointer. Every text of the record is escaped, and no character controls a
    /// terminal. Never panics, for any record.
    pub fn finish(self) -> String {
        let policy = format!("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{SCRIPT_SHA256}'");
        let links: Vec<(&str, &str)> = self.figures.iter().map(|figure| (figure.id, figure.short)).collect();
        let has_rest = !self.rest.is_empty();
        let title = self.title.clone();
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(policy);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    main {
                        h1 { (self.title) @if let Some(badge) = &self.badge { " " (badge_of(badge)) } }
                        p.meta { (self.meta) }
                        @for warning in &self.warnings { p.warn { "! " (prose(warning)) } }
                        @if !self.lead.is_empty() { p.lead { (prose(&self.lead)) } }
                        @if !self.boxes.is_empty() { div class=(if self.choices.is_empty() { "one" } else { "grid2" }) { (chosen(&self.choices)) div.stack { @for (heading, lines) in &self.boxes { (boxed(heading, lines)) } } } }
                        @if links.len() > 1 { nav { @for (id, short) in &links { a href={ "#" (id) } { (short) } } } }
                        @for figure in self.figures { (figure.drawn()) }
                        @if has_rest { section #rest { (tables::page(self.rest, true)) } }
                    }
                    footer.how { "Made from " (self.source) ". The page needs no network. Nothing was smoothed." }
                    div #tip hidden {}
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        };
        harmless(&page.into_string())
    }
}

fn badge_of((mood, word): &(Mood, String)) -> Markup {
    html! { span class={ "badge " (class(*mood).unwrap_or("q")) } { (sign(*mood).unwrap_or_default()) (word) } }
}

fn chosen(choices: &[Choice]) -> Markup {
    let (remarks, choices): (Vec<&Choice>, Vec<&Choice>) = choices.iter().partition(|choice| choice.purpose.is_empty());
    html! {
        @if !choices.is_empty() || !remarks.is_empty() {
            div.box {
                h3 { "What to use, and from which stop−start on" }
                dl.use { @for choice in &choices { dt { (choice.purpose) } dd.n { (choice.cost) } dd { code { (choice.name) } } dd.n { (choice.good) } } }
                @for remark in &remarks { p.how { (prose(&remark.name)) } }
            }
        }
    }
}

fn boxed(heading: &str, lines: &[(Mood, String)]) -> Markup {
    html! {
        div.box {
            h3 { (heading) }
            ul {
                @for (mood, text) in lines {
                    li class=[class(*mood).filter(|_| *mood != Mood::Good)] {
                        @if let Some(sign) = sign(*mood) { b class=[class(*mood)] { (sign) } }
                        (prose(text))
                    }
                }
            }
        }
    }
}

/// Without characters that control a terminal.
fn harmless(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    for line in page.split('\n') {
        out.push_str(&clean(line).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}"));
        out.push('\n');
    }
    out
}
