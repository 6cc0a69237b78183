//! Documents that are as bad as the schema allows, made from a good one.

use serde_json::{Value, json};

use crate::schema::Schema;

const CLOCKS: usize = 1000;
const CPUS: usize = 256;
/// CPUs of which each pair was compared: with more, the document would have more objects than the tool reads.
const COMPARED: usize = 235;
/// What a text may hold: markup, the ends of attributes and elements, characters that turn the order of others, and very much.
const HOSTILE: [&str; 6] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "\u{202e}txt.exe\u{202c} \u{2066}a\u{2069} \u{200f}b",
    "`</details></main>` &lt;b&gt; \u{1b}[31m \u{fffe}",
    "]]></style></script><svg onload=alert(1)>",
];
/// Characters of the longest text.
const LONG: usize = 10_000;

/// Nothing of it was measured, or even planned.
pub(crate) fn of_nothing(check: &Value) -> Value {
    let mut document = check.clone();
    document["findings"] = json!([]);
    document["content"] = json!({"plan": check["content"]["plan"], "parts": check["content"]["parts"]});
    document
}

/// All was planned, and nothing measured.
pub(crate) fn of_plans(check: &Value) -> Value {
    let mut document = check.clone();
    let sections = document["content"]["sections"].as_object_mut();
    for section in sections.into_iter().flat_map(|all| all.values_mut()).filter_map(Value::as_object_mut) {
        section.retain(|name, _| name == "plan");
    }
    document
}

/// Every `nth` value that may be null is.
pub(crate) fn of_nulls(check: &Value, schema: &Schema, nth: usize) -> Value {
    let (mut document, mut seen) = (check.clone(), 0);
    schema.change(&mut document, &mut |allowed, value| {
        if allowed.is_nullable && !value.is_null() {
            seen += 1;
            if seen % nth == 0 {
                *value = Value::Null;
            }
        }
    });
    document
}

/// Every free text is hostile, the same one in the same way everywhere.
pub(crate) fn of_hostile_texts(check: &Value, schema: &Schema) -> Value {
    let mut document = check.clone();
    schema.change(&mut document, &mut |allowed, value| {
        if let Some(text) = value.as_str().filter(|_| allowed.is_free_text) {
            let which = text.bytes().fold(0, |sum, byte| sum + usize::from(byte));
            let more = if which % 7 == 0 { "n".repeat(LONG) } else { String::new() };
            *value = json!(format!("{} {text}{more}", HOSTILE[which % HOSTILE.len()]));
        }
    });
    document["started_at"] = check["started_at"].clone();
    document
}

/// A machine of many CPUs, nearly every pair of which was compared.
pub(crate) fn of_many_cpus(check: &Value) -> Value {
    let mut document = check.clone();
    document["machine"]["cpu"]["online"] = json!(CPUS);
    document["machine"]["cpu"]["allowed"] = json!((0..CPUS).collect::<Vec<_>>());
    let pairs: Vec<(usize, usize)> = (0..COMPARED).flat_map(|a| (a + 1..COMPARED).map(move |b| (a, b))).collect();
    let ring: Vec<(usize, usize)> = (0..CPUS).map(|a| (a, (a + 1) % CPUS)).collect();
    let causality = &mut document["content"]["sections"]["causality"];
    causality["plan"]["pairs"] = json!(pairs);
    causality["plan"]["litmus_pairs"] = json!(ring);
    let report = &mut causality["report"];
    report["pairs_possible"] = json!(pairs.len());
    report["pairs"] = of_each_pair(&report["pairs"][0], &pairs, ["a", "b"]);
    report["litmus"] = of_each_pair(&report["litmus"][0], &ring, ["writer", "reader"]);
    document
}

/// A machine of many clocks, with hostile names.
pub(crate) fn of_many_clocks(check: &Value) -> Value {
    let mut document = check.clone();
    let clocks = &mut document["content"]["sections"]["clocks"]["report"]["clocks"];
    let found = clocks.as_array().cloned().unwrap_or_default();
    let further = (found.len()..CLOCKS).map(|place| clock(&found[place % found.len()], place));
    *clocks = found.iter().cloned().chain(further).collect();
    document
}

/// One more clock, without what would make the document longer than the tool reads.
fn clock(of: &Value, place: usize) -> Value {
    let mut clock = of.clone();
    clock["name"] = json!(format!("{} {place}", HOSTILE[place % HOSTILE.len()]));
    for list in ["/latency_ns/histogram", "/latency_ns/processes", "/granularity/histogram"] {
        if let Some(list) = clock.pointer_mut(list) {
            *list = json!([]);
        }
    }
    for time in ["estimate", "low", "high", "p50", "p99"] {
        if let Some(time) = clock.pointer_mut(&format!("/latency_ns/{time}")) {
            *time = json!(time.as_f64().unwrap_or_default() * (1.0 + place as f64));
        }
    }
    clock
}

fn of_each_pair(of: &Value, pairs: &[(usize, usize)], ends: [&str; 2]) -> Value {
    let one = |(a, b): &(usize, usize)| {
        let mut pair = of.clone();
        pair[ends[0]] = json!(a);
        pair[ends[1]] = json!(b);
        pair
    };
    pairs.iter().map(one).collect()
}
