//! Converts documents of version 1 to the current shape.

use serde_json::{Map, Value, json};

use crate::view::OLD_NAMES;

/// The `command` of an upgraded document of a check or a section.
const CHECK: &str = "check";

/// The fields of every document.
const ENVELOPE: [&str; 5] = ["tool", "started_at", "elapsed_ms", "interrupted", "machine"];

/// Where each field of a check moved: its name in version 1, its section and its place there.
const OF_CHECK: [(&str, &str, &str); 33] = [
    ("clocks", "clocks", "report/clocks"),
    ("harness", "clocks", "report/harness"),
    ("library_clock", "clocks", "report/library_clock"),
    ("reason_library_clock_unknown", "clocks", "report/reason_library_clock_unknown"),
    ("reads", "reads", "report"),
    ("causality", "causality", "report"),
    ("monotime", "contention", "report"),
    ("latch", "thread_release", "report"),
    ("pause", "pauses", "report"),
    ("runtimes", "runtimes", "report"),
    ("plan/latency_forks", "clocks", "plan/latency_forks"),
    ("plan/batch_timer_error", "clocks", "plan/batch_timer_error"),
    ("plan/interval_forks", "clocks", "plan/interval_forks"),
    ("plan/questions_ns", "clocks", "plan/questions_ns"),
    ("plan/reads_clocks", "reads", "plan/clocks"),
    ("plan/reads_per_clock", "reads", "plan/reads_per_clock"),
    ("plan/empty_intervals_per_clock", "reads", "plan/empty_intervals_per_clock"),
    ("plan/pairs", "causality", "plan/pairs"),
    ("plan/pair_rounds", "causality", "plan/pair_rounds"),
    ("plan/pair_clocks", "causality", "plan/pair_clocks"),
    ("plan/litmus_pairs", "causality", "plan/litmus_pairs"),
    ("plan/litmus_clocks", "causality", "plan/litmus_clocks"),
    ("plan/monotime_granularities_ns", "contention", "plan/granularities_ns"),
    ("plan/monotime_threads", "contention", "plan/threads"),
    ("plan/monotime_rounds", "contention", "plan/rounds"),
    ("plan/latch_threads", "thread_release", "plan/threads"),
    ("plan/latch_clocks", "thread_release", "plan/clocks"),
    ("plan/latch_rounds", "thread_release", "plan/rounds"),
    ("plan/pause_ways", "pauses", "plan/ways"),
    ("plan/pause_lengths_ns", "pauses", "plan/lengths_ns"),
    ("plan/pause_rounds", "pauses", "plan/rounds"),
    ("plan/pause_load", "pauses", "plan/load"),
    ("plan/runtimes", "runtimes", "plan"),
];

/// Where findings were kept before all moved into the envelope; `*` is each item of a list.
const FINDINGS_ELSEWHERE: [&str; 4] = [
    "content/selftest/verdict/findings",
    "content/scaling/*/findings",
    "content/sections/thread_release/report/conclusions",
    "content/sections/runtimes/report/*/latch/conclusions",
];

/// Moves findings of version 2 documents from their first location into the envelope; false if there is no such
/// location, so that the document is not from an earlier build.
pub fn gathered(document: &mut Value) -> bool {
    let has_place = FINDINGS_ELSEWHERE.iter().any(|path| document.pointer(&format!("/{path}")).is_some());
    let found: Vec<Value> = FINDINGS_ELSEWHERE.iter().flat_map(|path| take_each(document, path)).collect();
    let is_earlier = has_place || !found.is_empty();
    if let Some(findings) = document.get_mut("findings").and_then(Value::as_array_mut) {
        findings.extend(found);
    }
    is_earlier
}

/// Takes the lists at `path`, joined.
fn take_each(value: &mut Value, path: &str) -> Vec<Value> {
    match path.split_once("/*/") {
        Some((list, rest)) => {
            let items = value.pointer_mut(&format!("/{list}")).and_then(Value::as_array_mut);
            items.into_iter().flatten().flat_map(|item| take_each(item, rest)).collect()
        }
        None => match take(value, path) {
            Some(Value::Array(found)) => found,
            _ => Vec::new(),
        },
    }
}

