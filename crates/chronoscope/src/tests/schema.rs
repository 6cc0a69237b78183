//! The committed schema matches the document types, and output conforms to it.

use std::path::Path;

use jsonschema::validator_for;
use schemars::JsonSchema;
use serde_json::Value;

use crate::document::SCHEMA;

/// The schema of the types, with a final newline.
fn generated() -> String {
    /// A document: one run on one machine.
    #[derive(JsonSchema)]
    #[schemars(transparent)]
    struct Record(#[expect(dead_code, reason = "only its schema is asked for")] crate::document::Record);

    serde_json::to_string_pretty(&schemars::schema_for!(Record)).unwrap() + "\n"
}

#[test]
fn the_committed_schema_is_up_to_date() {
    let now = generated();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/chronoscope.v2.schema.json");
        std::fs::write(file, now).expect("the schema can be written");
        return;
    }
    assert!(
        SCHEMA == now,
        "the types of a document and the committed schema differ; if the change only adds fields, run\n    \
         UPDATE_GOLDEN=1 cargo test -p chronoscope --lib\n\
         else it needs a new schema_version"
    );
}

#[test]
fn documents_of_every_kind_fit_the_schema() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let validator = validator_for(&schema).unwrap();
    for text in [
        include_str!("../../tests/fixtures/record.json"),
        include_str!("../../tests/fixtures/runtimes.json"),
        include_str!("../../tests/fixtures/study.json"),
        include_str!("../../tests/fixtures/pace.json"),
    ] {
        let document: Value = serde_json::from_str(text).unwrap();
        let faults: Vec<String> = validator.iter_errors(&document).map(|fault| fault.to_string()).collect();
        assert!(faults.is_empty(), "{faults:?}");
    }
}
