//! The house is built as DESIGN.md says: packages use each other in the declared directions, and sections without a cycle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What each package may use, of ours.
const ARROWS: [(&str, &[&str]); 6] = [
    ("crates/clock", &[]),
    ("crates/harness", &["chronoscope-clock"]),
    ("crates/render", &["chronoscope-harness"]),
    ("crates/bench", &["chronoscope-harness", "chronoscope-render"]),
    ("examples", &["chronoscope-harness", "chronoscope-render"]),
    (
        "crates/chronoscope",
        &[
            "chronoscope-bench",
            "chronoscope-clock",
            "chronoscope-examples",
            "chronoscope-harness",
            "chronoscope-probes",
            "chronoscope-render",
        ],
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The dependencies of ours that a manifest names, those of tests left out.
fn used(manifest: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut is_of_program = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_of_program = line.ends_with("dependencies]") && !line.contains("dev-");
        }
        let name: String = line.chars().take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '-').collect();
        if is_of_program && name.starts_with("chronoscope-") {
            found.insert(name);
        }
    }
    found
}

#[test]
fn packages_use_each_other_in_the_declared_directions() {
    for (folder, allowed) in ARROWS {
        let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        let allowed: BTreeSet<String> = allowed.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(used(&manifest), allowed, "{folder}");
    }
    let manifest =
        "[dependencies]\nchronoscope-clock.workspace = true\n[dev-dependencies]\nchronoscope-render = \"1\"\n";
    assert_eq!(used(manifest), BTreeSet::from(["chronoscope-clock".to_owned()]));
}

/// The source files below `folder`.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The sections that each section names in its program text.
fn arrows_of_sections() -> BTreeMap<String, BTreeSet<String>> {
    const PLACE: &str = "crate::sections::";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sections");
    let mut arrows = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_dir() {
            continue;
        }
        let section = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut files = Vec::new();
        sources(&path, &mut files);
        let mut named = BTreeSet::new();
        for file in files {
            let text = fs::read_to_string(file).unwrap();
            let program = text.split("#[cfg(test)]").next().unwrap_or_default();
            for rest in program.split(PLACE).skip(1) {
                named.insert(rest.chars().take_while(|letter| letter.is_ascii_lowercase() || *letter == '_').collect());
            }
        }
        named.remove(&section);
        arrows.insert(section, named);
    }
    arrows
}

/// What is left of the sections when those that lean on none that is left are taken away, again and again: those of cycles.
fn in_cycles(mut arrows: BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    loop {
        let left: BTreeSet<String> = arrows.keys().cloned().collect();
        arrows.retain(|_, named| !named.is_disjoint(&left));
        if arrows.len() == left.len() {
            return left;
        }
    }
}

#[test]
fn no_section_leans_on_one_that_leans_on_it() {
    let arrows = arrows_of_sections();
    assert!(arrows.len() >= 10 && arrows["runtimes"].contains("clocks"), "{arrows:?}");
    assert_eq!(in_cycles(arrows), BTreeSet::new());
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let circle = BTreeMap::from([("a".into(), names(&["b"])), ("b".into(), names(&["a"])), ("c".into(), names(&[]))]);
    assert_eq!(in_cycles(circle), names(&["a", "b"]));
}
