use chronoscope_harness::record::clean;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::figure::Figure;
use super::listing::Listing;
use super::tables;
use super::texts::{TITLE, class, prose, shortened, sign};
use crate::grid::Mood;
use crate::page::Page;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// What a browser compares the script with before it runs it; a test computes it.
const SCRIPT_SHA256: &str = "bPwOxMnWKxOjaaJzM/3Y5tty8ojCpV6tZP5zBfC2TGg=";

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
    /// What there are many of, to sort and to filter.
    pub listing: Option<Listing>,
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
        let (title, meta) = (shortened(&self.title, TITLE), shortened(&self.meta, TITLE));
        let mut room = tables::ROOM;
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
                        h1 { (title) @if let Some(badge) = &self.badge { " " (badge_of(badge)) } }
                        p.meta { (meta) }
                        @for warning in &self.warnings { p.warn { "! " (prose(warning)) } }
                        @if !self.lead.is_empty() { p.lead { (prose(&self.lead)) } }
                        @if !self.boxes.is_empty() { div class=(if self.choices.is_empty() { "one" } else { "grid2" }) { (chosen(&self.choices)) div.stack { @for (heading, lines) in &self.boxes { (boxed(heading, lines)) } } } }
                        @if links.len() > 1 { nav { @for (id, short) in &links { a href={ "#" (id) } { (short) } } } }
                        @for figure in self.figures { (figure.drawn(&mut room)) }
                        @if let Some(listing) = &self.listing { (listing.drawn()) }
                        @if has_rest { section #rest { (tables::page(self.rest, &mut room)) } }
                    }
                    footer.how { "Made from " (prose(&self.source)) ". The page needs no network. Nothing was smoothed." }
                    div #tip role="status" {}
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        };
        harmless(&page.into_string())
    }
}

fn badge_of((mood, word): &(Mood, String)) -> Markup {
    html! { span class={ "badge " (class(*mood).unwrap_or("q")) } { (sign(*mood).unwrap_or_default()) (shortened(word, TITLE)) } }
}

fn chosen(choices: &[Choice]) -> Markup {
    let (remarks, choices): (Vec<&Choice>, Vec<&Choice>) = choices.iter().partition(|choice| choice.purpose.is_empty());
    html! {
        @if !choices.is_empty() || !remarks.is_empty() {
            div.box {
                h3 { "What to use, and from which stop−start on" }
                dl.use { @for choice in &choices { dt { (prose(&choice.purpose)) } dd.n { (prose(&choice.cost)) } dd { code { (shortened(&choice.name, TITLE)) } } dd.n { (prose(&choice.good)) } } }
                @for remark in &remarks { p.how { (prose(&remark.name)) } }
            }
        }
    }
}

