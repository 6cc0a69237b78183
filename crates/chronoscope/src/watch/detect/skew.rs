//! Two CPUs disagree on the time, by more than before.

use std::collections::BTreeMap;

use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning};
use chronoscope_harness::quantity::{TIME, ns};

use super::shown_in::SHOWN_IN;
use crate::watch::sample::{Sample, Skew};

pub const SKEW_GROWN: Kind = Kind::critical(
    "skew_grown",
    Meaning {
        about: "two CPUs disagree on the time by more than before",
        evidence: "the offset and its error (`skew_ns` ± `error_ns`), and the one before (`before_ns`)",
        mend: "`chronoscope causality` measures all pairs; have the kernel use another clocksource until it is fixed",
    },
)
.shown_in(SHOWN_IN)
.classed(HostState::Broken);

/// Bounds that exclude zero are a skew; later ones that those exclude are another.
#[derive(Debug, Default)]
pub struct Detector {
    told: BTreeMap<(u32, u32), Skew>,
}

impl Detector {
    pub fn look(&mut self, sample: &Sample) -> Option<Finding> {
        let skew = *sample.skew.as_ref()?.value()?;
        let none = Skew { low_ns: 0, high_ns: 0, ..skew };
        let told = self.told.get(&(skew.a, skew.b)).copied().unwrap_or(none);
        let is_other = skew.low_ns > told.high_ns || skew.high_ns < told.low_ns;
        if !is_other {
            return None;
        }
        self.told.insert((skew.a, skew.b), skew);
        // Less than before is no event.
        (middle(skew).abs() > middle(told).abs()).then(|| found(skew, told))
    }
}

fn middle(skew: Skew) -> f64 {
    (skew.low_ns as f64).midpoint(skew.high_ns as f64)
}

fn found(skew: Skew, told: Skew) -> Finding {
    let (by_ns, error_ns) = (middle(skew), (skew.high_ns as f64 - skew.low_ns as f64) / 2.0);
    let way = if by_ns < 0.0 { "behind" } else { "ahead of" };
    let said = format!(
        "CPU {} reads CLOCK_MONOTONIC {} {way} CPU {} ({}); {} before",
        skew.b,
        ns(by_ns.abs()),
        skew.a,
        TIME.off(error_ns),
        ns(middle(told).abs())
    );
    Finding::new(SKEW_GROWN, said)
        .about(format!("CPUs {} and {}", skew.a, skew.b))
        .value("skew_ns", by_ns)
        .value("error_ns", error_ns)
        .value("before_ns", middle(told))
        .advice("`chronoscope causality` measures all pairs; have the kernel use another clocksource until it is fixed")
}
