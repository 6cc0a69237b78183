use maud::{Markup, html};

use crate::grid::Mood;
use crate::line::Line;

/// Names between backquotes are set as they are typed.
pub(super) fn prose(text: &str) -> Markup {
    let pieces: Vec<&str> = text.split('`').collect();
    // Without a partner a backquote is one.
    let paired = pieces.len() % 2 == 1;
    html! {
        @if paired {
            @for (place, piece) in pieces.iter().enumerate() {
                @if place % 2 == 1 { code { (piece) } } @else { (piece) }
            }
        } @else { (text) }
    }
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
            @if let Some(class) = class(Mood::of(*style)) { span class=(class) { (text) } } @else { (text) }
        }
    }
}
