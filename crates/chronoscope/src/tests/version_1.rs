//! Documents written by version 1 are read like this version's, and shown the same.

use std::fs;
use std::path::Path;

use crate::answers::first_screen::conclude::draw_first_screen;
use crate::json::{document, json};
use crate::rules;
use chronoscope_harness::finding::Finding;

#[test]
fn documents_of_version_1_are_those_of_today() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    for name in ["record", "runtimes", "study", "pace"] {
        let read = |path: &str| fs::read_to_string(folder.join(path)).unwrap();
        let (old, new) = (read(&format!("v1/{name}.json")), read(&format!("{name}.json")));
        let (mut upgraded, written) = (document(&old).unwrap(), document(&new).unwrap());
        assert_eq!(json(&written).unwrap(), new, "{name}");
        if !upgraded.parts.is_empty() {
            // Findings keep the writing build's clock names and order until they are drawn again, and so does the screen made of them.
            upgraded.findings = rules::conclude(&upgraded);
            draw_first_screen(&mut upgraded);
        }
        assert_eq!(upgraded, written, "{name}");
    }
}

#[test]
fn a_version_that_no_build_wrote_is_refused() {
    for (key, version) in [("schema_version", 0), ("study_schema_version", 2), ("pace_schema_version", 2)] {
        let error = document(&format!("{{\"{key}\": {version}}}")).unwrap_err();
        assert!(error.is_schema_version(), "{key}: {error}");
    }
}

/// Version 2 kept some findings in reports before all went into the envelope.
#[test]
fn findings_that_were_kept_in_a_report_are_taken_over() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/record.json")).unwrap();
    let mut old: serde_json::Value = serde_json::from_str(&text).unwrap();
    let of_release = |finding: &serde_json::Value| {
        let id = finding["id"].as_str().unwrap();
        id.starts_with("release_") || id == "control_looks_slower"
    };
    let all = old["findings"].as_array().unwrap().clone();
    let (kept, others): (Vec<_>, Vec<_>) = all.into_iter().partition(of_release);
    assert!(kept.len() > 2, "{kept:?}");
    let mut told = kept.clone();
    told[0]["evidence"]["summary"] = "as it was told then".into();
    old["findings"] = others.into();
    old["content"]["sections"]["thread_release"]["report"]["conclusions"] = told.into();
    let read = document(&old.to_string()).unwrap();
    let found: Vec<_> = read.findings.iter().filter(|one| of_release(&serde_json::to_value(one).unwrap())).collect();
    assert_eq!(found.len(), kept.len());
    assert_eq!(found[0].evidence.summary, "as it was told then");
    // A document without either is completed by the rules.
    old["content"]["sections"]["thread_release"]["report"]["conclusions"] = serde_json::Value::Null;
    let completed = document(&old.to_string()).unwrap();
    let told = |one: &&chronoscope_harness::finding::Finding| of_release(&serde_json::to_value(one).unwrap());
    assert_eq!(completed.findings.iter().filter(told).count(), kept.len());
}

/// What is known of one clock does not stand in for another, by whichever name the clock went then.
#[test]
fn a_document_that_judged_one_clock_is_completed_for_the_others() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let text = fs::read_to_string(folder.join("record.json")).unwrap();
    let mut old: serde_json::Value = serde_json::from_str(&text).unwrap();
    let all = document(&text).unwrap().findings.clone();
    let is_told = |finding: &serde_json::Value| {
        let id = finding["id"].as_str().unwrap();
        !id.starts_with("release_") || finding["subject"] == "Clock::now"
    };
    let findings = old["findings"].as_array_mut().unwrap();
    findings.retain(is_told);
    let told = findings.iter_mut().find(|finding| finding["subject"] == "Clock::now").expect("it is judged");
    told["subject"] = "ordered".into();
    told["id"] = "release_undecided".into();
    old["content"]["sections"]["thread_release"]["report"]["conclusions"] = serde_json::json!([]);
    let completed = document(&old.to_string()).unwrap().findings.clone();
    let of_release = |findings: &[Finding]| {
        let release = findings.iter().filter(|finding| finding.id.starts_with("release_"));
        let mut subjects: Vec<_> = release.filter_map(|finding| finding.subject.clone()).collect();
        subjects.sort();
        subjects
    };
    let wanted: Vec<_> = of_release(&all).into_iter().map(|name| name.replace("Clock::now", "ordered")).collect();
    assert_eq!(of_release(&completed), wanted);
    let kept = completed.iter().find(|finding| finding.subject.as_deref() == Some("ordered")).unwrap();
    assert_eq!(kept.id, "release_undecided", "what was concluded then is not concluded again");
}

#[test]
fn a_document_of_today_is_not_judged_again() {
    for text in [include_str!("../../tests/fixtures/record.json"), include_str!("../../tests/fixtures/pace.json")] {
        let mut record = document(text).unwrap();
        record.findings.clear();
        assert_eq!(document(&crate::json::json(&record).unwrap()).unwrap(), record);
    }
}
