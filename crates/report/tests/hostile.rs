//! Whatever still parses is rendered without a panic and without a character that could steer the terminal.

use anstream::adapter::strip_str;
use chronoscope_report::{Record, View, json, parse, terminal};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json as value};

const FIXTURE: &str = include_str!("fixtures/record.json");

#[derive(Clone, Debug)]
enum Mutation {
    Drop,
    Empty,
    Repeat,
    Replace(Value),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let numbers = prop_oneof![
        any::<f64>().prop_filter("JSON has finite numbers only", |x| x.is_finite()).prop_map(|x| value!(x)),
        any::<u64>().prop_map(|x| value!(x)),
        any::<i64>().prop_map(|x| value!(x)),
        prop::sample::select(vec![
            value!(0),
            value!(-1),
            value!(u64::MAX),
            value!(u32::MAX),
            value!(f64::MAX),
            value!(f64::MIN_POSITIVE),
            value!(-f64::MAX),
        ]),
    ];
    let strings = prop_oneof![
        Just(String::new()),
        Just("\x1b[2J\x1b]0;owned\x07\r\n\u{9b}31m\u{202e}".to_owned()),
        Just("长".repeat(400)),
        Just("x".repeat(5000)),
        ".{0,60}",
    ];
    prop_oneof![
        2 => Just(Mutation::Drop),
        1 => Just(Mutation::Empty),
        1 => Just(Mutation::Repeat),
        2 => Just(Mutation::Replace(Value::Null)),
        1 => any::<bool>().prop_map(|x| Mutation::Replace(value!(x))),
        8 => numbers.prop_map(Mutation::Replace),
        4 => strings.prop_map(|x| Mutation::Replace(value!(x))),
    ]
}

/// The pointers of everything in `value`.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| pointers(item, &format!("{at}/{i}"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| pointers(field, &format!("{at}/{name}"), found));
        }
        _ => {}
    }
}

fn apply(root: &mut Value, pointer: &str, mutation: &Mutation) {
    let Some((parent, last)) = pointer.rsplit_once('/') else {
        return;
    };
    match mutation {
        Mutation::Drop => match root.pointer_mut(parent) {
            Some(Value::Array(items)) => {
                if let Some(i) = last.parse::<usize>().ok().filter(|i| *i < items.len()) {
                    items.remove(i);
                }
            }
            Some(Value::Object(fields)) => drop(fields.remove(last)),
            _ => {}
        },
        Mutation::Empty => match root.pointer_mut(pointer) {
            Some(Value::Array(items)) => items.clear(),
            Some(other) if other.is_string() => *other = value!(""),
            _ => {}
        },
        Mutation::Repeat => {
            if let Some(Value::Array(items)) = root.pointer_mut(parent) {
                let copies = items.iter().take(12).cloned().collect::<Vec<_>>();
                items.extend(copies);
            }
        }
        // A leaf gives way to a value of its own kind, so that many a mutated record still parses.
        Mutation::Replace(new) => match root.pointer_mut(pointer) {
            Some(old) if new.is_null() || new.is_number() && old.is_number() || new.is_string() && old.is_string() => {
                *old = new.clone();
            }
            Some(old) if old.is_boolean() && new.is_boolean() || old.is_null() => *old = new.clone(),
            _ => {}
        },
    }
}

fn assert_harmless(record: &Record) {
    for view in View::ALL {
        let styled = terminal(record, view);
        // What remains between the escapes that set a style must be text alone.
        for piece in styled.split('\x1b').skip(1) {
            let sequence = piece.split('m').next().unwrap_or_default();
            let known = sequence.strip_prefix('[').is_some_and(|codes| codes.bytes().all(|b| b.is_ascii_digit()));
            assert!(known, "an escape that sets no style: {sequence:?}");
        }
        let text = strip_str(&styled).to_string();
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "a control character in the {view:?} view");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_records(mutations in prop::collection::vec((any::<Index>(), mutation()), 1..12)) {
        let mut root: Value = serde_json::from_str(FIXTURE).unwrap();
        for (place, mutation) in &mutations {
            let mut found = Vec::new();
            pointers(&root, "", &mut found);
            let before = root.clone();
            apply(&mut root, place.get::<String>(&found), mutation);
            if let Err(error) = parse(&root.to_string()) {
                prop_assert!(error.is_field() || error.is_schema_version() || error.is_not_a_record(), "{error}");
                root = before;
            }
        }
        let record = parse(&root.to_string()).unwrap();
        assert_harmless(&record);
        prop_assert_eq!(&parse(&json(&record).unwrap()).unwrap(), &record);
    }

    #[test]
    fn any_text(text in ".{0,300}") {
        let _ = parse(&text);
    }
}

#[test]
fn numbers_that_are_not_finite() {
    let mut record = parse(FIXTURE).unwrap();
    for (place, value) in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].into_iter().enumerate() {
        record.reads[place].p50_ns = value;
        record.causality.litmus[place].rate_upper_95 = value;
        for bin in &mut record.reads[place].histogram.bins {
            bin.from_ns = value;
        }
        if let Some(latency) = record.clocks[place].latency_ns.as_mut() {
            latency.confidence = value;
            latency.low = value;
        }
    }
    record.causality.pairs[0].offset_ns = f64::NAN;
    assert_harmless(&record);
    assert!(json(&record).unwrap_err().is_not_writable());
}

#[test]
fn nothing_measured() {
    let mut root: Value = serde_json::from_str(FIXTURE).unwrap();
    for list in ["parts", "clocks", "reads", "findings"] {
        root[list] = value!([]);
    }
    root["harness"] = Value::Null;
    root["interrupted"] = value!(true);
    root["causality"] =
        value!({ "pairs": [], "pairs_possible": 0, "litmus": [], "reason_unavailable": "one CPU is allowed" });
    root["verdict"] = value!({
        "monotonic": null, "causal": null, "skew_not_excluded_ns": null, "os_clock_on_fast_path": null, "clocks": [],
        "questions": [],
    });
    let record = parse(&root.to_string()).unwrap();
    assert_harmless(&record);
    let text = strip_str(&terminal(&record, View::Check)).to_string();
    assert!(text.contains("interrupted: "));
    assert!(text.contains("causal across cores: not tested: one CPU is allowed"));
    assert!(text.contains("monotonic: not tested: it was not part of the plan"));
}

#[test]
fn a_record_cannot_write_escapes() {
    let mut record = parse(FIXTURE).unwrap();
    record.machine.hostname = Some("evil\x1b[31m\nhost".to_owned());
    assert!(terminal(&record, View::Check).contains("evil␛[31m␊host"));
}

#[test]
fn errors_name_the_place() {
    let syntax = parse("{\n  \"schema_version\": 1,\n}").unwrap_err();
    assert!(syntax.is_syntax());
    assert!(syntax.to_string().contains("line 3 column"), "{syntax}");

    let version = parse(&FIXTURE.replacen("\"schema_version\": 1", "\"schema_version\": 7", 1)).unwrap_err();
    assert_eq!(version.to_string(), "the record has schema_version 7; this build reads 1");

    let field = parse(&FIXTURE.replacen("\"elapsed_ms\": 12345", "\"elapsed_ms\": \"long\"", 1)).unwrap_err();
    assert!(field.is_field());
    assert!(field.to_string().starts_with("the record's field `elapsed_ms` is wrong: invalid type: string"), "{field}");
    assert!(field.to_string().contains("at line "), "{field}");
}
