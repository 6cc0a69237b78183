//! The literature, judged by documents that are there, and by runs that somebody stops.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use assert_cmd::Command;
use serde_json::Value;

fn literature(arguments: &[&str]) -> assert_cmd::assert::Assert {
    Command::new(env!("CARGO_BIN_EXE_chronoscope")).arg("literature").args(arguments).assert()
}

fn shown(name: &str) -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/shown").join(name).display().to_string()
}

fn assert_valid(record: &Value) {
    let schema = serde_json::from_str(include_str!("../schema/chronoscope.v2.schema.json")).unwrap();
    let faults: Vec<String> =
        jsonschema::validator_for(&schema).unwrap().iter_errors(record).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
}

fn claims(record: &Value) -> &Vec<Value> {
    record["content"]["literature"]["claims"].as_array().unwrap()
}

#[test]
fn documents_are_judged_where_they_can_be() {
    let output = literature(&["--format", "json", &shown("reads.json")]).success().get_output().stdout.clone();
    let record: Value = serde_json::from_slice(&output).unwrap();
    assert_valid(&record);
    let of = |id: &str| claims(&record).iter().find(|claim| claim["id"] == id).unwrap();
    assert!(["agreed", "differs"].contains(&of("S32")["state"].as_str().unwrap()), "{}", of("S32"));
    assert_eq!(of("N1")["state"], "not_run");
    assert_eq!(of("N16")["state"], "needs");
    assert!(record["machine"]["kernel"].is_object(), "that of the document");
}

#[test]
fn what_is_no_document_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (odd, page) = (folder.path().join("odd.json"), folder.path().join("page.html"));
    std::fs::write(&odd, "{\"command\": 7}").unwrap();
    for file in [odd.to_str().unwrap(), "/nowhere/at-all.json"] {
        let refused = literature(&["--html", page.to_str().unwrap(), file]).code(2).get_output().stderr.clone();
        assert!(String::from_utf8_lossy(&refused).contains("cannot be read"), "{file}");
        assert!(!page.exists());
    }
}

#[test]
fn an_interrupted_run_judges_what_it_has() {
    let mut child = Process::new(env!("CARGO_BIN_EXE_chronoscope"))
        .args(["literature", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert!(Process::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    let mut complaint = String::new();
    child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{complaint}");
    // On a slow machine nothing was measured yet, and it says so.
    if text.is_empty() {
        assert!(complaint.contains("nothing was measured"), "{complaint}");
        return;
    }
    let record: Value = serde_json::from_str(&text).unwrap();
    assert_valid(&record);
    assert_eq!(record["interrupted"], true);
    assert!(claims(&record).iter().any(|claim| claim["state"] == "not_run"));
}