/// A check, or a section of one, which differs only in the planned parts.
pub fn check(mut old: Value) -> Value {
    let mut sections = Map::new();
    for (from, section, to) in OF_CHECK {
        let Some(value) = take(&mut old, from).filter(|value| !value.is_null()) else { continue };
        let section = sections.entry(section).or_insert_with(|| json!({}));
        put(section, to, value);
    }
    // A plan with only these values is that of a section that was not requested, and lacks fields.
    let nothing = [json!(null), json!(false), json!([]), json!(0)];
    let is_empty =
        |plan: &Value| plan.as_object().is_some_and(|plan| plan.values().all(|value| nothing.contains(value)));
    for (_, entry) in sections.iter_mut().filter(|(section, _)| *section != "runtimes") {
        if entry.get("plan").is_some_and(is_empty) {
            take(entry, "plan");
        }
    }
    rename_parts(&mut old);
    let mut content = json!({ "sections": sections });
    for field in ["plan", "reason_no_workers", "parts", "verdict"] {
        content[field] = take(&mut old, field).unwrap_or(Value::Null);
    }
    let mut document = document(&mut old, CHECK, content);
    gathered(&mut document);
    document
}

/// A run of a pacer.
pub fn pace(mut old: Value) -> Value {
    let content = json!({ "pace": take(&mut old, "pace") });
    document(&mut old, "pace", content)
}

/// A self-test: its envelope is that of the first of its studies.
pub fn selftest(mut old: Value) -> Value {
    let verdict = take(&mut old, "selftest").unwrap_or(Value::Null);
    let old_studies = take(&mut old, "studies").unwrap_or(json!([]));
    let upgraded = |study: &Value| chronoscope_harness::record::study_of_version_1(study.clone()).ok();
    let studies: Vec<Value> = old_studies.as_array().into_iter().flatten().filter_map(upgraded).collect();
    let elapsed_ms: u64 = studies.iter().filter_map(|study| study["elapsed_ms"].as_u64()).sum();
    let mut first = studies.first().cloned().unwrap_or(json!({}));
    first["elapsed_ms"] = json!(elapsed_ms);
    first["interrupted"] = verdict.get("interrupted").cloned().unwrap_or(json!(false));
    first["findings"] = json!([]);
    let studies: Vec<Value> = studies.into_iter().map(|mut study| study["content"]["study"].take()).collect();
    let mut document =
        document(&mut first, "selftest", json!({ "selftest": { "verdict": verdict, "studies": studies } }));
    gathered(&mut document);
    document
}

fn document(old: &mut Value, command: &str, content: Value) -> Value {
    let mut new = json!({ "schema_version": 2, "command": command });
    for field in ENVELOPE {
        new[field] = take(old, field).unwrap_or(Value::Null);
    }
    new["findings"] = take(old, "findings").unwrap_or(json!([]));
    new["content"] = content;
    new
}

/// Parts have their section's name, where that differs today.
fn rename_parts(old: &mut Value) {
    for list in ["/plan/parts", "/parts"] {
        for part in old.pointer_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            let renamed = part["part"].as_str().and_then(|name| OLD_NAMES.iter().find(|(old, _)| *old == name));
            if let Some((_, new)) = renamed {
                part["part"] = json!(new);
            }
        }
    }
}

fn take(value: &mut Value, path: &str) -> Option<Value> {
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    let parent = if parent.is_empty() { value } else { value.pointer_mut(&format!("/{parent}"))? };
    parent.as_object_mut()?.remove(name)
}

fn put(entry: &mut Value, path: &str, new: Value) {
    match path.split_once('/') {
        Some((part, name)) => entry[part][name] = new,
        None => entry[path] = new,
    }
}
