//! Packages use each other in the declared directions.

use std::collections::BTreeSet;
use std::fs;

use crate::tree::root;

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
