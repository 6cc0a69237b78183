//! The committed schema matches the document types, and output conforms to it.

use jsonschema::validator_for;
use serde_json::Value;

const COMMITTED: &str = include_str!("../../schema/chronoscope.v2.schema.json");

#[test]
fn the_committed_schema_is_up_to_date() {
    assert!(
        COMMITTED == crate::document::schema(),
        "the types of a document and the committed schema differ; if the change only adds fields, run\n    \
         cargo run -p chronoscope -- schema > schema/chronoscope.v2.schema.json\n\
         else it needs a new schema_version"
    );
}

#[test]
fn documents_of_every_kind_fit_the_schema() {
    let schema: Value = serde_json::from_str(COMMITTED).unwrap();
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
