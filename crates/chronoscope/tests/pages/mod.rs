//! The pages that are checked against the program: those at the root of the repository, and those in `docs`.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

pub(crate) struct Page {
    /// Its path from the root.
    pub(crate) name: String,
    /// What it says.
    pub(crate) text: String,
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every page, as the folders list them: a new one cannot be forgotten.
pub(crate) fn all() -> Vec<Page> {
    let entries = ["", "docs/"].map(|folder| (folder, fs::read_dir(root().join(folder)).expect("the folder is there")));
    let files = entries.into_iter().flat_map(|(folder, entries)| {
        entries.map(move |entry| format!("{folder}{}", entry.expect("it can be listed").file_name().to_string_lossy()))
    });
    let mut names: Vec<String> = files.filter(|name| name.ends_with(".md")).collect();
    names.sort();
    assert!(names.iter().any(|name| name == "README.md") && names.len() > 10, "{names:?}");
    names
        .into_iter()
        .map(|name| Page { text: fs::read_to_string(root().join(&name)).expect("it is UTF-8"), name })
        .collect()
}

/// The program, started at the root with these arguments.
pub(crate) fn chronoscope(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("chronoscope").expect("the program is built");
    command.current_dir(root()).env_remove("COLUMNS").args(arguments);
    command
}
