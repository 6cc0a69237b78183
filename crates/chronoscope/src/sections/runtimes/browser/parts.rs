use chronoscope_render::browser::{Entry, Row};

use crate::document::Record;
use crate::probe::runtime::Runtime;

/// The runtimes of which anything was measured.
pub fn measured(record: &Record) -> impl Iterator<Item = &Runtime> {
    record.content.runtimes().iter().filter(|runtime| runtime.available)
}

/// Rows below their heading, if there are any.
pub fn headed(title: &str, rows: Vec<Row>) -> Vec<Entry> {
    let heading = (!rows.is_empty()).then(|| Entry::Heading(title.to_owned()));
    heading.into_iter().chain(rows.into_iter().map(Entry::Row)).collect()
}
