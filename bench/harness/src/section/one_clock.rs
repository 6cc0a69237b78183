//! One clock, measured in three ways: by `check`, by `scaling` on one thread without work, and by the probe in C.

use std::path::Path;

use bench_common::failure::Failure;
use bench_common::spread::Spread;
use bench_common::table;
use chronoscope_harness::record::study::Estimate;
use serde::Serialize;
use serde_json::Value;

use crate::claim::Count;
use crate::product::{all, document};
use crate::size::Size;

/// The clock, and the probe's call that reads it.
const CLOCK: &str = "CLOCK_MONOTONIC";
const CALL: &str = "clock_gettime(CLOCK_MONOTONIC)";
/// An interval of less confidence shows no agreement.
const CONFIDENCE: f64 = 0.999;

/// What each way said, run by run.
#[derive(Debug, Default, Serialize)]
pub(crate) struct OneClock {
    runs: Vec<[Estimate; 3]>,
    /// Runs that failed, and why; they show no agreement.
    failed: Vec<String>,
}

/// In the order of a run.
const WAYS: [&str; 3] = ["check", "scaling, 1 thread, no work", "the C probe"];

pub(crate) fn measure(program: &Path, size: &Size) -> Result<OneClock, Failure> {
    let mut found = OneClock::default();
    for run in 0..size.one_clock {
        eprintln!("bench-harness: one clock, run {} of {}", run + 1, size.one_clock);
        match one_run(program, size) {
            Ok(seen) => found.runs.push(seen),
            // The others are not lost.
            Err(failure) => found.failed.push(failure.to_string()),
        }
    }
    match (found.runs.is_empty(), found.failed.first()) {
        (true, Some(why)) => Err(Failure::because(why.clone())),
        _ => Ok(found),
    }
}

fn one_run(program: &Path, size: &Size) -> Result<[Estimate; 3], Failure> {
    let quick: &[&str] = if size.is_quick { &["--quick"] } else { &[] };
    let said = |arguments: &[&str]| document(program, &[arguments, quick].concat());
    let check = said(&["check"])?;
    let scaling = said(&["scaling", "--clock", CLOCK, "--no-runtimes"])?;
    let runtimes = said(&["runtimes", "--only", "c"])?;
    let clocks = &check["content"]["sections"]["clocks"]["report"]["clocks"];
    let cells = &scaling["content"]["study"]["cells"];
    let probes = &runtimes["content"]["sections"]["runtimes"]["report"];
    let is_alone = |cell: &Value| cell["case"] == CLOCK && cell["threads"] == 1 && cell["backoff_tokens"] == 0;
    let calls = all(probes).flat_map(|runtime| all(&runtime["clocks"]));
    Ok([
        estimate(all(clocks).find(|clock| clock["name"] == CLOCK).map(|clock| &clock["latency_ns"]), WAYS[0])?,
        estimate(all(cells).find(|cell| is_alone(cell)).map(|cell| &cell["time_ns"]), WAYS[1])?,
        estimate(calls.into_iter().find(|call| call["name"] == CALL).map(|call| &call["latency_ns"]), WAYS[2])?,
    ])
}

fn estimate(value: Option<&Value>, way: &str) -> Result<Estimate, Failure> {
    let number = |name: &str| value.and_then(|value| value[name].as_f64());
    let found = || {
        Some(Estimate {
            estimate: number("estimate")?,
            low: number("low")?,
            high: number("high")?,
            confidence: number("confidence")?,
        })
    };
    found().ok_or_else(|| Failure::because(format!("{way} did not measure {CLOCK}")))
}

/// Whether all three intervals share a value, each with enough confidence.
fn agree(ways: &[Estimate; 3]) -> bool {
    share_a_value(ways) && are_confident(ways)
}

fn share_a_value(ways: &[Estimate; 3]) -> bool {
    let low = ways.iter().map(|way| way.low).fold(f64::NEG_INFINITY, f64::max);
    let high = ways.iter().map(|way| way.high).fold(f64::INFINITY, f64::min);
    low <= high
}

fn are_confident(ways: &[Estimate; 3]) -> bool {
    ways.iter().all(|way| way.confidence >= CONFIDENCE)
}

impl OneClock {
    /// Runs in which all three intervals overlap.
    pub(crate) fn overlap(&self) -> Count {
        Count::of(self.runs.iter().map(agree).chain(self.failed.iter().map(|_| false)))
    }

    /// Runs without failure, of which `holds` does.
    fn those(&self, holds: fn(&[Estimate; 3]) -> bool) -> String {
        Count::of(self.runs.iter().map(holds)).show()
    }

    pub(crate) fn show(&self) -> String {
        let rows = WAYS.iter().enumerate().map(|(at, way)| {
            let of = |value: fn(&Estimate) -> f64| {
                table::or_dash(
                    Spread::of(self.runs.iter().map(|run| value(&run[at]))).map(|value| value.show_extremes(3)),
                )
            };
            let half = of(|way| (way.high - way.low) / 2.0 / way.estimate * 100.0);
            vec![(*way).to_owned(), of(|way| way.estimate), half, of(|way| way.confidence * 100.0)]
        });
        let headings = [CLOCK, "claimed ns (extremes)", "± % (extremes)", "confidence % (extremes)"];
        format!(
            "{}\n\nAll three intervals share a value in {} runs; all have 99.9 % in {}. Runs that failed: {}.",
            table::numbers(&headings, rows),
            self.those(share_a_value),
            self.those(are_confident),
            self.failed.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_intervals_agree_if_they_share_a_value() {
        let way = |low: f64, high: f64, confidence: f64| Estimate { estimate: low, low, high, confidence };
        let [first, second] = [way(10.0, 12.0, 0.999), way(11.0, 13.0, 0.9995)];
        assert!(agree(&[first, second, way(9.0, 11.5, 0.999)]));
        assert!(!agree(&[first, second, way(9.0, 10.5, 0.999)]), "each two would not do");
        assert!(!agree(&[first, second, way(9.0, 11.5, 0.99)]), "too little confidence");
    }
}
