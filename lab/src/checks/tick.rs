//! The tick that the tool finds in the values of the system's clock, also where a read takes longer.

use std::io;
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

use crate::check::Check;
use crate::clocksource;
use crate::reader::Both;
use crate::row::Row;

/// Where `lab/run` puts the tool.
const TOOL: &str = "/bin/chronoscope";
const CLOCK: &str = "CLOCK_MONOTONIC";
/// Ticks that a read hides, by clocksource: that of the ACPI specification, 3.579545 MHz, and that of QEMU's HPET, 100 MHz.
const HIDDEN_NS: [(&str, f64); 2] = [("acpi_pm", 1e9 / 3_579_545.0), ("hpet", 10.0)];
/// How far the one found may be off, as a share of it.
const WITHIN: f64 = 1e-3;

/// Has the tool look at the clocks.
pub fn run() -> io::Result<Row> {
    let began = Instant::now();
    let source = clocksource::current()?;
    let wanted_ns = HIDDEN_NS.iter().find(|(name, _)| *name == source).map(|(_, ns)| *ns);
    let output = Command::new(TOOL).args(["clocks", "--quick", "--format", "json"]).output()?;
    let document = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    let clock = clock(&document);
    let tick = &clock["tick"];
    let found_ns = tick["period_ns"]["estimate"].as_f64();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(Row::new(Check::Tick.name(), Both::default(), 0, began.elapsed())
        .note("tick_ns", found_ns)
        .note("latency_ns", clock["latency_ns"]["estimate"].clone())
        .require(!tick.is_null(), format!("the tool did not look for the tick of {CLOCK}: {complaint}"))
        .require(is_right(wanted_ns, found_ns), format!("a tick of {found_ns:?} ns, not of {wanted_ns:?}: {tick}")))
}

/// What the tool says of the clock.
fn clock(document: &Value) -> Value {
    let clocks = document["content"]["sections"]["clocks"]["report"]["clocks"].as_array().into_iter().flatten();
    clocks.into_iter().find(|clock| clock["name"] == CLOCK).cloned().unwrap_or_default()
}

/// Whether the tick that is there is found, and none where a read hides none.
fn is_right(wanted_ns: Option<f64>, found_ns: Option<f64>) -> bool {
    match (wanted_ns, found_ns) {
        (Some(wanted), Some(found)) => (found / wanted - 1.0).abs() < WITHIN,
        (wanted, found) => wanted.is_none() && found.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_tick_is_right_where_it_is_and_wrong_where_there_is_none() {
        assert!(is_right(Some(279.365), Some(279.4)) && is_right(None, None));
        for (wanted, found) in
            [(Some(279.365), Some(139.68)), (Some(10.0), Some(10.02)), (Some(10.0), None), (None, Some(10.0))]
        {
            assert!(!is_right(wanted, found), "{wanted:?} {found:?}");
        }
    }

    #[test]
    fn the_clock_is_found_in_the_document() {
        let clocks = json!([{ "name": "CLOCK_REALTIME" }, { "name": CLOCK, "tick": { "readings": 5 } }]);
        let document = json!({ "content": { "sections": { "clocks": { "report": { "clocks": clocks } } } } });
        assert_eq!(clock(&document)["tick"]["readings"], 5);
        assert_eq!(clock(&Value::Null), Value::Null);
    }
}
