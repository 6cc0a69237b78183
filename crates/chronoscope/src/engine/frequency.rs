//! Measures the counter's frequency against `CLOCK_MONOTONIC`.

use chronoscope_clock::arch::Counter;
use chronoscope_clock::os::OsClock;
use chronoscope_clock::{Anchor, SourceId, SourceVisitor, TickSource, Unavailable};
use serde::{Deserialize, Serialize};

use super::task::{Bench, Task};
use crate::sections::clocks::granularity::task::{OneLook, Steps};
use chronoscope_harness::record::Disturbance;

/// Brackets tried at each end; the narrowest is used.
const ATTEMPTS: u32 = 2000;

/// To measure it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Request;

/// Two anchors of the counter on `CLOCK_MONOTONIC`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// Ticks from the first anchor to the second.
    pub ticks: u64,
    /// Nanoseconds from the first anchor to the second.
    pub reference_ns: u64,
    /// Sum of both brackets' half-widths.
    pub half_width_ticks: u64,
    /// Changes of the counter between consecutive reads, which show whether it moves in steps.
    pub steps: Steps,
}

impl Task for Request {
    const NAME: &'static str = "frequency";
    type Samples = Samples;

    fn perform(&self, bench: &Bench) -> Result<(Samples, Disturbance), String> {
        bench.alone(|| run(bench.budget_ms))
    }
}

fn run(budget_ms: u64) -> Result<Samples, String> {
    let unavailable = |unavailable: Unavailable| unavailable.to_string();
    let counter = Counter::new().map_err(unavailable)?;
    let steps = SourceId::CounterOrdered.visit(OneLook).map_err(unavailable)?;
    let [first, second] =
        SourceId::Os(OsClock::Monotonic).visit(Measure { counter, budget_ms }).map_err(unavailable)?;
    let ticks = second.ticks.saturating_sub(first.ticks);
    let reference_ns = second.reference_ns.saturating_sub(first.reference_ns);
    if ticks == 0 || reference_ns == 0 {
        return Err("the counter or CLOCK_MONOTONIC did not advance".to_owned());
    }
    let half_width_ticks = first.half_width_ticks.saturating_add(second.half_width_ticks);
    Ok(Samples { ticks, reference_ns, half_width_ticks, steps })
}

struct Measure {
    counter: Counter,
    budget_ms: u64,
}

impl SourceVisitor for Measure {
    type Output = [Anchor; 2];

    fn visit<S: TickSource>(self, reference: S) -> [Anchor; 2] {
        let first = Anchor::of_counter(self.counter, &reference, ATTEMPTS);
        std::thread::sleep(std::time::Duration::from_millis(self.budget_ms));
        [first, Anchor::of_counter(self.counter, &reference, ATTEMPTS)]
    }
}
