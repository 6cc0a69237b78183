//! The committed schema is the one that the record's types give.

const COMMITTED: &str = include_str!("../../schema/chronoscope-record.v1.schema.json");

#[test]
fn the_committed_schema_is_up_to_date() {
    assert!(
        COMMITTED == crate::record::schema(),
        "the record's types and the committed schema differ; if the change only adds fields, run\n    \
         cargo run -p chronoscope -- schema > schema/chronoscope-record.v1.schema.json\n\
         else it needs a new schema_version"
    );
}

const COMMITTED_STUDY: &str = include_str!("../../schema/chronoscope-study.v1.schema.json");
const STUDY: &str = include_str!("../../tests/fixtures/study.json");

#[test]
fn the_committed_schema_of_a_study_is_up_to_date() {
    assert!(
        COMMITTED_STUDY == crate::record::study::study_schema(),
        "the study's types and the committed schema differ; if the change only adds fields, run\n    \
         cargo run -p chronoscope -- schema --study > schema/chronoscope-study.v1.schema.json\n\
         else it needs a new study_schema_version"
    );
}

#[test]
fn the_schema_of_a_study_tells_right_from_wrong() {
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("it is JSON");
    let validator = jsonschema::validator_for(&read(COMMITTED_STUDY)).expect("it is a schema");
    let mut study = read(STUDY);
    let faults: Vec<String> = validator.iter_errors(&study).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
    study["comparisons"][0]["points"][0]["verdict"] = "sluggish".into();
    assert!(!validator.is_valid(&study));
}

const COMMITTED_PACE: &str = include_str!("../../schema/chronoscope-pace.v1.schema.json");
/// Of a version without `handover_ns`.
const PACE: &str = include_str!("../../tests/fixtures/pace.json");

#[test]
fn the_committed_schema_of_a_pace_is_up_to_date_and_takes_older_records() {
    assert!(
        COMMITTED_PACE == crate::record::pace_schema(),
        "the pace's types and the committed schema differ; if the change only adds fields, run\n    \
         cargo run -p chronoscope -- schema --pace > schema/chronoscope-pace.v1.schema.json\n\
         else it needs a new pace_schema_version"
    );
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("it is JSON");
    let validator = jsonschema::validator_for(&read(COMMITTED_PACE)).expect("it is a schema");
    let mut pace = read(PACE);
    assert!(pace["pace"].get("handover_ns").is_none() && validator.is_valid(&pace));
    pace["pace"]["events"] = "many".into();
    assert!(!validator.is_valid(&pace));
}
