//! Checks that documents and records in the tree match the code.
//!
//! A record shown anywhere has findings and a judgement; both must be those that the rules draw from the rest of it, so
//! that every sentence shown comes from a rule. `UPDATE_GOLDEN=1 cargo test -p chronoscope --lib documents` rewrites
//! them; then update the golden files of the reports. A sentence with a figure that is a constant of the code is
//! generated here from the constant.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::answers::gate::report::Gate;
use crate::answers::gate::rule::gate;
use crate::answers::gate::rules_file;
use crate::document::Record;
use crate::plan::{Depth, Frame};
use crate::rules;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Records used in goldens and documents.
fn records() -> Vec<PathBuf> {
    let folders = ["crates/chronoscope/tests/fixtures", "crates/chronoscope/tests/fixtures/zen4", "docs/shown"]
        .map(|folder| root().join(folder));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("the folder is there"));
    let is_record = |path: &PathBuf| {
        let read = || crate::json::document(&fs::read_to_string(path).unwrap_or_default());
        path.extension().is_some_and(|ending| ending == "json")
            && read().is_ok_and(|record| !record.content.parts.is_empty())
    };
    let mut found: Vec<PathBuf> = files.filter_map(|file| Some(file.ok()?.path())).filter(is_record).collect();
    found.sort();
    found
}

#[test]
fn findings_and_judgements_of_shown_records_are_those_of_the_rules() {
    let records = records();
    assert!(records.len() >= 2, "{records:?}");
    let mut gates = 0;
    for path in records {
        let text = fs::read_to_string(&path).unwrap();
        let shown = crate::json::document(&text).unwrap();
        let mut concluded = rules::judged(shown.clone());
        concluded.content.gate = shown.content.gate.as_ref().map(|kept| judged_again(&concluded, kept));
        gates += usize::from(shown.content.gate.is_some());
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, crate::json::json(&concluded).unwrap()).expect("writable");
            continue;
        }
        let file = path.display();
        assert_eq!(shown.findings, concluded.findings, "{file}, UPDATE_GOLDEN=1");
        assert_eq!(shown.content.judgement, concluded.content.judgement, "{file}, UPDATE_GOLDEN=1");
        assert_eq!(shown.content.gate, concluded.content.gate, "{file}, UPDATE_GOLDEN=1");
    }
    assert!(gates > 0);
}

/// The judgement by the rules that a gate names.
fn judged_again(record: &Record, kept: &Gate) -> Gate {
    let line = |rule: &str| match rule.split_once(' ').expect("a rule has a name and a value") {
        (name @ ("require" | "forbid"), value) => format!("{name} = ['{value}']"),
        (name, value) => format!("{name} = '{value}'"),
    };
    let rules = kept.rules.iter().flat_map(|rule| rules_file::rules(&line(&rule.rule)).expect("it is a rule"));
    gate(record, &rules.collect::<Vec<_>>())
}

/// The text of a document, its lines joined.
fn text(name: &str) -> String {
    let text = fs::read_to_string(root().join(name)).expect("the document is there");
    let lines: Vec<&str> = text.lines().map(|line| line.trim_start_matches("///").trim()).collect();
    lines.join(" ")
}

#[track_caller]
fn says(document: &str, sentence: &str) {
    assert!(text(document).contains(sentence), "{document} does not say: {sentence}");
}

fn seconds(depth: Depth) -> u64 {
    depth.budget().as_secs()
}

/// A feature missing from the table cannot be found.
#[test]
fn the_clock_crates_features_are_all_described() {
    let read = |name: &str| fs::read_to_string(root().join("crates/clock").join(name)).unwrap();
    let section = |text: &str, title: &str, next: &str| -> String {
        let (_, rest) = text.split_once(title).unwrap();
        rest.split_once(next).expect("another follows").0.to_owned()
    };
    let declared: BTreeSet<String> = section(&read("Cargo.toml"), "\n[features]\n", "\n[")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| Some(line.split_once(" = ")?.0.to_owned()))
        .filter(|feature| feature != "default")
        .collect();
    assert!(declared.len() > 4, "{declared:?}");
    let named = |text: &str, before: &str| -> BTreeSet<String> {
        text.lines().filter_map(|line| Some(line.strip_prefix(before)?.split_once('`')?.0.to_owned())).collect()
    };
    let readme = section(&read("README.md"), "\n## Features\n", "\n## ");
    assert_eq!(named(&readme, "| `"), declared, "README.md");
    let front = section(&read("src/lib.rs"), "\n//! # Features\n", "\n//! # ");
    assert_eq!(named(&front, "//! - `"), declared, "src/lib.rs");
}

