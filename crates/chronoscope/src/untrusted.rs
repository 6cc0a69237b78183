//! Entry points for untrusted bytes, for fuzzing: documents from another machine, and output of a probe.

use chronoscope_render::Width;

use crate::answers::compare::{Source, compare};
use crate::answers::since::since;
use crate::command::page::{Shown, browser_page, page};
use crate::document::{Content, Record};
use crate::json::{document, json};
use crate::probe::probe_process::ProbeProcess;
use crate::probe::{Answer, CountedCalls};
use crate::screen::{View, terminal_at};
use crate::sections::runtimes::estimate;
use crate::sections::runtimes::estimate::NativeRounds;

/// Reads a document of any kind and, if valid, renders it in every way. Returns the pages, or the error.
///
/// # Guarantees
/// Never panics.
///
/// # Examples
/// ```
/// assert!(chronoscope::untrusted::shown("{}").unwrap_err().contains("schema_version"));
/// ```
pub fn shown(text: &str) -> Result<Vec<String>, String> {
    let width = Width::default();
    let record = document(text).map_err(|error| error.to_string())?;
    let views = View::all().map(|view| terminal_at(&record, view, width));
    let compared = compared_with_itself(&record);
    let compared = page(&compared, Shown { full: true, ..Shown::default() }, width);
    let pages = [false, true].map(|full| page(&record, Shown { full, ..Shown::default() }, width));
    Ok(views
        .chain(pages)
        .chain([compared])
        .chain([browser_page(&record, Shown::default())])
        .chain(json(&record))
        .collect())
}

/// The comparison of a document with itself.
fn compared_with_itself(record: &Record) -> Record {
    let source = |name: &str| Source { name: name.to_owned(), record: record.clone() };
    let comparison = Some(compare(&source("a"), &[source("b")], &[]));
    let since = since(record, record, &[]);
    let content = Content { comparison, since, ..Content::default() };
    let tool = record.tool.clone();
    Record::new("compare", tool, record.machine.clone(), content)
}

/// Parses a probe's output up to the first invalid line, and computes all estimates. Returns the estimates of its
/// clocks as JSON.
///
/// # Guarantees
/// Never panics.
///
/// # Examples
/// ```
/// assert_eq!(chronoscope::untrusted::heard("nonsense").unwrap(), "[]");
/// ```
pub fn heard(text: &str) -> Result<String, serde_json::Error> {
    let mut answer = Answer::default();
    // Everything before a fault is used as well: a process may be killed midway.
    for line in text.lines() {
        if answer.push_line(line).is_err() {
            break;
        }
    }
    let processes = [ProbeProcess { round: 0, answer: answer.clone() }, ProbeProcess { round: 1, answer }];
    let counted = (&processes[0].answer, &CountedCalls::new());
    let clocks = estimate::runtime_clocks(&processes, Some(counted), &NativeRounds::new());
    let _ = estimate::runtime_loop(&processes);
    let _ = estimate::runtime_pause(&processes);
    let _ = estimate::runtime_latch(&processes, 100);
    serde_json::to_string(&clocks)
}
