//! The committed schema is the one that the record's types give.

const COMMITTED: &str = include_str!("../../../schema/chronoscope-record.v1.schema.json");

#[test]
fn the_committed_schema_is_up_to_date() {
    assert!(
        COMMITTED == chronoscope_record::schema(),
        "the record's types and the committed schema differ; if the change only adds fields, run\n    \
         cargo run -p chronoscope -- schema > schema/chronoscope-record.v1.schema.json\n\
         else it needs a new schema_version"
    );
}
