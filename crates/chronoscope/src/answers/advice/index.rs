//! The index of symptoms: find a row, list all.

use schemars::JsonSchema;
use serde::Serialize;

use super::diagnose::{Symptom, words};
use super::matching::fitting;
use super::symptoms::SYMPTOMS;

/// The rows that a user's words fit, the best first. An id fits its row alone.
pub fn find(text: &str) -> Vec<&'static Symptom> {
    if let Some(row) = SYMPTOMS.iter().find(|row| row.id == text.trim()) {
        return vec![row];
    }
    let phrases: Vec<&[&str]> = SYMPTOMS.iter().map(|row| row.phrases).collect();
    fitting(text, &phrases).into_iter().filter_map(|row| SYMPTOMS.get(row)).collect()
}

/// The title of the symptom with this id; the id itself if another build named it.
pub fn title(id: &str) -> &str {
    SYMPTOMS.iter().find(|row| row.id == id).map_or(id, |row| row.title())
}

/// A row as it is listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IndexRow {
    /// The symptom's id.
    pub id: &'static str,
    /// As users put it.
    pub phrases: &'static [&'static str],
    /// What answers it, by the names of sections.
    pub needs: &'static [&'static str],
    /// What is usually behind it.
    pub usually: &'static str,
}

/// Every row.
pub fn rows() -> impl Iterator<Item = IndexRow> {
    SYMPTOMS.iter().map(|row| IndexRow { id: row.id, phrases: row.phrases, needs: row.needs, usually: row.usually })
}

/// The index as a table of Markdown, for the documentation.
#[cfg(test)]
pub fn markdown() -> String {
    let row =
        |row: IndexRow| format!("| \"{}\" | `{}` | {} | {} |\n", row.phrases[0], row.id, words(row.needs), row.usually);
    "| symptom | id | runs | usually |\n|---|---|---|---|\n".to_owned() + &rows().map(row).collect::<String>()
}

/// What answers a row, as commands.
pub fn commands(row: &IndexRow) -> String {
    words(row.needs).replace('`', "").replace("chronoscope ", "")
}
