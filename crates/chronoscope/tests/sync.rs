//! `chronoscope sync` on this machine, whatever keeps its clock.

use assert_cmd::Command;
use serde_json::Value;

fn chronoscope(arguments: &[&str]) -> assert_cmd::assert::Assert {
    Command::new(env!("CARGO_BIN_EXE_chronoscope")).env_remove("COLUMNS").args(arguments).assert()
}

fn sync(arguments: &[&str]) -> assert_cmd::assert::Assert {
    chronoscope(&[&["sync", "--over", "20ms"], arguments].concat())
}

#[test]
fn every_question_has_an_answer_or_a_reason() {
    let output = sync(&["--format", "json"]).success().get_output().clone();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let schema: Value = serde_json::from_str(include_str!("../schema/chronoscope.v2.schema.json")).unwrap();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&document), "{document}");
    let entry = &document["content"]["sections"]["sync"];
    assert_eq!(entry["plan"]["over_ms"], 20);
    let report = &entry["report"];
    for path in
        ["/bound", "/slew/declared", "/slew/observed", "/slew/transient_ppm", "/step", "/kernel", "/chrony", "/daemons"]
    {
        let known = report.pointer(path).unwrap();
        let why = known.get("unavailable").map(|why| why.as_str().unwrap());
        assert!(!known.is_null() && why != Some(""), "{path}: {known}");
    }
    assert!(!report["discipline"]["evidence"].as_array().unwrap().is_empty(), "{report}");
}

#[test]
fn what_was_saved_is_shown_as_it_was_printed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sync.json");
    let file = file.to_str().unwrap();
    let printed = sync(&["--quiet", "--output", file]).success().get_output().stdout.clone();
    assert!(String::from_utf8_lossy(&printed).contains("SYNC: "));
    assert_eq!(chronoscope(&["show", file]).success().get_output().stdout, printed);
}

#[test]
fn strict_fails_by_the_findings_of_its_own_run() {
    let output = sync(&["--format", "json", "--strict"]).get_output().clone();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let warns = document["findings"].as_array().unwrap().iter().any(|finding| finding["severity"] != "notice");
    assert_eq!(output.status.code(), Some(i32::from(warns)), "{document}");
}
