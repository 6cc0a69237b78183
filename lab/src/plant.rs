use clap::ValueEnum;
use serde_json::{Value, json};

/// A fault put in on purpose: a check that cannot fail proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Plant {
    /// One reading in a thousand is 1 µs ahead.
    Ahead,
    /// One reading in a thousand is 1 ms behind.
    Behind,
    /// The first row is not printed.
    Silent,
    /// The guest ends in the middle.
    Crash,
    /// The tool's document says `syscall` wherever it should say `vdso`.
    Misstated,
    /// The tool's document lacks its findings.
    Overlooked,
    /// The tool's document has a finding for which there is no reason.
    Invented,
    /// The tool leaves no document.
    Undocumented,
}

impl Plant {
    /// The `count`th reading with this plant in it.
    #[inline(always)]
    pub fn apply(self, count: u64, reading_ns: u64) -> u64 {
        match self {
            Self::Ahead if count % 1_000 == 999 => reading_ns + 1_000,
            Self::Behind if count % 1_000 == 999 => reading_ns - 1_000_000,
            _ => reading_ns,
        }
    }

    pub fn alter(self, document: &mut Value) {
        match self {
            Self::Misstated => replace(document, "vdso", "syscall"),
            Self::Overlooked => document["findings"] = json!([]),
            Self::Invented => {
                if let Some(findings) = document["findings"].as_array_mut() {
                    findings.push(json!({ "id": "os_clock_coarse" }));
                }
            }
            Self::Undocumented => *document = Value::Null,
            _ => {}
        }
    }
}

/// Replaces every string that is `old`, anywhere within.
fn replace(value: &mut Value, old: &str, new: &str) {
    match value {
        Value::String(text) if text == old => *value = json!(new),
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, old, new)),
        Value::Object(fields) => fields.values_mut().for_each(|field| replace(field, old, new)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::Plant;
    use serde_json::{Value, json};

    #[test]
    fn a_document_is_altered_in_one_way_each() {
        let document = |path: &str, findings: &[&str]| {
            let findings: Vec<Value> = findings.iter().map(|id| json!({ "id": id })).collect();
            json!({ "a": [{ "path": path }], "b": "vdso 1", "findings": findings })
        };
        let whole = document("vdso", &["emulated"]);
        for (plant, altered) in [
            (Plant::Misstated, document("syscall", &["emulated"])),
            (Plant::Overlooked, document("vdso", &[])),
            (Plant::Invented, document("vdso", &["emulated", "os_clock_coarse"])),
            (Plant::Undocumented, Value::Null),
            (Plant::Ahead, whole.clone()),
        ] {
            let mut document = whole.clone();
            plant.alter(&mut document);
            assert_eq!(document, altered, "{plant:?}");
        }
    }
}
