//! Sentences of findings.

use std::fmt::Display;
use std::time::Duration;

use chronoscope_harness::finding::{Finding, Severity};
use chronoscope_harness::quantity::length;
use chronoscope_render::text::Mood;
use chronoscope_render::words::unquoted;

use crate::clock_id::ClockId;
use crate::document::Record;
use crate::kinds;

/// Maximum sentences: the list of findings has them all.
const MOST: usize = 3;

/// What the reader should act on, of the findings that this section makes. A kind belongs to the first section it names.
pub fn warnings(record: &Record, section: &str) -> Vec<(Mood, String)> {
    let is_made_here =
        |finding: &&Finding| kinds::of_check(&finding.id).is_some_and(|kind| kind.shown_in.first() == Some(&section));
    let severe = record.findings.iter().filter(is_made_here).filter(|finding| finding.severity >= Severity::Warning);
    severe.take(MOST).map(|finding| (mood(finding), sentence(&finding.evidence.summary))).collect()
}

/// How a finding is written.
pub fn mood(finding: &Finding) -> Mood {
    match finding.severity {
        Severity::Critical => Mood::Bad,
        Severity::Warning => Mood::Warning,
        Severity::Notice => Mood::Plain,
    }
}

/// A name as it is typed.
pub fn code(name: impl Display) -> String {
    format!("`{}`", unquoted(&name.to_string()))
}

/// A clock after a word, such as `of`; nothing where the document does not tell which.
pub fn after(word: &str, clock: Option<&ClockId>) -> String {
    clock.map_or_else(String::new, |clock| format!(" {word} {}", code(clock)))
}

/// A length as somebody set it.
pub fn asked(length_ns: u64) -> String {
    length(Duration::from_nanos(length_ns))
}

/// A clause as a sentence. A name that is typed, or a unit, keeps its first letter.
pub fn sentence(clause: &str) -> String {
    let first = clause.split(' ').next().unwrap_or_default();
    let is_word = first.chars().all(|letter| letter.is_alphabetic() || letter == ',' || letter == ';');
    let mut letters = clause.chars();
    let mut sentence: String = match letters.next().filter(|_| is_word) {
        Some(letter) => letter.to_uppercase().chain(letters).collect(),
        None => clause.to_owned(),
    };
    if !sentence.ends_with(['.', '!', '?']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_becomes_a_sentence() {
        assert_eq!(sentence("the rate was missed"), "The rate was missed.");
        assert_eq!(sentence("std::thread::sleep of 1 µs is late"), "std::thread::sleep of 1 µs is late.");
        assert_eq!(sentence("10\u{202f}000 per second"), "10\u{202f}000 per second.");
        assert_eq!(sentence(""), ".");
    }
}
