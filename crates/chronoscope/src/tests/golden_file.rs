//! Golden files. `UPDATE_GOLDEN=1` rewrites them; review the difference before committing.

use std::fs;
use std::path::{Path, PathBuf};

use chronoscope_harness::finding::Finding;

/// Asserts that `text` matches the file of this name in `tests/golden`.
pub fn assert_golden(name: &str, text: &str) {
    assert_same(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name), text);
}

/// Asserts that `text` matches this file.
pub fn assert_same(path: &Path, text: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(path, text).expect("golden files can be written");
        return;
    }
    let golden = fs::read_to_string(path).unwrap_or_default();
    assert!(golden == text, "{} differs from what is rendered now:\n{text}", path.display());
}

/// Asserts that the findings of these cases, with their advice, read as in `tests/golden/findings/NAME.txt`.
pub fn assert_findings(name: &str, cases: Vec<(&str, Vec<Finding>)>) {
    let mut text = String::new();
    for (case, findings) in cases {
        text += &format!("=== {case}\n");
        for Finding { id, severity, subject, evidence, advice, .. } in findings {
            let subject = subject.map(|subject| format!(" of {subject}")).unwrap_or_default();
            text += &format!("{} {id}{subject}: {}\n", severity.word(), evidence.summary);
            text.extend(advice.iter().map(|advice| format!("  → {advice}\n")));
        }
        text.push('\n');
    }
    assert_golden(&format!("findings/{name}.txt"), &text.replace('\u{a0}', " "));
}