fn boxed(heading: &str, lines: &[(Mood, String)]) -> Markup {
    html! {
        div.box {
            h3 { (prose(heading)) }
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
pub(super) fn harmless(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    for line in page.split('\n') {
        out.push_str(&clean(line).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}"));
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;
    use proptest::prelude::*;
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::axis::Scale;
    use crate::browser::{Chart, Entry, Hue, Mark, Row, Rows, Shape};
    use crate::text::Text;

    /// A page with `text` in every place that a record's text may have.
    fn page(text: &str) -> String {
        let said = vec![(Mood::Warning, text.to_owned())];
        let row = Row {
            name: text.to_owned(),
            is_code: true,
            marks: vec![Mark::Point { at: 1.0, shape: Shape::Circle, is_hollow: false }],
            value: text.to_owned(),
            more: text.to_owned(),
            ..Row::default()
        };
        let rows = Rows {
            entries: vec![Entry::Heading(text.to_owned()), Entry::Row(row)],
            scale: Scale::Linear,
            word: |value| value.to_string(),
            axis_name: text.to_owned(),
            reference: None,
        };
        let mut numbers = Text::new();
        numbers.section(text);
        numbers.sentence(Mood::Bad, "✘", text);
        numbers.table(&[crate::grid::Column::left(text)], [vec![text.to_owned()]]);
        let figure = Figure {
            id: "figure",
            short: "figure",
            title: text.to_owned(),
            says: said.clone(),
            charts: vec![Chart::Rows(rows)],
            key: vec![(Hue::Blue, Some((Shape::Circle, false)), text.to_owned())],
            how: text.to_owned(),
            numbers: numbers.into_page(),
        };
        let choice =
            Choice { purpose: text.to_owned(), name: text.to_owned(), cost: text.to_owned(), good: text.to_owned() };
        let sheet = Sheet {
            title: text.to_owned(),
            meta: text.to_owned(),
            badge: Some((Mood::Good, text.to_owned())),
            lead: text.to_owned(),
            choices: vec![choice],
            boxes: vec![(text.to_owned(), said)],
            figures: vec![figure],
            source: text.to_owned(),
            ..Sheet::default()
        };
        sheet.finish()
    }

    /// A browser compares the hash of the text between the tags, to the byte.
    #[test]
    fn the_script_is_the_one_that_the_policy_allows() {
        let page = page("a clock");
        let (_, rest) = page.split_once("<script>").unwrap();
        let (script, _) = rest.split_once("</script>").unwrap();
        let computed = BASE64_STANDARD.encode(Sha256::digest(script));
        assert!(page.contains(&format!("script-src 'sha256-{computed}'")), "the script's hash is {computed}");
        assert!(script.len() <= 4_096, "{} bytes", script.len());
    }

    /// A live region is in the page before it says anything, and never taken out of it.
    #[test]
    fn what_a_pointer_sees_is_read_aloud() {
        assert!(page("a clock").contains(r#"<div id="tip" role="status"></div>"#));
        assert!(!SCRIPT.contains("tip.hidden") && SCRIPT.contains("tip.textContent = told"), "{SCRIPT}");
    }

    #[test]
    fn one_figure_alone_is_all_that_is_left() {
        let sheet = |ids: &[&'static str]| Sheet {
            title: "a machine".to_owned(),
            lead: "an answer".to_owned(),
            figures: ids.iter().map(|id| Figure { id, ..Figure::default() }).collect(),
            ..Sheet::default()
        };
        assert_eq!(sheet(&["a", "b"]).ids(), ["a", "b"]);
        let alone = sheet(&["a", "b"]).only("b").unwrap();
        assert_eq!((alone.ids(), &alone.title[..], &alone.lead[..]), (vec!["b"], "a machine", ""));
        assert!(sheet(&["a", "b"]).only("c").is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn whatever_a_text_is_it_stays_text(text in "[<>&\"'`/a-z =\\PC\\p{Cc}\u{202e}\u{feff}]{0,60}") {
            let tags = |page: &str| page.matches('<').count();
            let evil = page(&format!("<script>{text}</script>"));
            prop_assert!(evil.chars().all(|c| c == '\n' || !c.is_control()), "a control character");
            prop_assert!(!evil.contains('\u{202e}'), "a character that turns the text around");
            prop_assert_eq!(evil.matches("<script").count(), 1);
            // As many elements as with a harmless text of as many names between backquotes.
            let harmless: String = text.chars().map(|c| if c == '`' { '`' } else { 'x' }).collect();
            prop_assert_eq!(tags(&evil), tags(&page(&format!("x{harmless}x"))), "{}", evil);
        }
    }

    #[test]
    fn names_of_any_length_and_tables_of_any_size_fit_a_page() {
        let long = page(&"长".repeat(1_000_000));
        assert!(long.len() < 150_000, "{}", long.len());
        let figure = |id| {
            let mut numbers = Text::new();
            numbers.table(
                &["a", "b"].map(crate::grid::Column::left),
                (0..1_000).map(|_| vec!["&".repeat(1_000), "b".to_owned()]),
            );
            (0..100_000).for_each(|_| numbers.sentence(Mood::Plain, "·", "a sentence of the record"));
            Figure { id, numbers: numbers.into_page(), ..Figure::default() }
        };
        let figures = vec![figure("a"), figure("b"), figure("c"), figure("d"), figure("e")];
        let page = Sheet { figures, ..Sheet::default() }.finish();
        assert!(page.len() < 2_000_000, "{}", page.len());
        let left_out = |what: &str| page.matches(what).count();
        assert_eq!(left_out(" more rows are in the document."), 5);
        assert_eq!(left_out(" more tables, paragraphs and lines are in the document."), 5);
        assert_eq!(left_out("<section id="), 5);
    }
}
