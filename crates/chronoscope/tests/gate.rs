//! The gate as users run it, on saved documents.

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use serde_json::Value;

fn fixture(name: &str) -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name).display().to_string()
}

/// The gate on a check with kvm-clock, with these further arguments.
fn gate(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    command.env_remove("COLUMNS").args(["gate", "--document", &fixture("record.json")]).args(arguments);
    command
}

fn printed(arguments: &[&str], code: i32) -> String {
    let output = gate(arguments).assert().code(code).get_output().clone();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refused(arguments: &[&str]) -> String {
    let output = gate(arguments).assert().code(2).get_output().clone();
    assert!(output.stdout.is_empty(), "a refusal prints nothing on standard output");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn rules_come_from_a_file_and_from_options() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rules.toml");
    let path = file.display().to_string();
    fs::write(&file, "require = ['vdso']\n[max-latency]\nmonotonic = '40ns'\n").unwrap();
    assert_eq!(printed(&[&path], 0).matches("✔ ").count(), 2);
    assert_eq!(printed(&[&path, "--max-skew", "1ns"], 1).matches("✔ ").count(), 2);
    fs::write(&file, "require = ['vdso']\nmax-latancy = { monotonic = '40ns' }\n").unwrap();
    let told = refused(&[&path]);
    assert!(told.contains("max-latancy") && told.contains("max-latency"), "{told}");
    fs::write(&file, "# none\n").unwrap();
    refused(&[&path]);
}

#[test]
fn the_judgement_is_written_as_json_and_xml_and_shown_again() {
    let folder = tempfile::tempdir().unwrap();
    let [json, xml] = ["gate.json", "gate.xml"].map(|name| folder.path().join(name).display().to_string());
    let rules = ["--require", "vdso,clocksource=tsc,ntp"];
    let page = printed(&[&rules[..], &["--output", &json, "--junit", &xml]].concat(), 1);
    let shown =
        Command::new(env!("CARGO_BIN_EXE_chronoscope")).env_remove("COLUMNS").args(["show", &json]).assert().success();
    assert_eq!(String::from_utf8_lossy(&shown.get_output().stdout), page);
    let saved = fs::read_to_string(&json).unwrap();
    assert_eq!(printed(&[&rules[..], &["--format", "json"]].concat(), 1), saved);
    let document: Value = serde_json::from_str(&saved).unwrap();
    let judged = &document["content"]["gate"];
    assert_eq!(judged["passed"], false);
    let ends: Vec<&str> =
        judged["rules"].as_array().unwrap().iter().filter_map(|rule| rule["outcome"].as_str()).collect();
    assert_eq!(ends, ["passed", "failed", "unknown"]);
    let text = fs::read_to_string(&xml).unwrap();
    let tree = roxmltree::Document::parse(&text).unwrap();
    let names: Vec<&str> = tree
        .descendants()
        .filter(|node| node.has_tag_name("testcase"))
        .filter_map(|case| case.attribute("name"))
        .collect();
    assert_eq!(names, ["require vdso", "require clocksource=tsc", "require ntp"]);
    assert_eq!(tree.descendants().filter(|node| node.has_tag_name("failure")).count(), 1);
    assert_eq!(tree.descendants().filter(|node| node.has_tag_name("error")).count(), 1);
    // The judgement does not hide the check.
    let mut show = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    let check = show.args(["show", &json, "--view", "check"]).assert().success().get_output().clone();
    assert!(!String::from_utf8_lossy(&check.stdout).contains("GATE"));
}

#[test]
fn without_a_document_it_measures_and_looks_at_the_wall_clock() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    let output = command
        .args(["gate", "--duration", "2s", "--quiet", "--require", "monotonic,ntp", "--format", "json"])
        .output();
    let output = output.unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let judged = &document["content"]["gate"];
    assert_eq!(judged["rules"].as_array().unwrap().len(), 2, "{judged}");
    assert_eq!(output.status.code(), Some(i32::from(judged["passed"] != true)));
    assert!(document["content"]["sections"]["sync"]["report"].is_object());
    assert!(document["content"]["parts"].as_array().unwrap().iter().any(|part| part["part"] == "sync"));
}

#[test]
fn every_finding_is_listed_and_explained() {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
        let output = command.arg("findings").args(arguments).assert().success().get_output().clone();
        String::from_utf8(output.stdout).unwrap()
    };
    let rows: Value = serde_json::from_str(&run(&["--format", "json"])).unwrap();
    let list = run(&[]);
    for row in rows.as_array().unwrap() {
        assert!(list.contains(row["id"].as_str().unwrap()), "{row}");
        for words in ["meaning", "evidence", "mend", "severity"] {
            assert!(row[words].as_str().is_some_and(|words| !words.is_empty()), "{row}");
        }
    }
    let one = run(&["cross_cpu_skew"]);
    assert!(["meaning", "evidence", "mend", "offset_ns"].iter().all(|word| one.contains(word)), "{one}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    command.args(["findings", "noise"]).assert().code(2);
}
