//! Places in a document: `runtimes/report/kind=java/clocks/name=System.nanoTime/latency_ns`.

use serde_json::Value;

/// Where a place may begin, so that claims need not repeat what all documents share.
const ROOTS: [&str; 3] = ["", "/content", "/content/sections"];

/// What is there; None if nothing is, or null.
pub fn at<'a>(document: &'a Value, place: &str) -> Option<&'a Value> {
    let found = ROOTS.iter().filter_map(|root| document.pointer(root)).find_map(|root| follow(root, place));
    found.filter(|value| !value.is_null())
}

fn follow<'a>(root: &'a Value, place: &str) -> Option<&'a Value> {
    place.split('/').try_fold(root, |value, segment| match (segment.contains('='), value) {
        (true, _) => value.as_array()?.iter().find(|item| segment.split('&').all(|condition| is(item, condition))),
        (false, Value::Array(items)) => items.get(segment.parse::<usize>().ok()?),
        (false, _) => value.get(segment),
    })
}

/// Whether a field of the item has that value: `name=rdtsc`, `threads=1`, `parameters.loop=long`.
fn is(item: &Value, condition: &str) -> bool {
    let Some((field, wanted)) = condition.split_once('=') else { return false };
    match item.pointer(&format!("/{}", field.replace('.', "/"))) {
        Some(Value::String(text)) => text == wanted,
        Some(Value::Number(number)) => number.to_string() == wanted,
        Some(Value::Bool(is_so)) => is_so.to_string() == wanted,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::at;
    use serde_json::json;

    #[test]
    fn a_place_is_followed_from_any_root() {
        let cells = json!([{ "case": "a", "threads": 1, "ns": 7.5, "parameters": { "loop": "x" } }, { "case": "a", "threads": 2, "main": true, "none": null }]);
        let document = json!({ "machine": { "cpus": 2 }, "content": { "study": { "cells": cells }, "sections": { "clocks": 1 } } });
        for (place, found) in [
            ("machine/cpus", Some(json!(2))),
            ("clocks", Some(json!(1))),
            ("study/cells/case=a&threads=1/ns", Some(json!(7.5))),
            ("study/cells/0/ns", Some(json!(7.5))),
            ("study/cells/parameters.loop=x/threads", Some(json!(1))),
            ("study/cells/main=true/threads", Some(json!(2))),
            ("study/cells/main=true/none", None),
            ("study/cells/case=b/ns", None),
            ("study/cells/9", None),
            ("nothing", None),
        ] {
            assert_eq!(at(&document, place), found.as_ref(), "{place}");
        }
    }
}
