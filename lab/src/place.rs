//! Places in a document: `clocks/report/clocks/name=CLOCK_MONOTONIC/path`, `pairs/clock=rdtsc&reader=1/offset_ns`.

use serde_json::Value;

/// Where a place may begin, so that rows need not repeat what all documents share.
const ROOTS: [&str; 3] = ["", "/content", "/content/sections"];

/// What is there; None if nothing is.
pub fn at<'a>(document: &'a Value, place: &str) -> Option<&'a Value> {
    ROOTS.iter().filter_map(|root| document.pointer(root)).find_map(|root| follow(root, place))
}

fn follow<'a>(root: &'a Value, place: &str) -> Option<&'a Value> {
    place.split('/').try_fold(root, |value, segment| match (segment.contains('='), value) {
        (true, _) => value.as_array()?.iter().find(|item| segment.split('&').all(|condition| is(item, condition))),
        (false, Value::Array(items)) => items.get(segment.parse::<usize>().ok()?),
        (false, _) => value.get(segment),
    })
}

/// Whether a field of the item has that value: `name=rdtsc`, `reader=1`.
fn is(item: &Value, condition: &str) -> bool {
    condition.split_once('=').is_some_and(|(field, wanted)| match &item[field] {
        Value::String(text) => text == wanted,
        Value::Number(number) => number.to_string() == wanted,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::at;
    use serde_json::json;

    #[test]
    fn a_place_is_followed_from_any_root() {
        let clocks = json!([{ "name": "A", "path": "vdso" }, { "name": "B", "path": "system_call", "n": [7], "cpu": 0 }, { "name": "B", "path": "x", "cpu": 1 }]);
        let document = json!({ "machine": { "cpus": 2 }, "content": { "verdict": 1, "sections": { "clocks": { "all": clocks } } } });
        for (place, found) in [
            ("machine/cpus", Some(json!(2))),
            ("verdict", Some(json!(1))),
            ("clocks/all/name=B/path", Some(json!("system_call"))),
            ("clocks/all/name=B/n/0", Some(json!(7))),
            ("clocks/all/name=B&cpu=1/path", Some(json!("x"))),
            ("clocks/all/name=A&cpu=1/path", None),
            ("clocks/all/0/name", Some(json!("A"))),
            ("clocks/all/name=C/path", None),
            ("clocks/all/9/name", None),
            ("nothing", None),
        ] {
            assert_eq!(at(&document, place), found.as_ref(), "{place}");
        }
    }
}