#[test]
fn figures_of_a_check_are_those_of_its_plan() {
    use crate::sections::clocks::plan::plan;

    let frame = |depth| Frame { depth, cpus: vec![0, 1], alone: false };
    let plan = |depth| plan(&Default::default(), &frame(depth)).expect("no options are a plan");
    let normal = plan(Depth::Normal);
    let processes = normal.latency_processes;
    says("DESIGN.md", &format!("each latency comes from {processes} of them"));
    says("DESIGN.md", &format!("## Why {processes} processes?"));
    says("DESIGN.md", &format!("`--thorough` takes {},", plan(Depth::Thorough).latency_processes));
    says("docs/measuring.md", &format!("the median over {processes} processes"));
    says(
        "DESIGN.md",
        &format!("reads each clock {} times through the C library", crate::sections::clocks::paths::task::READS),
    );
    assert!(seconds(Depth::Normal) < 30 && seconds(Depth::Thorough) == 60);
    says("README.md", "One command, ten seconds");
    says(
        "docs/commands.md",
        "| `--quick`, `--thorough`, `--duration 8s` | a few seconds, about a minute, or as long as you say",
    );
}

#[test]
fn figures_of_estimates_are_theirs() {
    use crate::sections::clocks::latency::interference::SHARED_SHARES_OF_TURNS;
    use chronoscope_harness::estimators::intervals::{FURTHER_MULTIPLES, TRIAL_MULTIPLES};
    use chronoscope_harness::record::study::InterferenceProbe;

    says(
        "DESIGN.md",
        &format!(
            "at most {} times what they take in the quietest {} % of iterations",
            InterferenceProbe::QUIET_FACTOR,
            InterferenceProbe::QUIETEST_SHARE * 100.0
        ),
    );
    let (first, last) = (TRIAL_MULTIPLES[0], TRIAL_MULTIPLES[TRIAL_MULTIPLES.len() - 1]);
    says("DESIGN.md", &format!("Work of {first} to {last} times the claimed length"));
    let shared = SHARED_SHARES_OF_TURNS;
    let alone = chronoscope_harness::machine::known_turns_per_link();
    says(
        "DESIGN.md",
        &format!(
            "{:.1} to {:.1} turns per link give the finding `core_shared`",
            shared.start * alone,
            shared.end * alone
        ),
    );
    let furthest = FURTHER_MULTIPLES[FURTHER_MULTIPLES.len() - 1];
    says("DESIGN.md", &format!("a second chance at the end of the run tries up to {furthest} times the claim"));
}

#[test]
fn figures_of_studies_are_their_defaults() {
    use chronoscope_harness::defaults::{BUDGETS, CELL_BUDGET, LAYOUTS, LONGEST_BATCHES, PROCESSES};

    says("DESIGN.md", &format!("Each of its worker processes ({PROCESSES} by default)"));
    says(
        "crates/harness/src/study/study.rs",
        &format!(
            "Unless said, {} ms per cell and process, between {} s and {} s.",
            CELL_BUDGET.as_millis(),
            BUDGETS.0.as_secs(),
            BUDGETS.1.as_secs()
        ),
    );
    says("DESIGN.md", &format!("unless one is more than {LONGEST_BATCHES} times as slow"));
    let copies = ["none", "one", "two", "three", "four"][LAYOUTS as usize];
    says("DESIGN.md", &format!("Each loop is compiled {copies} times, 16 bytes further"));
}
