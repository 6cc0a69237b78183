//! What version 1 wrote is read as what this version writes, and shown the same.

use std::fs;
use std::path::Path;

use crate::json::{document, json};
use crate::rules;

#[test]
fn documents_of_version_1_are_those_of_today() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    for name in ["record", "runtimes", "study", "pace"] {
        let read = |path: &str| fs::read_to_string(folder.join(path)).unwrap();
        let (old, new) = (read(&format!("v1/{name}.json")), read(&format!("{name}.json")));
        let (mut upgraded, written) = (document(&old).unwrap(), document(&new).unwrap());
        assert_eq!(json(&written).unwrap(), new, "{name}");
        if !upgraded.parts.is_empty() {
            // Findings name clocks, and are told in the order, of the build that wrote them, until they are drawn again.
            upgraded.findings = rules::conclude(&upgraded);
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
