//! Reads each clock until it changes, repeatedly.

use chronoscope_clock::TickSource;
use chronoscope_sources::SourceVisitor;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::engine::steps::{MOST_STEPS, observe};
use crate::engine::task::{Bench, Task};
use crate::engine::timer::{Deadline, Timer};
use chronoscope_harness::estimators::steps::Steps;
use chronoscope_harness::record::Disturbance;

/// Minimum changes worth waiting for.
const FEWEST_STEPS: usize = 10;

/// For these it is waited so many times as long: next to another thread a clock is read half of the time.
const PATIENCE: u64 = 10;

/// Observes these clocks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GranularityTask(pub Vec<ClockId>);

impl Task for GranularityTask {
    const NAME: &'static str = "granularity";
    type Samples = Vec<Steps>;

    fn perform(&self, bench: &Bench) -> Result<(Self::Samples, Disturbance), String> {
        bench.alone(|| {
            let timer = bench.timer()?;
            let budget_ns = bench.budget_ms * 1_000_000 / self.0.len().max(1) as u64;
            self.0.iter().map(|clock| clock.visit(Observe { timer, budget_ns })).collect()
        })
    }

    fn answered(&self, clocks: &Self::Samples) -> (usize, usize) {
        (clocks.iter().filter(|steps| steps.reads > 0).count(), self.0.len())
    }
}

struct Observe {
    timer: Timer,
    budget_ns: u64,
}

impl SourceVisitor for Observe {
    type Output = Steps;

    fn visit<S: TickSource>(self, source: S) -> Steps {
        let usual = Deadline::after_ns(self.timer, self.budget_ns);
        let patient = Deadline::after_ns(self.timer, self.budget_ns.saturating_mul(PATIENCE));
        observe(&source, |steps| {
            steps.changes.len() >= MOST_STEPS
                || (usual.passed() && (steps.changes.len() >= FEWEST_STEPS || patient.passed()))
        })
    }
}
