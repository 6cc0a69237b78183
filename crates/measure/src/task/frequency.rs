//! Measures the counter's frequency against `CLOCK_MONOTONIC`.

use chronoscope_clock::arch::Counter;
use chronoscope_clock::os::OsClock;
use chronoscope_clock::{Anchor, SourceId, SourceVisitor, TickSource};
use serde::{Deserialize, Serialize};

use super::granularity::{self, Steps};

/// Brackets tried at each end; the narrowest counts.
const ATTEMPTS: u32 = 2000;

/// Two anchors of the counter on `CLOCK_MONOTONIC`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// Ticks from the first to the second.
    pub ticks: u64,
    /// Nanoseconds from the first to the second.
    pub reference_ns: u64,
    /// Half-widths of both brackets together.
    pub half_width_ticks: u64,
    /// Changes of the counter between consecutive reads, by which one sees whether it moves in steps.
    pub steps: Steps,
}

pub(super) fn run(budget_ms: u64) -> Result<Samples, String> {
    let counter = Counter::new().map_err(|unavailable| unavailable.to_string())?;
    SourceId::Os(OsClock::Monotonic)
        .visit(Measure { counter, budget_ms })
        .map_err(|unavailable| unavailable.to_string())
        .and_then(|samples| match samples {
            Samples { ticks: 0, .. } | Samples { reference_ns: 0, .. } => {
                Err("the counter or CLOCK_MONOTONIC stood still".to_owned())
            }
            samples => Ok(samples),
        })
}

struct Ordered(Counter);

impl TickSource for Ordered {
    fn read(&self) -> u64 {
        self.0.ordered()
    }
}

struct Measure {
    counter: Counter,
    budget_ms: u64,
}

impl SourceVisitor for Measure {
    type Output = Samples;

    fn visit<S: TickSource>(self, reference: S) -> Samples {
        let first = Anchor::of_counter(self.counter, &reference, ATTEMPTS);
        std::thread::sleep(std::time::Duration::from_millis(self.budget_ms));
        let second = Anchor::of_counter(self.counter, &reference, ATTEMPTS);
        Samples {
            ticks: second.ticks.saturating_sub(first.ticks),
            reference_ns: second.reference_ns.saturating_sub(first.reference_ns),
            half_width_ticks: first.half_width_ticks.saturating_add(second.half_width_ticks),
            steps: granularity::observe(&Ordered(self.counter), |steps| steps.reads > 0),
        }
    }
}
