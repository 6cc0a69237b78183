use maud::{Markup, html};

use crate::grid::Mood;
use crate::line::Line;
use crate::wrap::UNITS;

/// Maximum characters of a sentence, since a record may hold names of any length.
pub(super) const SENTENCE: usize = 2_000;
/// The same of a title, and of the circumstances below it.
pub(super) const TITLE: usize = 400;

/// The first `most` characters.
pub(super) fn shortened(text: &str, most: usize) -> String {
    let mut characters = text.chars();
    let mut short: String = characters.by_ref().take(most).collect();
    short.extend(characters.next().map(|_| '…'));
    short
}

/// Names between backquotes are set as they are typed.
pub(super) fn prose(text: &str) -> Markup {
    let text = &shortened(text, SENTENCE);
    let pieces: Vec<&str> = text.split('`').collect();
    // Without a partner a backquote is one.
    let paired = pieces.len() % 2 == 1;
    html! {
        @if paired {
            @for (place, piece) in pieces.iter().enumerate() {
                @if place % 2 == 1 { code { (piece) } } @else { (unbroken(piece)) }
            }
        } @else { (unbroken(text)) }
    }
}

/// No line ends between a number and its unit.
fn unbroken(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (place, word) in text.split(' ').enumerate() {
        let unit = word.trim_end_matches(['.', ',', ';', ':', ')', '?']);
        let is_behind_number = out.ends_with(|last: char| last.is_ascii_digit());
        if place > 0 {
            out.push(if is_behind_number && UNITS.contains(&unit) { '\u{a0}' } else { ' ' });
        }
        out.push_str(word);
    }
    out
}

/// The same for an attribute, which has no markup: names stay as they are.
pub(super) fn bare(text: &str, most: usize) -> String {
    let is_paired = text.split('`').count() % 2 == 1;
    shortened(&if is_paired { text.replace('`', "") } else { text.to_owned() }, most)
}

/// The class of a mood.
pub(super) const fn class(mood: Mood) -> Option<&'static str> {
    match mood {
        Mood::Plain => None,
        Mood::Quiet => Some("q"),
        Mood::Good => Some("ok"),
        Mood::Warning => Some("warn"),
        Mood::Bad => Some("bad"),
    }
}

/// The sign of a mood: colour alone says nothing.
pub(super) const fn sign(mood: Mood) -> Option<&'static str> {
    match mood {
        Mood::Plain | Mood::Quiet => None,
        Mood::Good => Some("✔ "),
        Mood::Warning => Some("! "),
        Mood::Bad => Some("✘ "),
    }
}

/// Sentences, each in its mood.
pub(super) fn sentences(said: &[(Mood, String)]) -> Markup {
    html! {
        @if !said.is_empty() {
            p.says {
                @for (place, (mood, text)) in said.iter().enumerate() {
                    @if place > 0 { " " }
                    @if let Some(class) = class(*mood) { span class=(class) { (prose(text)) } } @else { (prose(text)) }
                }
            }
        }
    }
}

/// A line of styled text.
pub(super) fn line(line: &Line) -> Markup {
    html! {
        @for (style, text) in line.spans() {
            @if let Some(class) = class(Mood::of(*style)) { span class=(class) { (shortened(text, SENTENCE)) } } @else { (shortened(text, SENTENCE)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_set_as_typed_and_numbers_keep_their_unit() {
        assert_eq!(
            prose("`lfence; rdtsc` takes 14.7 ns & more").into_string(),
            "<code>lfence; rdtsc</code> takes 14.7\u{a0}ns &amp; more"
        );
        assert_eq!(prose("a ` alone").into_string(), "a ` alone");
    }

    #[test]
    fn an_attribute_has_no_backquotes() {
        assert_eq!(bare("`lfence; rdtsc` & `rdtsc`", 99), "lfence; rdtsc & rdtsc");
        assert_eq!((bare("a ` alone", 99), bare("`abc`", 2)), ("a ` alone".to_owned(), "ab…".to_owned()));
    }

    #[test]
    fn a_unit_stays_with_its_number() {
        assert_eq!(unbroken("wakes 92.0 ns late at 5.29 %."), "wakes 92.0\u{a0}ns late at 5.29\u{a0}%.");
        assert_eq!(unbroken("  2 CPUs, it is s and ns"), "  2 CPUs, it is s and ns");
        assert_eq!(prose("`a 1 ns`, 1 ns").0, "<code>a 1 ns</code>, 1\u{a0}ns");
    }
}
