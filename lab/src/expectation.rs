//! What a scenario expects of a step, and how it is judged.

use serde::Deserialize;
use serde_json::Value;

use crate::event::Done;
use crate::place;

/// One row of a scenario: exactly one test.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    #[serde(default)]
    pub of: String,
    pub says: String,
    /// The fault that was injected, if this shows that it is detected.
    pub fault: Option<String>,
    /// Whether that may be missed: a fault at the limit of what can be told, whose detection is counted, not required.
    #[serde(default)]
    pub may_miss: bool,
    /// A place in the step's document, for the tests up to `contains`.
    pub at: Option<String>,
    pub is: Option<Value>,
    /// A number in these bounds, or an interval whose estimate is.
    pub between: Option<[f64; 2]>,
    /// An interval that holds this number, or one at most a millionth of it away.
    pub holds: Option<f64>,
    /// The share by which the number of `holds` may be off, in place of that millionth.
    pub known_within: Option<f64>,
    /// A number or an estimate at most a share off: `[279.365, 0.001]`.
    pub near: Option<[f64; 2]>,
    /// A number or an estimate of at most this, or nothing there: a tick of the host's own counter, if it has one.
    pub at_most: Option<f64>,
    /// A text or list with this text in it.
    pub contains: Option<String>,
    pub absent: Option<bool>,
    pub finding: Option<String>,
    pub about: Option<String>,
    pub no_finding: Option<String>,
    pub exit: Option<i64>,
    pub prints: Option<String>,
}

/// The kernel converts counts to nanoseconds by a factor of so many bits, and slews.
const KERNEL: f64 = 1e-6;
const SHOWN: usize = 100;

impl Expectation {
    /// It has exactly one test, and the place that this may need.
    pub fn validate(&self) -> Result<(), &'static str> {
        let of_others = [self.finding.is_some(), self.no_finding.is_some(), self.exit.is_some(), self.prints.is_some()];
        match self.tests(&Done::default()).len() {
            1 if self.at.is_none() && !of_others.contains(&true) => Err("it needs a place: at = …"),
            1 if self.known_within.is_some() && self.holds.is_none() => Err("known_within is for holds"),
            1 => Ok(()),
            _ => Err("an expectation has exactly one test"),
        }
    }

    pub fn judge(&self, done: &Done) -> (bool, String) {
        self.tests(done).into_iter().next().unwrap_or_default()
    }

    /// The same of each test that it has.
    fn tests(&self, Done { document, exit, output, .. }: &Done) -> Vec<(bool, String)> {
        let there = |place: &str| place::at(document, place).unwrap_or(&Value::Null);
        let place = self.at.as_deref().unwrap_or_default();
        let seen = there(place);
        let is_within = |[low, high]: [f64; 2]| number(seen).is_some_and(|number| low <= number && number <= high);
        let holds = |value: f64| {
            let slack = value.abs() * self.known_within.unwrap_or(KERNEL);
            ends(seen).is_some_and(|[low, high]| low - slack <= value && value <= high + slack)
        };
        // What the place would be part of must be there: a misspelt one holds nothing either.
        let is_absent =
            seen.is_null() && place.rsplit_once('/').map_or(document, |(within, _)| there(within)).is_object();
        let of_place = [
            self.is.as_ref().map(|wanted| same(seen, wanted)),
            self.between.map(is_within),
            self.near.map(|[value, share]| is_within([value - value.abs() * share, value + value.abs() * share])),
            self.holds.map(holds),
            self.at_most.map(|most| is_absent || is_within([f64::NEG_INFINITY, most])),
            self.contains.as_ref().map(|text| contains(seen, text)),
            self.absent.map(|_| is_absent),
        ];
        let find = |id: &str, about: &Option<String>| {
            let is_it =
                |found: &&Value| found["id"] == id && about.as_ref().is_none_or(|about| found["subject"] == **about);
            findings(document).find(is_it)
        };
        let others = [
            self.finding.as_ref().map(|id| {
                let found = find(id, &self.about);
                (found.is_some(), found.map_or_else(|| said(document), finding_shown))
            }),
            self.no_finding.as_ref().map(|id| {
                let found = find(id, &None);
                // A document that is missing holds no finding either.
                (found.is_none() && document.is_object(), found.map_or_else(|| "none".to_owned(), finding_shown))
            }),
            self.exit.map(|code| (*exit == Some(code), exit_shown(*exit))),
            self.prints.as_ref().map(|text| {
                let line = output.lines().find(|line| line.contains(text));
                (line.is_some(), shorten(line.unwrap_or(output).trim()))
            }),
        ];
        let of_place = of_place.into_iter().flatten().map(|holds| (holds, number_shown(seen)));
        of_place.chain(others.into_iter().flatten()).collect()
    }
}

pub fn exit_shown(exit: Option<i64>) -> String {
    exit.map_or_else(|| "no exit code".to_owned(), |code| format!("exit code {code}"))
}

fn findings(document: &Value) -> impl Iterator<Item = &Value> {
    document["findings"].as_array().into_iter().flatten()
}

