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
/// How far the kernel's own idea of the tick is off: it converts by a factor of so many bits, and slews.
const KERNEL: f64 = 1e-6;

/// Has the tool look at the clocks.
pub fn run() -> io::Result<Row> {
    let began = Instant::now();
    let source = clocksource::current()?;
    let wanted_ns = HIDDEN_NS.iter().find(|(name, _)| *name == source).map(|(_, ns)| *ns);
    let output = Command::new(TOOL).args(["clocks", "--quick", "--format", "json"]).output()?;
    let document = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    let clock = clock(&document);
    let tick = &clock["tick"];
    let found = Interval::of(&tick["period_ns"]);
    let was_looked_for = output.status.success() && tick["longest_ns"].is_number();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(Row::new(Check::Tick.name(), Both::default(), 0, began.elapsed())
        .note("tick_ns", tick["period_ns"].clone())
        .note("latency_ns", clock["latency_ns"]["estimate"].clone())
        .require(was_looked_for, format!("the tool could not look for the tick of {CLOCK}: {complaint}{tick}"))
        .require(is_right(wanted_ns, found), format!("not a tick of {wanted_ns:?} ns: {tick}")))
}

/// A tick with its interval, in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Interval {
    estimate: f64,
    low: f64,
    high: f64,
}

impl Interval {
    fn of(value: &Value) -> Option<Self> {
        let [estimate, low, high] = ["estimate", "low", "high"].map(|name| value[name].as_f64());
        Some(Self { estimate: estimate?, low: low?, high: high? })
    }
}

/// What the tool says of the clock.
fn clock(document: &Value) -> Value {
    let clocks = document["content"]["sections"]["clocks"]["report"]["clocks"].as_array().into_iter().flatten();
    clocks.into_iter().find(|clock| clock["name"] == CLOCK).cloned().unwrap_or_default()
}

/// Whether the tick that is there is found, and none where a read hides none.
fn is_right(wanted_ns: Option<f64>, found: Option<Interval>) -> bool {
    match (wanted_ns, found) {
        (Some(wanted), Some(found)) => {
            let off = (found.estimate / wanted - 1.0).abs();
            off < WITHIN && found.low - wanted * KERNEL <= wanted && wanted <= found.high + wanted * KERNEL
        }
        (wanted, found) => wanted.is_none() && found.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_tick_is_right_where_it_is_and_wrong_where_there_is_none() {
        let found = |estimate: f64, half: f64| Some(Interval { estimate, low: estimate - half, high: estimate + half });
        assert!(is_right(Some(279.365), found(279.4, 0.1)) && is_right(None, None));
        for (wanted, found) in [
            (Some(279.365), found(139.68, 0.1)),
            (Some(10.0), found(10.02, 0.1)),
            (Some(10.0), found(10.005, 0.001)),
            (Some(10.0), None),
            (None, found(10.0, 0.1)),
        ] {
            assert!(!is_right(wanted, found), "{wanted:?} {found:?}");
        }
        assert!(Interval::of(&json!({ "estimate": 1.0, "low": 0.5 })).is_none());
    }

    #[test]
    fn the_clock_is_found_in_the_document() {
        let clocks = json!([{ "name": "CLOCK_REALTIME" }, { "name": CLOCK, "tick": { "readings": 5 } }]);
        let document = json!({ "content": { "sections": { "clocks": { "report": { "clocks": clocks } } } } });
        assert_eq!(clock(&document)["tick"]["readings"], 5);
        assert_eq!(clock(&Value::Null), Value::Null);
    }
}
