//! What a document says that cannot all be true. A gate that believed it would pass whatever is written into a file.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::document::Record;
use crate::json::json;

/// Where and how `record` contradicts itself; None if it does not.
pub fn contradiction(record: &Record) -> Option<String> {
    // By way of text: serialized to values directly, all types of a document would have that code a second time.
    let document: Value = serde_json::from_str(&json(record).ok()?).ok()?;
    let twice = clock_twice(record).map(|name| format!("it has the clock {name} twice"));
    twice.or_else(|| within("", &document))
}

fn clock_twice(record: &Record) -> Option<String> {
    let mut names = BTreeSet::new();
    let clocks = record.content.clocks().clocks.iter().map(|clock| clock.name.name().to_owned());
    clocks.into_iter().find(|name| !names.insert(name.clone()))
}

/// The first contradiction in `value`, which is at `path`.
fn within(path: &str, value: &Value) -> Option<String> {
    match value {
        Value::Object(fields) => of_fields(fields)
            .map(|why| format!("{}: {why}", path.trim_start_matches('.')))
            .or_else(|| fields.iter().find_map(|(name, field)| within(&format!("{path}.{name}"), field))),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(place, item)| within(&format!("{path}[{place}]"), item))
        }
        _ => None,
    }
}

/// Fields of one object that cannot all be true.
fn of_fields(fields: &Map<String, Value>) -> Option<String> {
    let number = |name: &str| fields.get(name).and_then(Value::as_f64);
    let ordered = |less: &str, more: &str| {
        let (low, high) = (number(less)?, number(more)?);
        // Ends and estimates of one kind may be rounded on different ways.
        (low - high > 1e-9 * high.abs()).then(|| format!("{less} {low} is more than {more} {high}"))
    };
    const ORDERED: [(&str, &str); 9] = [
        ("low", "high"),
        ("low", "estimate"),
        ("estimate", "high"),
        ("fresh", "observations"),
        ("violated", "fresh"),
        ("violated", "violations"),
        ("violations", "observations"),
        ("processes_steady", "processes"),
        ("iterations_quiet", "iterations"),
    ];
    ORDERED.iter().find_map(|(less, more)| ordered(less, more))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = include_str!("../../../tests/fixtures/record.json");

    fn changed(change: impl FnOnce(&mut Record)) -> Option<String> {
        let mut record = crate::json::document(RECORD).unwrap();
        change(&mut record);
        contradiction(&record)
    }

    #[test]
    fn what_was_measured_does_not_contradict_itself() {
        for text in [
            RECORD,
            include_str!("../../../tests/fixtures/runtimes.json"),
            include_str!("../../../tests/fixtures/study.json"),
            include_str!("../../../tests/fixtures/zen4/check.json"),
        ] {
            assert_eq!(contradiction(&crate::json::document(text).unwrap()), None);
        }
    }

    #[test]
    fn what_cannot_all_be_true_is_named_with_its_place() {
        let outside = changed(|record| {
            let clocks = &mut record.content.sections.clocks.report.clocks;
            let latency = clocks.iter_mut().find_map(|clock| clock.latency_ns.as_mut()).unwrap();
            latency.per_read.estimate = 2.0 * latency.per_read.high;
        });
        assert!(outside.is_some_and(|why| why.contains(".latency_ns") && why.contains("is more than high")));
        let violations = changed(|record| {
            let litmus = &mut record.content.sections.causality.report.litmus[0];
            litmus.violations = litmus.observations + 1;
        });
        assert!(violations.is_some_and(|why| why.contains("violations")));
        let twice = changed(|record| {
            let clocks = &mut record.content.sections.clocks.report.clocks;
            clocks.push(clocks[0].clone());
        });
        assert!(twice.is_some_and(|why| why.contains("twice")));
    }
}
