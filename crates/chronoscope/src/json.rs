//! Documents as JSON, of bounded length.

use std::io::Read;

use chronoscope_harness::record::{ReportError, parsed, written};

use crate::document::Record;

/// What is longer is not read: documents are a few hundred kilobytes; with a study of every kind, some megabytes.
pub const MOST_BYTES: u64 = 16_000_000;

/// Writes a document as indented JSON with a final newline.
///
/// # Guarantees
/// [`document`] returns an equal one.
///
/// # Errors
/// [`ReportError::is_not_writable`], which names the field, where a number is not finite.
pub fn json(record: &Record) -> Result<String, ReportError> {
    written(record)
}

/// Reads a document of any kind.
///
/// # Errors
/// As [`parsed`].
pub fn document(text: &str) -> Result<Record, ReportError> {
    parsed(text).map(with_steps)
}

/// The record with what earlier builds left to their readers: which step follows from the evidence.
fn with_steps(mut record: Record) -> Record {
    let sections = &mut record.content.sections;
    for clock in sections.clocks.report.clocks.iter_mut().filter(|clock| clock.step.is_none()) {
        clock.step = clock.step_by_evidence();
    }
    let runtimes = sections.runtimes.report.iter_mut().flat_map(|runtime| &mut runtime.clocks);
    for clock in runtimes.filter(|clock| clock.step.is_none()) {
        clock.step = clock.step_by_evidence();
    }
    record
}

/// What to say of a document's text that would not be read again; None if it would.
pub fn reason_unreadable(text: &str) -> Option<String> {
    let megabytes = text.len() as f64 / 1e6;
    let most = MOST_BYTES / 1_000_000;
    (text.len() as u64 > MOST_BYTES).then(|| {
        format!("the record has {megabytes:.1} MB, and no command reads one of more than {most} MB: measure fewer parts at a time")
    })
}

/// The text that `source` yields, or why it cannot be had. What is longer than `most` bytes is refused, so that a device without an end
/// is too.
pub fn bounded_text(source: impl Read, most: u64) -> Result<String, String> {
    let mut text = String::new();
    source.take(most.saturating_add(1)).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if text.len() as u64 > most {
        return Err(format!("it is longer than {} MB", most / 1_000_000));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_of_a_document_of_an_earlier_build_follows_from_its_evidence() {
        let mut earlier: serde_json::Value =
            serde_json::from_str(include_str!("../tests/fixtures/record.json")).unwrap();
        let clocks = &mut earlier["content"]["sections"]["clocks"]["report"]["clocks"];
        for clock in clocks.as_array_mut().unwrap() {
            clock.as_object_mut().unwrap().remove("step");
        }
        let record = document(&earlier.to_string()).unwrap();
        let clocks = &record.content.clocks().clocks;
        assert!(clocks.iter().any(|clock| clock.step.is_some()));
        for clock in clocks {
            assert_eq!(clock.step, clock.step_by_evidence(), "{}", clock.name);
        }
        assert_eq!(document(&json(&record).unwrap()).unwrap(), record);
    }

    #[test]
    fn what_is_written_is_read_or_said_not_to_be() {
        let text = |bytes: u64| " ".repeat(bytes as usize);
        for (bytes, is_read) in [(MOST_BYTES, true), (MOST_BYTES + 1, false)] {
            assert_eq!(bounded_text(text(bytes).as_bytes(), MOST_BYTES).is_ok(), is_read);
            assert_eq!(reason_unreadable(&text(bytes)).is_none(), is_read);
        }
    }
}
