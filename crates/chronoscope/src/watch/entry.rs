//! The lines that a watch writes: one when it starts, one per event, one at the end.

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use chronoscope_harness::finding::Finding;
use chronoscope_harness::record::Tool;
use serde::Serialize;

use super::detect::KINDS;
use super::sample::Sample;
use chronoscope_harness::record::Known;

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Entry {
    Start(Start),
    Event(Event),
    Summary(Summary),
}

/// What is watched, and what is not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Start {
    pub at: String,
    pub monotonic_ns: u64,
    pub tool: Tool,
    pub hostname: Option<String>,
    pub every_ms: u64,
    /// Null if it runs until it is stopped.
    pub for_ms: Option<u64>,
    pub clocksource: Option<String>,
    pub is_synchronised: Option<bool>,
    pub unavailable: Vec<Unavailable>,
}

/// A kind of event that cannot be seen here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unavailable {
    pub id: &'static str,
    pub reason: String,
}

/// Something that happened: the finding, with when it was seen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    pub at: String,
    pub monotonic_ns: u64,
    #[serde(flatten)]
    pub finding: Finding,
}

/// What a watch saw, and what it used.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    pub at: String,
    pub monotonic_ns: u64,
    pub elapsed_ms: u64,
    /// Whether somebody stopped it.
    pub stopped: bool,
    pub looks: u64,
    /// The longest time between the starts of two looks; null for one look.
    pub longest_between_looks_ns: Option<u64>,
    /// How often each kind was seen.
    pub events: BTreeMap<&'static str, u64>,
    /// The CPU time of this process, from its start.
    pub cpu_ms: f64,
    pub cpu_share: f64,
    /// Why the log ends before the watch did.
    pub reason_log_ended: Option<String>,
}

/// In UTC, to the nanosecond.
pub fn utc(utc_ns: u64) -> String {
    humantime::format_rfc3339_nanos(UNIX_EPOCH + Duration::from_nanos(utc_ns)).to_string()
}

impl Event {
    pub fn new(sample: &Sample, finding: Finding) -> Self {
        Self { at: utc(sample.utc_ns), monotonic_ns: sample.monotonic_ns, finding }
    }
}

/// What the first look could not see, by kind of event.
pub fn unavailable(sample: &Sample) -> Vec<Unavailable> {
    fn why<T>(known: &Known<T>) -> Option<&str> {
        match known {
            Known::Value(_) => None,
            Known::Unavailable(why) => Some(why),
        }
    }
    let [set, slew, clocksource, sync, leap, skew, steal, suspended, _] =
        [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|place: usize| KINDS[place].id);
    let reasons = [
        (set, why(&sample.wall)),
        (slew, why(&sample.rate)),
        (clocksource, why(&sample.clocksource)),
        (sync, why(&sample.kernel)),
        (leap, why(&sample.kernel)),
        (skew, sample.skew.as_ref().and_then(why)),
        (steal, sample.steal.as_ref().and_then(why)),
        (suspended, why(&sample.boot)),
    ];
    let missing = reasons.into_iter().filter_map(|(id, reason)| Some((id, reason?.to_owned())));
    missing.map(|(id, reason)| Unavailable { id, reason }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::sample::tests::blank;
    use chronoscope_harness::finding::{Kind, Meaning, NO_ACTION};
    use serde_json::{Value, json};

    #[test]
    fn an_event_is_a_line_with_its_evidence() {
        const ODD: Kind =
            Kind::warning("odd", Meaning { about: "something is odd", evidence: "none", mend: NO_ACTION });
        let finding = Finding::new(ODD, "it is\nodd").value("step_ns", 250e6).value("none", f64::NAN);
        let event = Entry::Event(Event::new(&blank(5), finding));
        let line = serde_json::to_string(&event).unwrap();
        assert!(!line.contains('\n'));
        let read: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(
            (&read["type"], &read["id"], &read["severity"]),
            (&json!("event"), &json!("odd"), &json!("warning"))
        );
        assert_eq!(read["evidence"]["values"], json!({ "step_ns": 250e6 }));
        assert_eq!((&read["at"], &read["monotonic_ns"]), (&json!("2023-11-14T22:13:20.000000005Z"), &json!(5)));
    }

    #[test]
    fn whatever_a_look_lacks_is_named_with_its_reason() {
        let mut sample = blank(0);
        sample.skew = Some(Known::Unavailable("one CPU".to_owned()));
        sample.clocksource = Known::Value("tsc".to_owned());
        let ids: Vec<&str> = unavailable(&sample).iter().map(|missing| missing.id).collect();
        let expected = ["wall_clock_set", "slew_changed", "sync_changed", "leap_changed", "skew_grown", "suspended"];
        assert_eq!(ids, expected);
    }
}
