//! The gate as users run it, on saved documents.

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use serde_json::{Value, json};

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

/// The saved check with a noise floor of 2.4 %, of one pair that so many of 24 processes measured.
fn with_noise_floor(processes: u32) -> Value {
    let mut document: Value = serde_json::from_str(&fs::read_to_string(fixture("record.json")).unwrap()).unwrap();
    let is_sure = processes >= 11;
    document["content"]["noise_floor"] = json!({
        "processes": 24, "confidence": 0.999, "processes_needed": 11, "floor_pct": is_sure.then_some(2.4),
        "pairs": [{
            "operation": "a sort", "time_ns": { "estimate": 310.0, "low": 308.0, "high": 311.0, "confidence": 0.999 },
            "ratio": { "estimate": 1.001, "low": 0.9836, "high": 1.012, "confidence": 0.9995 },
            "leads": "typical", "told_pct": 2.35, "processes": processes,
            "is_sure": is_sure, "is_false_alarm": false, "has_states": false,
        }],
        "false_alarms": 0, "iterations": 700, "iterations_quiet": 90, "cpu_quota": null,
    });
    document
}

#[test]
fn whether_a_difference_can_be_told_is_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("floor.json");
    let judged = |processes: u32, asked: &[&str], code: i32| {
        fs::write(&file, with_noise_floor(processes).to_string()).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
        command.env_remove("COLUMNS").args(["gate", "--document", &file.display().to_string()]).args(asked);
        String::from_utf8(command.assert().code(code).get_output().stdout.clone()).unwrap()
    };
    let yes = judged(24, &["--resolve", "2.5%"], 0);
    assert!(yes.contains("✔ resolve 2.5%: yes: the noise floor is 2.4 %"), "{yes}");
    assert!(yes.contains("a sort") && yes.contains("90 of 700 iterations were undisturbed"), "{yes}");
    let no = judged(24, &["--resolve", "1"], 1);
    assert!(no.contains("✘ resolve 1%: no") && no.contains("--duration 116s") && no.contains("noisy"), "{no}");
    let unknown = judged(9, &["--resolve", "2%"], 1);
    assert!(unknown.contains("? resolve 2%: unknown: 9 of 24 processes"), "{unknown}");
    // Every rule must hold.
    judged(24, &["--resolve", "2.5%", "--require", "vdso"], 0);
    judged(24, &["--resolve", "2.5%", "--require", "clocksource=tsc"], 1);
    judged(24, &["--resolve", "1%", "--require", "vdso"], 1);
}

#[test]
fn identical_operations_are_compared_here() {
    let document = |rules: &[&str], duration: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
        command.args(["gate", "--quiet", "--format", "json", "--duration", duration]).args(rules);
        let output = command.output().unwrap();
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(i32::from(document["content"]["gate"]["passed"] != true)));
        let schema: Value = serde_json::from_str(include_str!("../schema/chronoscope.v2.schema.json")).unwrap();
        assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&document));
        document
    };
    let alone = document(&["--resolve", "50%"], "1s");
    let floor = &alone["content"]["noise_floor"];
    assert_eq!((floor["pairs"].as_array().unwrap().len(), &floor["processes"]), (10, &json!(24)));
    assert!(alone["content"]["parts"].is_null(), "no check was asked for");
    let both = document(&["--resolve", "50%", "--require", "monotonic"], "2s");
    let told: Vec<&str> =
        both["content"]["gate"]["rules"].as_array().unwrap().iter().filter_map(|rule| rule["rule"].as_str()).collect();
    assert_eq!(told, ["require monotonic", "resolve 50%"]);
    assert!(both["content"]["parts"].is_array() && both["content"]["noise_floor"].is_object());
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
        for words in ["meaning", "evidence", "fix", "severity"] {
            assert!(row[words].as_str().is_some_and(|words| !words.is_empty()), "{row}");
        }
    }
    let one = run(&["cross_cpu_skew"]);
    assert!(["meaning", "evidence", "fix", "offset_ns"].iter().all(|word| one.contains(word)), "{one}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    command.args(["findings", "noise"]).assert().code(2);
}