fn finding_shown(finding: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    format!("{}: {}", text(&finding["id"]), shorten(&text(&finding["evidence"]["summary"])))
}

/// The findings that there are, where the wanted one is not.
fn said(document: &Value) -> String {
    let ids: Vec<&str> = findings(document).filter_map(|found| found["id"].as_str()).collect();
    if ids.is_empty() { "no finding".to_owned() } else { format!("only {}", ids.join(", ")) }
}

/// The ends of an interval, or of an offset with its half-width.
fn ends(value: &Value) -> Option<[f64; 2]> {
    if let (Some(low), Some(high)) = (value["low"].as_f64(), value["high"].as_f64()) {
        return Some([low, high]);
    }
    let (offset, half) = (value["offset_ns"].as_f64()?, value["half_width_ns"].as_f64()?);
    Some([offset - half, offset + half])
}

/// A number, or the estimate of an interval.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value["estimate"].as_f64())
}

fn number_shown(value: &Value) -> String {
    match (number(value), ends(value)) {
        (Some(number), Some([low, high])) => format!("{} ({}–{})", rounded(number), rounded(low), rounded(high)),
        (None, Some([low, high])) => format!("{} to {}", rounded(low), rounded(high)),
        (Some(number), None) => rounded(number),
        (None, None) => shorten(&value.to_string()),
    }
}

/// Six digits: enough to tell 279.365 from 279.4.
fn rounded(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let digits = (5 - number.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{number:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn same(found: &Value, wanted: &Value) -> bool {
    match (found.as_f64(), wanted.as_f64()) {
        (Some(found), Some(wanted)) => found == wanted,
        _ => found == wanted,
    }
}

fn contains(value: &Value, text: &str) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| contains(item, text)),
        Value::String(found) => found.contains(text),
        _ => false,
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn trace() -> Done {
        let tick = json!({ "estimate": 279.4, "low": 279.3, "high": 279.5 });
        let finding = json!({ "id": "slow", "subject": "A", "evidence": { "summary": "it is slow" } });
        let offset = json!({ "offset_ns": -410.0, "half_width_ns": 20 });
        let document =
            json!({ "tick": tick, "offset": offset, "path": "vdso", "list": ["ab", "c"], "findings": [finding] });
        Done { exit: Some(0), document, output: "ok: 3\n".to_owned(), ..Done::default() }
    }

    fn row(text: &str) -> Expectation {
        toml::from_str(&format!("of = 'a'\nsays = 'b'\n{text}")).unwrap()
    }

    #[test]
    fn each_test_can_hold_and_can_fail() {
        for (holds, fails) in [
            ("at = 'path'\nis = 'vdso'", "at = 'path'\nis = 'system_call'"),
            ("at = 'tick'\nbetween = [279, 280]", "at = 'tick'\nbetween = [280, 281]"),
            ("at = 'tick'\nholds = 279.365", "at = 'tick'\nholds = 279.6"),
            ("at = 'offset'\nholds = -400", "at = 'offset'\nholds = -380"),
            ("at = 'offset'\nholds = -380\nknown_within = 0.1", "at = 'offset'\nholds = -380\nknown_within = 0.001"),
            ("at = 'tick'\nnear = [279.365, 0.001]", "at = 'tick'\nnear = [10, 0.001]"),
            ("at = 'tick'\nat_most = 280", "at = 'tick'\nat_most = 279"),
            ("at = 'tick/nothing'\nat_most = 280", "at = 'tock/nothing'\nat_most = 280"),
            ("at = 'path'\ncontains = 'ds'", "at = 'path'\ncontains = 'x'"),
            ("at = 'list'\ncontains = 'b'", "at = 'tick'\ncontains = 'b'"),
            ("at = 'tick/nothing'\nabsent = true", "at = 'path'\nabsent = true"),
            ("at = 'nothing'\nabsent = true", "at = 'tock/nothing'\nabsent = true"),
            ("finding = 'slow'", "finding = 'fast'"),
            ("finding = 'slow'\nabout = 'A'", "finding = 'slow'\nabout = 'B'"),
            ("no_finding = 'fast'", "no_finding = 'slow'"),
            ("exit = 0", "exit = 1"),
            ("prints = 'ok'", "prints = 'failed'"),
        ] {
            assert!(row(holds).judge(&trace()).0, "{holds}");
            assert!(!row(holds).judge(&Done::default()).0, "{holds}, of nothing");
            assert!(!row(fails).judge(&trace()).0, "{fails}");
        }
    }

    #[test]
    fn one_test_each() {
        assert!(row("at = 'a'\nis = 1\nholds = 2").validate().is_err());
        assert!(row("at = 'a'\nis = 1\nknown_within = 0.1").validate().is_err());
        assert!(row("").validate().is_err());
        assert!(row("is = 1").validate().is_err(), "no place");
    }

    #[test]
    fn numbers_are_shown_with_six_digits() {
        for (number, text) in
            [(279.365_12, "279.365"), (10.0, "10"), (4_000_000.0, "4000000"), (0.0, "0"), (-0.5, "-0.5")]
        {
            assert_eq!(rounded(number), text);
        }
    }
}
