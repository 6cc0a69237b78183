//! Checks that every list of language runtimes outside the code has the code's kinds.

use std::fs;
use std::path::{Path, PathBuf};

use super::find::{Surroundings, places};
use chronoscope_probes::RuntimeKind;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// What scripts install, as the folders of probes have it.
fn installed() -> String {
    let folders = fs::read_dir(root().join("probes")).unwrap().map(|entry| entry.unwrap().path().join("install.txt"));
    folders.filter(|list| list.is_file()).map(|list| fs::read_to_string(list).unwrap()).collect()
}

/// `kind` and the first of `programs` in every row of the list read by scripts.
fn listed(text: &str) -> Vec<(&str, &str)> {
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    rows.map(|row| {
        let mut words = row.split_whitespace();
        let (kind, programs) = (words.next().unwrap(), words.next().unwrap());
        (kind, programs.split(',').next().unwrap())
    })
    .collect()
}

#[test]
fn scripts_install_and_ask_every_kind() {
    let text = installed();
    let mut kinds: Vec<&str> = listed(&text).into_iter().map(|(kind, _)| kind).collect();
    let mut known: Vec<&str> = RuntimeKind::all().map(|kind| kind.row().word).collect();
    kinds.sort_unstable();
    known.sort_unstable();
    assert_eq!(kinds, known);
}

#[test]
fn a_program_that_scripts_look_for_is_one_that_is_found() {
    use std::os::unix::fs::PermissionsExt;

    for (word, program) in listed(&installed()) {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join(program);
        fs::write(&file, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        let path = vec![directory.path().to_owned()];
        let surroundings = Surroundings { path, java_home: None, dotnet_root: None, root: directory.path().to_owned() };
        let kind = RuntimeKind::named(word).unwrap();
        assert_eq!(places(kind, &[], &surroundings, true).len(), 1, "{word}, {program}");
    }
}

#[test]
fn every_kind_and_nothing_else_has_a_transcript() {
    let entries = fs::read_dir(root().join("probes/golden")).unwrap();
    let mut files: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let mut wanted: Vec<String> = RuntimeKind::all().map(|kind| format!("{}.jsonl", kind.row().word)).collect();
    files.sort();
    wanted.sort();
    assert_eq!(files, wanted);
}

#[test]
fn pages_name_every_kind() {
    let platform = read("PLATFORM.md");
    let (_, table) = platform.split_once("\n| runtime | needs | seen |\n").expect("the table is there");
    let rows = table.lines().skip(1).take_while(|line| line.starts_with("| "));
    let titles: Vec<&str> = rows.map(|row| row.split('|').nth(1).unwrap().trim()).collect();
    assert_eq!(titles.join(", "), RuntimeKind::titles(), "PLATFORM.md");

    let kinds: Vec<RuntimeKind> = RuntimeKind::all().collect();
    let (first, last) = kinds.split_at(kinds.len() - 1);
    let first = first.iter().map(|kind| kind.title()).collect::<Vec<_>>().join(", ");
    let sentence = format!("{first} and {}", last[0].title());
    for page in ["README.md", "docs/runtimes.md", "probes/README.md"] {
        let text = read(page).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&sentence), "{page} does not say: {sentence}");
    }
}

#[test]
fn the_clocks_of_a_kind_are_those_that_its_probe_declares() {
    for kind in RuntimeKind::all() {
        let transcript = read(&format!("probes/golden/{}.jsonl", kind.row().word));
        let lines = transcript.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let declared = lines.filter(|line| line["type"] == "clock");
        let mut names: Vec<String> = Vec::new();
        for clock in declared {
            let name = clock["clock"].as_str().unwrap().to_owned();
            assert!(!names.is_empty() || clock["kind"] == "monotonic", "{name} comes first");
            if !names.contains(&name) {
                names.push(name);
            }
        }
        assert_eq!(names, kind.row().clocks, "{kind:?}");
    }
}
