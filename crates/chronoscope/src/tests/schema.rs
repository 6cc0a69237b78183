//! The committed schema matches the document types, and output conforms to it.

use std::path::Path;

use jsonschema::validator_for;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use super::golden_file::assert_same;
use crate::document::SCHEMA;
use crate::json::document;
use crate::screen::card::Facts;

/// The schema of the types, with a final newline.
fn generated() -> String {
    /// A document: one run on one machine.
    #[derive(JsonSchema)]
    #[schemars(transparent)]
    struct Record(#[expect(dead_code, reason = "only its schema is asked for")] crate::document::Record);

    serde_json::to_string_pretty(&for_machines(schemars::schema_for!(Record))).unwrap() + "\n"
}

/// A schema without the examples in Rust that the types' documentation ends with.
fn for_machines(mut schema: Schema) -> Schema {
    RecursiveTransform(|schema: &mut Schema| {
        if let Some(Value::String(description)) = schema.get_mut("description")
            && let Some(end) = description.find("\n\n# Examples")
        {
            description.truncate(end);
        }
    })
    .transform(&mut schema);
    schema
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

/// The schema of a card's facts, in the folder of the other.
const CARD: &str = "schema/card.v1.schema.json";

#[test]
fn a_card_has_a_schema_and_fits_it() {
    let schema = serde_json::to_value(for_machines(schemars::schema_for!(Facts))).unwrap();
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    assert_same(&Path::new(env!("CARGO_MANIFEST_DIR")).join(CARD), &text);
    let validator = validator_for(&schema).unwrap();
    for text in [
        include_str!("../../tests/fixtures/record.json"),
        include_str!("../../tests/fixtures/zen4/check.json"),
        include_str!("../../../../docs/shown/check.json"),
    ] {
        let mut check = document(text).unwrap();
        let full = serde_json::to_value(Facts::of(&check).unwrap()).unwrap();
        check.content.sections = Default::default();
        let bare = serde_json::to_value(Facts::of(&check).unwrap()).unwrap();
        for card in [&full, &bare] {
            let faults: Vec<String> = validator.iter_errors(card).map(|fault| fault.to_string()).collect();
            assert!(faults.is_empty(), "{faults:?}");
        }
        let described = schema["properties"].as_object().unwrap().keys();
        assert!(described.eq(full.as_object().unwrap().keys()), "every field is described");
    }
}
